// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_TEST_JOB_HPP
#define SYMM_TEST_TEST_JOB_HPP

#include <cstddef>

namespace symm_test {

/// Connects the PEs of a test program independently of the library under test:
/// through MPI or, in a build without MPI, through a second start of the job.
class TestJob {
 public:
  TestJob(int& argc, char** argv);
  TestJob(TestJob const&)            = delete;
  TestJob& operator=(TestJob const&) = delete;
  ~TestJob();
};

// These functions work only while a TestJob exists.

[[nodiscard]] int test_pe();
[[nodiscard]] int test_n_pes();
/// Waits for all PEs, without a rendezvous of the library under test.
void wait_for_all_pes();
/// Collective: gathers `bytes` bytes from every PE, in PE order.
void gather_bytes(void const* mine, void* all, std::size_t bytes);

}  // namespace symm_test

#endif
