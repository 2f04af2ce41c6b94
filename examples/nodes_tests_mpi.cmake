# The tests over several nodes of examples that need MPI. Included by
# nodes_tests.cmake.

# halo_signals: neighbors that are near and far, two teams of which one is far from
# the other, and messages that take their time.
set(halo_uneven --size 23 --look-every 10 --until 0.1)
foreach(shape_and_case "2;2;stream;2" "3;1;host;1")
  list(POP_FRONT shape_and_case nodes pes_per_node way plates)
  math(EXPR pes "${nodes} * ${pes_per_node}")
  if(NOT SYMM_SANITIZE OR pes LESS 4)
    set(test example.halo_signals.${way}.nodes${nodes}x${pes_per_node})
    symm_add_same_line_test(
      ${test}
      PES ${pes}
      LINE "plate 0: [^,]*, [0-9]* steps: max. error [^ ]* checksum [0-9a-f]*: correct"
      REFERENCE halo_signals ${halo_uneven}
      COMMAND halo_signals ${halo_uneven} --exchange ${way} --plates ${plates})
    set_property(
      TEST ${test}
      APPEND
      PROPERTY ENVIRONMENT SYMM_PES_PER_NODE=${pes_per_node})
    set_property(
      TEST ${test}
      APPEND
      PROPERTY LABELS nodes)
  endif()
endforeach()
symm_run_over_nodes(
  TARGET halo_signals
  NAME example.halo_signals
  ARGUMENTS ${halo_uneven} --plates 1
  LABELS example
  BAD_LINKS 2x1)

# port_existing: what step 0 says.
symm_add_same_line_test(
  example.step1_plan.uneven.nodes3x1
  PES 3
  LINE "max. error .* checksum .*: correct"
  REFERENCE step0_mpi --size 47 --steps 100
  COMMAND step1_plan --size 47 --steps 100)
set_property(
  TEST example.step1_plan.uneven.nodes3x1
  APPEND
  PROPERTY ENVIRONMENT SYMM_PES_PER_NODE=1)
set_property(
  TEST example.step1_plan.uneven.nodes3x1
  APPEND
  PROPERTY LABELS nodes)
