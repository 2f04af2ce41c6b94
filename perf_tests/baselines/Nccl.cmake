# Looks for NCCL: in SYMM_NCCL_ROOT, in the variable NCCL_HOME, in the package
# nvidia-nccl of the Python that is found, in the CUDA toolkit and the system.
# Where it is, defines
#
#   perf_nccl       library with Nccl.cpp
#   perf_nccl_root  the installation

set(perf_nccl_roots ${SYMM_NCCL_ROOT} $ENV{NCCL_HOME})
if(NOT SYMM_NCCL_ROOT)
  find_program(SYMM_PYTHON3 NAMES python3 python)
  mark_as_advanced(SYMM_PYTHON3)
  if(SYMM_PYTHON3)
    execute_process(
      COMMAND ${SYMM_PYTHON3} -c
              "import nvidia.nccl; print(list(nvidia.nccl.__path__)[0])"
      OUTPUT_VARIABLE perf_nccl_in_python
      OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    list(APPEND perf_nccl_roots ${perf_nccl_in_python})
  endif()
  list(APPEND perf_nccl_roots ${CUDAToolkit_TARGET_DIR} /usr)
endif()

# Packages for Python have the library under its versioned name only.
foreach(root IN LISTS perf_nccl_roots)
  find_path(
    perf_nccl_include nccl.h
    PATHS "${root}"
    PATH_SUFFIXES include
    NO_CACHE NO_DEFAULT_PATH)
  find_file(
    perf_nccl_file NAMES libnccl.so libnccl.so.2
    PATHS "${root}"
    PATH_SUFFIXES lib lib64 lib/${CMAKE_LIBRARY_ARCHITECTURE}
    NO_CACHE NO_DEFAULT_PATH)
  if(perf_nccl_include AND perf_nccl_file)
    set(perf_nccl_root "${root}")
    break()
  endif()
  unset(perf_nccl_include)
  unset(perf_nccl_file)
endforeach()

if(SYMM_NCCL_ROOT AND NOT perf_nccl_root)
  message(FATAL_ERROR "SYMM_NCCL_ROOT=${SYMM_NCCL_ROOT}: nccl.h or libnccl.so "
                      "is not there")
endif()
if(NOT perf_nccl_root)
  return()
endif()

add_library(perf_nccl_library UNKNOWN IMPORTED)
set_target_properties(perf_nccl_library PROPERTIES IMPORTED_LOCATION
                                                   "${perf_nccl_file}")

add_library(perf_nccl STATIC baselines/Nccl.cpp)
symm_target_defaults(perf_nccl)
target_include_directories(perf_nccl PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_include_directories(perf_nccl SYSTEM PRIVATE "${perf_nccl_include}")
target_link_libraries(perf_nccl PRIVATE MPI::MPI_CXX CUDA::cudart
                                        perf_nccl_library)
