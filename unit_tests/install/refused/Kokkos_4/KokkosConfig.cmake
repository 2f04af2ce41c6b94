# An installed Kokkos 4, as far as CMake sees.
add_library(Kokkos::kokkos INTERFACE IMPORTED)
