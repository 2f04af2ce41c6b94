# Packages of what is installed, by `cpack -G TGZ` and `cpack -G DEB` in the build
# folder: one with everything, and with the Kokkos that was built here, if any.
# docs/packages.md says how to use them.
set(CPACK_PACKAGE_NAME kokkos-symmetric-space)
set(CPACK_PACKAGE_VENDOR "the Kokkos SymmetricSpace project")
set(CPACK_PACKAGE_CONTACT "${CPACK_PACKAGE_VENDOR}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION
    "Headers, libraries and symm_info. Built with ${symm_kokkos} and ${symm_pc_mpi}: programs must have the same."
)
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_GENERATOR "TGZ")
set(CPACK_SYSTEM_NAME "${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}")
set(CPACK_PACKAGE_FILE_NAME
    "${CPACK_PACKAGE_NAME}-${PROJECT_VERSION}-${CPACK_SYSTEM_NAME}")
set(CPACK_PROJECT_CONFIG_FILE "${CMAKE_CURRENT_LIST_DIR}/SymmPackagesOfKind.cmake")

# Shared libraries are found by dpkg-shlibdeps; these are for compiling, and UCX
# or libfabric, which the runtime loads, for jobs of several nodes.
set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
if(symm_mpi MATCHES "^Open MPI")
  set(CPACK_DEBIAN_PACKAGE_DEPENDS libopenmpi-dev)
elseif(symm_mpi MATCHES "^MPICH")
  set(CPACK_DEBIAN_PACKAGE_DEPENDS libmpich-dev)
endif()
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "g++, cmake (>= 3.23), pkg-config")
if(SYMM_HAS_UCX)
  string(APPEND CPACK_DEBIAN_PACKAGE_RECOMMENDS ", libucx0")
endif()
if(SYMM_HAS_LIBFABRIC)
  set(CPACK_DEBIAN_PACKAGE_SUGGESTS libfabric1)
endif()
if(SYMM_HAS_PMIX AND NOT SYMM_HAS_MPI)
  string(APPEND CPACK_DEBIAN_PACKAGE_RECOMMENDS ", libpmix2")
endif()
include(CPack)
