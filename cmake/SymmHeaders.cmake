# Header-only libraries that examples and benchmarks use, none of which the
# libraries need: the interface targets symm_cli11 and, for benchmarks, symm_json.
#
# scripts/setup.sh installs them. Elsewhere, a folder that CMAKE_PREFIX_PATH names
# will do, whose include/ has copies of CLI11's CLI/ and nlohmann-json's nlohmann/.
include_guard(GLOBAL)
function(_symm_add_headers target header package)
  add_library(${target} INTERFACE)
  find_path(SYMM_INCLUDE_${target} ${header})
  mark_as_advanced(SYMM_INCLUDE_${target})
  if(NOT SYMM_INCLUDE_${target})
    message(
      FATAL_ERROR
        "Examples and benchmarks require <${header}> (Debian package ${package}). "
        "Install it, for example with scripts/setup.sh, or set CMAKE_PREFIX_PATH to "
        "a folder whose include/ contains it.")
  endif()
  target_include_directories(${target} SYSTEM
                             INTERFACE "${SYMM_INCLUDE_${target}}")
endfunction()

_symm_add_headers(symm_cli11 CLI/CLI.hpp libcli11-dev)
if(SYMM_ENABLE_PERF_TESTS)
  _symm_add_headers(symm_json nlohmann/json.hpp nlohmann-json3-dev)
endif()

# symm_reads_options(source...): by CLI11, which takes long to optimize, and is used
# once in a program.
function(symm_reads_options)
  if(SYMM_OPTIMIZE_PROGRAMS)
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS
                                                   "$<$<CONFIG:Release>:-O1>")
  endif()
endfunction()
