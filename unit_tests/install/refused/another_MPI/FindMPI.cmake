# Finds an MPI that nobody has.
add_library(MPI::MPI_CXX INTERFACE IMPORTED)
set_target_properties(
  MPI::MPI_CXX PROPERTIES INTERFACE_INCLUDE_DIRECTORIES
                          "${CMAKE_CURRENT_LIST_DIR}")
set(MPI_CXX_FOUND TRUE)
set(MPI_FOUND TRUE)
