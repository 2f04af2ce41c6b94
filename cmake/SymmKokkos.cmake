# Provides Kokkos::kokkos: the parent project's, an installed one, or one built
# here from the source archive, which is then installed together with this
# project.

set(SYMM_KOKKOS_VERSION 5.0.2)
set(SYMM_KOKKOS_OLDEST 4.6.1)
set(SYMM_KOKKOS_SHA256
    188817bb452ca805ee8701f1c5adbbb4fb83dc8d1c50624566a18a719ba0fa5e)
set(SYMM_KOKKOS_ARCHIVE
    ""
    CACHE FILEPATH "Kokkos source archive (default: environment variable)")
if(NOT SYMM_KOKKOS_ARCHIVE)
  set(SYMM_KOKKOS_ARCHIVE "$ENV{SYMM_KOKKOS_ARCHIVE}")
endif()

include(SymmDescribe)

# What depends on Kokkos::Impl is in src/Kokkos_SymmetricSpace/kokkos_impl/ and
# in symm_gpu/KokkosImpl.hpp; it is written for, and tested with, the version
# above. A new major version is refused until somebody has looked at those.
function(_symm_check_kokkos_version whose)
  symm_describe_kokkos(symm_kokkos version)
  set(symm_kokkos "${symm_kokkos}" PARENT_SCOPE)
  message(STATUS "Kokkos: ${whose}, version ${version}")
  if(version AND (version VERSION_LESS SYMM_KOKKOS_OLDEST
                  OR version VERSION_GREATER_EQUAL 6.0))
    message(FATAL_ERROR "The Kokkos of the ${whose} is ${version}: this library "
                        "needs Kokkos ${SYMM_KOKKOS_OLDEST} to 5 (tested: "
                        "${SYMM_KOKKOS_VERSION}).")
  elseif(NOT version VERSION_EQUAL SYMM_KOKKOS_VERSION)
    message(STATUS "Kokkos: this library is tested with ${SYMM_KOKKOS_VERSION}; "
                   "run its tests with your version.")
  endif()
endfunction()

if(TARGET Kokkos::kokkos)
  _symm_check_kokkos_version("enclosing project")
  return()
endif()

set(named "${Kokkos_DIR}")
find_package(Kokkos ${SYMM_KOKKOS_OLDEST} CONFIG QUIET)
set(taken "")
if(Kokkos_FOUND AND EXISTS "${named}/KokkosConfig.cmake")
  file(REAL_PATH "${named}/KokkosConfig.cmake" named_config)
  file(REAL_PATH "${Kokkos_CONFIG}" taken)
  if(NOT named_config STREQUAL taken)
    set(Kokkos_DIR "${named}" CACHE PATH "" FORCE) # the next run says it, too
    set(Kokkos_FOUND FALSE)
  endif()
endif()
if(Kokkos_FOUND)
  _symm_check_kokkos_version("installation in ${Kokkos_DIR}")
  return()
elseif(Kokkos_CONSIDERED_VERSIONS)
  # Not silently another one, without the devices of this one.
  list(GET Kokkos_CONSIDERED_CONFIGS 0 config)
  list(GET Kokkos_CONSIDERED_VERSIONS 0 version)
  set(reason "${Kokkos_NOT_FOUND_MESSAGE}")
  if(version VERSION_LESS SYMM_KOKKOS_OLDEST)
    string(PREPEND reason "This library needs Kokkos ${SYMM_KOKKOS_OLDEST} to 5. ")
  endif()
  if(taken)
    string(APPEND reason " (Another one was found: ${taken}.)")
  endif()
  message(
    FATAL_ERROR
      "The installed Kokkos cannot be used: ${config}, "
      "version ${version}. ${reason} Set CMAKE_PREFIX_PATH or "
      "Kokkos_DIR to another, or build Kokkos ${SYMM_KOKKOS_VERSION} here: "
      "-DCMAKE_DISABLE_FIND_PACKAGE_Kokkos=ON.")
endif()

# Sets `out` to where the source archive may be: the upstream project's, and the
# package archives that this machine's apt is configured to use.
function(_symm_kokkos_urls out)
  set(urls "")
  # find_program() does not search if the project has a variable of that name.
  unset(_symm_apt_get)
  find_program(_symm_apt_get apt-get NO_CACHE)
  if(_symm_apt_get)
    execute_process(
      COMMAND ${_symm_apt_get} indextargets --format "$(REPO_URI)"
      OUTPUT_VARIABLE archives
      OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    string(REGEX MATCHALL "https?://[^\n;]+" archives "${archives}")
    list(REMOVE_DUPLICATES archives)
    set(package "k/kokkos/kokkos_${SYMM_KOKKOS_VERSION}.orig.tar.gz")
    foreach(component IN ITEMS main universe)
      foreach(archive IN LISTS archives)
        list(APPEND urls "${archive}pool/${component}/${package}")
      endforeach()
    endforeach()
  endif()
  set(${out}
      ${urls}
      "https://github.com/kokkos/kokkos/releases/download/${SYMM_KOKKOS_VERSION}/kokkos-${SYMM_KOKKOS_VERSION}.tar.gz"
      PARENT_SCOPE)
endfunction()

# Says where the source comes from: SYMM_KOKKOS_ARCHIVE, or a folder of the user,
# so that several build folders download once, and the network.
function(_symm_declare_kokkos)
  if(SYMM_KOKKOS_ARCHIVE)
    if(NOT EXISTS "${SYMM_KOKKOS_ARCHIVE}")
      message(FATAL_ERROR "SYMM_KOKKOS_ARCHIVE=${SYMM_KOKKOS_ARCHIVE}: the file does "
                          "not exist.")
    endif()
    set(from URL "${SYMM_KOKKOS_ARCHIVE}")
  else()
    if(DEFINED ENV{XDG_CACHE_HOME})
      set(cache "$ENV{XDG_CACHE_HOME}/kokkos-symmetric-space")
    elseif(DEFINED ENV{HOME})
      set(cache "$ENV{HOME}/.cache/kokkos-symmetric-space")
    else()
      set(cache "${PROJECT_BINARY_DIR}/_deps")
    endif()
    _symm_kokkos_urls(urls)
    set(from
        URL ${urls}
        DOWNLOAD_DIR "${cache}"
        DOWNLOAD_NAME "kokkos_${SYMM_KOKKOS_VERSION}.orig.tar.gz")
  endif()
  if(POLICY CMP0135) # the times of the archive: an unpacking rebuilds nothing
    cmake_policy(SET CMP0135 OLD)
  endif()
  FetchContent_Declare(
    Kokkos
    ${from}
    URL_HASH SHA256=${SYMM_KOKKOS_SHA256}
    INACTIVITY_TIMEOUT 30
    SOURCE_DIR "${PROJECT_BINARY_DIR}/_deps/kokkos-${SYMM_KOKKOS_VERSION}"
    BINARY_DIR "${PROJECT_BINARY_DIR}/_deps/kokkos-build")
endfunction()

function(_symm_add_kokkos)
  include(FetchContent)
  _symm_declare_kokkos()
  message(STATUS "Kokkos: building ${SYMM_KOKKOS_VERSION}")
  if(NOT EXISTS
     "${PROJECT_BINARY_DIR}/_deps/kokkos-${SYMM_KOKKOS_VERSION}/CMakeLists.txt")
    message(
      STATUS
        "Kokkos: if its source cannot be downloaded, set CMAKE_PREFIX_PATH to an "
        "installed Kokkos, or SYMM_KOKKOS_ARCHIVE, in the environment or with "
        "-D, to the path of the source archive with the SHA-256 "
        "${SYMM_KOKKOS_SHA256}.")
  endif()
  if(PROJECT_IS_TOP_LEVEL AND CMAKE_BUILD_TYPE STREQUAL "Debug")
    set(Kokkos_ENABLE_DEBUG_BOUNDS_CHECK ON CACHE BOOL "")
  endif()
  set(CMAKE_CXX_CLANG_TIDY "") # Kokkos' own sources are not ours to check
  set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME symm_bundled_kokkos)
  FetchContent_MakeAvailable(Kokkos)

  if(SYMM_UNITY)
    set_target_properties(kokkoscore PROPERTIES UNITY_BUILD ON
                                                UNITY_BUILD_BATCH_SIZE ${symm_unity_sources})
  endif()

  # No warnings from its headers, as with an installed Kokkos.
  foreach(target IN ITEMS kokkoscore kokkoscontainers kokkosalgorithms
                          kokkossimd)
    get_target_property(folders ${target} INTERFACE_INCLUDE_DIRECTORIES)
    set_target_properties(
      ${target} PROPERTIES INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${folders}")
  endforeach()
endfunction()
_symm_add_kokkos()
symm_describe_kokkos(symm_kokkos version)
