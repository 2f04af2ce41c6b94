# Whether jobs start by PMIx, of which only headers are needed here; its library is
# loaded when such a job starts. Sets SYMM_HAS_PMIX and SYMM_PMIX_INCLUDE_DIR.

set(SYMM_ENABLE_PMIX
    AUTO
    CACHE
      STRING
      "Jobs started by PMIx, without MPI: ON, OFF or AUTO (if headers are found)")
set_property(CACHE SYMM_ENABLE_PMIX PROPERTY STRINGS AUTO ON OFF)

set(SYMM_HAS_PMIX OFF)
if(NOT SYMM_ENABLE_PMIX) # OFF
  return()
endif()

find_path(
  SYMM_PMIX_INCLUDE_DIR pmix.h
  PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/pmix2/include # Debian's
        $ENV{PMIX_ROOT}/include)
mark_as_advanced(SYMM_PMIX_INCLUDE_DIR)
if(SYMM_PMIX_INCLUDE_DIR)
  set(SYMM_HAS_PMIX ON)
elseif(NOT SYMM_ENABLE_PMIX STREQUAL "AUTO")
  message(
    FATAL_ERROR
      "SYMM_ENABLE_PMIX is ON, which requires the headers of PMIx (Debian package "
      "libpmix-dev). Found: no <pmix.h>.")
endif()
