#!/usr/bin/env bash
# Looks for what no test has thought of: random operations between nodes, random
# collective calls, and random rounds of plans and mail, against a model; PEs that are killed; functions of the system that
# fail. Runs for as long as one likes and says how to repeat what it finds.
#
#   scripts/guard.sh [--seconds N] [--seed S]
#   scripts/guard.sh --case CASE
#
# --seconds N  how long each random part goes on (60); every single fault is
#              tried besides, which takes about a minute
# --seed S     of the random parts: what has failed is found again by the seed
#              that was printed
# --case CASE  one fault, as the complaint about it says
#
# SYMM_PRESET=host-asan-ubsan takes the programs of another preset.
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
((status == 0)) || die "failed; the seed was $SYMM_GUARD_SEED"
