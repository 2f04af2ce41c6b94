# symm_target_defaults(<target>)
#
# What every target of this project is compiled with. All of it is PRIVATE:
# users of the package inherit neither warnings nor -Werror. Nor do projects around
# this one have its warnings: the headers of their Kokkos would be part of them.
function(symm_target_defaults target)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  target_compile_features(${target} PRIVATE cxx_std_20)
  if(NOT KokkosSymmetricSpace_IS_TOP_LEVEL)
    return()
  endif()
  target_compile_options(
    ${target}
    PRIVATE -Wall
            -Wextra
            -Wpedantic
            -Wshadow
            -Wconversion
            -Wsign-conversion
            $<$<BOOL:${SYMM_WERROR}>:-Werror>)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION
                                              VERSION_LESS 13)
    # False positives on `"literal" + std::string` (GCC bug 105651, fixed in 13).
    target_compile_options(${target} PRIVATE -Wno-restrict)
  endif()
endfunction()

# symm_unity(<target> [LONG])
#
# With SYMM_UNITY, compiles up to 16 sources of the target at a time, so that the
# compiler reads Kokkos and the standard library once for all of them: everything in
# half the time or less. A change of one source takes longer than without, a change of
# a header less long. Names in anonymous namespaces must differ between the sources of
# a target. (That a local name hides one of another source is no mistake.) With 32 cores
# or more, up to 4 sources at a time, but only one if the sources are LONG: such a build
# takes as long as its longest file.
cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
set(symm_unity_sources 16)
set(symm_unity_long_sources 16)
if(cores GREATER_EQUAL 32)
  set(symm_unity_sources 4)
  set(symm_unity_long_sources 1)
endif()
option(SYMM_UNITY
       "Unity build of up to 16 sources: faster full builds, slower rebuilds" ON)
function(symm_unity target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "LONG" "" "")
  set(n_sources ${symm_unity_sources})
  if(arg_LONG)
    set(n_sources ${symm_unity_long_sources})
  endif()
  if(SYMM_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON
                                               UNITY_BUILD_BATCH_SIZE ${n_sources})
    target_compile_options(${target} PRIVATE -Wno-shadow)
  endif()
endfunction()

# symm_precompile(<target> HEADERS <header>... | FROM <target>)
#
# With SYMM_PRECOMPILE, the compiler reads those headers, none of them this project's,
# once for all targets that have them from the same one. (A source that forgets to
# include one of them compiles then.) Off by default where the compiler has a launcher:
# ccache keeps no object of a precompiled header, unless it is told to.
set(precompile ON)
if(CMAKE_CXX_COMPILER_LAUNCHER)
  set(precompile OFF)
endif()
option(SYMM_PRECOMPILE "Precompile the headers of Kokkos and GoogleTest for tests"
       ${precompile})
function(symm_precompile target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "FROM" "HEADERS")
  if(NOT SYMM_PRECOMPILE OR SYMM_HAS_GPU) # nvcc cannot
    return()
  endif()
  if(arg_FROM)
    target_precompile_headers(${target} REUSE_FROM ${arg_FROM})
    # Where one has Kokkos' OpenMP and the other has not, nothing is reused.
    set_target_properties(${target} PROPERTIES PCH_WARN_INVALID OFF)
  else()
    target_precompile_headers(${target} PRIVATE ${arg_HEADERS})
  endif()
endfunction()

# symm_install_library(<target> COMPONENT <component>)
#
# The shared library is of that component; what one compiles with, and a static
# library, of symm_development. (cmake --install --component; docs/packages.md)
function(symm_install_library target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "COMPONENT" "")
  install(
    TARGETS ${target}
    EXPORT KokkosSymmetricSpaceTargets
    RUNTIME COMPONENT ${arg_COMPONENT}
    LIBRARY COMPONENT ${arg_COMPONENT} NAMELINK_COMPONENT symm_development
    ARCHIVE COMPONENT symm_development
    FILE_SET HEADERS
      DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/KokkosSymmetricSpace
      COMPONENT symm_development)
endfunction()
