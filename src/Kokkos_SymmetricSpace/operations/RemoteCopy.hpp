// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_REMOTECOPY_HPP
#define KOKKOS_SYMMETRICSPACE_REMOTECOPY_HPP

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <Kokkos_Core.hpp>

#include "../../runtime/access/PeOperations.hpp"
#include "../../runtime/groups/Group.hpp"
#include "../../runtime/symm_rma.hpp"
#include "../space/ExecutionSpaceStream.hpp"
#include "../view/RemoteView.hpp"
#include "EnqueuedRma.hpp"
#include "FarBlock.hpp"
#include "ViewCopy.hpp"

// Copies of whole Views to and from a PE that may be on another node.

namespace symm::Impl {

template <class T, std::size_t rank>
struct PointersTo {
  using type = typename PointersTo<T*, rank - 1>::type;
};
template <class T>
struct PointersTo<T, 0> {
  using type = T;
};

/// A contiguous View for the elements of `View`, which may be of any layout.
template <class View, class Space = Kokkos::HostSpace>
using StagingView =
    Kokkos::View<typename PointersTo<typename View::non_const_value_type,
                                     View::rank()>::type,
                 Kokkos::LayoutRight, Space>;

/// Makes one with the extents of `view`, which may be a RemotePeer.
template <class Space = Kokkos::HostSpace, class View>
StagingView<View, Space> make_staging_view(View const& view) {
  return [&]<std::size_t... R>(std::index_sequence<R...>) {
    return StagingView<View, Space>(
        Kokkos::view_alloc(Kokkos::WithoutInitializing, "symm::copy"),
        view.extent(R)...);
  }
  (std::make_index_sequence<View::rank()>());
}

/// Whether elements are copied as bytes: equal types and no atomic accesses.
template <class Peer, class View>
inline constexpr bool are_same_bytes_v =
    std::is_same_v<typename Peer::non_const_value_type,
                   typename View::non_const_value_type> &&
    !View::memory_traits::is_atomic;

/// The memory of a far PE's part. \throws UsageError on this PE, if there is no
/// such PE.
template <class Peer>
PeMemory far_memory_of(Peer const& peer, char const* call) {
  return resolve_part(peer.heap(), peer.local().data(), peer.pe(), call);
}

// On the host, by one thread: copies to and from far PEs. The host must reach
// the memory of the other View.

template <class View, class Src>
void put_view(RemotePeer<View> const& dst, Src const& src, char const* call) {
  using Peer = RemotePeer<View>;
  if constexpr (are_same_bytes_v<Peer, Src>) {
    put_block(far_memory_of(dst, call), src.data(), block_of(dst.local(), src),
              call);
  } else {
    auto const staging = make_staging_view(dst);
    copy_view(OneThread(), staging, src);
    put_block(far_memory_of(dst, call), staging.data(),
              block_of(dst.local(), staging), call);
  }
}

template <class Dst, class View>
void get_view(Dst const& dst, RemotePeer<View> const& src, char const* call) {
  using Peer = RemotePeer<View>;
  if constexpr (are_same_bytes_v<Peer, Dst>) {
    get_block(dst.data(), far_memory_of(src, call), block_of(src.local(), dst),
              call);
  } else {
    auto const staging = make_staging_view(src);
    get_block(staging.data(), far_memory_of(src, call),
              block_of(src.local(), staging), call);
    copy_view(OneThread(), dst, staging);
  }
}

// symm::copy(), by a group of threads, on the host and in kernels, without a
// barrier. Precondition: equal extents.

/// Copies to or from a far PE in a kernel: a block that is contiguous on both
/// sides as a whole, others element by element.
template <Direction direction, Group Threads, class View, class Other>
KOKKOS_FUNCTION void copy_far_in_kernel(Threads const& threads,
                                        RemotePeer<View> const& peer,
                                        Other const& other) {
  auto const local = peer.local();
  if constexpr (are_same_bytes_v<RemotePeer<View>, Other>) {
    if (are_equal_bytes(local, other)) {
      if constexpr (direction == Direction::put) {
        symm::put(threads, peer.heap(), local.data(), other.data(),
                  other.size(), peer.pe());
      } else {
        symm::get(threads, peer.heap(), other.data(),
                  const_cast<typename Other::value_type*>(local.data()),
                  other.size(), peer.pe());
      }
      return;
    }
  }
  ElementOrder<typename RemotePeer<View>::view_type> const order(local);
  threads.for_each(local.size(), [&](std::size_t n) {
    order.call(local, n, [&](auto... i) {
      if constexpr (direction == Direction::put) {
        peer(i...) =
            static_cast<typename View::non_const_value_type>(other(i...));
      } else {
        other(i...) =
            static_cast<typename Other::non_const_value_type>(peer(i...).get());
      }
    });
  });
}

template <Group Threads, class View, class Src>
KOKKOS_INLINE_FUNCTION void copy_to_peer(Threads const& threads,
                                         RemotePeer<View> const& dst,
                                         Src const& src) {
  if (dst.is_near()) {
    copy_view(threads, dst.view(), src);
    return;
  }
  KOKKOS_IF_ON_HOST(
      (if (threads.rank() == 0) put_view(dst, src, "symm::copy");))
  KOKKOS_IF_ON_DEVICE((copy_far_in_kernel<Direction::put>(threads, dst, src);))
}

template <Group Threads, class Dst, class View>
KOKKOS_INLINE_FUNCTION void copy_from_peer(Threads const& threads,
                                           Dst const& dst,
                                           RemotePeer<View> const& src) {
  if (src.is_near()) {
    copy_view(threads, dst, src.view());
    return;
  }
  KOKKOS_IF_ON_HOST(
      (if (threads.rank() == 0) get_view(dst, src, "symm::copy");))
  KOKKOS_IF_ON_DEVICE((copy_far_in_kernel<Direction::get>(threads, src, dst);))
}

// Kokkos::deep_copy().

inline constexpr char const* deep_copy_call =
    "Kokkos::deep_copy with a symm::RemotePeer";

/// Calls work(v) with a View that the host reaches: `view`, or else a copy of
/// it. The copy gets the elements before, or gives them back afterwards.
template <bool copies_back, class View, class Work>
void with_host_view(View const& view, Work const& work) {
  if constexpr (is_host_reachable_v<typename View::memory_space>) {
    work(view);
  } else {
    // Between memory spaces Kokkos copies only contiguous Views.
    using Space       = typename View::execution_space::memory_space;
    auto const packed = make_staging_view<Space>(view);
    if constexpr (!copies_back) Kokkos::deep_copy(packed, view);
    auto const mirror =
        Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), packed);
    work(mirror);
    if constexpr (copies_back) {
      Kokkos::deep_copy(packed, mirror);
      Kokkos::deep_copy(view, packed);
    }
  }
}

/// Waits for `exec`, since the host carries out a deep_copy() with an instance.
template <class Exec>
void fence_before_far(Exec const& exec, Pe /*pe*/) {
  exec.fence(deep_copy_call);
}

template <class View, class Src>
void deep_copy_to_far(RemotePeer<View> const& dst, Src const& src) {
  check_extents(dst, src);
  with_host_view<false>(
      src, [&](auto const& view) { put_view(dst, view, deep_copy_call); });
  quiet_far();
}

template <class Dst, class View>
void deep_copy_from_far(Dst const& dst, RemotePeer<View> const& src) {
  check_extents(dst, src);
  with_host_view<true>(
      dst, [&](auto const& view) { get_view(view, src, deep_copy_call); });
}

template <class View>
void fill_far(RemotePeer<View> const& dst,
              typename View::const_value_type& value) {
  auto const staging = make_staging_view(dst);
  Kokkos::deep_copy(staging, value);
  put_view(dst, staging, deep_copy_call);
  quiet_far();
}

}  // namespace symm::Impl

#endif
