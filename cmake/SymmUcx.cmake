# Whether jobs of several nodes work: by UCX, of which only headers are needed
# here; its library is loaded when such a job starts. Sets SYMM_HAS_UCX and
# SYMM_UCX_INCLUDE_DIR.

set(SYMM_ENABLE_UCX
    AUTO
    CACHE STRING
          "Jobs of several nodes, over UCX: ON, OFF or AUTO (if headers are found)")
set_property(CACHE SYMM_ENABLE_UCX PROPERTY STRINGS AUTO ON OFF)

set(SYMM_HAS_UCX OFF)
if(NOT SYMM_ENABLE_UCX) # OFF
  return()
endif()

# As MessageEngine_Ucx checks of the library.
set(oldest 1.13)
find_path(SYMM_UCX_INCLUDE_DIR ucp/api/ucp.h)
mark_as_advanced(SYMM_UCX_INCLUDE_DIR)
set(found "no <ucp/api/ucp.h>")
if(SYMM_UCX_INCLUDE_DIR)
  file(STRINGS "${SYMM_UCX_INCLUDE_DIR}/ucp/api/ucp_version.h" lines
       REGEX "^#define UCP_API_M(AJOR|INOR) +[0-9]+")
  string(REGEX REPLACE "[^0-9]*([0-9]+);[^0-9]*([0-9]+).*" "\\1.\\2" version
                       "${lines}")
  set(found "UCX ${version} in ${SYMM_UCX_INCLUDE_DIR}")
  if(version VERSION_GREATER_EQUAL oldest)
    set(SYMM_HAS_UCX ON)
  endif()
endif()
if(NOT SYMM_HAS_UCX AND NOT SYMM_ENABLE_UCX STREQUAL "AUTO")
  message(
    FATAL_ERROR
      "SYMM_ENABLE_UCX is ON, which requires the headers of UCX ${oldest} or later "
      "(Debian package libucx-dev). Found: ${found}.")
endif()
