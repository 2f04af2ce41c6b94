# What the library is built with, as text for people, in which two builds that
# cannot be mixed differ. Installed with the package, which compares.

# _symm_find_header(out header target folder...): in the folders that the target
# gives to its users, or then in those named; empty if it is in none.
function(_symm_find_header out header target)
  set(folders "")
  if(TARGET ${target})
    get_target_property(folders ${target} INTERFACE_INCLUDE_DIRECTORIES)
    if(NOT folders)
      set(folders "")
    endif()
    string(REGEX REPLACE "\\$<[A-Z_]+:([^<>]*)>" "\\1" folders "${folders}")
  endif()
  # find_file() does not search if the project has a variable of that name.
  unset(_symm_found_header)
  find_file(_symm_found_header ${header} PATHS ${folders} ${ARGN}
            NO_DEFAULT_PATH NO_CACHE)
  if(NOT _symm_found_header)
    set(_symm_found_header "")
  endif()
  set(${out} "${_symm_found_header}" PARENT_SCOPE)
endfunction()

# symm_describe_kokkos(out version): "Kokkos 5.0.2 (COMPLEX_ALIGN, SERIAL, ...)",
# from the header that every Kokkos configures; both empty if it is not found.
function(symm_describe_kokkos out version)
  set(${out} "" PARENT_SCOPE)
  set(${version} "" PARENT_SCOPE)
  _symm_find_header(header KokkosCore_config.h Kokkos::kokkoscore
                    "${Kokkos_BINARY_DIR}")
  if(NOT header)
    return()
  endif()
  file(STRINGS "${header}" line REGEX "^#define KOKKOS_VERSION [0-9]+")
  string(REGEX MATCH "[0-9]+$" number "${line}")
  math(EXPR major "${number} / 10000")
  math(EXPR minor "${number} / 100 % 100")
  math(EXPR patch "${number} % 100")
  file(STRINGS "${header}" lines REGEX "^#define KOKKOS_ENABLE_")
  list(TRANSFORM lines REPLACE "^#define KOKKOS_ENABLE_([A-Z0-9_]+).*" "\\1")
  list(FILTER lines EXCLUDE REGEX "^(DEPRECAT|CXX[0-9])") # of no matter
  list(SORT lines)
  list(JOIN lines ", " options)
  set(${out} "Kokkos ${major}.${minor}.${patch} (${options})" PARENT_SCOPE)
  set(${version} ${major}.${minor}.${patch} PARENT_SCOPE)
endfunction()

# symm_describe_mpi(out): "Open MPI 4", "MPICH 4", or "the MPI of <mpi.h>"; empty
# if mpi.h is not found. MPI's wrapper as the compiler has it among its folders.
function(symm_describe_mpi out)
  _symm_find_header(header mpi.h MPI::MPI_CXX
                    ${CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES})
  set(text "")
  if(header)
    set(text "the MPI of ${header}")
    file(STRINGS "${header}" lines
         REGEX "^#define +(OMPI_MAJOR_VERSION|MPICH_VERSION) ")
    if(lines MATCHES "OMPI_MAJOR_VERSION +([0-9]+)")
      set(text "Open MPI ${CMAKE_MATCH_1}")
    elseif(lines MATCHES "MPICH_VERSION +\"([0-9]+)")
      set(text "MPICH ${CMAKE_MATCH_1}")
    endif()
  endif()
  set(${out} "${text}" PARENT_SCOPE)
endfunction()
