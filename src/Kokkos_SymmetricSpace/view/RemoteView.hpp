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

/// All PEs' copies of one View, far PEs included: `r(pe, i, j)` is a proxy for
/// element (i, j) on PE `pe`. It loads and stores if the PE is near
/// (is_near()), gets and puts if it is far. If all PEs are near, a
/// GlobalView does the same with one compare less, and its elements are
/// ordinary references.
///
/// A small value to capture in kernels, valid as long as a GlobalView is, with
/// the same arithmetic of indices.
///
/// Operations of the proxy of an element e:
///
///     T x = e;   e.get()            the value
///     e.get_nbi(&x)                 the value, in x after quiet()
///     e = x;   e.put(x);   e = f    stores or puts the value
///     e += x, ++e, e++, ...         a load and a store: not atomic
///     e == f, e + x, -e, ...        of the values
///     swap(e, f)                    of the values
///
/// For a View with Kokkos' trait Atomic these are operations of
/// symm_atomics.hpp, each atomic to all PEs: e = x, T x = e, +=, -=, &=, |=,
/// ^=, ++ and --. +=, ++e and the like have no result and need not wait for a
/// far PE; e++ and e.fetch_add(x) wait. To view a View as an Atomic one, assign
/// it to one.
///
/// `auto x = r(pe, i);` keeps the proxy, not the value; a proxy cannot be
/// copied. Members of a struct: e.get().member; to change one, get, change,
/// put.
///
/// Ordering, on far PEs. This PE gets through an element what it has put there
/// before. Other PEs see it after quiet() or a barrier, as after put_nbi();
/// Kokkos::fence() does not wait for it. Each get first waits for all puts of
/// this PE: keep loops that read apart from loops that write, and move whole
/// blocks by copy() or deep_copy() of peer(pe).
template <class View>
class RemoteView : public Impl::ViewOfPes<View, true> {
  using Base = Impl::ViewOfPes<View, true>;

 public:
  using view_type            = typename Base::view_type;
  using value_type           = typename Base::value_type;
  using non_const_value_type = typename view_type::non_const_value_type;
  /// Whether the host loads and stores in its memory; GPU memory it copies.
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

  using Base::Base;

  /// Element (indices...) on PE `pe`. Indices are checked where Kokkos checks
  /// those of Views, the PE where SYMM_CHECKS_IN_KERNELS is on; a wrong one
  /// stops the program. (On the host without that check, using an element of a
  /// PE that does not exist throws UsageError. What get_nbi() of other elements
  /// has begun is still to come then: call quiet() before its memory ends.)
  template <class... Indices>
  requires Impl::are_indices_of_v<view_type, Indices...>
      KOKKOS_FORCEINLINE_FUNCTION reference_type
      operator()(Pe pe, Indices... indices) const {
    return reference_type(this->m_elements.map(),
                          this->address_of(pe, indices...), pe);
  }

  /// PE `pe`'s copy alone. The PE is checked as above.
  [[nodiscard]] KOKKOS_FUNCTION RemotePeer<View> peer(Pe pe) const {
    this->m_elements.expect_pe(Base::call, pe, false);
    return RemotePeer<View>(*this, pe);
  }

 private:
  friend class RemotePeer<View>;
};

/// One PE's copy of a View, near or far: for generic code that indexes a View
/// as p(i, j), in kernels too. Elements are proxies, as those of a RemoteView.
/// symm::copy and Kokkos::deep_copy (Kokkos_SymmetricSpace_Operations.hpp) move
/// whole blocks, with a RemotePeer on one side; symm::copy on the host, also on
/// both. Kokkos::subview(p, ...) is a RemotePeer, too.
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
  [[nodiscard]] KOKKOS_FUNCTION bool is_near() const {
    return m_all.is_near(m_pe);
  }
  /// As it was called before 0.1.0.
  [[deprecated("say is_near()"), nodiscard]] KOKKOS_FUNCTION bool is_reachable()
      const {
    return is_near();
  }
  /// The copy as an ordinary unmanaged View. Precondition: is_near().
  [[nodiscard]] KOKKOS_FUNCTION view_type view() const {
    m_all.m_elements.expect_pe(m_all.call, m_pe, true);
    return m_all.copy_of(m_pe, m_pe);
  }
  /// The same elements of this PE's own copy.
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

/// The RemoteView of `view`, which is a View as peer_view() takes, or an
/// UnevenView, of trivially copyable elements. Local.
///
/// \throws UsageError on this PE, if the View is not in the heap.
template <class View>
auto remote_view(View const& view) {
  return RemoteView<View>(view, Impl::heap_map_of(view, "symm::remote_view"));
}

}  // namespace symm

// (No parameter has the name of something here: nvcc confuses the two.)
namespace Kokkos {

/// A part of one PE's copy of a View, as a RemotePeer.
/// \param part as of subview() of a View.
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
