#!/usr/bin/env bash
# Tests the library with different compilers, standards, MPIs and versions of Kokkos:
# builds it and a source that includes all its headers, installs it, and runs two
# programs that use the installation, on 2 and 4 PEs.
#
#   scripts/matrix.sh [--list] [--fast] [--publish] all | turn | ENTRY...
#
# turn         one of the entries that this machine can test in about a minute, a
#              different one each day
# --list       prints the entries
# --fast       without optimization, several sources at a time: under a minute each
# --publish    writes the results to docs/matrix.md
#
# The entry no-mpi also builds two examples, and starts all programs with
# scripts/start_pes.sh. Entries whose compiler or MPI is not installed are skipped; this
# is not a failure. Kokkos is built from its source archive: the one that
# SYMM_KOKKOS_ARCHIVE names, or one that an earlier build has downloaded. Requires what
# scripts/setup.sh --developer installs, and the compilers and MPIs under the names of
# Debian's programs (clang++-19, mpicxx.mpich). The entry aarch64 runs tests of the
# runtime for that architecture in an emulator (g++-aarch64-linux-gnu, qemu-user-static,
# mpich), with Debian's libraries for arm64 in the folder SYMM_AARCH64_SYSROOT, or in one
# that it creates (mmdebstrap). JOBS is the number of build processes (default: one per
# core); CMAKE_CXX_COMPILER_LAUNCHER may name ccache. Logs and builds are in
# build/matrix/.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# NAME WAY COMPILER MPI OPTION... ; the ways are those of try_entry.
entries=(
  "gcc-12 package g++-12 openmpi -DKokkos_ENABLE_SERIAL=ON"
  "clang-14 package clang++-14 openmpi -DKokkos_ENABLE_SERIAL=ON"
  "clang-16 package clang++-16 openmpi -DKokkos_ENABLE_SERIAL=ON"
  "clang-19 package clang++-19 openmpi -DKokkos_ENABLE_SERIAL=ON"
  "clang-22 package clang++-22 openmpi -DKokkos_ENABLE_SERIAL=ON"
  "libc++ package clang++-19 openmpi -DKokkos_ENABLE_SERIAL=ON -DCMAKE_CXX_FLAGS=-stdlib=libc++"
  "c++23-gcc package g++-12 openmpi -DKokkos_ENABLE_SERIAL=ON -DCMAKE_CXX_STANDARD=23"
  "c++23-clang package clang++-19 openmpi -DKokkos_ENABLE_SERIAL=ON -DCMAKE_CXX_STANDARD=23"
  "mpich package g++-12 mpich -DKokkos_ENABLE_SERIAL=ON"
  "openmp package g++-12 openmpi -DKokkos_ENABLE_SERIAL=ON -DKokkos_ENABLE_OPENMP=ON"
  "threads package g++-12 openmpi -DKokkos_ENABLE_SERIAL=ON -DKokkos_ENABLE_THREADS=ON"
  "clang-openmp package clang++-19 mpich -DKokkos_ENABLE_SERIAL=ON -DKokkos_ENABLE_OPENMP=ON"
  "shared package g++-12 openmpi -DKokkos_ENABLE_SERIAL=ON -DBUILD_SHARED_LIBS=ON"
  "shared-clang-mpich package clang++-19 mpich -DKokkos_ENABLE_SERIAL=ON -DBUILD_SHARED_LIBS=ON"
  "alone package g++-12 openmpi -DKokkos_ENABLE_SERIAL=ON -DSYMM_UNITY=OFF"
  "debug package g++-12 openmpi -DKokkos_ENABLE_SERIAL=ON -DCMAKE_BUILD_TYPE=Debug"
  "legacy-views package g++-12 openmpi -DKokkos_ENABLE_SERIAL=ON -DKokkos_ENABLE_IMPL_VIEW_LEGACY=ON"
  "no-ucx package g++-12 openmpi -DKokkos_ENABLE_SERIAL=ON -DSYMM_ENABLE_UCX=OFF"
  "no-mpi without-mpi g++-12 none -DKokkos_ENABLE_SERIAL=ON -DSYMM_ENABLE_MPI=OFF"
  "aarch64 emulated aarch64-linux-gnu-g++ mpich -DKokkos_ENABLE_SERIAL=ON"
  "fetch-serial fetch g++-12 openmpi -DKokkos_ENABLE_SERIAL=ON"
  "fetch-openmp fetch g++-12 openmpi -DKokkos_ENABLE_SERIAL=ON -DKokkos_ENABLE_OPENMP=ON"
  "fetch-threads fetch g++-12 openmpi -DKokkos_ENABLE_SERIAL=ON -DKokkos_ENABLE_THREADS=ON"
  "fetch-shared fetch g++-12 openmpi -DKokkos_ENABLE_SERIAL=ON -DBUILD_SHARED_LIBS=ON"
  "fetch-cuda compile-fetch g++-12 openmpi -DKokkos_ENABLE_SERIAL=ON -DKokkos_ENABLE_CUDA=ON -DKokkos_ARCH_HOPPER90=ON"
)

names() { printf '%s\n' "${entries[@]}" | cut -d' ' -f1; }

fast=false
publish=false
turn=false
chosen=()
while (($# > 0)); do
  case $1 in
    --list)
      printf '%s\n' "${entries[@]}"
      exit 0
      ;;
    --fast) fast=true ;;
    --publish) publish=true ;;
    all) mapfile -t chosen < <(names) ;;
    turn) turn=true ;;
    -h | --help)
      usage
      exit 0
      ;;
    -*) die "unknown option $1 (see --help)" ;;
    *)
      names | grep -qxF -e "$1" || die "unknown entry $1; the entries are" "$(names | xargs)"
      chosen+=("$1")
      ;;
  esac
  shift
done
$turn || ((${#chosen[@]} > 0)) || die "no entry given (see --help, --list)"

logs=$PWD/build/matrix
mkdir -p "$logs"
root=$PWD
jobs=${JOBS:-$(nproc)}

# The archive of Kokkos, where a project builds its own.
kokkos_archive() {
  local version archive
  version=$(sed -n 's/^set(SYMM_KOKKOS_VERSION \(.*\))/\1/p' cmake/SymmKokkos.cmake)
  archive=${XDG_CACHE_HOME:-$HOME/.cache}/kokkos-symmetric-space
  archive=${SYMM_KOKKOS_ARCHIVE:-$archive/kokkos_$version.orig.tar.gz}
  [[ -e $archive ]] || die "no source archive of Kokkos found; set SYMM_KOKKOS_ARCHIVE"
  echo "$archive"
}

# start PES PROGRAM [argument...]: by the entry's MPI.
start() {
  local flags=()
  if [[ $mpi == none ]]; then
    KOKKOS_NUM_THREADS=1 timeout 60 "$root/scripts/start_pes.sh" "$@"
    return
  fi
  if [[ $mpi == openmpi ]]; then
    flags=(--oversubscribe --bind-to none)
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  fi
  KOKKOS_NUM_THREADS=1 timeout 60 "mpiexec.$mpi" -n "$1" "${flags[@]}" "${@:2}"
}

# Another installed Kokkos is no matter here.
configure_entry() {
  local of_mpi=()
  if [[ $mpi != none ]]; then
    of_mpi=(-DMPI_CXX_COMPILER="mpicxx.$mpi"
      -DMPIEXEC_EXECUTABLE="$(command -v "mpiexec.$mpi")")
  fi
  cmake -G Ninja -DCMAKE_CXX_COMPILER="$compiler" "${of_mpi[@]}" \
    -DCMAKE_BUILD_TYPE=Release "${options[@]}" "$@"
}

# The installed library, by CMake and by pkg-config.
by_package() {
  configure_entry -S . -B "$dir/library" -DCMAKE_DISABLE_FIND_PACKAGE_Kokkos=ON \
    -DSYMM_ENABLE_PERF_TESTS=OFF -DSYMM_ENABLE_EXAMPLES=OFF -DSYMM_WERROR=ON
  cmake --build "$dir/library" -j "$jobs" --target KokkosSymmetricContainers \
    symm_info symm_check_names kokkoscontainers kokkosalgorithms kokkossimd
  cmake --install "$dir/library" --prefix "$dir/prefix" >/dev/null
  configure_entry -S unit_tests/install/consumer -B "$dir/consumer" \
    -DCMAKE_PREFIX_PATH="$dir/prefix"
  cmake --build "$dir/consumer" -j "$jobs"
  start 2 "$dir/consumer/consumer"
  start 2 "$dir/consumer/containers"
  local flags=() settings
  settings=$(printf '%s\n' "${options[@]}")
  read -ra flags <<<"$(sed -n 's/^-DCMAKE_CXX_FLAGS=//p' <<<"$settings")"
  flags+=("-std=c++$(sed -n 's/^-DCMAKE_CXX_STANDARD=//p' <<<"$settings" | grep . ||
    echo 20)")
  local package=()
  read -ra package <<<"$(PKG_CONFIG_PATH=$dir/prefix/lib/pkgconfig \
    pkg-config --cflags --libs symm_runtime)"
  "$compiler" "${flags[@]}" examples/ring_reduce/ring_reduce.cpp \
    -o "$dir/ring_reduce" "${package[@]}" -Wl,-rpath,"$dir/prefix/lib"
  start 4 "$dir/ring_reduce"
  "$dir/prefix/bin/symm_info"
}

# A project that fetches its own Kokkos, and this project.
by_fetch() {
  if [[ ${options[*]} == *ENABLE_CUDA=ON* ]]; then
    # Kokkos puts a launcher of its own before a compiler that does not know CUDA.
    unset CMAKE_CXX_COMPILER_LAUNCHER
    export NVCC_WRAPPER_DEFAULT_COMPILER=$compiler
  fi
  configure_entry -S unit_tests/install/consumer -B "$dir/consumer" \
    -DSYMM_SOURCE_DIR="$root" -DKOKKOS_ARCHIVE="$(kokkos_archive)"
  cmake --build "$dir/consumer" -j "$jobs" --target consumer containers | tee "$dir/build.log"
  # Our warnings are no matter of that project, nor are its Kokkos' headers of ours.
  ! grep -F 'warning:' "$dir/build.log" || die "the build has warnings"
}

# The folder with Debian's libraries for arm64. (Nothing of them runs while they are
# unpacked.)
sysroot=${SYMM_AARCH64_SYSROOT:-$logs/aarch64-sysroot}
make_sysroot() {
  [[ ! -e $sysroot/usr/lib/aarch64-linux-gnu/libmpich.so ]] || return 0
  local suite
  suite=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
  rm -rf "$sysroot"
  mmdebstrap --architectures=arm64 --variant=extract \
    --include=libc6-dev,libstdc++-12-dev,libmpich-dev,libgtest-dev,libgmock-dev \
    --include=libcli11-dev,nlohmann-json3-dev,libucx-dev,libpng-dev \
    "$suite" "$sysroot"
}

# The runtime for another architecture: its tests that fork their PEs, but those that
# take what the emulator has not (process_vm_readv(); ranges of addresses as large as
# the heap's are by default, of which it notes every page), measure time, or compute or
# map memory for minutes; and a program under mpiexec.
by_emulator() {
  make_sysroot
  export CMAKE_SYSROOT=$sysroot SYMM_HEAP_LIMIT=1G
  cmake -G Ninja -S . -B "$dir/library" \
    --toolchain "$root/cmake/toolchains/aarch64-qemu.cmake" \
    -DMPIEXEC_EXECUTABLE="$(command -v "mpiexec.$mpi")" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_DISABLE_FIND_PACKAGE_Kokkos=ON -DSYMM_ENABLE_PERF_TESTS=OFF \
    -DSYMM_WERROR=ON "${options[@]}"
  cmake --build "$dir/library" -j "$jobs" --target KokkosSymmetricContainers symm_info \
    ring_reduce combined_nodes test_runtime_{base,offsets,vmm,pes,threads}
  ctest --test-dir "$dir/library" -j "$jobs" --timeout 300 --output-on-failure \
    -R '^(combined_nodes$|test_runtime_(base|offsets|vmm|pes|threads)\.)' \
    -E '\.(SharedBufferOfPes|RuntimeOfPes|HeapCycles|CombinationOfNodes|[A-Za-z]*Model)\.|constant_time'
  local emulator=(qemu-aarch64-static -L "$sysroot")
  start 2 "${emulator[@]}" "$dir/library/examples/ring_reduce/ring_reduce"
  start 4 "${emulator[@]}" "$dir/library/examples/ring_reduce/ring_reduce"
  "${emulator[@]}" "$dir/library/src/tools/symm_info/symm_info"
}

# Examples of the library that by_package has built.
examples_without_mpi() {
  cmake -DSYMM_ENABLE_EXAMPLES=ON -DSYMM_PRECOMPILE=OFF "$dir/library"
  cmake --build "$dir/library" -j "$jobs" --target hello_pe ring_reduce
  start 3 "$dir/library/examples/hello_pe/hello_pe"
}

try_entry() {
  case $way in
    package) by_package ;;
    without-mpi)
      by_package
      examples_without_mpi
      ;;
    fetch)
      by_fetch
      start 2 "$dir/consumer/consumer"
      start 2 "$dir/consumer/containers"
      ;;
    compile-fetch) by_fetch ;;
    emulated) by_emulator ;;
  esac
}

# What is missing for the entry; empty if nothing.
missing() {
  local program
  local of_mpi=("mpicxx.$mpi" "mpiexec.$mpi")
  [[ $mpi != none ]] || of_mpi=()
  for program in "$compiler" "${of_mpi[@]}" pkg-config; do
    command -v "$program" >/dev/null || echo "$program"
  done
  if [[ $way == emulated ]]; then
    command -v qemu-aarch64-static >/dev/null || echo qemu-aarch64-static
    [[ -e $sysroot ]] || command -v mmdebstrap >/dev/null || echo mmdebstrap
  elif [[ ${options[*]} == *ENABLE_CUDA=ON* ]]; then
    command -v nvcc >/dev/null || echo nvcc
  elif [[ ${options[*]} == *-stdlib=libc++* ]]; then
    echo '#include <version>' |
      "$compiler" -stdlib=libc++ -x c++ -fsyntax-only - 2>/dev/null || echo libc++
  fi
}

# publish_row NAME RESULT: in docs/matrix.md, one line an entry.
publish_row() {
  local line
  line="| \`$1\` | $described | $(date -u +%F) | $2 |"
  if grep -qF "| \`$1\` |" docs/matrix.md; then
    ROW=$line awk -v key="| \`$1\` |" \
      'index($0, key) == 1 { print ENVIRON["ROW"]; next } { print }' docs/matrix.md \
      >"$logs/matrix.md"
    cp "$logs/matrix.md" docs/matrix.md
  else
    echo "$line" >>docs/matrix.md
  fi
}

# What a row says of an entry: the compiler and MPI with their versions, and options.
describe() {
  local compiler_name=GCC version settings=("${options[@]#-D}")
  [[ $compiler == clang* ]] && compiler_name=Clang
  version=$("$compiler" --version | grep -oE '[0-9]+\.[0-9]+\.[0-9]+' | head -n 1)
  if [[ $mpi == none ]]; then
    echo "$compiler_name $version | none | \`${settings[*]}\`"
    return
  fi
  echo "$compiler_name $version | $("mpicxx.$mpi" -v 2>/dev/null |
    sed -nE "s/.*(MPICH) version/\1/p" | grep . || "mpicxx.$mpi" --showme:version |
    grep -oE 'Open MPI [0-9.]+') | \`${settings[*]}\`"
}

# Sets what the entry of that name says.
read_entry() {
  local rest
  read -r _ way compiler mpi rest \
    <<<"$(printf '%s\n' "${entries[@]}" | grep -E "^${1//+/[+]} ")"
  read -ra options <<<"$rest"
}

if $turn; then
  present=()
  while read -r name; do
    read_entry "$name"
    if [[ $way != compile-fetch && $way != emulated && -z $(missing) ]]; then present+=("$name"); fi
  done < <(names)
  ((${#present[@]} > 0)) || die "no entry can be tested on this machine"
  chosen+=("${present[$(($(date -u +%s) / 86400 % ${#present[@]}))]}")
fi

failed=0
summary=()
for name in "${chosen[@]}"; do
  read_entry "$name"
  absent=$(missing | xargs)
  if [[ -n $absent ]]; then
    summary+=("$name: skipped, not found: $absent")
    echo "${summary[-1]}"
    continue
  fi
  described=$(describe)
  if $fast; then
    optimization=-O0
    [[ $way == emulated ]] && optimization=-O1 # it is slow as it is
    options+=("-DCMAKE_CXX_FLAGS_RELEASE=$optimization")
  fi
  dir=$logs/$name
  rm -rf "$dir"
  mkdir -p "$dir"
  step "$name: $way, $compiler, $mpi, ${options[*]}"
  started=$SECONDS
  # In a shell of its own: within a condition, this one does not stop at a failure.
  set +e
  (
    set -e
    try_entry
  ) >"$logs/$name.log" 2>&1
  status=$?
  set -e
  result="works"
  [[ $way == compile-fetch ]] && result="compiles"
  [[ $way == emulated ]] && result="the runtime's tests pass, emulated"
  if $fast; then result+=", not optimized"; fi
  if ((status != 0)); then
    result="**does not work**"
    failed=1
    tail -n 30 "$logs/$name.log"
  fi
  summary+=("$name: $result ($((SECONDS - started)) s)")
  echo "${summary[-1]}"
  if $publish; then publish_row "$name" "$result"; fi
  if ((status == 0)); then rm -rf "$dir"; fi
done

step "Summary"
printf '%s\n' "${summary[@]}"
exit "$failed"
