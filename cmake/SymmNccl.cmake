# NCCL, for what is compared with it: looked for in SYMM_NCCL_ROOT, in the variable
# NCCL_HOME, in the package nvidia-nccl of the Python that is found, in the CUDA
# toolkit and the system. Where it is, and GPUs are CUDA's, defines the target
#
#   symm_nccl  headers and library

option(SYMM_PERF_NCCL "Compare with NCCL where it is found" ON)
set(SYMM_NCCL_ROOT "" CACHE PATH "Folder with NCCL's include/ and lib/")

if(NOT SYMM_PERF_NCCL OR NOT Kokkos_ENABLE_CUDA)
  return()
endif()

set(symm_nccl_roots ${SYMM_NCCL_ROOT} $ENV{NCCL_HOME})
if(NOT SYMM_NCCL_ROOT)
  find_program(SYMM_PYTHON3 NAMES python3 python)
  mark_as_advanced(SYMM_PYTHON3)
  if(SYMM_PYTHON3)
    execute_process(
      COMMAND ${SYMM_PYTHON3} -c
              "import nvidia.nccl; print(list(nvidia.nccl.__path__)[0])"
      OUTPUT_VARIABLE symm_nccl_in_python
      OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    list(APPEND symm_nccl_roots ${symm_nccl_in_python})
  endif()
  list(APPEND symm_nccl_roots ${CUDAToolkit_TARGET_DIR} /usr)
endif()

# Packages for Python have the library under its versioned name only.
foreach(root IN LISTS symm_nccl_roots)
  find_path(
    symm_nccl_include nccl.h
    PATHS "${root}"
    PATH_SUFFIXES include
    NO_CACHE NO_DEFAULT_PATH)
  find_file(
    symm_nccl_file NAMES libnccl.so libnccl.so.2
    PATHS "${root}"
    PATH_SUFFIXES lib lib64 lib/${CMAKE_LIBRARY_ARCHITECTURE}
    NO_CACHE NO_DEFAULT_PATH)
  if(symm_nccl_include AND symm_nccl_file)
    message(STATUS "Comparing with NCCL in ${root}")
    add_library(symm_nccl UNKNOWN IMPORTED)
    set_target_properties(
      symm_nccl
      PROPERTIES IMPORTED_LOCATION "${symm_nccl_file}"
                 INTERFACE_INCLUDE_DIRECTORIES "${symm_nccl_include}")
    return()
  endif()
  unset(symm_nccl_include)
  unset(symm_nccl_file)
endforeach()

if(SYMM_NCCL_ROOT)
  message(FATAL_ERROR "SYMM_NCCL_ROOT=${SYMM_NCCL_ROOT} does not contain nccl.h "
                      "and libnccl.so.")
endif()
message(STATUS "Not comparing with NCCL: not found (SYMM_NCCL_ROOT)")
