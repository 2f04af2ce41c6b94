# The tests of the two heat solvers. Included by examples/CMakeLists.txt.

# The result of one PE, for two grids: one that no number of PEs divides, and
# one so thin that PEs have a single layer of cells.
set(heat3d_dumps ${CMAKE_CURRENT_BINARY_DIR}/heat3d_dumps)
file(MAKE_DIRECTORY ${heat3d_dumps})
set(heat3d_uneven --size 17 13 11 --modes 3 2 1 --steps 40)
set(heat3d_thin --size 5 4 3 --modes 1 2 1 --steps 25)
foreach(grid uneven thin)
  symm_add_example_test(
    example.heat3d.${grid}_one_pe
    PES 1
    COMMAND heat3d ${heat3d_${grid}} --dump ${heat3d_dumps}/${grid}_one_pe.dump
    PROVIDES heat3d_${grid}_one_pe)
endforeach()

# heat3d_add_bitwise_test(solver grid 2x2x1): the result of `solver` on that PE
# grid equals the one of a single PE bit by bit.
function(heat3d_add_bitwise_test solver grid pe_grid)
  string(REPLACE "x" "*" pes "${pe_grid}")
  math(EXPR pes "${pes}")
  set(name ${solver}_${grid}_${pe_grid})
  set(dump ${heat3d_dumps}/${name}.dump)
  set(test example.${solver}.${grid}_${pe_grid})

  symm_add_example_test(
    ${test}_run
    PES ${pes}
    COMMAND ${solver} ${heat3d_${grid}} --pe-grid ${pe_grid} --dump ${dump}
    PROVIDES ${name})
  add_test(NAME ${test}_equals_one_pe
           COMMAND ${CMAKE_COMMAND} -E compare_files
                   ${heat3d_dumps}/${grid}_one_pe.dump ${dump})
  set_tests_properties(
    ${test}_equals_one_pe
    PROPERTIES TIMEOUT 30
               LABELS "example;${SYMM_TEST_GPU_LABEL}"
               FIXTURES_REQUIRED "heat3d_${grid}_one_pe;${name}")
endfunction()

set(heat3d_picture ppm)
if(PNG_FOUND)
  set(heat3d_picture png)
endif()

# What both solvers have to pass.
function(heat3d_add_tests solver)
  foreach(pes IN LISTS example_pe_counts)
    symm_add_example_test(
      example.${solver}.np${pes}
      PES ${pes}
      COMMAND ${solver} --size 24 --steps 200 --picture
              ${CMAKE_CURRENT_BINARY_DIR}/np${pes}.${heat3d_picture})
  endforeach()
  set(pe_grids 1x1x1 2x1x1 1x1x2 1x3x1 2x2x1 2x2x2)
  if(SYMM_SANITIZE)
    set(pe_grids 1x1x2 1x3x1)
  endif()
  foreach(pe_grid IN LISTS pe_grids)
    heat3d_add_bitwise_test(${solver} uneven ${pe_grid})
  endforeach()
  heat3d_add_bitwise_test(${solver} thin 4x1x1)

  symm_add_example_test(
    example.${solver}.refuses_an_unknown_option
    PES 3
    COMMAND ${solver} --sise 8
    REFUSED_WITH "${solver}: .*not expected: .*--sise")
  symm_add_example_test(
    example.${solver}.refuses_a_grid_for_other_pes
    PES 3
    COMMAND ${solver} --pe-grid 2x2x1
    REFUSED_WITH "--pe-grid 2x2x1 does not match the number of PEs, 3")
  symm_add_example_test(
    example.${solver}.refuses_a_file_it_cannot_write
    PES 2
    COMMAND ${solver} --size 8 --dump ${CMAKE_CURRENT_BINARY_DIR}/none/dump
    REFUSED_WITH "cannot write '.*/none/dump': No such file")
endfunction()
