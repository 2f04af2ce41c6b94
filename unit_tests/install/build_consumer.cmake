# Configures, builds and runs consumer/ from nothing; see CMakeLists.txt here.

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "failed (${status})")
  endif()
endfunction()

file(REMOVE_RECURSE "${WORK_DIR}")
set(prefix "${WORK_DIR}/prefix")

if(WAY STREQUAL "find_package")
  run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${prefix})
  set(way_options -DCMAKE_PREFIX_PATH=${prefix})
else()
  set(way_options -DSYMM_SOURCE_DIR=${SOURCE_DIR})
endif()

run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/consumer -B ${WORK_DIR}/build
    ${CONFIGURE_OPTIONS} ${way_options})
run(${CMAKE_COMMAND} --build ${WORK_DIR}/build)
run(${LAUNCHER} ${WORK_DIR}/build/consumer)
