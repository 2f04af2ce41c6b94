# The tests of the two particle programs. Included by examples/CMakeLists.txt.

# Two grids of cells: one that no number of PEs divides, and one so thin that a PE
# has a single layer, whose particles are near those of three others. Both programs
# have to print the same checksum of all particles, on each number of PEs.
set(particles_uneven --cells 9 7 5 --steps 120)
set(particles_uneven_checksum f78dd5a56ec2c6c3)
set(particles_thin --cells 4 3 3 --steps 120)
set(particles_thin_checksum c17831a5672e11c3)

# (Programs print "correct" only if number, momentum and energy are, too.)
function(particles_expect_checksum test checksum)
  set_tests_properties(
    ${test} PROPERTIES PASS_REGULAR_EXPRESSION "checksum: ${checksum}: correct"
                       FAIL_REGULAR_EXPRESSION "WRONG")
endfunction()

# What both programs have to pass.
function(particles_add_tests program)
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
                          ${particles_uneven} --pe-grid ${numbers})
    particles_expect_checksum(${test} ${particles_uneven_checksum})
  endforeach()
  if(NOT SYMM_SANITIZE)
    symm_add_example_test(example.${program}.thin_4x1x1 PES 4 COMMAND
                          ${program} ${particles_thin} --pe-grid 4 1 1)
    particles_expect_checksum(example.${program}.thin_4x1x1
                              ${particles_thin_checksum})
  endif()
  symm_add_example_test(
    example.${program}.tells_of_full_cells
    PES 3
    COMMAND ${program} ${particles_uneven} --capacity 5
    REFUSED_WITH
      "${program}: [0-9]+ particles found their new cell full by step 100: it has room for 5")
endfunction()
