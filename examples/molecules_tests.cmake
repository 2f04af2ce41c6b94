# The tests of the two molecular dynamics programs. Included by
# examples/CMakeLists.txt.

# Two grids of cells: one of three lengths, and one so thin that an atom and several
# images of another one are near each other. Both programs have to print the same
# checksum of all atoms, on each number of PEs.
set(molecules_uneven --cells 8 6 4 --steps 120)
set(molecules_uneven_checksum 9ca30dce1e52674f)
set(molecules_thin --cells 8 2 2 --steps 120)
set(molecules_thin_checksum cadb9c8320674fa7)

# (Programs print "correct" only if number, momentum and energy are, too.)
function(molecules_expect_checksum test checksum)
  set_tests_properties(
    ${test} PROPERTIES PASS_REGULAR_EXPRESSION "checksum: ${checksum}: correct"
                       FAIL_REGULAR_EXPRESSION "WRONG")
endfunction()

# What both programs have to pass.
function(molecules_add_tests program)
  set(pe_grids 1x1x1 1x1x2 1x3x1 2x2x1)
  if(SYMM_SANITIZE)
    set(pe_grids 1x1x2)
  endif()
  foreach(pe_grid IN LISTS pe_grids)
    string(REPLACE "x" ";" numbers ${pe_grid})
    string(REPLACE "x" "*" pes ${pe_grid})
    math(EXPR pes "${pes}")
    set(test example.${program}.uneven_${pe_grid})
    symm_add_example_test(${test} PES ${pes} COMMAND ${program}
                          ${molecules_uneven} --pe-grid ${numbers})
    molecules_expect_checksum(${test} ${molecules_uneven_checksum})
  endforeach()
  if(NOT SYMM_SANITIZE)
    symm_add_example_test(example.${program}.thin_4x1x1 PES 4 COMMAND
                          ${program} ${molecules_thin} --pe-grid 4 1 1)
    molecules_expect_checksum(example.${program}.thin_4x1x1
                              ${molecules_thin_checksum})
  endif()
  # Neighbor lists of other lengths have the same pairs within the cutoff.
  symm_add_example_test(
    example.${program}.lists_in_each_step PES 2 COMMAND ${program}
    ${molecules_uneven} --rebuild-every 1 --skin 0.2)
  molecules_expect_checksum(example.${program}.lists_in_each_step
                            ${molecules_uneven_checksum})
  symm_add_example_test(
    example.${program}.tells_of_fast_atoms
    PES 2
    COMMAND ${program} ${molecules_uneven} --skin 0.1
    REFUSED_WITH
      "${program}: [0-9]+ atoms moved by more than half the skin by step 10; use a smaller --rebuild-every"
  )
endfunction()
