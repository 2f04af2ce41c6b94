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
# test. Together, the tests that run have as many PEs as there are cores; one
# with more runs alone.
ctest --preset "$preset" -j "$(nproc)" --no-tests=error "$@"
