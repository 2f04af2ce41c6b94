// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_FORWARDING_BOOTSTRAP_HPP
#define SYMM_TEST_FORWARDING_BOOTSTRAP_HPP

#include <cstddef>
#include <cstdlib>

#include <runtime/bootstrap/Bootstrap.hpp>

namespace symm_test {

/// Forwards to another bootstrap. Base class for bootstraps that change only a
/// part of it.
class ForwardingBootstrap : public symm::Impl::Bootstrap {
 public:
  explicit ForwardingBootstrap(symm::Impl::Bootstrap& bootstrap)
      : m_bootstrap(bootstrap) {}

  [[nodiscard]] symm::Pe my_pe() const override { return m_bootstrap.my_pe(); }
  [[nodiscard]] int n_pes() const override { return m_bootstrap.n_pes(); }
  [[nodiscard]] int node() const override { return m_bootstrap.node(); }
  void barrier() override { m_bootstrap.barrier(); }
  void allgather(void const* mine, void* all, std::size_t bytes) override {
    m_bootstrap.allgather(mine, all, bytes);
  }
  [[nodiscard]] int min(int mine) override { return m_bootstrap.min(mine); }
  void broadcast(void* data, std::size_t bytes, symm::Pe from) override {
    m_bootstrap.broadcast(data, bytes, from);
  }
  void close() override { m_bootstrap.close(); }
  using Bootstrap::abort;
  [[noreturn]] void abort(int status) noexcept override {
    m_bootstrap.abort(status);
    std::abort();  // for the compiler
  }

 private:
  symm::Impl::Bootstrap& m_bootstrap;
};

}  // namespace symm_test

#endif
