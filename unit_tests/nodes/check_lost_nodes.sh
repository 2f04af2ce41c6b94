#!/usr/bin/env bash
# check_lost_nodes.sh NETNS_CLUSTER PROGRAM WAY NODES PES_PER_NODE [EXPRESSION]
#
# Whether all PEs but the one that is killed end within ten seconds and say what the
# regular expression says; without one, whether all succeed. The status is 77 where no
# cluster can be made.
set -euo pipefail
export SYMM_TEST_CLUSTER=$1 SYMM_PEER_TIMEOUT=3
program=$2 way=$3 nodes=$4 pes_per_node=$5 expression=${6:-}
last=$((nodes * pes_per_node - 1))

folder=$(mktemp -d)
job=
finish() {
  [[ -z $job ]] || kill "$job" 2>/dev/null || true
  wait
  rm -rf "$folder"
}
trap finish EXIT

fail() {
  echo "FAILED: $*"
  grep -H . "$folder"/*.log || true
  exit 1
}

# mpirun would kill the others.
[[ $way != killed* ]] || export MPIEXEC_OPTIONS=--enable-recovery
"$SYMM_TEST_CLUSTER" run --timeout 60 "$nodes" "$pes_per_node" \
  "$program" "$way" "$folder" &
job=$!

for ((i = 0; ; i++)); do
  [[ ! -e $folder/happened ]] || break
  if ! kill -0 $job 2>/dev/null; then
    status=0
    wait $job || status=$?
    job=
    ((status != 77)) || exit 77
    fail "the job has ended before, with status $status"
  fi
  ((i < 400)) || fail "nothing has happened"
  sleep 0.1
done

# A PE may not have started yet when another one says that it happens.
for ((pe = 0; pe <= last; pe++)); do
  for ((i = 0; i < 100; i++)); do
    [[ ! -s $folder/PE$pe.pid ]] || break
    sleep 0.1
  done
  [[ -s $folder/PE$pe.pid ]] || fail "PE $pe has not started"
done

started=$SECONDS
for ((pe = 0; pe <= last; pe++)); do
  pid=$(<"$folder/PE$pe.pid")
  while [[ -e /proc/$pid/stat ]] && ! grep -qs ") Z " "/proc/$pid/stat"; do
    ((SECONDS - started <= 10)) || fail "PE $pe has not ended"
    sleep 0.1
  done
  [[ $way != killed* || $pe != "$last" ]] || continue
  grep -qE "${expression:-all is well}" "$folder/PE$pe.log" ||
    fail "PE $pe says something else than '${expression:-all is well}'"
done
grep -H . "$folder"/*.log
echo "All PEs have ended after $((SECONDS - started)) s."
