// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_SORT_HOST_THREADS_HPP
#define SYMM_SORT_HOST_THREADS_HPP

#include <algorithm>
#include <cstddef>

#include <Kokkos_Core.hpp>

#include "../base/RunKernel.hpp"

namespace symm::Impl {

/// A kernel that calls work(thread).
template <class Work>
struct OfThread {
  Work const* work;
  KOKKOS_FUNCTION void operator()([[maybe_unused]] std::size_t thread) const {
    KOKKOS_IF_ON_HOST(((*work)(thread);))
  }
};

/// The threads of a host execution space instance. Calls work(t) on each thread
/// t and waits until all calls have returned.
template <class Exec>
class HostThreads {
 public:
  HostThreads(Exec const& exec, char const* call)
      : m_exec(exec),
        m_call(call),
        m_count(static_cast<std::size_t>(exec.concurrency())) {}

  [[nodiscard]] std::size_t count() const { return m_count; }
  /// The index of the first of `total` elements that `thread` handles.
  [[nodiscard]] std::size_t first(std::size_t thread, std::size_t total) const {
    return total / m_count * thread + std::min(thread, total % m_count);
  }
  template <class Work>
  void operator()(Work const& work) const {
    run(m_exec, m_call, m_count, OfThread<Work>{&work});
    m_exec.fence(m_call);
  }
  /// Calls work(thread, first, end) on each thread. Elements `first` to `end` -
  /// 1 are that thread's part of `total` elements.
  template <class Work>
  void share_out(std::size_t total, Work const& work) const {
    (*this)(
        [&](std::size_t t) { work(t, first(t, total), first(t + 1, total)); });
  }

 private:
  Exec m_exec;
  char const* m_call;
  std::size_t m_count;
};

}  // namespace symm::Impl

#endif
