#!/usr/bin/env bash
# Installs what is missing, builds the 3-D heat solver and runs it.
#
#   scripts/demo.sh [--pes N] [--picture FILE] [heat3d option...]
#
# --pes N          number of PEs (processes), default 4
# --picture FILE   file for the picture of a slice (.png or .ppm), default
#                  build/heat3d.png, or .ppm if the build found no libpng
#
# All other options are passed to the solver, for example --size 128 --steps 500.
# shellcheck source-path=SCRIPTDIR
caller_dir=$PWD
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

pes=4
picture=
options=()
while (($# > 0)); do
  case $1 in
    --pes | --picture)
      (($# > 1)) || die "$1 needs a value"
      case $1 in
        --pes) pes=$2 ;;
        --picture) picture=$(cd "$caller_dir" && realpath -m "$2") ;;
      esac
      shift 2
      ;;
    -h | --help)
      usage
      exit 0
      ;;
    *)
      options+=("$1")
      shift
      ;;
  esac
done
[[ $pes =~ ^[1-9][0-9]*$ ]] || die "--pes $pes: expected a positive number"

scripts/setup.sh --demo
without="-DSYMM_ENABLE_TESTS=OFF -DSYMM_ENABLE_PERF_TESTS=OFF"
if [[ -e build/$preset/build.ninja ]]; then without=; fi # stays as it is
SYMM_CMAKE_OPTIONS="$without ${SYMM_CMAKE_OPTIONS:-}" configure
build heat3d

if [[ -z $picture ]]; then
  picture=$PWD/build/heat3d.ppm
  if grep -q 'EXAMPLES_HAVE_PNG' "build/$preset/build.ninja"; then
    picture=${picture%.ppm}.png
  fi
fi
step "Solving the heat equation on $pes PEs"
run_pes "$pes" "build/$preset/examples/heat3d/heat3d" \
  --picture "$picture" "${options[@]}"
echo
echo "Picture of a slice: $picture"
