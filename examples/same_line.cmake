# cmake -D LINE=<regex> -P same_line.cmake -- <command> [argument...]
#                                          -- <command> [argument...]
#
# Succeeds if both commands do, and print the same line that matches <regex>.
set(n_commands 0)
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(n RANGE ${last})
  if(CMAKE_ARGV${n} STREQUAL "--")
    math(EXPR n_commands "${n_commands} + 1")
  elseif(n_commands)
    list(APPEND command_${n_commands} "${CMAKE_ARGV${n}}")
  endif()
endforeach()

foreach(n 1 2)
  execute_process(
    COMMAND ${command_${n}}
    TIMEOUT 60
    RESULT_VARIABLE result
    OUTPUT_VARIABLE output
    ERROR_VARIABLE output)
  message("exit status: ${result}\n${output}")
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "expected exit status 0 of: ${command_${n}}")
  endif()
  if(NOT output MATCHES "[^\n]*${LINE}[^\n]*")
    message(FATAL_ERROR "expected a line with: ${LINE}")
  endif()
  set(line_${n} "${CMAKE_MATCH_0}")
endforeach()
if(NOT line_1 STREQUAL line_2)
  message(FATAL_ERROR "expected the same line from both commands")
endif()
