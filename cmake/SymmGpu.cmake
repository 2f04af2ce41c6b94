# Whose GPUs a build is for: none, NVIDIA's or AMD's.
#
# All that is about them is in two folders of each library, which add their files
# to the library: gpu/, and that of the vendor. no_gpu/ has the same interface.
# Sets
#
#   SYMM_RUNTIME_GPU   the folders in src/runtime/
#   SYMM_KOKKOS_GPU    the folders in src/Kokkos_SymmetricSpace/
#   SYMM_HAS_GPU       whether Kokkos has GPUs
#
# and what symm_info says:
#
#   SYMM_GPU_SUPPORT   whose, with the version
#   SYMM_GPU_MEMORY    the memory of the heap, besides that of memfd

# Kokkos need not have CUDA or HIP for it (tests of the runtime), but where it has,
# the runtime must.
option(SYMM_ENABLE_CUDA "Support GPU memory (default: ON if Kokkos has CUDA)"
       ${Kokkos_ENABLE_CUDA})
option(SYMM_ENABLE_HIP
       "Support memory of AMD GPUs (default: ON if Kokkos has HIP)"
       ${Kokkos_ENABLE_HIP})
foreach(vendor IN ITEMS CUDA HIP)
  if(Kokkos_ENABLE_${vendor} AND NOT SYMM_ENABLE_${vendor})
    message(FATAL_ERROR "SYMM_ENABLE_${vendor} must be ON: Kokkos was built with "
                        "${vendor}.")
  endif()
endforeach()
if(SYMM_ENABLE_CUDA AND SYMM_ENABLE_HIP)
  message(FATAL_ERROR "SYMM_ENABLE_CUDA and SYMM_ENABLE_HIP must not both be ON: a "
                      "build supports the GPUs of one vendor.")
endif()

# _symm_find_hip(): HIP's headers, and the name of the library that they are for,
# which is loaded when a program runs.
function(_symm_find_hip)
  find_path(
    SYMM_HIP_INCLUDE_DIR hip/hip_runtime_api.h
    HINTS "$ENV{ROCM_PATH}"
    PATHS /opt/rocm
    PATH_SUFFIXES include
    REQUIRED)
  set(version_header "${SYMM_HIP_INCLUDE_DIR}/hip/hip_version.h")
  file(STRINGS "${version_header}" lines REGEX "define HIP_VERSION_M")
  string(REGEX MATCH "VERSION_MAJOR +([0-9]+)" _ "${lines}")
  set(major "${CMAKE_MATCH_1}")
  string(REGEX MATCH "VERSION_MINOR +([0-9]+)" _ "${lines}")
  set(SYMM_HIP_VERSION "${major}.${CMAKE_MATCH_1}" PARENT_SCOPE)
  set(SYMM_HIP_LIBRARY "libamdhip64.so.${major}" PARENT_SCOPE)
  # As Kokkos has it: --offload-arch=gfx90a.
  set(options "")
  if(TARGET Kokkos::kokkoscore)
    get_target_property(options Kokkos::kokkoscore INTERFACE_COMPILE_OPTIONS)
    string(REGEX MATCHALL "--offload-arch=[a-z0-9:+-]+" options "${options}")
    list(REMOVE_DUPLICATES options)
  endif()
  set(SYMM_HIP_OPTIONS "${options}" PARENT_SCOPE)
endfunction()

set(SYMM_RUNTIME_GPU no_gpu)
set(SYMM_GPU_SUPPORT none)
set(SYMM_GPU_MEMORY "")
if(SYMM_ENABLE_CUDA)
  find_package(CUDAToolkit 12.2 REQUIRED)
  set(SYMM_RUNTIME_GPU cuda gpu)
  set(SYMM_GPU_SUPPORT "CUDA ${CUDAToolkit_VERSION}")
  set(SYMM_GPU_MEMORY ", GPU and host (CUDA driver)")
elseif(SYMM_ENABLE_HIP)
  _symm_find_hip()
  set(SYMM_RUNTIME_GPU hip gpu)
  set(SYMM_GPU_SUPPORT
      "HIP ${SYMM_HIP_VERSION} (nobody has run this library on AMD GPUs; with HIP \
5.2.3 and an added header, it has been compiled for gfx90a, not linked; the runtime's host \
code is tested on a stand-in for HIP: please send the summary of scripts/gpu_test.sh)")
  set(SYMM_GPU_MEMORY ", GPU (HIP)")
  message(STATUS "${SYMM_GPU_SUPPORT}")
endif()

set(SYMM_HAS_GPU OFF)
set(SYMM_KOKKOS_GPU no_gpu)
if(Kokkos_ENABLE_CUDA)
  set(SYMM_HAS_GPU ON)
  set(SYMM_KOKKOS_GPU cuda gpu)
elseif(Kokkos_ENABLE_HIP)
  set(SYMM_HAS_GPU ON)
  set(SYMM_KOKKOS_GPU hip gpu)
endif()
