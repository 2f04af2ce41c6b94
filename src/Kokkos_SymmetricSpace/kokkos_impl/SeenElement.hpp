// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_SEEN_ELEMENT_HPP
#define SYMM_SEEN_ELEMENT_HPP

#include <type_traits>

#include <Kokkos_Core.hpp>

#ifdef SYMM_CHECK_VIEWS
#include "../../runtime/access/ProxyClient.hpp"
#include "../../runtime/base/Check.hpp"
#endif

// The race detector observes the loads and stores of GPU kernels through the
// element types of Views. SYMM_CHECK_VIEWS is defined in GPU builds of
// KokkosSymmetricSpace::Checked. On the host, the compiler's instrumentation
// reports the accesses instead. With SYMM_CHECK_VIEWS_ON_HOST, the host uses
// these types, too. That setting is for testing the types on CPUs.

namespace symm::Impl {

/// Reports that the caller is about to load or store an element.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void tell_access([[maybe_unused]] T const* element,
                                             [[maybe_unused]] bool is_write) {
#ifdef SYMM_CHECK_VIEWS
#ifdef SYMM_CHECK_VIEWS_ON_HOST
  KOKKOS_IF_ON_HOST((check::access(element, sizeof(T), is_write);))
#endif
  KOKKOS_IF_ON_DEVICE((check::access(element, sizeof(T), is_write);))
#endif
}

#ifdef SYMM_CHECK_VIEWS

/// Whether elements of type T are represented by SeenElements. Elements of
/// class type are not: a proxy lacks the class's members, so accesses to
/// members would not compile.
template <class T>
inline constexpr bool has_seen_elements_v =
    (std::is_arithmetic_v<T> || std::is_enum_v<T> ||
     std::is_pointer_v<T>)&&!std::is_volatile_v<T>;

/// An element that reports each load and store; used instead of a T&. It is
/// valid only within the expression that creates it. A named variable of this
/// type has no operators because it would refer to the element, whereas the
/// program intends to use the value. (Instead of `auto x = u(i)`, write the
/// type of x.)
template <class T>
class SeenElement {
  using Value = std::remove_const_t<T>;

 public:
  KOKKOS_FORCEINLINE_FUNCTION explicit SeenElement(T& element)
      : m_element(&element) {}
  SeenElement(SeenElement const&) = delete;

  /// Reports a load, even if the program only binds a reference to the element.
  /// Accesses through that reference are not reported.
  KOKKOS_FORCEINLINE_FUNCTION operator T&() && {
    tell_access(m_element, false);
    return *m_element;
  }
  /// Reports nothing.
  KOKKOS_FORCEINLINE_FUNCTION T* operator&() && { return m_element; }

  KOKKOS_FORCEINLINE_FUNCTION T& operator=(Value value) && {
    tell_access(m_element, true);
    return *m_element = value;
  }
  KOKKOS_FORCEINLINE_FUNCTION T& operator=(SeenElement&& other) && {
    return static_cast<SeenElement&&>(*this) =
               static_cast<T&>(static_cast<SeenElement&&>(other));
  }
  template <class U>
  KOKKOS_FORCEINLINE_FUNCTION T& operator=(SeenElement<U>&& other) && {
    return static_cast<SeenElement&&>(*this) = static_cast<Value>(
               static_cast<U&>(static_cast<SeenElement<U>&&>(other)));
  }

#define SYMM_CHANGE(op)                                                    \
  template <class Operand>                                                 \
  KOKKOS_FORCEINLINE_FUNCTION T& operator op(Operand const& operand)&& {   \
    tell_access(m_element, true);                                          \
    return *m_element op operand;                                          \
  }                                                                        \
  template <class U>                                                       \
  KOKKOS_FORCEINLINE_FUNCTION T& operator op(SeenElement<U>&& operand)&& { \
    U& right = static_cast<SeenElement<U>&&>(operand);                     \
    return static_cast<SeenElement&&>(*this) op right;                     \
  }
  SYMM_CHANGE(+=)
  SYMM_CHANGE(-=)
  SYMM_CHANGE(*=)
  SYMM_CHANGE(/=)
  SYMM_CHANGE(%=)
  SYMM_CHANGE(&=)
  SYMM_CHANGE(|=)
  SYMM_CHANGE(^=)
  SYMM_CHANGE(<<=)
  SYMM_CHANGE(>>=)
#undef SYMM_CHANGE

  KOKKOS_FORCEINLINE_FUNCTION T& operator++() && {
    tell_access(m_element, true);
    return ++*m_element;
  }
  KOKKOS_FORCEINLINE_FUNCTION T& operator--() && {
    tell_access(m_element, true);
    return --*m_element;
  }
  KOKKOS_FORCEINLINE_FUNCTION Value operator++(int) && {
    tell_access(m_element, true);
    return (*m_element)++;
  }
  KOKKOS_FORCEINLINE_FUNCTION Value operator--(int) && {
    tell_access(m_element, true);
    return (*m_element)--;
  }

  /// Swaps the values.
  friend KOKKOS_FORCEINLINE_FUNCTION void swap(SeenElement&& a,
                                               SeenElement&& b) {
    swap_values(*a.m_element, *b.m_element);
    tell_access(b.m_element, true);
    tell_access(a.m_element, true);
  }
  friend KOKKOS_FORCEINLINE_FUNCTION void swap(SeenElement&& a, Value& b) {
    tell_access(a.m_element, true);
    swap_values(*a.m_element, b);
  }
  friend KOKKOS_FORCEINLINE_FUNCTION void swap(Value& a, SeenElement&& b) {
    tell_access(b.m_element, true);
    swap_values(a, *b.m_element);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION static void swap_values(Value& a, Value& b) {
    Value const was = a;
    a               = b;
    b               = was;
  }

  T* m_element;
};

template <class T>
using Reference =
    std::conditional_t<has_seen_elements_v<std::remove_const_t<T>>,
                       SeenElement<T>, T&>;

#else

/// The type of an element that loads and stores can access.
template <class T>
using Reference = T&;

#endif

}  // namespace symm::Impl

#ifdef SYMM_CHECK_VIEWS
namespace Kokkos {

template <class T>
KOKKOS_FORCEINLINE_FUNCTION void kokkos_swap(symm::Impl::SeenElement<T>&& a,
                                             symm::Impl::SeenElement<T>&& b) {
  swap(static_cast<symm::Impl::SeenElement<T>&&>(a),
       static_cast<symm::Impl::SeenElement<T>&&>(b));
}

}  // namespace Kokkos
#endif

#endif
