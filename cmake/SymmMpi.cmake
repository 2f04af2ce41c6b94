# Whether MPI can start jobs. Without it, PEs find each other by TCP or PMIx. Sets
# SYMM_HAS_MPI.

set(SYMM_ENABLE_MPI
    AUTO
    CACHE STRING "Jobs started by MPI: ON, OFF or AUTO (if MPI is found)")
set_property(CACHE SYMM_ENABLE_MPI PROPERTY STRINGS AUTO ON OFF)

set(SYMM_HAS_MPI OFF)
if(SYMM_ENABLE_MPI)
  # Open MPI's deprecated C++ interface is of no use here, adds a library and does
  # not compile under -Werror.
  set(MPI_CXX_SKIP_MPICXX TRUE)
  if(SYMM_ENABLE_MPI STREQUAL "AUTO")
    find_package(MPI COMPONENTS CXX)
  else()
    find_package(MPI REQUIRED COMPONENTS CXX)
  endif()
  if(MPI_CXX_FOUND)
    set(SYMM_HAS_MPI ON)
  endif()
endif()
if(NOT SYMM_HAS_MPI)
  if(SYMM_ENABLE_MPI)
    set(why "not found; install one or set MPI_CXX_COMPILER")
  else()
    set(why "SYMM_ENABLE_MPI is off")
  endif()
  message(STATUS "Without MPI (${why}). Jobs start by TCP or PMIx: see "
                 "docs/nodes.md, \"A start without MPI\"")
endif()
