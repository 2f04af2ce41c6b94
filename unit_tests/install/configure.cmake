# Configures the project SOURCE with OPTIONS, which must fail and say REFUSAL,
# or succeed if that is empty.
file(REMOVE_RECURSE "${WORK_DIR}")
execute_process(
  COMMAND ${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK_DIR} ${OPTIONS}
  RESULT_VARIABLE status
  OUTPUT_VARIABLE output
  ERROR_VARIABLE output)
message("exit status: ${status}\n${output}")
string(REGEX REPLACE "[ \n]+" " " output "${output}") # lines are wrapped
if(REFUSAL STREQUAL "")
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "refused")
  endif()
elseif(status EQUAL 0)
  message(FATAL_ERROR "not refused")
elseif(NOT output MATCHES "${REFUSAL}")
  message(FATAL_ERROR "expected: ${REFUSAL}")
endif()
