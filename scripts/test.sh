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
# The preset brings timeouts, one test at a time, output on failure, and an
# error when there is no test.
ctest --preset "$preset" --no-tests=error "$@"
