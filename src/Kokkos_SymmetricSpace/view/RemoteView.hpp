// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_REMOTE_VIEW_HPP
#define SYMM_REMOTE_VIEW_HPP

#include <cstddef>
#include <string>
#include <type_traits>

#include <Kokkos_Core.hpp>
#include "ElementsOfPes.hpp"
#include "PeerView.hpp"
#include "RemoteElement.hpp"

#include "../../runtime/base/Types.hpp"
#include "../../runtime/memory/HeapMap.hpp"

namespace symm {

template <class View>
class RemotePeer;

/// All PEs' copies of one View, PEs of other nodes included: `r(pe, i, j)` is
/// element (i, j) on PE `pe`, as a proxy that loads and stores where the PE is
/// near (is_reachable()), and gets and puts where it is not. Where all PEs are
/// near a GlobalView is the same with one compare less, and its elements are
/// ordinary references.
///
/// A small value to capture in kernels, valid as long as a GlobalView is, with
/// the same arithmetic of indices.
///
/// What the proxy of an element e can do:
///
///     T x = e;   e.get()            the value
///     e = x;   e.put(x);   e = f    the same element, from then on
///     e += x, ++e, e++, ...         a load and a store: not atomic
///     e == f, e + x, -e, ...        of the values
///     swap(e, f)                    of the values
///
/// Those of a View with Kokkos' trait Atomic are operations of
/// symm_atomics.hpp: e = x, T x = e, +=, -=, &=, |=, ^=, ++ and --, each in one
/// step for all PEs; +=, ++e and the like have no result, so that they need not
/// wait for another node (e++ and e.fetch_add(x) do). A View is viewed as an
/// Atomic one by assigning it to one.
///
/// `auto x = e;` keeps the proxy, not the value, and a proxy cannot be copied.
/// Members of a struct: e.get().member; to change one, get, change, put.
///
/// Ordering, on other nodes. What this PE puts through an element it gets there
/// afterwards; other PEs have it behind quiet() or a barrier, as after
/// put_nbi() (Kokkos::fence() does not wait for it). To get, on the other hand,
/// first waits for all that this PE has put: loops that read are best apart
/// from loops that write, and whole blocks are moved by copy() or deep_copy()
/// of peer(pe).
template <class View>
class RemoteView {
 public:
  /// Of one PE's copy, where that is near.
  using view_type            = UnmanagedView<View>;
  using value_type           = typename view_type::value_type;
  using non_const_value_type = typename view_type::non_const_value_type;
  /// Whether the host has loads and stores for it; for memory of GPUs it has
  /// copies.
  static constexpr bool is_on_host =
      Kokkos::SpaceAccessibility<Kokkos::DefaultHostExecutionSpace,
                                 typename view_type::memory_space>::accessible;
  /// The proxy.
  using reference_type =
      std::conditional_t<view_type::memory_traits::is_atomic,
                         Impl::AtomicRemoteElement<value_type, is_on_host>,
                         Impl::RemoteElement<value_type, is_on_host>>;

  static_assert(std::is_trivially_copyable_v<non_const_value_type>,
                "elements of a symm::remote_view must be trivially copyable: "
                "between nodes they travel as bytes");
  static_assert(!std::is_volatile_v<value_type>,
                "elements of a symm::remote_view must not be volatile");

  KOKKOS_FUNCTION static constexpr std::size_t rank() {
    return view_type::rank();
  }

  RemoteView() = default;

  /// \param local this PE's copy.
  KOKKOS_FUNCTION RemoteView(View const& local, HeapMap const& map)
      : m_elements(local, map) {}

  /// Element (indices...) on PE `pe`. Indices are checked where Kokkos checks
  /// those of Views, the PE where it checks preconditions; a wrong one stops
  /// the program. (On the host, one that is not near is looked at in all
  /// builds: UsageError.)
  template <class... Indices>
  requires Impl::are_indices_of_v<view_type, Indices...>
      KOKKOS_FORCEINLINE_FUNCTION reference_type
      operator()(Pe pe, Indices... indices) const {
    m_elements.expect_pe(call, pe, false);
    m_elements.expect_indices(call, pe, indices...);
    return reference_type(m_elements.map(),
                          m_elements.address_of(pe, indices...), pe);
  }

  /// PE `pe`'s copy alone. The PE is checked as above.
  [[nodiscard]] KOKKOS_FUNCTION RemotePeer<View> peer(Pe pe) const {
    m_elements.expect_pe(call, pe, false);
    return RemotePeer<View>(*this, pe);
  }

  /// This PE's own copy, as an ordinary unmanaged View.
  [[nodiscard]] KOKKOS_FUNCTION view_type local() const {
    return m_elements.template copy_of<view_type>(my_pe(), my_pe());
  }
  /// Of this PE's own copy.
  [[nodiscard]] KOKKOS_FUNCTION std::size_t extent(std::size_t r) const {
    return m_elements.extent(my_pe(), r);
  }
  /// Of PE `pe`'s copy: of an UnevenView it may be another one.
  [[nodiscard]] KOKKOS_FUNCTION std::size_t extent(Pe pe, std::size_t r) const {
    m_elements.expect_pe(call, pe, false);
    return m_elements.extent(pe, r);
  }
  /// Whether there is such a PE on this node, so that its elements are loaded
  /// and stored.
  [[nodiscard]] KOKKOS_FUNCTION bool is_reachable(Pe pe) const {
    return m_elements.map().is_near(pe);
  }
  [[nodiscard]] KOKKOS_FUNCTION Pe my_pe() const {
    return m_elements.map().my_pe;
  }
  [[nodiscard]] KOKKOS_FUNCTION int n_pes() const {
    return m_elements.map().n_pes;
  }

 private:
  friend class RemotePeer<View>;

  static constexpr char const* call = "symm::remote_view";

  Impl::ElementsOfPes<View> m_elements;
};

/// One PE's copy of a View, wherever that PE is: for generic code that indexes
/// a View, p(i, j), in kernels too; elements are proxies, as those of a
/// RemoteView. Whole blocks are moved by symm::copy and Kokkos::deep_copy
/// (Kokkos_SymmetricSpace_Operations.hpp), with a RemotePeer on one side
/// (symm::copy on the host: or on both). Kokkos::subview(p, ...) is a
/// RemotePeer, too.
template <class View>
class RemotePeer {
 public:
  using view_type            = typename RemoteView<View>::view_type;
  using value_type           = typename view_type::value_type;
  using const_value_type     = typename view_type::const_value_type;
  using non_const_value_type = typename view_type::non_const_value_type;
  using reference_type       = typename RemoteView<View>::reference_type;
  using array_layout         = typename view_type::array_layout;
  using memory_space         = typename view_type::memory_space;
  using execution_space      = typename view_type::execution_space;
  using size_type            = typename view_type::size_type;

  KOKKOS_FUNCTION static constexpr std::size_t rank() {
    return view_type::rank();
  }

  KOKKOS_FUNCTION RemotePeer(RemoteView<View> const& all, Pe pe)
      : m_all(all), m_pe(pe) {}

  /// Element (indices...), as RemoteView has it.
  template <class... Indices>
  requires Impl::are_indices_of_v<view_type, Indices...>
      KOKKOS_FORCEINLINE_FUNCTION reference_type
      operator()(Indices... indices) const {
    return m_all(m_pe, indices...);
  }

  [[nodiscard]] KOKKOS_FUNCTION Pe pe() const { return m_pe; }
  [[nodiscard]] KOKKOS_FUNCTION bool is_reachable() const {
    return m_all.is_reachable(m_pe);
  }
  /// An ordinary unmanaged View of it. Precondition: is_reachable().
  [[nodiscard]] KOKKOS_FUNCTION view_type view() const {
    m_all.m_elements.expect_pe(m_all.call, m_pe, true);
    return m_all.m_elements.template copy_of<view_type>(m_pe, m_pe);
  }
  /// The same elements of this PE's own copy.
  [[nodiscard]] KOKKOS_FUNCTION view_type local() const {
    return m_all.m_elements.template copy_of<view_type>(m_all.my_pe(), m_pe);
  }
  [[nodiscard]] KOKKOS_FUNCTION std::size_t extent(std::size_t r) const {
    return m_all.m_elements.extent(m_pe, r);
  }
  [[nodiscard]] KOKKOS_FUNCTION std::size_t size() const {
    return m_all.m_elements.size(m_pe);
  }
  [[nodiscard]] KOKKOS_FUNCTION HeapMap const& heap() const {
    return m_all.m_elements.map();
  }

 private:
  RemoteView<View> m_all;
  Pe m_pe;
};

/// All PEs' copies of `view`, a View as peer_view() takes or an UnevenView,
/// whose elements are trivially copyable: a RemoteView. Local.
///
/// \throws UsageError on this PE, if the View is not in the heap.
template <class View>
auto remote_view(View const& view) {
  return RemoteView<View>(view, Impl::heap_map_of(view, "symm::remote_view"));
}

}  // namespace symm

// (No parameter has the name of something here: nvcc takes one for the other.)
namespace Kokkos {

/// A part of one PE's copy of a View, as a RemotePeer. \param part as of
/// subview() of a View.
template <class V, class... Part>
[[nodiscard]] KOKKOS_FUNCTION auto subview(symm::RemotePeer<V> const& peer,
                                           Part... part) {
  auto const local = Kokkos::subview(peer.local(), part...);
  using Local      = std::remove_const_t<decltype(local)>;
  return symm::RemotePeer<Local>(symm::RemoteView<Local>(local, peer.heap()),
                                 peer.pe());
}

}  // namespace Kokkos

#endif
