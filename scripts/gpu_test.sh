#!/usr/bin/env bash
# Builds everything for GPUs and runs all tests on the GPUs of this machine: with PEs
# that share a GPU and, if there are several GPUs, with one GPU per PE. On NVIDIA GPUs,
# the tests run under their own MPS daemon, if one can be started, and some of them
# without it. Ends with a summary; the exit status is 0 if everything passed.
# (Nobody has run this script on AMD GPUs yet: docs/hip_port.md.)
#
#   scripts/gpu_test.sh [--logs DIR] [--only STAGE] [--no-perf] [--no-build]
#                       [--publish]
#
# --logs DIR    folder for the logs and the summary (default: build/gpu_test)
# --only STAGE  after building, run only this stage: without-gpu, gpu, sanitizer, perf
# --no-perf     do not run the benchmarks
# --no-build    use the existing build
# --publish     write the summary and the figures to perf_tests/RESULTS.md
#
# Requires the CUDA toolkit or ROCm, CMake, an MPI, GoogleTest, CLI11, nlohmann-json
# and Python 3; installs nothing, and needs no network if SYMM_KOKKOS_ARCHIVE names the
# source archive of Kokkos. SYMM_PRESET selects a preset other than cuda-release, or,
# on a machine with AMD GPUs only, hip-release.
# shellcheck source-path=SCRIPTDIR
PATH=$PATH:/opt/rocm/bin # where ROCm's packages put their programs
nvidia_gpus() { nvidia-smi -L 2>/dev/null | grep '^GPU' || true; }
# A line for each GPU, such as gfx90a. (gfx000 is a CPU.)
amd_gpus() { rocm_agent_enumerator 2>/dev/null | grep -v '^gfx000$' || true; }
if [[ -z ${SYMM_PRESET:-} ]]; then
  SYMM_PRESET=cuda-release
  if [[ -z $(nvidia_gpus) && -n $(amd_gpus) ]]; then SYMM_PRESET=hip-release; fi
fi
export SYMM_PRESET
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

logs=build/gpu_test
only=
perf=true
build=true
publish=()
while (($# > 0)); do
  case $1 in
    --logs | --only)
      (($# > 1)) || die "$1 needs a value"
      if [[ $1 == --logs ]]; then logs=$2; else only=$2; fi
      shift
      ;;
    --no-perf) perf=false ;;
    --no-build) build=false ;;
    --publish) publish=(--publish) ;;
    -h | --help)
      usage
      exit 0
      ;;
    *) die "unknown option $1 (see --help)" ;;
  esac
  shift
done
case $only in
  "" | without-gpu | gpu | sanitizer | perf) ;;
  *) die "--only $only: unknown stage (see --help)" ;;
esac
mkdir -p "$logs"
logs=$(realpath "$logs")
build_dir=build/$preset

summary=()
failed=0

# stage NAME COMMAND...: runs the command with its output in NAME.log, too, and
# goes on if it fails.
stage() {
  local name=$1 started=$SECONDS result=passed
  shift
  step "$name"
  if ! "$@" 2>&1 | tee "$logs/${name//[^[:alnum:]]/_}.log"; then
    result=FAILED
    failed=1
  fi
  summary+=("$(printf '%-34s %s (%d s)' "$name" "$result" \
    $((SECONDS - started)))")
}

wanted() { [[ -z $only || $only == "$1" ]]; }

if [[ $preset == hip* ]]; then
  gpus() { amd_gpus; }
  gpu_lister=rocm_agent_enumerator
else
  gpus() { nvidia_gpus; }
  gpu_lister=nvidia-smi
fi
n_gpus=$(gpus | wc -l)

# shellcheck disable=SC2317  # called by stage
build_all() {
  # As one command: within a condition, the shell does not stop at a failure.
  local SYMM_CMAKE_OPTIONS=${SYMM_CMAKE_OPTIONS:-} only_gpus=OFF
  if [[ $only == gpu ]]; then only_gpus=ON; fi
  SYMM_CMAKE_OPTIONS+=" -DSYMM_TEST_ONLY_GPUS=$only_gpus"
  if ! $perf || ! wanted perf; then
    SYMM_CMAKE_OPTIONS+=" -DSYMM_ENABLE_PERF_TESTS=OFF"
  fi
  configure && cmake --build --preset "$preset" -j "$(nproc)" && return
  # An NVSHMEM or NCCL that was found may not fit this compiler; they are only
  # compared with.
  grep -qE '"nvshmem libraries": "|"nccl": true' \
    "$build_dir/perf_tests/config.json" || return
  echo "Configuring again, without NVSHMEM and NCCL."
  SYMM_CMAKE_OPTIONS+=" -DSYMM_PERF_NVSHMEM=OFF"
  SYMM_CMAKE_OPTIONS+=" -DSYMM_PERF_NCCL=OFF"
  configure && cmake --build --preset "$preset" -j "$(nproc)"
}

# Starts a daemon of MPS with folders of its own; false, if that cannot be. The
# modes of the GPUs stay as they are.
start_mps() {
  [[ $gpu_lister == nvidia-smi ]] || return
  command -v nvidia-cuda-mps-control >/dev/null || return
  mps=$(mktemp -d)
  export CUDA_MPS_PIPE_DIRECTORY=$mps CUDA_MPS_LOG_DIRECTORY=$logs
  nvidia-cuda-mps-control -d && return
  stop_mps
  return 1
}
stop_mps() {
  [[ -n ${mps:-} ]] || return 0
  echo quit | nvidia-cuda-mps-control >/dev/null 2>&1 || true
  unset CUDA_MPS_PIPE_DIRECTORY CUDA_MPS_LOG_DIRECTORY
  rm -rf "$mps"
  mps=
}
trap stop_mps EXIT

# gpu_tests PES [ctest's options]: on as many PEs at a time. What looks at the memory
# of a GPU runs alone.
# shellcheck disable=SC2317  # called by stage
gpu_tests() {
  local pes=$(($1 > 4 ? $1 : 4))
  shift
  ctest --test-dir "$build_dir" -L gpu -j "$pes" \
    --output-on-failure --no-tests=error "$@"
}

# The programs under a checker of compute-sanitizer, which is part of the CUDA
# toolkit. Its initcheck is of no use here (docs/laboratory.md, "GPU memory").
# shellcheck disable=SC2317  # called by stage
sanitizer() {
  local tool=$1 pes=$2 status=0
  shift 2
  local program
  for program in "$@"; do
    printf '\n-- %s, %s PEs: %s\n' "$tool" "$pes" "${program##*/}"
    # Refused calls of the driver are no error of ours: tests provoke some, and
    # handles that are not granted are asked for.
    run_pes "$pes" timeout 240 compute-sanitizer --tool "$tool" \
      --report-api-errors no \
      --error-exitcode 66 --print-limit 10 "$program" \
      --gtest_brief=1 || status=1
  done
  return "$status"
}

if $build; then
  stage build build_all
else
  summary+=("build                              made before")
fi
if ((failed)); then
  printf '\n%s\n' "${summary[@]}"
  exit 1
fi

if wanted without-gpu; then
  stage "tests that need no GPU" ctest --test-dir "$build_dir" -LE gpu \
    -j "$(nproc)" --timeout 300 --output-on-failure --no-tests=error
fi

if ((n_gpus == 0)) && [[ $only != without-gpu ]]; then
  summary+=("tests on GPUs                      NOT RUN: $gpu_lister lists no GPU")
  failed=1
elif ((n_gpus > 0)); then
  if wanted gpu; then
    # A context that is lost is lost to all clients of MPS, and a PE that dies may
    # take those of others with it.
    lost='lost_context|kokkos_failures|\.killed'
    # With MPS, only one block of a kernel waits for other PEs.
    pes=$((n_gpus < 2 ? 2 : n_gpus > 4 ? 4 : n_gpus))
    alone="^test_(operations_(signals|teams|collectives)|exchange(_graphs)?)\\.np[2-$pes]"
    cores=$(nproc)
    if start_mps; then
      # The driver does one thing after the other: 48 PEs took longer than 24.
      most=$((cores * 3 / 2))
      stage "tests with GPUs, 1 to 4 PEs, MPS" \
        gpu_tests "$((most < 24 ? most : 24))" -E "$lost"
      stop_mps
      stage "tests that lose PEs, without MPS" \
        gpu_tests "$((cores / 4))" -R "$lost"
      stage "tests with GPUs, without MPS" \
        gpu_tests "$((n_gpus > 1 ? pes : cores / 4))" -R "$alone"
    else
      stage "tests with GPUs, 1 to 4 PEs" gpu_tests "$((cores / 4))"
    fi
  fi
  if wanted sanitizer && [[ $gpu_lister != nvidia-smi ]]; then
    summary+=("compute-sanitizer                  NOT RUN: for NVIDIA GPUs only")
  elif wanted sanitizer; then
    programs=("$build_dir"/unit_tests/heap/test_heap
      "$build_dir"/unit_tests/kokkos/test_kokkos_views
      "$build_dir"/unit_tests/kokkos/test_kokkos_lifetime)
    operations=$build_dir/unit_tests/operations/test_operations
    stage "memcheck, 2 PEs" sanitizer memcheck 2 "${programs[@]}" \
      "${operations}_"{atomics,rma,signals,teams,collectives}
    stage "racecheck, 1 PE" sanitizer racecheck 1 "${programs[1]}"
    stage "synccheck, 1 PE" sanitizer synccheck 1 "${programs[1]}"
  fi
  if $perf && wanted perf && [[ $gpu_lister != nvidia-smi ]]; then
    summary+=("figures                            NOT RUN: the benchmarks need CUDA")
  elif $perf && wanted perf; then
    figures=(python3 perf_tests/run.py --build-dir "$build_dir" --limit 300
      "${publish[@]}")
    stage "figures" "${figures[@]}" --output "$logs/perf"
    if ((n_gpus > 2)); then
      stage "figures of $n_gpus GPUs" "${figures[@]}" --gpus "$n_gpus" \
        --output "$logs/perf_of_$n_gpus"
    fi
  fi
fi

{
  revision=${SYMM_REVISION:-$(git log -1 --format=%h 2>/dev/null || true)}
  printf '\nGPU tests of %s\n' "${revision:-a tree without git}"
  gpus | sed 's/ (UUID.*//'
  if [[ $gpu_lister == nvidia-smi ]]; then
    nvidia-smi --query-gpu=driver_version --format=csv,noheader 2>/dev/null |
      sort -u | sed 's/^/driver /' || true
    { nvcc --version || true; } |
      sed -n 's/^Cuda compilation tools, /CUDA toolkit, /p'
  else
    sed 's/^/driver /' /sys/module/amdgpu/version 2>/dev/null || true
    { hipconfig --version || true; } | sed 's/^/HIP /'
  fi
  { mpiexec --version || true; } | sed -n 1p
  printf '%s\n' "${summary[@]}"
  if ((failed)); then echo "GPU TESTS: FAILED"; else echo "GPU TESTS: PASSED"; fi
} | tee "$logs/summary.txt"
if ((failed == 0 && n_gpus > 0 && ${#publish[@]} > 0)); then
  title="Tests with one GPU"
  if ((n_gpus > 1)); then title="Tests with several GPUs"; fi
  python3 perf_tests/driver/publish.py "$title" "$logs/summary.txt"
fi
exit $failed
