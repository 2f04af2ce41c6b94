// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_VIEW_FILL_HPP
#define SYMM_VIEW_FILL_HPP

#include <cstddef>
#include <exception>
#include <limits>
#include <string>

#include <Kokkos_Core.hpp>
#include "../space/SymmetricSpaceBase.hpp"

#include "../../runtime/base/Types.hpp"
#include "../../runtime/pools/PoolCalls.hpp"

// Kokkos fills a symmetric View like any other View. Then the PE waits for all
// other PEs. Because of this wait, the fill cannot overwrite a value that
// another PE puts into the View after that PE's constructor has returned.

namespace symm::Impl {

/// Destroys a View whose constructor is about to throw. Local.
template <class Space>
void destroy_unreturned_view(void* data) {
  Kokkos::Impl::SharedAllocationTracker last_copy;
  last_copy.assign_allocated_record_to_uninitialized(
      Kokkos::Impl::SharedAllocationRecord<Space, void>::get_record(data));
}

/// Waits for the fill. If the constructor was given an execution space
/// instance, Kokkos has only enqueued the fill.
template <class ExecutionSpace, class T>
void wait_for_fill(
    Kokkos::Impl::ViewValueFunctor<ExecutionSpace, T> const& fill) {
  if (fill.default_exec_space) return;
  fill.space.fence("symm: a View is filled on all PEs when it is constructed");
}
template <class Device, class T>
void wait_for_fill(
    Kokkos::Impl::ViewValueFunctorSequentialHostInit<Device, T> const&) {}

/// The allocation record of a View in `Space` uses this class to fill and
/// destroy elements of type `T`. The class runs Kokkos' `Fill`, then waits for
/// all PEs. Its functions have the names that Kokkos requires.
template <class Space, class T, class Fill>
class FillOnAllPes : public Fill {
 public:
  FillOnAllPes() = default;
  /// \throws OutOfMemory on this PE if the View is larger than the address
  ///         space. (Kokkos does not detect this case and has allocated fewer
  ///         bytes.) All other PEs throw, too.
  FillOnAllPes(T* data, std::size_t count, std::string const& label)
      : Fill(data, count, label) {
    begin(data, count, label);
  }
  template <class ExecutionSpace>
  FillOnAllPes(ExecutionSpace const& exec, T* data, std::size_t count,
               std::string const& label)
      : Fill(exec, data, count, label) {
    begin(data, count, label);
  }

  /// Collective, with a barrier on exit. If the call throws, the View and this
  /// object have been destroyed.
  void construct_shared_allocation() {
    // In a pool, stream order suffices: later work sees the filled elements.
    if (is_in_pool(
            Kokkos::Impl::SharedAllocationHeader::get_header(this->ptr))) {
      Fill::construct_shared_allocation();
      return;
    }
    std::exception_ptr failure;
    try {
      Fill::construct_shared_allocation();
      wait_for_fill(*this);
    } catch (...) {
      failure = std::current_exception();
      this->n = 0;  // destroy no elements: some were never constructed
    }
    T* const data = this->ptr;
    try {
      Space::finish_view(m_label, failure);
    } catch (...) {
      destroy_unreturned_view<Space>(data);
      throw;
    }
  }

 private:
  void begin(T* data, std::size_t count, std::string const& label) {
    label.copy(m_label, sizeof m_label - 1);
    // The largest size that Kokkos can round up to a multiple of 8 bytes.
    constexpr auto limit = std::numeric_limits<std::size_t>::max() - 7;
    if (count <= limit / sizeof(T)) return;
    destroy_unreturned_view<Space>(data);
    Space::throw_too_large(m_label);
  }

  char m_label[64] = {};  // for error messages; truncated
};

/// Fills with kernels on an execution space, or with a loop on the host.
template <class Space, class ExecutionSpace, class T>
using ParallelFill =
    FillOnAllPes<Space, T, Kokkos::Impl::ViewValueFunctor<ExecutionSpace, T>>;
template <class Space, class ExecutionSpace, class T>
using SequentialFill =
    FillOnAllPes<Space, T,
                 Kokkos::Impl::ViewValueFunctorSequentialHostInit<
                     Kokkos::Device<ExecutionSpace, Kokkos::HostSpace>, T>>;

}  // namespace symm::Impl

template <class ExecutionSpace, class Space, class T>
requires symm::is_symmetric_space_v<Space>
struct Kokkos::Impl::ViewValueFunctor<Kokkos::Device<ExecutionSpace, Space>, T>
    : symm::Impl::ParallelFill<Space, ExecutionSpace, T> {
  using Fill = symm::Impl::ParallelFill<Space, ExecutionSpace, T>;
  using Fill::Fill;
};

template <class ExecutionSpace, class Space, class T>
requires symm::is_symmetric_space_v<Space>
struct Kokkos::Impl::ViewValueFunctorSequentialHostInit<
    Kokkos::Device<ExecutionSpace, Space>, T>
    : symm::Impl::SequentialFill<Space, ExecutionSpace, T> {
  using Fill = symm::Impl::SequentialFill<Space, ExecutionSpace, T>;
  using Fill::Fill;
};

#endif
