# Installs each component alone; see CMakeLists.txt here.

# has(component SOME regex... NO regex...): files that it has, or has not.
function(has component)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOME;NO")
  set(prefix "${WORK_DIR}/${component}")
  execute_process(
    COMMAND ${CMAKE_COMMAND} --install ${BUILD_DIR} --component ${component} #
            --prefix ${prefix}
    RESULT_VARIABLE status OUTPUT_QUIET)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${component}: failed (${status})")
  endif()
  file(GLOB_RECURSE files RELATIVE "${prefix}" "${prefix}/*")
  foreach(regex IN LISTS arg_SOME)
    if(NOT "${files}" MATCHES "${regex}")
      message(FATAL_ERROR "${component} has no ${regex}: ${files}")
    endif()
  endforeach()
  foreach(regex IN LISTS arg_NO)
    if("${files}" MATCHES "${regex}")
      message(FATAL_ERROR "${component} has ${regex}: ${files}")
    endif()
  endforeach()
endfunction()

file(REMOVE_RECURSE "${WORK_DIR}")
if(SHARED)
  has(symm_runtime SOME "libsymm_runtime.so.[0-9]" LICENSE
      NO "[.]hpp" "runtime.so(;|$)" KokkosSymmetricSpace.so)
  has(symm_kokkos SOME "libKokkosSymmetricSpace.so.[0-9]" "libKokkosSymmetricContainers.so.[0-9]"
      NO "[.]hpp" symm_runtime)
  has(symm_development SOME "libsymm_runtime.so(;|$)" NO "[.]so[.][0-9]")
else()
  has(symm_runtime SOME LICENSE NO "[.]hpp" "[.]a(;|$)")
  has(symm_development SOME "libsymm_runtime.a" "libKokkosSymmetricSpace.a"
      "libKokkosSymmetricContainers.a")
endif()
has(symm_development
    SOME "symm.hpp" "Kokkos_SymmetricSpace.hpp"
         "Kokkos_SymmetricContainers.hpp" "no_gpu|cuda" "symm_runtime.pc"
         "KokkosSymmetricSpaceConfig.cmake" "SymmDescribe.cmake"
    NO "KokkosConfig.cmake" "bin/")
has(symm_tools SOME "bin/symm_info" NO "[.]hpp" "[.](a|so)")
