# Whose GPUs a build is for: none, or NVIDIA's.
#
# All that is about them is in two folders of each library, which add their files
# to the library: gpu/, and that of the vendor. no_gpu/ has the same interface.
# Sets
#
#   SYMM_RUNTIME_GPU   the folders in src/runtime/
#   SYMM_KOKKOS_GPU    the folders in src/Kokkos_SymmetricSpace/
#   SYMM_HAS_GPU       whether Kokkos has GPUs
#
# docs/hip_port.md says what another vendor's GPUs add.

# Kokkos need not have CUDA for it (tests of the runtime), but where it has, the
# runtime must.
option(SYMM_ENABLE_CUDA "Support GPU memory (default: ON if Kokkos has CUDA)"
       ${Kokkos_ENABLE_CUDA})
if(Kokkos_ENABLE_CUDA AND NOT SYMM_ENABLE_CUDA)
  message(FATAL_ERROR "SYMM_ENABLE_CUDA must be ON: Kokkos was built with CUDA.")
endif()

set(SYMM_RUNTIME_GPU no_gpu)
if(SYMM_ENABLE_CUDA)
  find_package(CUDAToolkit 12.2 REQUIRED)
  set(SYMM_RUNTIME_GPU cuda gpu)
endif()

set(SYMM_HAS_GPU OFF)
set(SYMM_KOKKOS_GPU no_gpu)
if(Kokkos_ENABLE_CUDA)
  set(SYMM_HAS_GPU ON)
  set(SYMM_KOKKOS_GPU cuda gpu)
endif()
