#!/usr/bin/env bash
# Tests a package of the library on a clean Debian: installs it there with its
# dependencies and nothing else from this machine, and compiles and runs one program
# with CMake and one with pkg-config, on 2 and 4 PEs, as a user other than root.
#
#   scripts/try_package.sh [--system DIR] PACKAGE
#
# PACKAGE         a .deb or .tar.gz created by cpack, with its own Kokkos:
#                   cmake --preset host-release -DCMAKE_DISABLE_FIND_PACKAGE_Kokkos=ON
#                   cmake --build --preset host-release
#                   (cd build/host-release && cpack -G "DEB;TGZ")
# --system DIR    the clean system: a folder created earlier by debootstrap (it will be
#                 modified); by default, one is created in build/clean_system
#
# Requires root, and debootstrap if the folder does not exist.
# shellcheck source-path=SCRIPTDIR
caller_dir=$PWD
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

system=$PWD/build/clean_system
package=
while (($# > 0)); do
  case $1 in
    --system)
      (($# > 1)) || die "$1 needs a value"
      system=$(cd "$caller_dir" && realpath -m "$2")
      shift
      ;;
    -h | --help)
      usage
      exit 0
      ;;
    -*) die "unknown option $1 (see --help)" ;;
    *) package=$(cd "$caller_dir" && realpath -m "$1") ;;
  esac
  shift
done
[[ -e $package ]] || die "there is no package $package (see --help)"
(($(id -u) == 0)) || die "must be run as root, for chroot"

if [[ ! -e $system/etc/debian_version ]]; then
  command -v debootstrap >/dev/null ||
    die "debootstrap is required to create $system (or pass --system)"
  step "Creating a clean system in $system"
  debootstrap --variant=minbase bookworm "$system"
fi
cp /etc/resolv.conf "$system/etc/"

mounted=()
cleanup() {
  local place
  for place in "${mounted[@]}"; do umount "$place"; done
}
trap cleanup EXIT
for place in "proc proc" "sysfs sys" "tmpfs dev/shm"; do
  read -r type place <<<"$place"
  mountpoint -q "$system/$place" && continue
  mkdir -p "$system/$place"
  mount -t "$type" "$type" "$system/$place"
  mounted=("$system/$place" "${mounted[@]}")
done

in_system() {
  chroot "$system" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
    DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 "$@"
}

step "Installing $(basename "$package")"
rm -rf "$system/try" "$system/opt/kokkos-symmetric-space"
mkdir "$system/try"
cp "$package" "$system/try/"
cp unit_tests/install/consumer/{CMakeLists.txt,main.cpp,containers.cpp} \
  examples/ring_reduce/ring_reduce.cpp "$system/try/"
in_system apt-get update -qq
in_system apt-get install -y -qq --no-install-recommends g++ cmake make pkg-config \
  >/dev/null
case $package in
  *.deb)
    in_system apt-get install -y -qq --no-install-recommends --reinstall \
      "/try/$(basename "$package")" >/dev/null
    prefix=/opt/kokkos-symmetric-space
    ;;
  *.tar.gz)
    in_system apt-get install -y -qq --no-install-recommends libopenmpi-dev >/dev/null
    prefix=/try/unpacked
    mkdir "$system$prefix"
    tar xf "$package" -C "$system$prefix" --strip-components=1
    ;;
  *) die "$package: expected a .deb or .tar.gz" ;;
esac
in_system apt-get install -y -qq --no-install-recommends openmpi-bin >/dev/null
in_system chown -R nobody /try

step "Building and running programs"
# shellcheck disable=SC2016  # expanded there
in_system setpriv --reuid nobody --clear-groups env HOME=/try \
  PREFIX="$prefix" bash -euxc '
  cd /try
  "$PREFIX/bin/symm_info"
  cmake -S . -B build -DCMAKE_PREFIX_PATH="$PREFIX" -DCMAKE_BUILD_TYPE=Release
  cmake --build build
  export PKG_CONFIG_PATH=$PREFIX/lib/pkgconfig
  c++ -std=c++20 ring_reduce.cpp -o ring_reduce \
    $(pkg-config --cflags --libs symm_runtime) -Wl,-rpath,"$PREFIX/lib"
  mpiexec -n 2 --oversubscribe --bind-to none build/consumer
  mpiexec -n 4 --oversubscribe --bind-to none ./ring_reduce
'
echo
echo "$(basename "$package") works on Debian $(cat "$system/etc/debian_version")."
