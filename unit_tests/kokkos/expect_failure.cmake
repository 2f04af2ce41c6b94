# Runs COMMAND (a list), which must fail within TIMEOUT seconds, with STATUS if that
# is given, and print what the regular expression MATCH says.
execute_process(
  COMMAND ${COMMAND}
  TIMEOUT ${TIMEOUT}
  RESULT_VARIABLE status
  OUTPUT_VARIABLE output
  ERROR_VARIABLE output)
message("${output}")
if(status EQUAL 0)
  message(FATAL_ERROR "The command succeeds, and should fail.")
endif()
if(status MATCHES "timeout")
  message(FATAL_ERROR "The command has not ended within ${TIMEOUT} s.")
endif()
if(DEFINED STATUS AND NOT status EQUAL STATUS)
  message(FATAL_ERROR "The status is ${status}, and should be ${STATUS}.")
endif()
if(NOT output MATCHES "${MATCH}")
  message(FATAL_ERROR "The output does not match \"${MATCH}\".")
endif()
