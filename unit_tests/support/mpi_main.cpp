// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// main() of all test programs that run under mpiexec.

#include "mpi_main.hpp"

#include <gtest/gtest.h>

#include <support/TestJob.hpp>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <Kokkos_SymmetricSpace_Space.hpp>

// The default, which a test program's own definition replaces.
[[gnu::weak]] symm_test::Start symm_test::what_to_start() {
  return Start::symm;
}

namespace {

/// Prints the failures of one PE, each in one piece and under its number: the
/// output of all PEs goes to one terminal.
class FailurePrinter : public testing::EmptyTestEventListener {
 public:
  explicit FailurePrinter(int pe) : m_pe(pe) {}

 private:
  // Not asked of GoogleTest in OnTestPartResult(), which it calls with the lock
  // held that the answer needs.
  void OnTestStart(testing::TestInfo const& test) override {
    m_test = std::string(test.test_suite_name()) + "." + test.name() + ": ";
  }
  void OnTestEnd(testing::TestInfo const&) override { m_test.clear(); }

  void OnTestPartResult(testing::TestPartResult const& result) override {
    if (!result.failed()) return;
    std::ostringstream out;
    out << m_test;
    if (result.file_name() != nullptr) {
      out << result.file_name() << ":" << result.line_number() << ": ";
    }
    out << "Failure\n" << result.message();
    std::istringstream lines(out.str());
    std::string text;
    for (std::string line; std::getline(lines, line);) {
      text += "[PE " + std::to_string(m_pe) + "] " + line + "\n";
    }
    std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
  }

  int m_pe;
  std::string m_test;
};

int run_tests() {
  int const status = RUN_ALL_TESTS();
  // Only now it is known what the filter has selected.
  if (testing::UnitTest::GetInstance()->test_to_run_count() > 0) return status;
  std::fputs("no test selected: Running 0 tests from this program\n", stderr);
  return EXIT_FAILURE;
}

/// Collective. PE 0 prints the results, the others print failures only.
/// \returns the worst exit status of all PEs, on every PE.
int run_tests_on_all_pes() {
  int const pe    = symm_test::test_pe();
  int const n_pes = symm_test::test_n_pes();
  if (pe != 0) {
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new FailurePrinter(pe));
  }
  int const mine = run_tests();
  std::vector<int> all(static_cast<std::size_t>(n_pes));
  symm_test::gather_bytes(&mine, all.data(), sizeof mine);
  for (std::size_t i = 0; pe == 0 && i < all.size(); ++i) {
    if (all[i] != 0)
      std::printf("[  FAILED  ] on PE %d of %d\n", static_cast<int>(i), n_pes);
  }
  return *std::max_element(all.begin(), all.end());
}

int start_and_run(int& argc, char** argv) {
  auto const start = symm_test::what_to_start();
  if (start == symm_test::Start::nothing) return run_tests();
  symm_test::TestJob const job(argc, argv);
  std::optional<Kokkos::ScopeGuard> kokkos;
  if (start == symm_test::Start::kokkos) kokkos.emplace(argc, argv);
  std::optional<symm::ScopeGuard> symmetric;
  if (start == symm_test::Start::symm) symmetric.emplace(argc, argv);
  return run_tests_on_all_pes();
}

}  // namespace

int main(int argc, char* argv[]) {
  testing::InitGoogleTest(&argc, argv);
  if (testing::GTEST_FLAG(list_tests)) return RUN_ALL_TESTS();
  try {
    return start_and_run(argc, argv);
  } catch (std::exception const& error) {
    std::fprintf(stderr, "the test program could not start: %s\n",
                 error.what());
    return EXIT_FAILURE;
  }
}
