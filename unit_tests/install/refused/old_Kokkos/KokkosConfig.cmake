# An installed Kokkos 4.5, as far as CMake sees.
add_library(Kokkos::kokkos INTERFACE IMPORTED)
