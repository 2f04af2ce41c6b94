// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "TestJob.hpp"

#include <cstdlib>
#include <memory>

#include <runtime/bootstrap/Bootstrap.hpp>
#include <runtime/bootstrap/JobStart.hpp>
#include <runtime/job/Job.hpp>

namespace symm_test {

namespace {

symm::Impl::JobStart* s_start = nullptr;
bool s_must_end               = false;
std::unique_ptr<symm::Impl::Bootstrap> s_pes;

}  // namespace

TestJob::TestJob(int& argc, char** argv) {
  // Its steps come at any time of a test: some PEs wait for long. The tests
  // have limits of their own.
  static_cast<void>(::setenv("SYMM_START_TIMEOUT", "280", 0));
  s_start    = &symm::Impl::job_start();
  s_must_end = s_start->begin(&argc, &argv, {});
  s_pes      = s_start->make_pes({}).bootstrap;
}
TestJob::~TestJob() {
  s_pes->close();
  s_pes.reset();
  if (s_must_end) s_start->end();
}

int test_pe() { return s_pes->my_pe(); }
int test_n_pes() { return s_pes->n_pes(); }
void wait_for_all_pes() { s_pes->barrier(); }
void gather_bytes(void const* mine, void* all, std::size_t bytes) {
  s_pes->allgather(mine, all, bytes);
}

}  // namespace symm_test
