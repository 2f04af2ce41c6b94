# Installs the library, and builds checked/ with it; see CMakeLists.txt here. The
# program has a race, or, mended, none.

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "failed (${status})")
  endif()
endfunction()

file(REMOVE_RECURSE "${WORK_DIR}")
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${WORK_DIR}/prefix)
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/checked -B ${WORK_DIR}/build
    ${CONFIGURE_OPTIONS} -DCMAKE_PREFIX_PATH=${WORK_DIR}/prefix -DSOURCE=${SOURCE})
run(${CMAKE_COMMAND} --build ${WORK_DIR}/build)
foreach(arguments IN ITEMS "fill" "fill;mended")
  execute_process(
    COMMAND ${LAUNCHER} ${WORK_DIR}/build/races ${arguments}
    RESULT_VARIABLE status
    ERROR_VARIABLE output)
  message("${arguments}: ${status}\n${output}")
  # (With wrong results the program has a status of its own.)
  if(arguments STREQUAL "fill")
    string(FIND "${output}" "missing: a barrier of both between the two" at)
  else()
    string(FIND "${output}" "symm: no races found" at)
  endif()
  if((arguments STREQUAL "fill" AND status EQUAL 0)
     OR (NOT arguments STREQUAL "fill" AND NOT status EQUAL 0)
     OR at EQUAL -1)
    message(FATAL_ERROR "failed")
  endif()
endforeach()
