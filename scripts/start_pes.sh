#!/usr/bin/env bash
# Starts a program on PEs of this machine, without MPI's mpiexec.
#
#   scripts/start_pes.sh N PROGRAM [argument...]
#
# The PEs find each other through a file in a folder that only this user can read. If
# one fails, the script ends the others and exits with its status. (For several
# machines, set SYMM_ROOT, SYMM_PES and SYMM_PE; see docs/nodes.md.)
# shellcheck source-path=SCRIPTDIR
set -euo pipefail
if [[ ${1:-} == -h || ${1:-} == --help ]]; then
  sed -n '2,/^# shellcheck/{/^# shellcheck/d;s/^# \{0,1\}//;p}' "$0"
  exit 0
fi
if (($# < 2)) || ! [[ $1 =~ ^[1-9][0-9]*$ ]]; then
  echo "usage: $0 N PROGRAM [argument...]" >&2
  exit 2
fi
folder=$(mktemp -d)
export SYMM_ROOT=file:$folder/root SYMM_PES=$1
shift
pids=()
# shellcheck disable=SC2317  # called by trap
end() {
  if ((${#pids[@]})); then kill "${pids[@]}" 2>/dev/null || true; fi
  rm -rf "$folder"
}
trap end EXIT
trap 'exit 143' TERM
trap 'exit 130' INT
for ((pe = 0; pe < SYMM_PES; ++pe)); do
  SYMM_PE=$pe "$@" &
  pids+=($!)
done
status=0
for _ in "${pids[@]}"; do
  wait -n || {
    status=$?
    sleep 2 # the others end by themselves, with messages, if they have met
    break
  }
done
exit "$status"
