# Configures the project SOURCE with OPTIONS, which must fail and say EXPECTED.
file(REMOVE_RECURSE "${WORK_DIR}")
execute_process(
  COMMAND ${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK_DIR} ${OPTIONS}
  RESULT_VARIABLE status
  OUTPUT_VARIABLE output
  ERROR_VARIABLE output)
message("exit status: ${status}\n${output}")
string(REGEX REPLACE "[ \n]+" " " output "${output}") # lines are wrapped
if(status EQUAL 0)
  message(FATAL_ERROR "not refused")
elseif(NOT output MATCHES "${EXPECTED}")
  message(FATAL_ERROR "expected: ${EXPECTED}")
endif()
