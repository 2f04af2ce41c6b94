# An installed Kokkos 5 with other options than the library's, as far as CMake
# sees.
add_library(Kokkos::kokkoscore INTERFACE IMPORTED)
set_target_properties(
  Kokkos::kokkoscore PROPERTIES INTERFACE_INCLUDE_DIRECTORIES
                                "${CMAKE_CURRENT_LIST_DIR}")
add_library(Kokkos::kokkos INTERFACE IMPORTED)
target_link_libraries(Kokkos::kokkos INTERFACE Kokkos::kokkoscore)
