// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Bootstrap_Alone.hpp"

#include <cstdio>

#include "Bootstrap_Tcp.hpp"
#include "OtherLauncher.hpp"

namespace symm::Impl {

namespace {

class StartAlone final : public JobStart {
 public:
  [[nodiscard]] char const* name() const override { return "one PE"; }

  [[nodiscard]] bool begin(int* /*argc*/, char*** /*argv*/,
                           Communicator const& communicator) override {
    refuse_communicator(communicator, "with one PE");
    if (auto const other = other_launcher()) {
      std::fprintf(stderr,
                   "symm: this process is a job of one PE, but was started "
                   "as one of %d (%s): the library was built without MPI, and "
                   "neither SYMM_ROOT nor PMIx connects them. Set SYMM_ROOT, "
                   "or use a library that was built with the launcher's MPI.\n",
                   other->n_processes, other->variable);
    }
    return false;
  }

  [[nodiscard]] JobPes make_pes(Communicator const& /*all*/) override {
    return make_tcp_pes({});  // makes no connection
  }

  void end() override {}

  [[noreturn]] void abort(int status) noexcept override {
    abort_tcp_job(status);
  }
};

}  // namespace

JobStart& start_alone() {
  static StartAlone start;
  return start;
}

}  // namespace symm::Impl
