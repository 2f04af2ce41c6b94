# The installed package KokkosSymmetricSpace. The libraries and their headers
# install themselves, see src/*/CMakeLists.txt.
include(CMakePackageConfigHelpers)

set(folder "${CMAKE_INSTALL_LIBDIR}/cmake/KokkosSymmetricSpace")

install(
  EXPORT KokkosSymmetricSpaceTargets
  NAMESPACE KokkosSymmetricSpace::
  DESTINATION "${folder}")

symm_describe_mpi(symm_mpi) # symm_kokkos: SymmKokkos.cmake
configure_package_config_file(
  "${CMAKE_CURRENT_LIST_DIR}/KokkosSymmetricSpaceConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/KokkosSymmetricSpaceConfig.cmake"
  INSTALL_DESTINATION "${folder}"
  NO_SET_AND_CHECK_MACRO)

write_basic_package_version_file(
  "${PROJECT_BINARY_DIR}/KokkosSymmetricSpaceConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)

install(
  FILES "${PROJECT_BINARY_DIR}/KokkosSymmetricSpaceConfig.cmake"
        "${PROJECT_BINARY_DIR}/KokkosSymmetricSpaceConfigVersion.cmake"
        "${CMAKE_CURRENT_LIST_DIR}/SymmDescribe.cmake"
  DESTINATION "${folder}")

install(FILES "${PROJECT_SOURCE_DIR}/LICENSE"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/licenses/KokkosSymmetricSpace")
