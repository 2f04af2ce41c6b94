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

/// All PEs' copies of one View, including copies on far PEs: `r(pe, i, j)` is a
/// proxy for element (i, j) on PE `pe`. The proxy uses loads and stores if the
/// PE is near (is_near()), and gets and puts if the PE is far. If all PEs are
/// near, use a GlobalView: it saves a comparison, and its elements are ordinary
/// references.
///
/// A RemoteView is a lightweight handle that kernels can capture. It is valid
/// as long as a GlobalView would be and uses the same index arithmetic.
///
/// The proxy of an element e supports these operations:
///
///     T x = e;   e.get()            the value
///     e.get_nbi(&x)                 the value, in x after quiet()
///     e = x;   e.put(x);   e = f    stores or puts the value
///     e += x, ++e, e++, ...         a load and a store: not atomic
///     e == f, e + x, -e, ...        operate on the values
///     swap(e, f)                    swaps the values
///
/// If the View has Kokkos' Atomic trait, the following are operations of
/// symm_atomics.hpp, each atomic with respect to all PEs: e = x, T x = e, +=,
/// -=, &=, |=, ^=, ++ and --. Operations such as += and ++e return nothing and
/// need not wait for a far PE; e++ and e.fetch_add(x) wait. To make the
/// accesses to a View atomic, assign the View to a View with the Atomic trait.
///
/// `auto x = r(pe, i);` stores the proxy in x instead of the value; a proxy
/// cannot be copied. To read a member of a struct, use e.get().member. To
/// change a member, get the struct, change the member, and put the struct.
///
/// Ordering on far PEs. A get of an element by this PE sees this PE's earlier
/// puts to that element. Other PEs see a put after quiet() or a barrier, as
/// after put_nbi(); Kokkos::fence() does not wait for the put. Each get first
/// waits for all puts issued by this PE. Therefore, do not read and write
/// elements in the same loop, and move whole blocks with copy() or deep_copy()
/// of peer(pe).
template <class View>
class RemoteView : public Impl::ViewOfPes<View, true> {
  using Base = Impl::ViewOfPes<View, true>;

 public:
  using view_type            = typename Base::view_type;
  using value_type           = typename Base::value_type;
  using non_const_value_type = typename view_type::non_const_value_type;
  /// Whether the host accesses the View's memory with loads and stores. (If the
  /// View is in GPU memory, the host copies elements instead.)
  static constexpr bool is_on_host =
      Kokkos::SpaceAccessibility<Kokkos::DefaultHostExecutionSpace,
                                 typename view_type::memory_space>::accessible;
  /// The proxy of an element.
  using reference_type =
      std::conditional_t<view_type::memory_traits::is_atomic,
                         Impl::AtomicRemoteElement<value_type, is_on_host>,
                         Impl::RemoteElement<value_type, is_on_host>>;

  static_assert(std::is_trivially_copyable_v<non_const_value_type>,
                "elements of a symm::remote_view must be trivially copyable, "
                "because they are sent between nodes as bytes");
  static_assert(!std::is_volatile_v<value_type>,
                "elements of a symm::remote_view must not be volatile");

  using Base::Base;

  /// Element (indices...) on PE `pe`. The indices are checked if Kokkos checks
  /// View bounds, and the PE is checked if SYMM_CHECKS_IN_KERNELS is on. An
  /// invalid index or PE stops the program. (On the host, if
  /// SYMM_CHECKS_IN_KERNELS is off, using an element on a PE that does not
  /// exist throws UsageError instead. Gets that get_nbi() has started may then
  /// still be in progress: call quiet() before the gets' destination memory is
  /// freed or goes out of scope.)
  template <class... Indices>
  requires Impl::are_indices_of_v<view_type, Indices...>
      KOKKOS_FORCEINLINE_FUNCTION reference_type
      operator()(Pe pe, Indices... indices) const {
    return reference_type(this->m_elements.map(),
                          this->address_of(pe, indices...), pe);
  }

  /// PE `pe`'s copy of the View. The PE is checked if SYMM_CHECKS_IN_KERNELS is
  /// on.
  [[nodiscard]] KOKKOS_FUNCTION RemotePeer<View> peer(Pe pe) const {
    this->m_elements.expect_pe(Base::call, pe, false);
    return RemotePeer<View>(*this, pe);
  }

 private:
  friend class RemotePeer<View>;
};

/// The copy of a View on one PE, near or far. A RemotePeer is for generic code,
/// including kernels, that indexes a View as p(i, j). The elements are proxies,
/// like the elements of a RemoteView. symm::copy and Kokkos::deep_copy
/// (Kokkos_SymmetricSpace_Operations.hpp) move whole blocks with a RemotePeer
/// on one side; on the host, symm::copy also accepts a RemotePeer on both
/// sides. If p is a RemotePeer, Kokkos::subview(p, ...) is a RemotePeer, too.
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

  /// Element (indices...) of this copy as a proxy, like an element of a
  /// RemoteView.
  template <class... Indices>
  requires Impl::are_indices_of_v<view_type, Indices...>
      KOKKOS_FORCEINLINE_FUNCTION reference_type
      operator()(Indices... indices) const {
    return m_all(m_pe, indices...);
  }

  [[nodiscard]] KOKKOS_FUNCTION Pe pe() const { return m_pe; }
  [[nodiscard]] KOKKOS_FUNCTION bool is_near() const {
    return m_all.is_near(m_pe);
  }
  /// This copy as an ordinary unmanaged View. Precondition: is_near().
  [[nodiscard]] KOKKOS_FUNCTION view_type view() const {
    m_all.m_elements.expect_pe(m_all.call, m_pe, true);
    return m_all.copy_of(m_pe, m_pe);
  }
  /// The same elements in this PE's own copy.
  [[nodiscard]] KOKKOS_FUNCTION view_type local() const {
    return m_all.copy_of(m_all.my_pe(), m_pe);
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

/// Returns the RemoteView of `view`, which must be an UnevenView or a View that
/// peer_view() accepts. The View's elements must be trivially copyable. The
/// call is local.
///
/// \throws UsageError on this PE if the View is not in the heap.
template <class View>
auto remote_view(View const& view) {
  return RemoteView<View>(view, Impl::heap_map_of(view, "symm::remote_view"));
}

}  // namespace symm

// (No parameter shares its name with another entity in this file because nvcc
// would confuse the two.)
namespace Kokkos {

/// A subview of one PE's copy of a View, as a RemotePeer.
/// \param part the same arguments as for subview() of a View.
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
