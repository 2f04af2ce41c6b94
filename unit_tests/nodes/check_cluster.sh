#!/usr/bin/env bash
# check_cluster.sh NETNS_CLUSTER MPI_RING: whether netns_cluster.sh makes what it
# says. The status is 77 where no cluster can be made.
set -euo pipefail
cluster=$1
ring=$2

output=
status=0
# try COMMAND...: sets output and status
try() {
  echo "-- $*"
  status=0
  output=$("$@" 2>&1) || status=$?
  printf '%s\nstatus %d\n' "$output" "$status"
}

# expect STATUS [REGULAR EXPRESSION]...
expect() {
  ((status == $1)) || {
    echo "FAILED: a status of $1 was expected"
    exit 1
  }
  shift
  local expression
  for expression in "$@"; do
    grep -qE "$expression" <<<"$output" || {
      echo "FAILED: expected was '$expression'"
      exit 1
    }
  done
}

try "$cluster" run --timeout 30 2 2 "$ring"
if ((status == 77)); then exit 77; fi
expect 0 "^0 of 4, one of 2 on n0$" "^1 of 4, one of 2 on n0$" \
  "^2 of 4, one of 2 on n1$" "^3 of 4, one of 2 on n1$"

try "$cluster" run --timeout 60 --delay 200 --jitter 300 --loss 2 3 1 "$ring"
expect 0 "^2 of 3, one of 1 on n2$"

# shellcheck disable=SC2016  # for the shell over there
try env SYMM_PASSED='a b' NOT_PASSED=1 "$cluster" run --timeout 30 2 1 \
  sh -c 'echo "$(hostname): $SYMM_PASSED, ${NOT_PASSED:-none}"'
expect 0 "^n1: a b, none$"

try "$cluster" run 2 1 sh -c 'exit 3'
expect 3

# A start of which nothing comes is made again: the first mpirun only sleeps.
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
cat >"$folder/mpirun" <<END
#!/bin/sh
if [ "\$1" != --version ] && mkdir $folder/slept 2>/dev/null; then exec sleep 100; fi
exec mpirun "\$@"
END
chmod +x "$folder/mpirun"
try env MPIRUN="$folder/mpirun" "$cluster" run --timeout 60 2 1 hostname
expect 0 "did not start the command; start 2" "^n1$"

# A cable that is out for good, and for a while, with and without a relay.
for relay in "" "--delay 10"; do
  # shellcheck disable=SC2086  # words
  try "$cluster" run $relay --timeout 3 2 1 sh -c "
    if [ \$(hostname) = n1 ]; then $cluster cut 1; fi; exec $ring 1"
  expect 124 "did not end within 3 s"
  # shellcheck disable=SC2086
  try "$cluster" run $relay --timeout 30 2 1 sh -c "
    if [ \$(hostname) = n1 ]; then
      $cluster cut 1; (sleep 0.7; $cluster heal 1) &
    fi; exec $ring 10"
  expect 0 "^0 errors"
done

# Ended by a signal, it leaves nothing.
"$cluster" run 2 1 sleep 30 &
pid=$!
for ((i = 0; i < 100; ++i)); do
  if ip netns list | grep -q "^symm_run$pid-1"; then break; fi
  sleep 0.2
done
if ((i == 100)); then
  echo "FAILED: the nodes are not there after 20 s"
  exit 1
fi
kill $pid
status=0
wait $pid || status=$?
output=$(ip netns list)
expect 143
if grep "^symm_run$pid" <<<"$output"; then
  echo "FAILED: left behind"
  exit 1
fi
echo "All is as it should be."
