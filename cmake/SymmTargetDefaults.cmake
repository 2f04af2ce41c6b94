# symm_target_defaults(<target>)
#
# What every target of this project is compiled with. All of it is PRIVATE:
# users of the package inherit neither warnings nor -Werror.
function(symm_target_defaults target)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  target_compile_features(${target} PRIVATE cxx_std_20)
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
