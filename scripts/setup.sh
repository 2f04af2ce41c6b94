#!/usr/bin/env bash
# Installs the missing packages for building and testing this project.
#
#   scripts/setup.sh [--check] [--demo] [--developer] [--docs] [--amd]
#
# --check       only reports what is missing
# --demo        omits what only tests and benchmarks need
# --developer   includes the programs with which CI checks the sources
# --docs        includes the programs with which scripts/docs.sh builds the site
# --amd         includes what compiles the library for AMD GPUs (on Debian 12)
#
# Does not install Kokkos: CMake uses an installed Kokkos or builds it from source
# (cmake/SymmKokkos.cmake).
# shellcheck source-path=SCRIPTDIR
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

check_only=false
demo=false
developer=false
docs=false
amd=false
for option in "$@"; do
  case $option in
    --check) check_only=true ;;
    --demo) demo=true ;;
    --developer) developer=true ;;
    --docs) docs=true ;;
    --amd) amd=true ;;
    -h | --help)
      usage
      exit 0
      ;;
    *) die "unknown option $option (see --help)" ;;
  esac
done

missing=()
wanted=() # of them, what can be done without

# need WHAT PACKAGES COMMAND...: notes the packages when the command fails.
need() {
  local what=$1 packages=$2
  shift 2
  if "$@" >/dev/null 2>&1; then
    printf '  %-22s found\n' "$what"
  else
    printf '  %-22s missing: %s\n' "$what" "$packages"
    read -ra packages <<<"$packages"
    missing+=("${packages[@]}")
  fi
}

# want WHAT PACKAGES COMMAND...: the same for what can be done without.
want() {
  local before=${#missing[@]}
  need "$@"
  wanted+=("${missing[@]:before}")
}

# has_header HEADER: in the compiler's folders or below CMAKE_PREFIX_PATH.
# shellcheck disable=SC2317  # called by need
has_header() {
  local prefixes folders=() prefix
  IFS=':;' read -ra prefixes <<<"${CMAKE_PREFIX_PATH:-}"
  for prefix in "${prefixes[@]}"; do
    folders+=("-I$prefix/include")
  done
  echo "#include <$1>" | "${CXX:-c++}" -x c++ -std=c++20 -E "${folders[@]}" -
}

cmake_is_new_enough() {
  local version
  version=$(cmake --version | sed -n 's/^cmake version \([0-9.]*\).*/\1/p')
  printf '3.23\n%s\n' "$version" | sort -V -C
}

# Debian's packages are for its own python3, which may not be the first in PATH.
# shellcheck disable=SC2317  # called by need
has_python_modules() {
  local program
  for program in python3 /usr/bin/python3; do
    if "$program" -c "import $1"; then return; fi
  done
  return 1
}

step "Looking for what the build needs"
need "CMake >= 3.23" "cmake" cmake_is_new_enough
need "Ninja" "ninja-build" command -v ninja
need "C++ compiler" "g++" has_header concepts
need "MPI compiler wrapper" "libopenmpi-dev" command -v mpicxx
need "mpiexec" "openmpi-bin" command -v mpiexec
need "CLI11" "libcli11-dev" has_header CLI/CLI.hpp
want "UCX" "libucx-dev" has_header ucp/api/ucp.h # for several nodes
want "libfabric" "libfabric-dev" has_header rdma/fabric.h # another one
want "libpng" "libpng-dev" has_header png.h
if ! $demo; then
  need "Python 3" "python3" command -v python3
  need "GoogleTest" "libgtest-dev" has_header gtest/gtest.h
  need "GoogleMock" "libgmock-dev" has_header gmock/gmock.h
  need "nlohmann-json" "nlohmann-json3-dev" has_header nlohmann/json.hpp
  want "iproute2" "iproute2" command -v ip # for tests on simulated nodes
  want "Matplotlib, pandas" "python3-matplotlib python3-pandas" \
    has_python_modules matplotlib,pandas
fi
if $developer; then
  need "clang-format" "clang-format" command -v clang-format
  need "ShellCheck" "shellcheck" command -v shellcheck
  need "pkg-config" "pkg-config" command -v pkg-config # to try our file for it
  need "Doxygen" "doxygen" command -v doxygen # for the reference
fi
if $docs; then
  $developer || need "Doxygen" "doxygen" command -v doxygen
  need "Sphinx" "python3-sphinx" command -v sphinx-build
  need "MyST" "python3-myst-parser" has_python_modules myst_parser
  need "Furo" "furo" has_python_modules furo
fi

if $amd; then
  need "Clang 19" "clang-19 clang-tools-19 lld-19 libclang-rt-19-dev" \
    command -v clang++-19
  need "HIP" "libamdhip64-dev hipcc" has_header hip/hip_version.h
  need "AMD's device library" "rocm-device-libs" \
    test -e /usr/lib/x86_64-linux-gnu/amdgcn/bitcode/ocml.bc
fi

if ((${#missing[@]} == 0)); then
  echo "Nothing to install."
  exit 0
fi

as_root=()
if (($(id -u) != 0)); then
  as_root=(sudo)
fi
if ! $check_only && command -v apt-get >/dev/null &&
  { (($(id -u) == 0)) || sudo -n true 2>/dev/null ||
    { [[ -t 0 ]] && command -v sudo >/dev/null; }; }; then
  step "Installing ${missing[*]}"
  "${as_root[@]}" apt-get update
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install --yes --no-install-recommends "${missing[@]}"
  if ! cmake_is_new_enough; then
    die "this system's CMake is older than 3.23; install a newer one and" \
      "put it first in PATH"
  fi
  exit 0
fi

if ((${#missing[@]} == ${#wanted[@]})); then
  echo "Not installed, but optional: ${wanted[*]}"
  exit 0
fi

cat >&2 <<MESSAGE

Missing, but not installed by this script: ${missing[*]}

These are names of Debian and Ubuntu packages. Either ask an administrator for
    apt-get install ${missing[*]}
or provide the software in another way (a module system, Spack, your own builds):
programs in PATH, libraries in a folder of CMAKE_PREFIX_PATH. Then run this script
again.
MESSAGE
exit 1
