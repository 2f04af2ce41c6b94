# Provides Kokkos::kokkos: the parent project's, an installed one, or one built
# here from the source archive, which is then installed together with this
# project.

set(SYMM_KOKKOS_VERSION 5.0.2)
set(SYMM_KOKKOS_SHA256
    188817bb452ca805ee8701f1c5adbbb4fb83dc8d1c50624566a18a719ba0fa5e)
set(SYMM_KOKKOS_ARCHIVE
    ""
    CACHE FILEPATH "Kokkos source archive (default: environment variable)")
if(NOT SYMM_KOKKOS_ARCHIVE)
  set(SYMM_KOKKOS_ARCHIVE "$ENV{SYMM_KOKKOS_ARCHIVE}")
endif()

include(SymmDescribe)

if(TARGET Kokkos::kokkos)
  symm_describe_kokkos(symm_kokkos version)
  message(STATUS "Kokkos: target of the enclosing project ${version}")
  if(version AND version VERSION_LESS 5.0)
    message(FATAL_ERROR "The Kokkos of the enclosing project is ${version}: "
                        "this library needs Kokkos 5.")
  endif()
  return()
endif()

find_package(Kokkos 5.0 CONFIG QUIET)
if(Kokkos_FOUND)
  message(STATUS "Kokkos: installed ${Kokkos_VERSION} in ${Kokkos_DIR}")
  symm_describe_kokkos(symm_kokkos version)
  return()
elseif(Kokkos_CONSIDERED_VERSIONS)
  # Not silently another one, without the devices of this one.
  set(reason "${Kokkos_NOT_FOUND_MESSAGE}")
  if(Kokkos_CONSIDERED_VERSIONS VERSION_LESS 5.0)
    string(PREPEND reason "This library needs Kokkos 5. ")
  endif()
  message(
    FATAL_ERROR
      "The installed Kokkos cannot be used: ${Kokkos_CONSIDERED_CONFIGS}, "
      "version ${Kokkos_CONSIDERED_VERSIONS}. ${reason} Set CMAKE_PREFIX_PATH or "
      "Kokkos_DIR to another, or build Kokkos ${SYMM_KOKKOS_VERSION} here: "
      "-DCMAKE_DISABLE_FIND_PACKAGE_Kokkos=ON.")
endif()

# Sets `out` to whether `file` exists and is the archive we expect.
function(_symm_is_kokkos_archive file out)
  set(hash "")
  if(EXISTS "${file}")
    file(SHA256 "${file}" hash)
  endif()
  if(hash STREQUAL SYMM_KOKKOS_SHA256)
    set(${out} TRUE PARENT_SCOPE)
  else()
    set(${out} FALSE PARENT_SCOPE)
  endif()
endfunction()

# Tries the package archives that this machine's apt is configured to use.
function(_symm_download_kokkos_with_apt file)
  # find_program() does not search if the project has a variable of that name.
  unset(_symm_apt_get)
  unset(_symm_apt_helper)
  find_program(_symm_apt_get apt-get NO_CACHE)
  find_program(_symm_apt_helper apt-helper PATHS /usr/lib/apt NO_CACHE)
  if(NOT _symm_apt_get OR NOT _symm_apt_helper)
    return()
  endif()
  execute_process(
    COMMAND ${_symm_apt_get} indextargets --format "$(REPO_URI)"
    OUTPUT_VARIABLE archives
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  string(REPLACE "\n" ";" archives "${archives}")
  list(REMOVE_DUPLICATES archives)
  foreach(component IN ITEMS main universe)
    foreach(archive IN LISTS archives)
      execute_process(
        COMMAND
          ${_symm_apt_helper} download-file
          "${archive}pool/${component}/k/kokkos/kokkos_${SYMM_KOKKOS_VERSION}.orig.tar.gz"
          "${file}" "SHA256:${SYMM_KOKKOS_SHA256}"
        OUTPUT_QUIET ERROR_QUIET)
      _symm_is_kokkos_archive("${file}" is_archive)
      if(is_archive)
        return()
      endif()
    endforeach()
  endforeach()
endfunction()

# Tries the upstream project.
function(_symm_download_kokkos_from_upstream file)
  set(upstream "https://github.com/kokkos/kokkos")
  foreach(url IN
          ITEMS "${upstream}/archive/refs/tags/${SYMM_KOKKOS_VERSION}.tar.gz"
                "${upstream}/releases/download/${SYMM_KOKKOS_VERSION}/kokkos-${SYMM_KOKKOS_VERSION}.tar.gz")
    file(DOWNLOAD "${url}" "${file}" INACTIVITY_TIMEOUT 30 STATUS status)
    _symm_is_kokkos_archive("${file}" is_archive)
    if(is_archive)
      return()
    endif()
  endforeach()
endfunction()

# Sets `out` to the path of a verified source archive.
function(_symm_get_kokkos_archive out)
  if(SYMM_KOKKOS_ARCHIVE)
    _symm_is_kokkos_archive("${SYMM_KOKKOS_ARCHIVE}" is_archive)
    if(NOT is_archive)
      message(
        FATAL_ERROR
          "SYMM_KOKKOS_ARCHIVE=${SYMM_KOKKOS_ARCHIVE} is not the Kokkos "
          "${SYMM_KOKKOS_VERSION} source archive: no such file, or its SHA-256 "
          "is not ${SYMM_KOKKOS_SHA256}.")
    endif()
    set(${out} "${SYMM_KOKKOS_ARCHIVE}" PARENT_SCOPE)
    return()
  endif()

  # One folder per user, so that several build folders download once.
  if(DEFINED ENV{XDG_CACHE_HOME})
    set(folder "$ENV{XDG_CACHE_HOME}/kokkos-symmetric-space")
  elseif(DEFINED ENV{HOME})
    set(folder "$ENV{HOME}/.cache/kokkos-symmetric-space")
  else()
    set(folder "${PROJECT_BINARY_DIR}/_deps")
  endif()
  set(file "${folder}/kokkos_${SYMM_KOKKOS_VERSION}.orig.tar.gz")
  _symm_is_kokkos_archive("${file}" is_archive)
  if(NOT is_archive)
    message(STATUS "Kokkos: downloading ${SYMM_KOKKOS_VERSION} to ${folder}")
    file(MAKE_DIRECTORY "${folder}")
    string(RANDOM suffix)
    set(part "${file}.${suffix}") # two builds may download at the same time
    _symm_download_kokkos_with_apt("${part}")
    _symm_is_kokkos_archive("${part}" is_archive)
    if(NOT is_archive)
      _symm_download_kokkos_from_upstream("${part}")
      _symm_is_kokkos_archive("${part}" is_archive)
    endif()
    if(NOT is_archive)
      file(REMOVE "${part}")
      message(
        FATAL_ERROR
          "Kokkos ${SYMM_KOKKOS_VERSION} is not installed and its source could "
          "not be downloaded. Either set CMAKE_PREFIX_PATH to an installed "
          "Kokkos 5, or get the source archive of Kokkos ${SYMM_KOKKOS_VERSION} "
          "(SHA-256 ${SYMM_KOKKOS_SHA256}) and set SYMM_KOKKOS_ARCHIVE, in the "
          "environment or with -D, to its path.")
    endif()
    file(RENAME "${part}" "${file}")
  endif()
  set(${out} "${file}" PARENT_SCOPE)
endfunction()

function(_symm_add_kokkos_subdirectory)
  set(folder "${PROJECT_BINARY_DIR}/_deps")
  set(source "${folder}/kokkos-${SYMM_KOKKOS_VERSION}")
  if(NOT EXISTS "${source}/CMakeLists.txt")
    _symm_get_kokkos_archive(archive)
    file(ARCHIVE_EXTRACT INPUT "${archive}" DESTINATION "${folder}/unpack")
    file(RENAME "${folder}/unpack/kokkos-${SYMM_KOKKOS_VERSION}" "${source}")
  endif()
  message(STATUS "Kokkos: building ${SYMM_KOKKOS_VERSION} in ${folder}")

  if(PROJECT_IS_TOP_LEVEL AND CMAKE_BUILD_TYPE STREQUAL "Debug")
    set(Kokkos_ENABLE_DEBUG_BOUNDS_CHECK ON CACHE BOOL "")
  endif()
  set(CMAKE_CXX_CLANG_TIDY "") # Kokkos' own sources are not ours to check
  add_subdirectory("${source}" "${folder}/kokkos-build")

  if(SYMM_UNITY)
    set_target_properties(kokkoscore PROPERTIES UNITY_BUILD ON)
  endif()

  # No warnings from its headers, as with an installed Kokkos.
  foreach(target IN ITEMS kokkoscore kokkoscontainers kokkosalgorithms
                          kokkossimd)
    get_target_property(folders ${target} INTERFACE_INCLUDE_DIRECTORIES)
    set_target_properties(
      ${target} PROPERTIES INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${folders}")
  endforeach()
endfunction()
_symm_add_kokkos_subdirectory()
symm_describe_kokkos(symm_kokkos version)
