# The installed package KokkosSymmetricSpace. The libraries and their headers
# install themselves, see src/*/CMakeLists.txt.
include(CMakePackageConfigHelpers)

set(folder "${CMAKE_INSTALL_LIBDIR}/cmake/KokkosSymmetricSpace")

install(
  EXPORT KokkosSymmetricSpaceTargets
  NAMESPACE KokkosSymmetricSpace::
  DESTINATION "${folder}"
  COMPONENT symm_development)

set(symm_mpi "") # symm_kokkos: SymmKokkos.cmake
set(symm_pc_mpi "without MPI")
if(SYMM_HAS_MPI)
  symm_describe_mpi(symm_mpi)
  set(symm_pc_mpi "${symm_mpi}")
endif()
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
  DESTINATION "${folder}"
  COMPONENT symm_development)

# What a program needs that is linked by hand: a static library does not bring its
# own libraries along.
set(symm_pc_libraries "")
get_target_property(symm_type symm_runtime TYPE)
if(symm_type STREQUAL "STATIC_LIBRARY")
  if(SYMM_HAS_MPI)
    list(APPEND symm_pc_libraries ${MPI_CXX_LIBRARIES})
  endif()
  if(CMAKE_DL_LIBS)
    list(APPEND symm_pc_libraries -l${CMAKE_DL_LIBS})
  endif()
endif()
list(APPEND symm_pc_libraries -pthread)
if(SYMM_SANITIZE)
  list(APPEND symm_pc_libraries -fsanitize=${SYMM_SANITIZE})
endif()
list(JOIN symm_pc_libraries " " symm_pc_libraries)
list(TRANSFORM SYMM_RUNTIME_GPU PREPEND "-I\${headers}/runtime/"
     OUTPUT_VARIABLE symm_pc_gpu)
list(JOIN symm_pc_gpu " " symm_pc_gpu)
set(symm_pc_definitions "")
if(NOT SYMM_HAS_MPI)
  string(APPEND symm_pc_definitions " -DSYMM_WITHOUT_MPI")
endif()
if(SYMM_CHECKS_IN_KERNELS)
  string(APPEND symm_pc_definitions " -DSYMM_CHECKS_IN_KERNELS")
endif()
# Folders relative to the file itself: the installed tree can be moved.
set(symm_pc_folder "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
set(symm_pc_includedir "${CMAKE_INSTALL_FULL_INCLUDEDIR}")
set(symm_pc_libdir "${CMAKE_INSTALL_FULL_LIBDIR}")
if(NOT IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  file(RELATIVE_PATH symm_pc_prefix "/${symm_pc_folder}" "/")
  string(REGEX REPLACE "/$" "" symm_pc_prefix "${symm_pc_prefix}")
  set(symm_pc_prefix "\${pcfiledir}/${symm_pc_prefix}")
  set(symm_pc_libdir "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
  if(NOT IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
    set(symm_pc_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
  endif()
else()
  set(symm_pc_prefix "${CMAKE_INSTALL_PREFIX}")
endif()
configure_file("${CMAKE_CURRENT_LIST_DIR}/symm_runtime.pc.in"
               "${PROJECT_BINARY_DIR}/symm_runtime.pc" @ONLY)
install(
  FILES "${PROJECT_BINARY_DIR}/symm_runtime.pc"
  DESTINATION "${symm_pc_folder}"
  COMPONENT symm_development)

install(
  FILES "${PROJECT_SOURCE_DIR}/LICENSE"
  DESTINATION "${CMAKE_INSTALL_DATADIR}/licenses/KokkosSymmetricSpace"
  COMPONENT symm_runtime)
