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

// Kokkos fills a symmetric View as any other. Then the PE waits for the others:
// no fill overwrites what a PE puts after its constructor.

namespace symm::Impl {

/// Destroys a View whose constructor is about to throw. Local.
template <class Space>
void destroy_unreturned_view(void* data) {
  Kokkos::Impl::SharedAllocationTracker last_copy;
  last_copy.assign_allocated_record_to_uninitialized(
      Kokkos::Impl::SharedAllocationRecord<Space, void>::get_record(data));
}

/// Waits for the fill. Kokkos only enqueues it if the constructor was given an
/// execution space instance.
template <class ExecutionSpace, class T>
void wait_for_fill(
    Kokkos::Impl::ViewValueFunctor<ExecutionSpace, T> const& fill) {
  if (fill.default_exec_space) return;
  fill.space.fence("symm: a View is filled on all PEs when it is constructed");
}
template <class Device, class T>
void wait_for_fill(
    Kokkos::Impl::ViewValueFunctorSequentialHostInit<Device, T> const&) {}

/// A View's record in `Space` fills and destroys elements of type `T` by this:
/// Kokkos' `Fill`, then a wait for all PEs. The functions have Kokkos' names.
template <class Space, class T, class Fill>
class FillOnAllPes : public Fill {
 public:
  FillOnAllPes() = default;
  /// \throws OutOfMemory on this PE, as on all others, if the View has too many
  ///         bytes to address and Kokkos, not noticing, has allocated less.
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

  /// Collective, with a barrier on exit. If it throws, the View has ended and
  /// this object with it.
  void construct_shared_allocation() {
    // In a pool the stream's order suffices: later work finds it filled.
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
      this->n = 0;  // destroy no elements: not all are there
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
    // Kokkos rounds up to multiples of 8 bytes.
    constexpr auto limit = std::numeric_limits<std::size_t>::max() - 7;
    if (count <= limit / sizeof(T)) return;
    destroy_unreturned_view<Space>(data);
    Space::throw_too_large(m_label);
  }

  char m_label[64] = {};  // for messages; longer ones are cut
};

/// By kernels of an execution space; and by a loop of the host.
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
