# Registration of GoogleTest programs with CTest.
#
#   symm_add_test(TARGET t SOURCES a.cpp... [PES n] [ABOUT_GPUS])
#   symm_add_mpi_test(TARGET t SOURCES a.cpp... PE_COUNTS 1 2 3 4 [CASES_AT n]
#                     [CASE_PER_PROCESS] [RUN_SERIAL])
#
# Both add the program `t` and take [LIBRARIES lib...] and [LABELS label...].
# symm_add_test registers every case as a test of its own, t.Suite.name. It adds
# nothing where SYMM_TEST_ONLY_GPUS is on, unless ABOUT_GPUS.
# symm_add_mpi_test runs the whole program under mpiexec for every PE count, as
# t.np<k>. Where SYMM_TEST_CASES is on, every case is a test of its own for n PEs,
# t.Suite.name.np<n>; it is off as mpiexec takes longer than most cases.
# CASE_PER_PROCESS says that the cases cannot share a process. RUN_SERIAL keeps
# other tests from running at the same time. Under the sanitizers, which make
# processes slow that share a core, there is no run of 4 PEs. The sources of an MPI
# test bring their own main(). With SYMM_UNITY (SymmTargetDefaults.cmake), sources
# are compiled several at a time.
#
#   symm_tests_order(a.cpp...)
#
# Says, before the program is added, that the order in which the compiler leaves
# loads and stores may change what those sources of tests find. Without
# SYMM_OPTIMIZE_TESTS they are optimized as they are with it, the others by -O1: in
# half the time.
#
#   symm_add_mpi_run(NAME name TARGET t [ARGUMENTS argument...] PES n
#                    [TIMEOUT seconds] [LABELS label...] [RUN_SERIAL])
#
# Runs the program `t`, which need not use GoogleTest, on n PEs as a test.
#
#   symm_run_over_nodes(TARGET t [NAME name] [ARGUMENTS argument...]
#                       [LABELS label...] [NODES 2x1...] [CLUSTERS 2x1...]
#                       [BAD_LINKS 2x1...] [UNEVEN 3on2...] [TCP 2x1...]
#                       [ONE_SIDED 2x1...] [PMIX 2x1...]
#                       [NETWORK libfabric])
#
# Runs the program `t` on several nodes, 2x1 being 2 of 1 PE each, as tests of the
# label nodes: NODES are simulated by SYMM_PES_PER_NODE, name.nodes2x1; CLUSTERS are
# made by scripts/netns_cluster.sh, name.cluster2x1; with BAD_LINKS frames between
# them are late, overtake each other and get lost, name.bad_links2x1. Where no cluster
# can be made, the last two say so and run on simulated nodes. UNEVEN 3on2: 3 PEs on
# simulated nodes of up to 2, name.nodes3on2. TCP: as NODES, but the PEs start
# without mpiexec, name.tcp2x1. PMIX: as NODES, but mpiexec starts the PEs by PMIx,
# without MPI, name.pmix2x1, where it is Open MPI's. ONE_SIDED: as NODES, but UCX may
# copy blocks between processes (UCX_TLS=tcp,cma,self), name.one_sided2x1. NETWORK is
# for SYMM_NETWORK, and stands before the
# shape, name.libfabric.nodes2x1. Under the sanitizers there are 3 PEs at
# most.
#
# Without MPI, scripts/start_pes.sh takes the place of mpiexec, and there are no
# CLUSTERS and no BAD_LINKS.
#
# In a build for GPUs the tests that run programs under mpiexec, all of which start
# Kokkos, have the label gpu: `ctest -LE gpu` runs what needs none. What needs
# two or more GPUs and skips itself where there is one has the label gpus2, too.

# ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} n ${SYMM_MPIEXEC_FLAGS} program
# starts a program on n PEs; tests do so in the environment
# ${SYMM_TEST_ENVIRONMENT}.
set(SYMM_MPIEXEC_FLAGS "")
set(SYMM_TEST_ENVIRONMENT "")
set(SYMM_TEST_QUICK_START "") # a part of it

# In seconds, of one case and of all cases of a program. Several PEs may share a
# GPU, on which their kernels take turns.
set(SYMM_TEST_GPU_LABEL "")
set(SYMM_TEST_CASE_TIMEOUT 60)
set(SYMM_TEST_PROGRAM_TIMEOUT 300)
if(SYMM_HAS_GPU)
  set(SYMM_TEST_GPU_LABEL gpu)
  set(SYMM_TEST_CASE_TIMEOUT 120)
  set(SYMM_TEST_PROGRAM_TIMEOUT 600)
endif()
# Options of nvcc. Of a function for GPUs that calls one for the host, nvcc makes nothing
# and only warns, unless it has --expt-relaxed-constexpr, which users need not have.
set(SYMM_NO_HOST_CALLS -diag-error=20011,20013,20014,20015)
option(SYMM_TEST_ONLY_GPUS
       "In a CUDA build, omit the tests that a build for CPUs has" OFF)
option(SYMM_TEST_CASES "Register every case of the programs under mpiexec as a test" OFF)

if(NOT SYMM_HAS_MPI) # in the place of mpiexec
  set(MPIEXEC_EXECUTABLE ${PROJECT_SOURCE_DIR}/scripts/start_pes.sh)
  set(MPIEXEC_NUMPROC_FLAG "")
endif()
execute_process(
  COMMAND ${MPIEXEC_EXECUTABLE} --version
  OUTPUT_VARIABLE mpiexec_version ERROR_QUIET)
if(mpiexec_version MATCHES "Open MPI|OpenRTE")
  list(APPEND SYMM_MPIEXEC_FLAGS --oversubscribe --bind-to none)
  set(pmix_mpiexec ${MPIEXEC_EXECUTABLE})
  execute_process(
    COMMAND id -u
    OUTPUT_VARIABLE user_id
    OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(user_id STREQUAL "0")
    list(APPEND SYMM_TEST_ENVIRONMENT OMPI_ALLOW_RUN_AS_ROOT=1
         OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1)
  endif()
  # What Open MPI takes within a machine, after it has tried every network: a start in
  # 0.25 s instead of 0.46. Tests over nodes, and benchmarks, have it choose.
  set(SYMM_TEST_QUICK_START OMPI_MCA_pml=ob1)
  list(APPEND SYMM_TEST_ENVIRONMENT ${SYMM_TEST_QUICK_START})
elseif(SYMM_HAS_MPI)
  # No cluster of netns_cluster.sh by an Open MPI that is there, too: its programs
  # would be jobs of one PE.
  list(APPEND SYMM_TEST_ENVIRONMENT MPIRUN=${MPIEXEC_EXECUTABLE})
endif()

# Open MPI's mpiexec starts programs without MPI, too: it has a server of PMIx.
# ${SYMM_PMIX_START} n program
set(SYMM_PMIX_START "")
set(SYMM_PMIX_ENVIRONMENT SYMM_START=pmix)
if(SYMM_HAS_PMIX AND NOT pmix_mpiexec)
  find_program(SYMM_PMIX_MPIEXEC mpiexec.openmpi)
  mark_as_advanced(SYMM_PMIX_MPIEXEC)
  set(pmix_mpiexec ${SYMM_PMIX_MPIEXEC})
endif()
if(SYMM_HAS_PMIX AND pmix_mpiexec)
  set(SYMM_PMIX_START ${pmix_mpiexec} --oversubscribe --bind-to none -n)
  list(APPEND SYMM_PMIX_ENVIRONMENT OMPI_ALLOW_RUN_AS_ROOT=1
       OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1)
endif()

if(SYMM_SANITIZE)
  # Open MPI keeps thousands of allocations, from plugins that it unloads, so
  # that they cannot be suppressed by name: only tests without MPI look for leaks.
  # Where there is a list of PCI devices' names, hwloc reads it in MPI_Init(), and its
  # reallocations take each PE ten seconds with AddressSanitizer.
  list(APPEND SYMM_TEST_ENVIRONMENT ASAN_OPTIONS=detect_leaks=0
       UBSAN_OPTIONS=print_stacktrace=1 HWLOC_COMPONENTS=-pci)
endif()

# Sets `out` to one item "Suite.name=filter" for every test case in the sources.
# (gtest_discover_tests() finds them when properties, such as the driver that a case
# is to find, can no longer be set, and starts a process for each value of a
# parameter: 738 where these are 444.)
function(_symm_find_test_cases out)
  set(name "[ \t\r\n]*([A-Za-z0-9_]+)[ \t\r\n]*")
  set(case "(TEST|TEST_F|TEST_P|TYPED_TEST|TYPED_TEST_P)\\(${name},${name}\\)")
  set(cases "")
  foreach(source IN LISTS ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${source}")
    file(READ "${source}" text)
    string(REGEX MATCHALL "(^|\n)${case}" found "${text}")
    foreach(item IN LISTS found)
      string(REGEX MATCH "${case}" item "${item}")
      set(kind "${CMAKE_MATCH_1}")
      set(suite "${CMAKE_MATCH_2}")
      set(name_of_case "${CMAKE_MATCH_3}")
      if(name_of_case MATCHES "^DISABLED_" OR suite MATCHES "^DISABLED_")
        continue()
      elseif(kind STREQUAL "TEST_P")
        set(filter "*/${suite}.${name_of_case}/*")
      elseif(kind STREQUAL "TYPED_TEST")
        set(filter "${suite}/*.${name_of_case}")
      elseif(kind STREQUAL "TYPED_TEST_P")
        set(filter "*/${suite}/*.${name_of_case}")
      else()
        set(filter "${suite}.${name_of_case}")
      endif()
      list(APPEND cases "${suite}.${name_of_case}=${filter}")
    endforeach()
  endforeach()
  if(NOT cases)
    message(FATAL_ERROR "No test case found in ${ARGN}.")
  endif()
  set(${out} "${cases}" PARENT_SCOPE)
endfunction()

function(symm_tests_order)
  if(SYMM_OPTIMIZE_PROGRAMS AND NOT SYMM_OPTIMIZE_TESTS)
    # (Precompiled headers have the optimization of the others.)
    set_source_files_properties(
      ${ARGN} PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:Release>:-O3>"
                         SKIP_PRECOMPILE_HEADERS ON)
  endif()
endfunction()

# Of a program's sources but those of symm_tests_order(), whose options come later.
function(symm_optimize_test target)
  if(SYMM_OPTIMIZE_PROGRAMS AND NOT SYMM_OPTIMIZE_TESTS)
    target_compile_options(${target} PRIVATE "$<$<CONFIG:Release>:-O1>")
  endif()
endfunction()

# _symm_add_ctest(name PES n TIMEOUT seconds LABELS label... COMMAND ...
#                 [ENVIRONMENT name=value...] [RUN_SERIAL])
function(_symm_add_ctest name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "RUN_SERIAL" "PES;TIMEOUT"
                        "LABELS;COMMAND;ENVIRONMENT")
  add_test(NAME ${name} COMMAND ${arg_COMMAND})
  set_tests_properties(
    ${name}
    PROPERTIES TIMEOUT ${arg_TIMEOUT}
               PROCESSORS ${arg_PES}
               COST ${arg_PES} # the longest come first
               LABELS "${arg_LABELS}"
               ENVIRONMENT "${arg_ENVIRONMENT}"
               RUN_SERIAL "${arg_RUN_SERIAL}"
               # A filter that no longer selects anything is a failure.
               FAIL_REGULAR_EXPRESSION "Running 0 tests from")
endfunction()

function(symm_add_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "ABOUT_GPUS" "TARGET;PES"
                        "SOURCES;LIBRARIES;LABELS")
  if(NOT arg_PES)
    set(arg_PES 2) # most fork PEs, which are at work as soon as they are there
  endif()
  if(SYMM_TEST_ONLY_GPUS AND NOT arg_ABOUT_GPUS)
    return()
  endif()
  add_executable(${arg_TARGET} ${arg_SOURCES})
  symm_target_defaults(${arg_TARGET})
  symm_unity(${arg_TARGET})
  symm_precompile(${arg_TARGET} FROM symm_test_forked_pes)
  symm_optimize_test(${arg_TARGET})
  target_link_libraries(
    ${arg_TARGET} PRIVATE KokkosSymmetricSpace::runtime ${arg_LIBRARIES}
                          GTest::gmock GTest::gmock_main)

  _symm_find_test_cases(cases ${arg_SOURCES})
  foreach(case IN LISTS cases)
    string(REGEX MATCH "^(.*)=(.*)$" case "${case}")
    _symm_add_ctest(
      ${arg_TARGET}.${CMAKE_MATCH_1}
      PES ${arg_PES}
      TIMEOUT 120
      LABELS unit ${arg_LABELS}
      COMMAND ${arg_TARGET} "--gtest_filter=${CMAKE_MATCH_2}")
  endforeach()
endfunction()

function(symm_add_mpi_run)
  cmake_parse_arguments(PARSE_ARGV 0 arg "RUN_SERIAL" "NAME;TARGET;PES;TIMEOUT"
                        "ARGUMENTS;LABELS")
  set(serial "")
  if(arg_RUN_SERIAL)
    set(serial RUN_SERIAL)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT ${SYMM_TEST_PROGRAM_TIMEOUT})
  endif()
  _symm_add_ctest(
    ${arg_NAME}
    ${serial}
    PES ${arg_PES}
    TIMEOUT ${arg_TIMEOUT}
    LABELS mpi ${SYMM_TEST_GPU_LABEL} ${arg_LABELS}
    ENVIRONMENT ${SYMM_TEST_ENVIRONMENT}
    COMMAND
      ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${arg_PES}
      ${SYMM_MPIEXEC_FLAGS} $<TARGET_FILE:${arg_TARGET}> ${arg_ARGUMENTS})
endfunction()

function(symm_add_mpi_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "CASE_PER_PROCESS;RUN_SERIAL"
                        "TARGET;CASES_AT" "SOURCES;PE_COUNTS;LIBRARIES;LABELS")
  set(serial "")
  if(arg_RUN_SERIAL)
    set(serial RUN_SERIAL)
  endif()
  if(arg_CASES_AT AND NOT arg_CASES_AT IN_LIST arg_PE_COUNTS)
    message(FATAL_ERROR "${arg_TARGET}: CASES_AT must be one of PE_COUNTS.")
  endif()
  if(SYMM_SANITIZE)
    list(REMOVE_ITEM arg_PE_COUNTS 4)
  endif()
  set(cases_at "")
  if(SYMM_TEST_CASES OR arg_CASE_PER_PROCESS)
    set(cases_at "${arg_CASES_AT}")
  endif()
  add_executable(${arg_TARGET} ${arg_SOURCES})
  symm_target_defaults(${arg_TARGET})
  symm_unity(${arg_TARGET} LONG)
  symm_precompile(${arg_TARGET} FROM symm_test_mpi_main)
  symm_optimize_test(${arg_TARGET})
  target_link_libraries(
    ${arg_TARGET} PRIVATE ${SYMM_PROGRAM_LIBRARY} ${arg_LIBRARIES}
                          GTest::gmock GTest::gtest)

  foreach(pes IN LISTS arg_PE_COUNTS)
    if(NOT pes STREQUAL "${cases_at}")
      symm_add_mpi_run(
        ${serial}
        NAME ${arg_TARGET}.np${pes}
        TARGET ${arg_TARGET}
        PES ${pes}
        LABELS unit ${arg_LABELS})
      continue()
    endif()
    _symm_find_test_cases(cases ${arg_SOURCES})
    foreach(case IN LISTS cases)
      string(REGEX MATCH "^(.*)=(.*)$" case "${case}")
      symm_add_mpi_run(
        ${serial}
        NAME ${arg_TARGET}.${CMAKE_MATCH_1}.np${pes}
        TARGET ${arg_TARGET}
        ARGUMENTS "--gtest_filter=${CMAKE_MATCH_2}"
        PES ${pes}
        TIMEOUT ${SYMM_TEST_CASE_TIMEOUT}
        LABELS unit ${arg_LABELS})
    endforeach()
  endforeach()
endfunction()

set(SYMM_NETNS_CLUSTER ${PROJECT_SOURCE_DIR}/scripts/netns_cluster.sh)
set(SYMM_RUN_OR_SIMULATE ${PROJECT_SOURCE_DIR}/unit_tests/nodes/run_or_simulate.sh)

function(symm_run_over_nodes)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "TARGET;NAME;NETWORK"
                        "ARGUMENTS;LABELS;NODES;CLUSTERS;BAD_LINKS;UNEVEN;TCP;ONE_SIDED;PMIX")
  if(NOT arg_NAME)
    set(arg_NAME ${arg_TARGET})
  endif()
  math(EXPR timeout "${SYMM_TEST_PROGRAM_TIMEOUT} - 20")
  set(NODES_prefix nodes)
  set(CLUSTERS_prefix cluster)
  set(BAD_LINKS_prefix bad_links)
  set(UNEVEN_prefix nodes)
  set(TCP_prefix tcp)
  set(ONE_SIDED_prefix one_sided)
  set(PMIX_prefix pmix)
  foreach(kind IN ITEMS NODES CLUSTERS BAD_LINKS UNEVEN TCP ONE_SIDED PMIX)
    foreach(shape IN LISTS arg_${kind})
      if(NOT shape MATCHES "^([1-9])(x|on)([1-9])$")
        message(FATAL_ERROR "${arg_NAME}: ${shape} must be NODESxPES_PER_NODE.")
      endif()
      set(nodes ${CMAKE_MATCH_1})
      set(pes_per_node ${CMAKE_MATCH_3})
      math(EXPR pes "${nodes} * ${pes_per_node}")
      if(kind STREQUAL "UNEVEN")
        set(pes ${nodes})
      endif()
      if(SYMM_SANITIZE AND pes GREATER 3)
        continue()
      endif()
      if(kind STREQUAL "PMIX" AND NOT SYMM_PMIX_START)
        continue()
      endif()
      if(NOT SYMM_HAS_MPI AND kind MATCHES "CLUSTERS|BAD_LINKS") # mpiexec's
        continue()
      endif()
      set(environment ${SYMM_TEST_ENVIRONMENT})
      list(REMOVE_ITEM environment "${SYMM_TEST_QUICK_START}")
      if(arg_NETWORK)
        list(APPEND environment SYMM_NETWORK=${arg_NETWORK})
      endif()
      if(pes GREATER 2) # threads of OpenMP that share cores spin against each other
        list(APPEND environment KOKKOS_NUM_THREADS=1)
      endif()
      if(kind STREQUAL "TCP")
        list(APPEND environment SYMM_PES_PER_NODE=${pes_per_node})
        set(start ${PROJECT_SOURCE_DIR}/scripts/start_pes.sh ${pes})
      elseif(kind STREQUAL "PMIX")
        list(APPEND environment SYMM_PES_PER_NODE=${pes_per_node}
             ${SYMM_PMIX_ENVIRONMENT})
        set(start ${SYMM_PMIX_START} ${pes})
      elseif(kind MATCHES "NODES|UNEVEN|ONE_SIDED")
        list(APPEND environment SYMM_PES_PER_NODE=${pes_per_node})
        if(kind STREQUAL "ONE_SIDED")
          list(APPEND environment UCX_TLS=tcp,cma,self)
        endif()
        set(start ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${pes}
                  ${SYMM_MPIEXEC_FLAGS})
      else()
        set(bad_links "")
        if(kind STREQUAL "BAD_LINKS")
          set(bad_links --delay 100 --jitter 200 --loss 2)
        endif()
        set(mpiexec ${MPIEXEC_EXECUTABLE} ${SYMM_MPIEXEC_FLAGS}
                    ${MPIEXEC_NUMPROC_FLAG})
        list(JOIN mpiexec " " mpiexec)
        list(APPEND environment "SYMM_TEST_MPIEXEC=${mpiexec}")
        set(start ${SYMM_RUN_OR_SIMULATE} ${SYMM_NETNS_CLUSTER} --timeout ${timeout}
                  ${bad_links} ${nodes} ${pes_per_node})
      endif()
      # Such a PE has 8 queues to its GPU. All clients of MPS share some 100.
      if(SYMM_HAS_GPU)
        math(EXPR pes "${pes} * 2")
      endif()
      set(name ${arg_NAME}.${${kind}_prefix}${shape})
      if(arg_NETWORK)
        set(name ${arg_NAME}.${arg_NETWORK}.${${kind}_prefix}${shape})
      endif()
      _symm_add_ctest(
        ${name}
        PES ${pes}
        TIMEOUT ${SYMM_TEST_PROGRAM_TIMEOUT}
        LABELS mpi nodes ${SYMM_TEST_GPU_LABEL} ${arg_LABELS}
        ENVIRONMENT ${environment}
        COMMAND ${start} $<TARGET_FILE:${arg_TARGET}> ${arg_ARGUMENTS})
    endforeach()
  endforeach()
endfunction()

# symm_add_view_tests(target source... [LIBRARIES lib...])
#
# Tests of the Views of one space, SymmetricSpace. Where that is GPU memory, the
# program is there a second time, ${target}_host, for SymmetricHostSpace, unless
# only GPUs are tested.
function(symm_add_view_tests target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIBRARIES")
  set(spaces "${target}=symm::SymmetricSpace")
  if(SYMM_HAS_GPU AND NOT SYMM_TEST_ONLY_GPUS)
    list(APPEND spaces "${target}_host=symm::SymmetricHostSpace")
  endif()
  foreach(space IN LISTS spaces)
    string(REGEX MATCH "^(.*)=(.*)$" space "${space}")
    set(name "${CMAKE_MATCH_1}")
    set(type "${CMAKE_MATCH_2}")
    symm_add_mpi_test(
      TARGET ${name}
      SOURCES ${arg_UNPARSED_ARGUMENTS}
      PE_COUNTS 1 2 3 4
      CASES_AT 2
      LIBRARIES symm_test_mpi_main ${arg_LIBRARIES}
      LABELS kokkos)
    target_compile_definitions(${name} PRIVATE SYMM_TEST_SPACE=${type})
  endforeach()
endfunction()
