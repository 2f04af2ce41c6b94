#!/usr/bin/env bash
# Installs what is missing, builds everything and runs all tests.
#
#   scripts/test.sh [ctest option...]      e.g. scripts/test.sh -R allocator
#
# SYMM_PRESET=host-asan-ubsan runs the tests of another preset.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

scripts/setup.sh
all="-U SYMM_ENABLE_TESTS -U SYMM_ENABLE_PERF_TESTS" # demo.sh turns them off
SYMM_CMAKE_OPTIONS="$all ${SYMM_CMAKE_OPTIONS:-}" configure
build all
step "Testing ($preset)"
# The preset brings timeouts, output on failure, and an error when there is no
# test. A test counts for the PEs it runs, and one with more than there is room
# for runs alone. Two PEs a core, and two tests of four PEs beside each other: most
# of a test's time mpiexec waits (a third of it is work).
jobs=$((2 * $(nproc)))
((jobs >= 8)) || jobs=8
ctest --preset "$preset" -j "$jobs" --no-tests=error "$@"
