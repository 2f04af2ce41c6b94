// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_TEST_JOB_HPP
#define SYMM_TEST_TEST_JOB_HPP

#include <cstddef>

namespace symm_test {

/// Connects the PEs of a test program besides the library under test: by MPI,
/// or without MPI by a second start of the job.
class TestJob {
 public:
  TestJob(int& argc, char** argv);
  TestJob(TestJob const&)            = delete;
  TestJob& operator=(TestJob const&) = delete;
  ~TestJob();
};

// While there is a TestJob.

[[nodiscard]] int test_pe();
[[nodiscard]] int test_n_pes();
/// Waits for all PEs: no rendezvous of the library under test.
void wait_for_all_pes();
/// Collective: `bytes` bytes of every PE, in the order of PEs.
void gather_bytes(void const* mine, void* all, std::size_t bytes);

}  // namespace symm_test

#endif
