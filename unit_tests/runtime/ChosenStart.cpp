// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// What starts a job: as SYMM_START says, or what there is.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <support/Sanitizers.hpp>
#include <utility>
#include <vector>

#include <runtime/bootstrap/ChosenStart.hpp>
#include <runtime/symm_errors.hpp>

namespace symm_test {
#ifdef SYMM_HAS_ASAN
/// PMIx keeps some memory if its start fails.
// NOLINTNEXTLINE(bugprone-reserved-identifier)
extern "C" char const* __lsan_default_suppressions() { return "leak:pmix_"; }
#endif

namespace {

using symm::Impl::chosen_start;
using testing::HasSubstr;
using testing::ThrowsMessage;

using Variables = std::vector<std::pair<char const*, char const*>>;

/// Sets the variables that a start reads; unset again at its end.
class Told {
 public:
  explicit Told(Variables const& variables) {
    forget();
    for (auto const& [name, value] : variables) setenv(name, value, 1);
  }
  Told(Told const&)            = delete;
  Told& operator=(Told const&) = delete;
  ~Told() { forget(); }

 private:
  static void forget() {
    for (auto const* const name :
         {"SYMM_START", "SYMM_ROOT", "PMIX_RANK", "PMIX_NAMESPACE"})
      unsetenv(name);
  }
};

std::string name_of_start() { return chosen_start().name(); }

TEST(ChosenStart, is_by_TCP_where_there_is_a_root) {
  Told const told(Variables{{"SYMM_ROOT", "host:80"}, {"PMIX_RANK", "0"}});
  EXPECT_EQ(name_of_start(), "TCP");
}

TEST(ChosenStart, is_by_MPI_or_of_one_PE_where_nothing_is_said) {
  Told const told(Variables{});
#ifdef SYMM_WITHOUT_MPI
  EXPECT_EQ(name_of_start(), "one PE");
#else
  EXPECT_EQ(name_of_start(), "MPI");
#endif
}

TEST(ChosenStart, of_one_PE_can_take_steps) {
#ifdef SYMM_WITHOUT_MPI
  Told const told(Variables{});
  auto& start = chosen_start();
  EXPECT_FALSE(start.begin(nullptr, nullptr, {}));
  auto const pes = start.make_pes({});
  EXPECT_EQ(pes.bootstrap->n_pes(), 1);
  EXPECT_EQ(pes.bootstrap->min(3), 3);
  EXPECT_EQ(symm::Impl::allgather(*pes.bootstrap, 7), std::vector{7});
  pes.bootstrap->close();
#else
  GTEST_SKIP() << "MPI starts it";
#endif
}

TEST(ChosenStart, refuses_what_it_does_not_know_and_what_is_missing) {
  {
    Told const told(Variables{{"SYMM_START", "rsh"}});
    EXPECT_THAT([] { static_cast<void>(chosen_start()); },
                ThrowsMessage<symm::UsageError>(
                    HasSubstr("SYMM_START=rsh: it must be mpi, tcp or pmix")));
  }
  {
    Told const told(Variables{{"SYMM_START", "tcp"}});
    EXPECT_THAT([] { return chosen_start().begin(nullptr, nullptr, {}); },
                ThrowsMessage<symm::UsageError>(
                    HasSubstr("SYMM_START=tcp requires SYMM_ROOT")));
  }
#ifdef SYMM_WITHOUT_MPI
  Told const told(Variables{{"SYMM_START", "mpi"}});
  EXPECT_THAT([] { static_cast<void>(chosen_start()); },
              ThrowsMessage<symm::UsageError>(
                  HasSubstr("SYMM_START=mpi: this library was built without")));
#endif
}

/// Whether the library has it.
bool has_pmix() {
  Told const told(Variables{{"SYMM_START", "pmix"}});
  try {
    return name_of_start() == "PMIx";
  } catch (symm::UsageError const& error) {
    EXPECT_THAT(error.what(), HasSubstr("SYMM_ENABLE_PMIX"));
    return false;
  }
}

TEST(ChosenStart, by_PMIx_without_a_launcher_or_its_server_is_an_error) {
  if (!has_pmix()) GTEST_SKIP() << "built without PMIx";
  {
    Told const told(Variables{{"SYMM_START", "pmix"}});
    EXPECT_THAT([] { return chosen_start().begin(nullptr, nullptr, {}); },
                ThrowsMessage<symm::UsageError>(
                    HasSubstr("was not started by a launcher with PMIx")));
  }
  Told const told(Variables{{"SYMM_START", "pmix"},
                            {"PMIX_RANK", "0"},
                            {"PMIX_NAMESPACE", "of_nobody"}});
  EXPECT_THAT([] { return chosen_start().begin(nullptr, nullptr, {}); },
              ThrowsMessage<symm::SystemError>(
                  HasSubstr("symm::initialize by PMIx: ")));
}

}  // namespace
}  // namespace symm_test
