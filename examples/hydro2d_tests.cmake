# The tests of the two programs with a staggered grid. Included by
# examples/CMakeLists.txt.

# Two grids of cells: one that no number of PEs divides, and one so thin that a PE has a
# single layer of them. Both programs have to print the same checksum of all bits, on
# each number of PEs.
set(hydro2d_uneven --size 23 17 --steps 60)
set(hydro2d_uneven_checksum b2d8ccc933fedd5d)
set(hydro2d_thin --size 4 3 --steps 20)
set(hydro2d_thin_checksum eee7accc9e552445)

function(hydro2d_expect_checksum test grid)
  set_tests_properties(
    ${test}
    PROPERTIES PASS_REGULAR_EXPRESSION
               "checksum: ${hydro2d_${grid}_checksum}: correct"
               FAIL_REGULAR_EXPRESSION "WRONG")
endfunction()

# hydro2d_add_checksum_test(program grid 2x2)
function(hydro2d_add_checksum_test program grid pe_grid)
  string(REPLACE "x" ";" numbers ${pe_grid})
  string(REPLACE "x" "*" pes ${pe_grid})
  math(EXPR pes "${pes}")
  set(test example.${program}.${grid}_${pe_grid})
  symm_add_example_test(${test} PES ${pes} COMMAND ${program}
                        ${hydro2d_${grid}} --pe-grid ${numbers})
  hydro2d_expect_checksum(${test} ${grid})
endfunction()

# What both programs have to pass.
function(hydro2d_add_tests program)
  set(pe_grids 1x1 1x2 3x1 2x2)
  if(SYMM_SANITIZE)
    set(pe_grids 1x2)
  endif()
  foreach(pe_grid IN LISTS pe_grids)
    hydro2d_add_checksum_test(${program} uneven ${pe_grid})
  endforeach()
  if(NOT SYMM_SANITIZE)
    hydro2d_add_checksum_test(${program} thin 4x1)
    hydro2d_add_checksum_test(${program} thin 1x3)
  endif()

  # Beside the exact solution.
  symm_add_example_test(
    example.${program}.tube_along_x
    PES 2
    COMMAND ${program} --start tube-x --size 200 5 --steps 300)
  symm_add_example_test(
    example.${program}.tube_along_y
    PES 3
    COMMAND ${program} --start tube-y --size 5 200 --steps 300)

  symm_add_example_test(
    example.${program}.refuses_an_unknown_start
    PES 2
    COMMAND ${program} --start tube
    REFUSED_WITH "${program}: --start: .*tube .*blast")
  symm_add_example_test(
    example.${program}.refuses_a_grid_for_other_pes
    PES 2
    COMMAND ${program} --pe-grid 3 1
    REFUSED_WITH "${program}: --pe-grid 3x1 does not match the number of PEs, 2")
  symm_add_example_test(
    example.${program}.refuses_more_pes_than_cells
    PES 2
    COMMAND ${program} --size 1 8 --pe-grid 2 1
    REFUSED_WITH
      "${program}: --size 1x8: there are fewer cells than PEs along an axis of the PE grid 2x1"
  )
endfunction()
