# Looks for NVSHMEM: in SYMM_NVSHMEM_ROOT, in the variable NVSHMEM_HOME, in the
# package nvidia-nvshmem of the Python that is found. Where it is, defines
#
#   perf_nvshmem          library with Nvshmem*.cu, device code linked
#   perf_nvshmem_root     the installation
#   perf_nvshmem_lib_dir  where its libraries and bootstrap plugins are
#
# and enables the language CUDA, which they alone need.

set(perf_nvshmem_roots ${SYMM_NVSHMEM_ROOT} $ENV{NVSHMEM_HOME})
if(NOT SYMM_NVSHMEM_ROOT)
  find_program(SYMM_PYTHON3 NAMES python3 python)
  mark_as_advanced(SYMM_PYTHON3)
  if(SYMM_PYTHON3)
    execute_process(
      COMMAND
        ${SYMM_PYTHON3} -c
        "import nvidia.nvshmem; print(list(nvidia.nvshmem.__path__)[0])"
      OUTPUT_VARIABLE perf_nvshmem_in_python
      OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    list(APPEND perf_nvshmem_roots ${perf_nvshmem_in_python})
  endif()
endif()

# Packages for Python have the host library under its versioned name only.
foreach(root IN LISTS perf_nvshmem_roots)
  find_path(
    perf_nvshmem_include nvshmemx.h
    PATHS "${root}"
    PATH_SUFFIXES include include/nvshmem
    NO_CACHE NO_DEFAULT_PATH)
  find_file(
    perf_nvshmem_host NAMES libnvshmem_host.so libnvshmem_host.so.3
    PATHS "${root}"
    PATH_SUFFIXES lib lib64
    NO_CACHE NO_DEFAULT_PATH)
  find_file(
    perf_nvshmem_device libnvshmem_device.a
    PATHS "${root}"
    PATH_SUFFIXES lib lib64
    NO_CACHE NO_DEFAULT_PATH)
  if(perf_nvshmem_include AND perf_nvshmem_host AND perf_nvshmem_device)
    set(perf_nvshmem_root "${root}")
    break()
  endif()
  unset(perf_nvshmem_include)
  unset(perf_nvshmem_host)
  unset(perf_nvshmem_device)
endforeach()

if(SYMM_NVSHMEM_ROOT AND NOT perf_nvshmem_root)
  message(FATAL_ERROR "SYMM_NVSHMEM_ROOT=${SYMM_NVSHMEM_ROOT} does not contain nvshmemx.h, "
                      "libnvshmem_host.so and libnvshmem_device.a.")
endif()
if(NOT perf_nvshmem_root)
  return()
endif()
if(NOT CMAKE_CUDA_COMPILER)
  set(CMAKE_CUDA_COMPILER "${CUDAToolkit_NVCC_EXECUTABLE}")
endif()
enable_language(CUDA)
get_filename_component(perf_nvshmem_lib_dir "${perf_nvshmem_host}" DIRECTORY)

add_library(perf_nvshmem_host_library UNKNOWN IMPORTED)
set_target_properties(perf_nvshmem_host_library
                      PROPERTIES IMPORTED_LOCATION "${perf_nvshmem_host}")
add_library(perf_nvshmem_device_library STATIC IMPORTED)
set_target_properties(
  perf_nvshmem_device_library
  PROPERTIES IMPORTED_LOCATION "${perf_nvshmem_device}"
             IMPORTED_LINK_INTERFACE_LANGUAGES CUDA
             INTERFACE_LINK_LIBRARIES perf_nvshmem_host_library)

set(perf_nvshmem_architectures ${Kokkos_CUDA_ARCHITECTURES})
if(NOT perf_nvshmem_architectures)
  set(perf_nvshmem_architectures 90)
endif()

# Device code is linked here, once: the programs are linked as any other.
add_library(perf_nvshmem STATIC baselines/Nvshmem.cu
                                baselines/NvshmemCollectives.cu
                                baselines/NvshmemRma.cu)
set_target_properties(
  perf_nvshmem
  PROPERTIES CUDA_STANDARD 17
             CUDA_STANDARD_REQUIRED ON
             CUDA_EXTENSIONS OFF
             CUDA_SEPARABLE_COMPILATION ON
             CUDA_RESOLVE_DEVICE_SYMBOLS ON
             CUDA_RUNTIME_LIBRARY Shared
             CUDA_ARCHITECTURES "${perf_nvshmem_architectures}")
# Not -Werror: much of what is compiled here is NVSHMEM's.
target_compile_options(perf_nvshmem PRIVATE -Xcompiler=-Wall,-Wextra)
target_include_directories(perf_nvshmem PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_include_directories(perf_nvshmem SYSTEM
                           PRIVATE "${perf_nvshmem_include}")
target_link_libraries(
  perf_nvshmem PRIVATE MPI::MPI_CXX perf_nvshmem_device_library
                       perf_nvshmem_host_library CUDA::cudart)
