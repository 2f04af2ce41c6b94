# Whether jobs of several nodes can use libfabric, of which only headers are needed
# here; its library is loaded when such a job starts. Sets SYMM_HAS_LIBFABRIC and
# SYMM_LIBFABRIC_INCLUDE_DIR.

set(SYMM_ENABLE_LIBFABRIC
    AUTO
    CACHE
      STRING
      "Jobs of several nodes, over libfabric: ON, OFF or AUTO (if headers are found)")
set_property(CACHE SYMM_ENABLE_LIBFABRIC PROPERTY STRINGS AUTO ON OFF)

set(SYMM_HAS_LIBFABRIC OFF)
if(NOT SYMM_ENABLE_LIBFABRIC) # OFF
  return()
endif()

# As Fabric checks of the library.
set(oldest 1.17)
find_path(SYMM_LIBFABRIC_INCLUDE_DIR rdma/fabric.h)
mark_as_advanced(SYMM_LIBFABRIC_INCLUDE_DIR)
set(found "no <rdma/fabric.h>")
if(SYMM_LIBFABRIC_INCLUDE_DIR)
  file(STRINGS "${SYMM_LIBFABRIC_INCLUDE_DIR}/rdma/fabric.h" lines
       REGEX "^#define FI_M(AJOR|INOR)_VERSION +[0-9]+")
  string(REGEX REPLACE "[^0-9]*([0-9]+);[^0-9]*([0-9]+).*" "\\1.\\2" version
                       "${lines}")
  set(found "libfabric ${version} in ${SYMM_LIBFABRIC_INCLUDE_DIR}")
  if(version VERSION_GREATER_EQUAL oldest)
    set(SYMM_HAS_LIBFABRIC ON)
  endif()
endif()
if(NOT SYMM_HAS_LIBFABRIC AND NOT SYMM_ENABLE_LIBFABRIC STREQUAL "AUTO")
  message(
    FATAL_ERROR
      "SYMM_ENABLE_LIBFABRIC is ON, which requires the headers of libfabric "
      "${oldest} or later (Debian package libfabric-dev). Found: ${found}.")
endif()
