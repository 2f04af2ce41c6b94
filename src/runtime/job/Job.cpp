// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Job.hpp"

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "../base/EnvironmentTable.hpp"
#include "../base/Failure.hpp"
#include "../bootstrap/Bootstrap.hpp"
#include "../bootstrap/ChosenStart.hpp"
#include "../memory/Device.hpp"
#include "../symm_job.hpp"
#include "Runtime.hpp"

namespace symm {

namespace Impl {

namespace {

/// Records what begin_job() has started so that finalize() shuts down nothing
/// else.
struct Begun {
  JobStart* start = nullptr;  // the JobStart of the latest job
  bool must_end   = false;    // whether `start` initialized its library
  std::unique_ptr<LibraryHooks> hooks;

  void end() {
    bool const ends  = std::exchange(must_end, false);
    auto const other = std::exchange(hooks, nullptr);
    if (other) other->end();
    if (ends) start->end();
  }
};

Begun s_begun;

/// For programs without Kokkos, which select the GPU on their own.
class NoHooks final : public LibraryHooks {
 public:
  explicit NoHooks(std::optional<int> gpu) : m_gpu(gpu) {}
  void check() const override {}
  void begin(int /*number_on_node*/) override {}
  [[nodiscard]] std::optional<int> gpu() const override { return m_gpu; }
  void end() override {}

 private:
  std::optional<int> m_gpu;
};

}  // namespace

JobStart& job_start() { return chosen_start(); }

void begin_job(int* argc, char*** argv, Communicator const& communicator,
               std::unique_ptr<LibraryHooks> hooks, JobStart& start) {
  if (is_initialized()) {
    throw UsageError("symm::initialize: the library is already initialized");
  }
  s_begun.must_end = start.begin(argc, argv, communicator);
  s_begun.start    = &start;
  try {
    hooks->check();
    auto pes      = start.make_pes(communicator);
    s_begun.hooks = std::move(hooks);
    bool const are_simulated =
        !setting_of(environment::pes_per_node).value().is_default;
    if (!pes.is_one_node || are_simulated) prepare_devices_for_nodes();
    auto const failed =
        agree(*pes.bootstrap,
              failure_of([&] { s_begun.hooks->begin(pes.number_on_node); }));
    if (failed) {
      // Ignore a failure of close(), because the failure above matters more.
      static_cast<void>(failure_of([&] { pes.bootstrap->close(); }));
      throw_failure(
          {failed->failure.kind, Text("symm::initialize: PE ", failed->pe, ": ",
                                      failed->failure.message)});
    }
    Runtime::initialize(std::move(pes.bootstrap), s_begun.hooks->gpu());
  } catch (...) {
    s_begun.end();
    throw;
  }
}

void end_scope(char const* name) noexcept {
  if (!is_initialized()) return;  // the program has called finalize()
  // If the runtime cannot be closed, the library that started the job must
  // remain initialized, because it has to abort the job.
  auto const failure = failure_of([] {
    Runtime::finalize();
    s_begun.end();
  });
  if (!failure) return;
  std::fprintf(stderr, "symm: the end of a %s: %s; ending the job\n", name,
               failure->message.c_str());
  // Otherwise, the other PEs would wait for this PE in their next collective
  // call.
  s_begun.start->abort(EXIT_FAILURE);
}

}  // namespace Impl

void initialize_runtime(Communicator const& communicator,
                        std::optional<int> gpu) {
  Impl::begin_job(nullptr, nullptr, communicator,
                  std::make_unique<Impl::NoHooks>(gpu));
}

void finalize() {
  try {
    Impl::Runtime::finalize();
  } catch (...) {
    // If closing failed but the runtime has ended, no later call can shut down
    // the libraries that begin_job() has initialized.
    if (!is_initialized()) Impl::s_begun.end();
    throw;
  }
  Impl::s_begun.end();
}

bool is_initialized() noexcept { return Impl::Runtime::is_initialized(); }

RuntimeGuard::~RuntimeGuard() { Impl::end_scope("RuntimeGuard"); }

}  // namespace symm
