# Shared by the scripts of this folder and .ci/run; to be sourced.
# shellcheck shell=bash

set -euo pipefail

script=$(realpath "$0")
cd "$(dirname "${BASH_SOURCE[0]}")/.."

PATH=$PATH:/usr/local/cuda/bin # where NVIDIA's packages put nvcc

# Everything that the scripts build is built with this preset, so that the demo
# and the tests share one build.
preset=${SYMM_PRESET:-host-release}

step() { printf '\n==> %s\n' "$*"; }

die() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# Prints the comment at the top of the script, up to the line for ShellCheck.
usage() {
  sed -n '2,/^# shellcheck/{/^# shellcheck/d;s/^# \{0,1\}//;p}' "$script"
}

# Warnings are errors only where asked for (CI does): a newer compiler with a
# new warning must not stop a user.
# SYMM_CMAKE_OPTIONS may have more options.
configure() {
  step "Configuring ($preset)"
  local options
  read -ra options <<<"${SYMM_CMAKE_OPTIONS:-}"
  cmake --preset "$preset" -DSYMM_WERROR="${SYMM_WERROR:-OFF}" "${options[@]}"
}

# build TARGET...
build() {
  step "Building ($preset)"
  cmake --build --preset "$preset" --target "$@"
}

# run_pes N PROGRAM [argument...]: runs the program on N PEs.
run_pes() {
  local pes=$1
  shift
  local flags=()
  if mpiexec --version 2>&1 | grep -qE 'Open MPI|OpenRTE'; then
    if (($(id -u) == 0)); then # Open MPI asks root to confirm
      export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    fi
    if ((pes > $(nproc))); then
      flags=(--oversubscribe --bind-to none)
    fi
  fi
  mpiexec -n "$pes" "${flags[@]}" "$@"
}
