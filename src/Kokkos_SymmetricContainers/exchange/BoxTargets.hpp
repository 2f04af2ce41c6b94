// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_EXCHANGE_BOX_TARGETS_HPP
#define SYMM_EXCHANGE_BOX_TARGETS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace_Space.hpp>
#include <Kokkos_SymmetricSpace_Views.hpp>

#include "../../runtime/symm_errors.hpp"
#include "../../runtime/symm_rma.hpp"
#include "ExchangeBuffers.hpp"
#include "Fields.hpp"
#include "PlanBlocks.hpp"

namespace symm {

/// Lets kernels store copies of this PE's cells for the neighbor in one
/// direction. Kernels store them in a near neighbor's ghosts or in the block
/// that is sent to the neighbor. Kernels capture a BoxTarget by value. For axes
/// that the box does not have, the index is 0.
template <class T>
class BoxTarget {
 public:
  /// begin() and end() bound the range of this PE's cells that have a copy in
  /// this target: begin <= index < end along each axis.
  [[nodiscard]] KOKKOS_FUNCTION int begin(int axis) const {
    return m_begin[axis];
  }
  [[nodiscard]] KOKKOS_FUNCTION int end(int axis) const { return m_end[axis]; }
  [[nodiscard]] KOKKOS_FUNCTION bool has_row(int i, int j = 0) const {
    return m_begin[0] <= i && i < m_end[0] && m_begin[1] <= j && j < m_end[1];
  }
  [[nodiscard]] KOKKOS_FUNCTION bool has(int i, int j = 0, int k = 0) const {
    return has_row(i, j) && m_begin[2] <= k && k < m_end[2];
  }

  /// The copy of cell (i, j, k), which kernels may write to. Precondition:
  /// has(i, j, k).
  KOKKOS_FUNCTION T& operator()(int i, int j = 0, int k = 0) const {
    return m_origin[i * step(0) + j * step(1) + k * step(2)];
  }

  /// For use by ExchangePlan.
  /// \param first the address at which the copy of cell `begin` is stored.
  BoxTarget(Kokkos::Array<int, 3> const& begin,
            Kokkos::Array<int, 3> const& end, T* first,
            Kokkos::Array<std::uint32_t, 3> const& stride)
      : m_origin(first), m_begin(begin), m_end(end), m_stride(stride) {
    for (int a = 0; a < 3; ++a) m_origin -= begin[a] * step(a);
  }
  BoxTarget() = default;

 private:
  [[nodiscard]] KOKKOS_FUNCTION std::ptrdiff_t step(int axis) const {
    return m_stride[axis];
  }

  T* m_origin = nullptr;
  Kokkos::Array<int, 3> m_begin{};
  Kokkos::Array<int, 3> m_end{};
  Kokkos::Array<std::uint32_t, 3> m_stride{};
};

/// Up to `most` targets, one for each direction in which a box has a neighbor.
template <class T, std::size_t most = 26>
class BoxTargets {
 public:
  [[nodiscard]] KOKKOS_FUNCTION BoxTarget<T> const* begin() const {
    return m_targets.data();
  }
  [[nodiscard]] KOKKOS_FUNCTION BoxTarget<T> const* end() const {
    return m_targets.data() + m_n;
  }
  /// For use by ExchangePlan. Precondition: fewer than `most` targets have been
  /// appended so far.
  void append(BoxTarget<T> const& target) { m_targets[m_n++] = target; }

 private:
  Kokkos::Array<BoxTarget<T>, most> m_targets;
  std::size_t m_n = 0;
};

}  // namespace symm

namespace symm::Impl {

/// \param outbox this PE's outbox.
template <class View>
auto target_of(BoxCopies const& copies, View const& view, HeapMap const& heap,
               typename View::value_type* outbox, StoredCopies stored) {
  using T = typename View::value_type;
  Kokkos::Array<int, 3> begin{};
  Kokkos::Array<int, 3> end{};
  Kokkos::Array<std::uint32_t, 3> stride{};
  bool const is_stored = copies.is_near && stored.have(copies.thin_axes);
  T* first             = is_stored ? heap.peer_ptr(view.data(), copies.pe)
                                   : outbox + copies.in_outbox;
  std::uint32_t packed = 1;
  for (std::size_t a = 3; a-- > 0;) {
    begin[a] = static_cast<int>(copies.begin[a]);
    end[a]   = static_cast<int>(copies.end[a]);
    if (a >= View::rank()) continue;
    if (is_stored) {
      stride[a] = static_cast<std::uint32_t>(view.stride(a));
      first += copies.there[a] * stride[a];
    } else {
      stride[a] = packed;
      packed *= static_cast<std::uint32_t>(end[a] - begin[a]);
    }
  }
  return BoxTarget<T>(begin, end, first, stride);
}

/// \throws UsageError on this PE if the plan is not for a box with as many axes
///         as the View has dimensions, or if the View is too small. UsageError
///         on this PE if the box has more than `most` directions.
template <std::size_t most, class View>
void expect_box_of(char const* call, PlanBlocks const& plan, View const& view) {
  if (!plan.is_box || View::rank() != plan.extents.size()) {
    throw UsageError(std::string(call) + ": View \"" + view.label() +
                     "\" has rank " + std::to_string(View::rank()) +
                     "; the plan must be made by ExchangePlan::from_box, for a "
                     "box with as many axes");
  }
  auto const n = plan.box_copies.size();
  if (n > most) {
    throw UsageError(std::string(call) + ": the box has neighbors in " +
                     std::to_string(n) + " directions; call targets<" +
                     std::to_string(n) + ">()");
  }
  static_cast<void>(Impl::fields_of(
      call, plan.extents, std::max(plan.owned.end, plan.ghosts.end), view));
}

/// Preconditions: expect_box_of() has not thrown, and the plan's buffers have
/// room for the View's elements.
template <std::size_t most, class View>
auto targets_of(PlanBlocks const& plan, View const& view) {
  using T            = typename View::value_type;
  auto* const outbox = reinterpret_cast<T*>(plan.buffers.in_kernels().outbox);
  auto const heap    = heap_map(view);
  auto const stored  = StoredCopies::of<ExchangeSpace>(view);
  BoxTargets<T, most> targets;
  for (auto const& copies : plan.box_copies)
    targets.append(Impl::target_of(copies, view, heap, outbox, stored));
  return targets;
}

}  // namespace symm::Impl

#endif
