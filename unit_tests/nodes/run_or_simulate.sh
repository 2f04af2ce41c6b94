#!/usr/bin/env bash
# run_or_simulate.sh NETNS_CLUSTER [option...] NODES PES_PER_NODE COMMAND...
#
# Runs the command on a cluster, by NETNS_CLUSTER run; or, where none can be made, on
# nodes that are simulated on this machine, by SYMM_TEST_MPIEXEC NUMBER COMMAND...
set -euo pipefail
cluster=$1
shift
options=()
while [[ ${1:-} == --* ]]; do
  options+=("$1" "$2")
  shift 2
done
nodes=$1 pes_per_node=$2
shift 2

status=0
"$cluster" run "${options[@]}" "$nodes" "$pes_per_node" "$@" || status=$?
((status == 77)) || exit $status
echo "No cluster can be made here: nodes are simulated on this machine, with good links."
export SYMM_PES_PER_NODE=$pes_per_node
# shellcheck disable=SC2086  # a command and its options
exec ${SYMM_TEST_MPIEXEC:?} $((nodes * pes_per_node)) "$@"
