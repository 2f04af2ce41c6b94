#!/usr/bin/env bash
# Searches for errors that no other test covers: compares random operations between
# nodes, random collective calls, and random rounds of plans and mail with a model;
# kills PEs; makes system calls fail. Runs as long as requested and prints how to
# repeat each failure.
#
#   scripts/guard.sh [--seconds N] [--seed S]
#   scripts/guard.sh --case CASE
#
# --seconds N  duration of each random part (default 60); in addition, every single
#              fault is tried, which takes about a minute
# --seed S     seed of the random parts; the printed seed of a failed run repeats
#              the failure
# --case CASE  only one fault, as named in its error message
#
# SYMM_PRESET=host-asan-ubsan uses the programs of another preset.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

export SYMM_GUARD_SECONDS=60 SYMM_GUARD_SEED=$RANDOM$RANDOM
programs=(test_guard_operations test_guard_random test_guard_faults)
while (($# > 0)); do
  case $1 in
    --seconds) SYMM_GUARD_SECONDS=${2:?} ;;
    --seed) SYMM_GUARD_SEED=${2:?} ;;
    --case)
      export SYMM_GUARD_CASE=${2:?}
      programs=(test_guard_faults)
      ;;
    -h | --help)
      usage
      exit 0
      ;;
    *) die "unknown option $1 (see --help)" ;;
  esac
  shift 2
done

configure >/dev/null
build "${programs[@]}" test_guard_nodes test_guard_rounds
status=0
for program in "${programs[@]}"; do
  step "$program, seed $SYMM_GUARD_SEED"
  "build/$preset/unit_tests/guard/$program" || status=1
done
if [[ ! -v SYMM_GUARD_CASE ]]; then
  step "test_guard_rounds, three PEs and two nodes of two, seed $SYMM_GUARD_SEED"
  run_pes 3 "build/$preset/unit_tests/guard/test_guard_rounds" || status=1
  SYMM_PES_PER_NODE=2 run_pes 4 "build/$preset/unit_tests/guard/test_guard_rounds" || status=1
  step "test_guard_nodes, on nodes with bad links, seed $SYMM_GUARD_SEED"
  seconds=$((${SYMM_GUARD_SECONDS%.*} + 120))
  SYMM_TEST_MPIEXEC="mpiexec --oversubscribe --bind-to none -n" \
    unit_tests/nodes/run_or_simulate.sh scripts/netns_cluster.sh --timeout "$seconds" \
    --delay 100 --jitter 200 --loss 2 2 1 \
    "build/$preset/unit_tests/guard/test_guard_nodes" || status=1
fi
((status == 0)) || die "failed with seed $SYMM_GUARD_SEED"
