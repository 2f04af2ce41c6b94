// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_BOOTSTRAP_SELF_HPP
#define SYMM_BOOTSTRAP_SELF_HPP

#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "Bootstrap.hpp"

namespace symm::Impl {

/// A job that consists of only this PE, for memory that is not shared with
/// other PEs.
class Bootstrap_Self final : public Bootstrap {
 public:
  /// \param job the job that abort() ends; must outlive this object.
  explicit Bootstrap_Self(Bootstrap& job) : m_job(job) {}

  [[nodiscard]] Pe my_pe() const override { return 0; }
  [[nodiscard]] int n_pes() const override { return 1; }
  [[nodiscard]] int node() const override { return 0; }
  void barrier() override {}
  void allgather(void const* mine, void* all, std::size_t bytes) override {
    std::memcpy(all, mine, bytes);
  }
  [[nodiscard]] int min(int mine) override { return mine; }
  void broadcast(void*, std::size_t, Pe) override {}
  void close() override {}
  using Bootstrap::abort;
  [[noreturn]] void abort(int status) noexcept override {
    m_job.abort(status);
    std::abort();  // for compilers that cannot tell
  }

 private:
  Bootstrap& m_job;
};

}  // namespace symm::Impl

#endif
