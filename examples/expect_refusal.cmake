# cmake -D EXPECTED=<regex> -P expect_refusal.cmake -- <command> [argument...]
#
# Succeeds if the command fails, by itself, with output that matches <regex>.
# (CTest's PASS_REGULAR_EXPRESSION does not look at the exit status.)
set(command "")
set(is_command FALSE)
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(n RANGE ${last})
  if(is_command)
    list(APPEND command "${CMAKE_ARGV${n}}")
  elseif(CMAKE_ARGV${n} STREQUAL "--")
    set(is_command TRUE)
  endif()
endforeach()

execute_process(
  COMMAND ${command}
  TIMEOUT 60
  RESULT_VARIABLE result
  OUTPUT_VARIABLE output
  ERROR_VARIABLE output)
message("exit status: ${result}\n${output}")
if(NOT result MATCHES "^[1-9][0-9]*$")
  message(FATAL_ERROR "expected an exit status that is not 0")
endif()
if(NOT output MATCHES "${EXPECTED}")
  message(FATAL_ERROR "expected output with: ${EXPECTED}")
endif()
