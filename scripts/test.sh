#!/usr/bin/env bash
# Sets up what is missing, builds everything and runs all tests.
#
#   scripts/test.sh [ctest option...]      e.g. scripts/test.sh -R allocator
#
# SYMM_PRESET=host-asan-ubsan runs the tests of another preset.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

scripts/setup.sh
configure
build all
step "Testing ($preset)"
# The preset brings timeouts, output on failure, and an error when there is no
# test. A test counts for the PEs it runs, and one with more than there is room
# for runs alone. Two PEs a core: much of a test's time is mpiexec's start.
ctest --preset "$preset" -j "$((2 * $(nproc)))" --no-tests=error "$@"
