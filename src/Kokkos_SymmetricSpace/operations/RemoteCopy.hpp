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

/// A contiguous View for the elements of `View`, which may have any layout.
template <class View, class Space = Kokkos::HostSpace>
using StagingView =
    Kokkos::View<typename PointersTo<typename View::non_const_value_type,
                                     View::rank()>::type,
                 Kokkos::LayoutRight, Space>;

/// Creates a StagingView with the extents of `view`, which may be a RemotePeer.
template <class Space = Kokkos::HostSpace, class View>
StagingView<View, Space> make_staging_view(View const& view) {
  return [&]<std::size_t... R>(std::index_sequence<R...>) {
    return StagingView<View, Space>(
        Kokkos::view_alloc(Kokkos::WithoutInitializing, "symm::copy"),
        view.extent(R)...);
  }
  (std::make_index_sequence<View::rank()>());
}

/// Whether elements are copied as bytes: the types are equal and accesses are
/// not atomic.
template <class Peer, class View>
inline constexpr bool are_same_bytes_v =
    std::is_same_v<typename Peer::non_const_value_type,
                   typename View::non_const_value_type> &&
    !View::memory_traits::is_atomic;

/// Calls near(view), where `view` is the copy of a near `peer` as an ordinary
/// View. (If this were a lambda, nvcc would warn about the host functions that
/// the lambda calls.)
template <class View, class Near>
struct AtNearView {
  RemotePeer<View> const& peer;
  Near const& near;

  SYMM_CALLS_ANYTHING
  KOKKOS_FORCEINLINE_FUNCTION void operator()() const { near(peer.view()); }
};

/// If loads and stores can reach `peer`'s copy, calls near() with that copy as
/// an ordinary View. Otherwise, calls far().
SYMM_CALLS_ANYTHING
template <class View, class Near, class Far>
KOKKOS_FORCEINLINE_FUNCTION void at_view_of(RemotePeer<View> const& peer,
                                            Near const& near, Far const& far) {
  at_pe(peer.heap(), peer.pe(), AtNearView<View, Near>{peer, near}, far);
}

/// Copies to or from a far PE, using one host thread. The host must be able to
/// access `other`'s memory.
template <Direction direction, class View, class Other>
void copy_far_view(RemotePeer<View> const& peer, Other const& other,
                   char const* call) {
  constexpr bool is_put = direction == Direction::put;
  if constexpr (are_same_bytes_v<RemotePeer<View>, Other>) {
    auto const local = peer.local();
    auto const there = resolve_part(peer.heap(), local.data(), peer.pe(), call);
    if constexpr (is_put) {
      put_block(there, other.data(), block_of(local, other), call);
    } else {
      get_block(other.data(), there, block_of(local, other), call);
    }
  } else {
    auto const staging = make_staging_view(peer);
    if constexpr (is_put) copy_view(OneThread(), staging, other);
    copy_far_view<direction>(peer, staging, call);
    if constexpr (!is_put) copy_view(OneThread(), other, staging);
  }
}

// The following functions implement symm::copy() for a group of threads, on the
// host and in kernels. They do not end with a barrier. Precondition: the
// extents are equal.

/// For kernels: copies to or from a far PE. If both sides are contiguous,
/// copies them as one block; otherwise, copies element by element.
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

/// Copies to or from `peer`, on a near or far PE.
SYMM_CALLS_ANYTHING
template <Direction direction, Group Threads, class View, class Other>
KOKKOS_INLINE_FUNCTION void copy_peer(Threads const& threads,
                                      RemotePeer<View> const& peer,
                                      Other const& other) {
  at_view_of(
      peer,
      [&](auto const& view) {
        if constexpr (direction == Direction::put) {
          copy_view(threads, view, other);
        } else {
          copy_view(threads, other, view);
        }
      },
      [&] {
        KOKKOS_IF_ON_HOST((if (threads.rank() == 0) copy_far_view<direction>(
                               peer, other, "symm::copy");))
        KOKKOS_IF_ON_DEVICE(
            (copy_far_in_kernel<direction>(threads, peer, other);))
      });
}
template <Group Threads, class View, class Src>
KOKKOS_INLINE_FUNCTION void copy_view(Threads const& threads,
                                      RemotePeer<View> const& dst,
                                      Src const& src) {
  copy_peer<Direction::put>(threads, dst, src);
}
template <Group Threads, class Dst, class View>
KOKKOS_INLINE_FUNCTION void copy_view(Threads const& threads, Dst const& dst,
                                      RemotePeer<View> const& src) {
  copy_peer<Direction::get>(threads, src, dst);
}

/// Implements symm::copy() of Views by a group of threads. One of the Views may
/// be a RemotePeer.
template <ThreadGroup Threads, class Dst, class Src>
KOKKOS_FUNCTION void copy_by(Threads const& threads, Dst const& dst,
                             Src const& src) {
  check_views<Dst, Src>();
  expect_equal_extents(dst, src);
  auto const group = group_of(threads);
  copy_view(group, dst, src);
  group.barrier();
}

/// Implements symm::copy() by the calling thread alone.
template <class Dst, class Src>
KOKKOS_FUNCTION void copy_alone(Dst const& dst, Src const& src) {
  check_views<Dst, Src>();
  KOKKOS_IF_ON_HOST(
      (check_host_copy(dst, src); Observed const observed(
           [&] { return operation_of_views("symm::copy", dst, src); },
           check::Accesses::are_seen);
       copy_view(OneThread(), dst, src);))
  KOKKOS_IF_ON_DEVICE(
      (expect_equal_extents(dst, src); copy_view(OneThread(), dst, src);))
}

// The functions below implement Kokkos::deep_copy(). Parameter pack `exec`
// contains one execution space instance or is empty.

inline constexpr char const* deep_copy_call =
    "Kokkos::deep_copy with a symm::RemotePeer";

/// Calls work(v) with a View that the host can access: `view` or a copy of
/// `view`. For a put, that copy is filled before the call. For a get, the
/// copy's elements are copied back to `view` after the call.
template <Direction direction, class View, class Work>
void with_host_view(View const& view, Work const& work) {
  if constexpr (is_host_reachable_v<typename View::memory_space>) {
    work(view);
  } else {
    // Between memory spaces, Kokkos copies only contiguous Views.
    constexpr bool copies_back = direction == Direction::get;
    using Space                = typename View::execution_space::memory_space;
    auto const packed          = make_staging_view<Space>(view);
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

/// Waits for all kernels that must finish before a deep_copy().
template <class... Exec>
void fence_before_far(Exec const&... exec) {
  if constexpr (sizeof...(Exec) == 0) {
    Kokkos::fence(deep_copy_call);
  } else {
    (exec.fence(deep_copy_call), ...);
  }
}

/// Completes the puts unless `exec` is a host instance. With a host instance,
/// the program must complete the puts. (Without a host instance, the program
/// may enqueue barriers and signals on a GPU, where they would not complete the
/// puts.)
template <class... Exec>
void quiet_unless_on_host(Exec const&... /*exec*/) {
  constexpr bool is_on_host =
      sizeof...(Exec) != 0 && (runs_on_host_v<Exec> && ...);
  if constexpr (!is_on_host) quiet_far();
}

template <Direction direction, class View, class Other, class... Exec>
void deep_copy_peer(RemotePeer<View> const& peer, Other const& other,
                    Exec const&... exec) {
  constexpr bool is_put = direction == Direction::put;
  // Calls work(destination, source).
  auto const in_order = [&](auto const& there, auto const& work) {
    if constexpr (is_put) {
      return work(there, other);
    } else {
      return work(other, there);
    }
  };
  Observed const observed(
      [&] {
        return in_order(peer, [](auto const& dst, auto const& src) {
          return operation_of_views(deep_copy_call, dst, src);
        });
      },
      check::Accesses::are_seen);
  at_view_of(
      peer,
      [&](auto const& view) {
        in_order(view, [&](auto const& dst, auto const& src) {
          Kokkos::deep_copy(exec..., dst, src);
        });
      },
      [&] {
        fence_before_far(exec...);
        in_order(peer, [](auto const& dst, auto const& src) {
          check_extents(dst, src);
        });
        with_host_view<direction>(other, [&](auto const& view) {
          copy_far_view<direction>(peer, view, deep_copy_call);
        });
        if constexpr (is_put) quiet_unless_on_host(exec...);
      });
}

template <class View, class... Exec>
void fill_peer(RemotePeer<View> const& dst,
               typename View::const_value_type& value, Exec const&... exec) {
  at_view_of(
      dst, [&](auto const& view) { Kokkos::deep_copy(exec..., view, value); },
      [&] {
        fence_before_far(exec...);
        auto const staging = make_staging_view(dst);
        Kokkos::deep_copy(staging, value);
        copy_far_view<Direction::put>(dst, staging, deep_copy_call);
        quiet_unless_on_host(exec...);
      });
}

}  // namespace symm::Impl

#endif
