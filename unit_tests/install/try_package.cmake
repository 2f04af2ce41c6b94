# Makes a package, unpacks it elsewhere, and compiles SOURCE there; see
# CMakeLists.txt here.

function(run)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "OUTPUT" "COMMAND")
  execute_process(
    COMMAND ${arg_COMMAND} COMMAND_ECHO STDOUT RESULT_VARIABLE status
    OUTPUT_VARIABLE output ECHO_OUTPUT_VARIABLE OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "failed (${status})")
  endif()
  if(arg_OUTPUT)
    set(${arg_OUTPUT} "${output}" PARENT_SCOPE)
  endif()
endfunction()

file(REMOVE_RECURSE "${WORK_DIR}")
run(COMMAND ${CPACK} --config ${CONFIG} -G TGZ -B ${WORK_DIR}/made)
file(GLOB archive "${WORK_DIR}/made/kokkos-symmetric-space-${VERSION}-*.tar.gz")
file(ARCHIVE_EXTRACT INPUT "${archive}" DESTINATION "${WORK_DIR}")
file(REMOVE_RECURSE "${WORK_DIR}/made") # nothing may be used from there
get_filename_component(name "${archive}" NAME)
string(REPLACE ".tar.gz" "" name "${name}")
file(RENAME "${WORK_DIR}/${name}" "${WORK_DIR}/moved")

file(GLOB_RECURSE texts "${WORK_DIR}/moved/*.cmake" "${WORK_DIR}/moved/*.pc")
if(NOT texts)
  message(FATAL_ERROR "The package has no files of CMake and pkg-config.")
endif()
foreach(text IN LISTS texts)
  file(READ "${text}" content)
  foreach(folder IN LISTS FOLDERS)
    string(FIND "${content}" "${folder}" at)
    if(NOT at EQUAL -1)
      message(FATAL_ERROR "${text} names ${folder}")
    endif()
  endforeach()
endforeach()

run(COMMAND ${WORK_DIR}/moved/bin/symm_info)

if(NOT PKG_CONFIG)
  message("There is no pkg-config here: not tried.")
  return()
endif()
file(GLOB_RECURSE file "${WORK_DIR}/moved/symm_runtime.pc")
get_filename_component(folder "${file}" DIRECTORY)
set(ENV{PKG_CONFIG_PATH} "${folder}")
run(COMMAND ${PKG_CONFIG} --modversion symm_runtime OUTPUT version)
if(NOT version STREQUAL VERSION)
  message(FATAL_ERROR "version ${version} instead of ${VERSION}")
endif()
run(COMMAND ${PKG_CONFIG} --variable=libdir symm_runtime OUTPUT libraries)
run(COMMAND ${PKG_CONFIG} --cflags --libs symm_runtime OUTPUT flags)
separate_arguments(flags UNIX_COMMAND "${flags}")
run(COMMAND ${COMPILER} ${SOURCE} -o ${WORK_DIR}/program ${flags}
            -Wl,-rpath,${libraries})
run(COMMAND ${LAUNCHER} ${WORK_DIR}/program)
