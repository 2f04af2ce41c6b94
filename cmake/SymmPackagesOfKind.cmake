# Read by cpack for each kind of package. A .deb has a folder of its own, since the
# Kokkos that may be in it is not the system's.
if(CPACK_GENERATOR STREQUAL "DEB")
  set(CPACK_PACKAGING_INSTALL_PREFIX "/opt/${CPACK_PACKAGE_NAME}")
endif()
