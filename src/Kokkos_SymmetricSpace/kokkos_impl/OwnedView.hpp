// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_OWNED_VIEW_HPP
#define SYMM_OWNED_VIEW_HPP

#include <string>

#include <Kokkos_Core.hpp>
#include "AllocationRecord.hpp"
#include "MakeView.hpp"

namespace symm::Impl {

/// Creates one managed View over memory that was not allocated by the View's
/// memory space. When the last copy of the View is destroyed, Kokkos calls
/// `End::destroy_shared_allocation()`. That function must not throw and must do
/// nothing for a default-constructed End.
template <class View, class End>
class OwnedViewMaker {
 public:
  using memory_space = typename View::memory_space;

  /// Allocates everything that Kokkos needs, so make_view() cannot fail.
  OwnedViewMaker(memory_space const& space, std::string const& label)
      : m_record(Record::allocate(space, label, 0)) {
    m_tracker.assign_allocated_record_to_uninitialized(m_record);
  }

  /// \param shape a View with the extents and layout of the result.
  template <class Shape>
  View make_view(typename View::pointer_type data, Shape const& shape,
                 End const& end) {
    m_record->m_destroy = end;
    return view_of_record<View>(m_tracker, data, shape);
  }

 private:
  using Record = Kokkos::Impl::SharedAllocationRecord<memory_space, End>;

  Record* m_record;
  Kokkos::Impl::SharedAllocationTracker m_tracker;
};

}  // namespace symm::Impl

#endif
