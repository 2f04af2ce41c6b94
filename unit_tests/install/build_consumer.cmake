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
run(${CMAKE_COMMAND} --build ${WORK_DIR}/build --target consumer containers)
run(${LAUNCHER} ${WORK_DIR}/build/consumer)
run(${LAUNCHER} ${WORK_DIR}/build/containers)

if(WAY STREQUAL "find_package")
  # As a program is started by the mpiexec of another MPI, which says so. (One that
  # was started alone says nothing of the kind.)
  foreach(variables IN ITEMS "" "PMI_SIZE=4;PMI_RANK=0" "PMI_SIZE=4;PMI_RANK=1")
    execute_process(
      COMMAND ${CMAKE_COMMAND} -E env ${variables} ${WORK_DIR}/build/consumer
      RESULT_VARIABLE status
      ERROR_VARIABLE output)
    message("${variables}: ${status}\n${output}")
    string(FIND "${output}" "job of one PE, but was started as one of 4 (PMI_SIZE)" at)
    if(NOT status EQUAL 0)
      message(FATAL_ERROR "failed")
    elseif(variables MATCHES "RANK=0" AND at EQUAL -1)
      message(FATAL_ERROR "does not say that the launcher is another one")
    elseif(NOT variables MATCHES "RANK=0" AND NOT at EQUAL -1)
      message(FATAL_ERROR "says that the launcher is another one")
    endif()
  endforeach()
endif()
