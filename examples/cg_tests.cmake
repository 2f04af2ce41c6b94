# The tests of the two solvers by conjugate gradients. Included by
# examples/CMakeLists.txt.

# Dumps, and matrices that are too small or too bad to ship.
set(cg_made ${CMAKE_CURRENT_BINARY_DIR}/cg_made)
set(cg_banner "%%MatrixMarket matrix coordinate real")
file(WRITE ${cg_made}/tiny.mtx
     "${cg_banner} symmetric\n3 3 4\n1 1 4\n2 2 4\n3 3 4\n3 1 -1\n")
file(WRITE ${cg_made}/indefinite.mtx
     "${cg_banner} symmetric\n3 3 5\n1 1 1\n2 2 1\n3 3 1\n2 1 9\n3 2 9\n")
file(WRITE ${cg_made}/not_square.mtx "${cg_banner} general\n2 3 1\n1 1 1\n")
file(WRITE ${cg_made}/not_symmetric.mtx
     "${cg_banner} general\n2 2 3\n1 1 1\n2 1 1\n2 2 1\n")
file(WRITE ${cg_made}/junk.mtx
     "${cg_banner} general\n% one bad line\n2 2 2\n1 1 1\n2 2 one\n")

set(cg_case_grid --grid 9)
set(cg_case_bcsstk01 --matrix
                     ${CMAKE_CURRENT_SOURCE_DIR}/cg_common/matrices/bcsstk01.mtx)

# What both solvers have to pass.
function(cg_add_tests solver)
  foreach(pes IN LISTS example_pe_counts)
    foreach(case grid bcsstk01)
      symm_add_example_test(
        example.${solver}.${case}.np${pes}
        PES ${pes}
        COMMAND ${solver} ${cg_case_${case}} --dump
                ${cg_made}/${solver}_${case}_${pes}.dump
        PROVIDES ${solver}_${case}_${pes})
    endforeach()
  endforeach()
  symm_add_example_test(
    example.${solver}.has_pes_without_rows
    PES 4
    COMMAND ${solver} --matrix ${cg_made}/tiny.mtx)

  symm_add_example_test(
    example.${solver}.fails_if_it_does_not_converge
    PES 2
    COMMAND ${solver} --grid 8 --max-iterations 2
    REFUSED_WITH "NOT CONVERGED after 2 iterations")
  symm_add_example_test(
    example.${solver}.fails_if_the_result_is_wrong
    PES 2
    COMMAND ${solver} --grid 8 --tolerance 1e-2 --error 1e-9
    REFUSED_WITH "largest error of x: .*: WRONG")
  symm_add_example_test(
    example.${solver}.notices_an_indefinite_matrix
    PES 3
    COMMAND ${solver} --matrix ${cg_made}/indefinite.mtx
    REFUSED_WITH "the matrix is not positive definite: p . A p = -")

  symm_add_example_test(
    example.${solver}.refuses_a_matrix_that_is_not_square
    PES 3
    COMMAND ${solver} --matrix ${cg_made}/not_square.mtx
    REFUSED_WITH "${solver}: '.*/not_square.mtx': line 2: .*: the matrix is not square")
  symm_add_example_test(
    example.${solver}.refuses_a_matrix_that_is_not_symmetric
    PES 3
    COMMAND ${solver} --matrix ${cg_made}/not_symmetric.mtx
    REFUSED_WITH "${solver}: '.*/not_symmetric.mtx': line 4: not symmetric: entry .2, 1. is present")
  symm_add_example_test(
    example.${solver}.refuses_a_file_with_junk
    PES 3
    COMMAND ${solver} --matrix ${cg_made}/junk.mtx
    REFUSED_WITH "${solver}: '.*/junk.mtx': line 5: value: 'one'")
  symm_add_example_test(
    example.${solver}.refuses_a_file_that_is_not_there
    PES 3
    COMMAND ${solver} --matrix ${cg_made}/none.mtx
    REFUSED_WITH "${solver}: cannot read '.*/none.mtx': No such file")
  symm_add_example_test(
    example.${solver}.refuses_a_file_it_cannot_write
    PES 2
    COMMAND ${solver} --grid 4 --dump ${cg_made}/none/dump
    REFUSED_WITH "${solver}: cannot write '.*/none/dump': No such file")
  symm_add_example_test(
    example.${solver}.refuses_an_unknown_option
    PES 3
    COMMAND ${solver} --gird 8
    REFUSED_WITH "${solver}: .*not expected: .*--gird")
endfunction()
