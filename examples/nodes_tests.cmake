# The tests of the examples over several nodes. Included by examples/CMakeLists.txt.
# (That of ring_reduce, which needs no Kokkos, is in unit_tests/nodes.)

# What is the same on simulated nodes as the file `reference`, which the fixture of
# that name makes: symm_dump_over_nodes(test reference fixture target shape
# [argument...]).
function(symm_dump_over_nodes test reference fixture target shape)
  set(dump ${CMAKE_CURRENT_BINARY_DIR}/${test}.nodes${shape}.dump)
  symm_run_over_nodes(
    TARGET ${target}
    NAME ${test}
    ARGUMENTS ${ARGN} --dump ${dump}
    LABELS example
    NODES ${shape})
  set(test ${test}.nodes${shape})
  if(NOT TEST ${test})
    return()
  endif()
  set_tests_properties(${test} PROPERTIES FIXTURES_SETUP ${test})
  add_test(NAME ${test}_equals_one_node
           COMMAND ${CMAKE_COMMAND} -E compare_files ${reference} ${dump})
  set_tests_properties(
    ${test}_equals_one_node
    PROPERTIES TIMEOUT 30
               LABELS "example;nodes"
               FIXTURES_REQUIRED "${fixture};${test}")
endfunction()

# Neighbors on other nodes along each axis; 2x2: along the first one, while those
# along the second are near.
foreach(shape_and_grid 2x1=1x1x2 3x1=1x3x1 2x2=2x2x1)
  string(REPLACE "=" ";" shape_and_grid "${shape_and_grid}")
  list(GET shape_and_grid 0 shape)
  list(GET shape_and_grid 1 pe_grid)
  symm_dump_over_nodes(
    example.heat3d ${heat3d_dumps}/uneven_one_pe.dump heat3d_uneven_one_pe
    heat3d ${shape} ${heat3d_uneven} --pe-grid ${pe_grid})
endforeach()
foreach(shape_and_case 3x1=bcsstk01 2x2=grid)
  string(REPLACE "=" ";" shape_and_case "${shape_and_case}")
  list(GET shape_and_case 0 shape)
  list(GET shape_and_case 1 case)
  string(REPLACE "x" "*" pes ${shape})
  math(EXPR pes "${pes}")
  if(pes IN_LIST example_pe_counts)
    symm_dump_over_nodes(
      example.cg_solve ${cg_made}/cg_solve_${case}_${pes}.dump
      cg_solve_${case}_${pes} cg_solve ${shape} ${cg_case_${case}})
  endif()
endforeach()

symm_run_over_nodes(
  TARGET heat3d
  NAME example.heat3d
  ARGUMENTS ${heat3d_uneven}
  LABELS example
  CLUSTERS 2x2
  BAD_LINKS 2x1)
symm_run_over_nodes(
  TARGET cg_solve
  NAME example.cg_solve
  ARGUMENTS ${cg_case_bcsstk01}
  LABELS example
  CLUSTERS 2x2
  BAD_LINKS 2x1)
symm_run_over_nodes(
  TARGET gups
  NAME example.gups
  ARGUMENTS --log2-size 12 --updates-per-word 3
  LABELS example
  NODES 2x2 3x1
  CLUSTERS 2x2
  BAD_LINKS 2x1)
symm_run_over_nodes(
  TARGET particles
  NAME example.particles
  ARGUMENTS ${particles_uneven}
  LABELS example
  NODES 2x1 2x2
  CLUSTERS 2x2)
foreach(shape nodes2x1 nodes2x2 cluster2x2)
  if(TEST example.particles.${shape})
    particles_expect_checksum(example.particles.${shape}
                              ${particles_uneven_checksum})
  endif()
endforeach()
symm_run_over_nodes(
  TARGET hydro2d
  NAME example.hydro2d
  ARGUMENTS ${hydro2d_uneven}
  LABELS example
  NODES 2x1 2x2)
foreach(shape nodes2x1 nodes2x2)
  if(TEST example.hydro2d.${shape})
    hydro2d_expect_checksum(example.hydro2d.${shape} uneven)
  endif()
endforeach()
symm_run_over_nodes(
  TARGET molecules
  NAME example.molecules
  ARGUMENTS ${molecules_uneven}
  LABELS example
  NODES 2x1 2x2
  CLUSTERS 2x2)
foreach(shape nodes2x1 nodes2x2 cluster2x2)
  if(TEST example.molecules.${shape})
    molecules_expect_checksum(example.molecules.${shape}
                              ${molecules_uneven_checksum})
  endif()
endforeach()
foreach(example hello_pe ring_put)
  symm_run_over_nodes(
    TARGET ${example}
    NAME example.${example}
    LABELS example
    NODES 3x1)
endforeach()

set(refuse_nodes async_temporaries)
if(SYMM_HAS_MPI)
  include(nodes_tests_mpi.cmake)
  list(APPEND refuse_nodes step2_global_view)
endif()
foreach(example IN LISTS refuse_nodes)
  symm_add_example_test(
    example.${example}.refuses_nodes2x1
    PES 2
    COMMAND ${example}
    REFUSED_WITH "${example}: its kernels? reads? .* all PEs must be on one node")
  set_property(
    TEST example.${example}.refuses_nodes2x1
    APPEND
    PROPERTY ENVIRONMENT SYMM_PES_PER_NODE=1)
  set_property(
    TEST example.${example}.refuses_nodes2x1
    APPEND
    PROPERTY LABELS nodes)
endforeach()
