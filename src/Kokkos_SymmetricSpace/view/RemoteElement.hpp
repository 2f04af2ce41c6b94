// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_REMOTE_ELEMENT_HPP
#define SYMM_REMOTE_ELEMENT_HPP

#include <cstddef>
#include <type_traits>
#include <utility>

#include <Kokkos_Core.hpp>

#include "../../runtime/access/GroupOperations.hpp"
#include "../../runtime/base/Check.hpp"
#include "../../runtime/base/Types.hpp"
#include "../../runtime/memory/HeapMap.hpp"
#include "../../runtime/symm_atomics.hpp"
#include "../../runtime/symm_rma.hpp"
#include "../kokkos_impl/SeenElement.hpp"

// The proxies that a RemoteView returns for its elements. They use loads and
// stores on near PEs, and gets and puts on far PEs.

namespace symm::Impl {

// Functions for elements that the host cannot load and store because these
// elements are on far PEs or in GPU memory. The functions are not inlined and
// take only a few arguments, by value, so accesses to near PEs do not lose
// registers to the calls.

class SymmetricHeap;

/// Puts `bytes` bytes like put_nbi(), but `value` need not outlive the call.
void put_far_element(SymmetricHeap const& heap, void* dest, void const* value,
                     std::size_t bytes, Pe pe);
/// Gets `bytes` bytes after all earlier puts by this PE have completed.
void get_far_element(void* value, SymmetricHeap const& heap, void const* source,
                     std::size_t bytes, Pe pe);

/// Gets `bytes` bytes like get_nbi().
void begin_get_of_far_element(void* into, SymmetricHeap const& heap,
                              void const* source, std::size_t bytes, Pe pe);

/// An element's symmetric address and heap.
struct FarElement {
  SymmetricHeap const& heap;
  void* symmetric;
};
/// \param address the element's address on `pe`. If `pe` is far, the address
///        that the element would have if `pe` were near.
/// \throws UsageError on this PE if PE `pe` does not exist.
FarElement find_far_element(void const* address, Pe pe);

/// Calls operation(heap, symmetric address, pe).
template <class T, class Operation>
[[gnu::noinline]] auto call_far(T* address, Pe pe, Operation operation) {
  auto const found = find_far_element(address, pe);
  return operation(found.heap,
                   static_cast<std::remove_const_t<T>*>(found.symmetric), pe);
}

/// The base of the proxies: an element of one PE's copy.
///
/// A proxy cannot be copied: a copy would refer to the same element, but code
/// such as std::swap() would use it as a value.
///
/// \tparam is_on_host whether the host can load from and store to the memory.
template <class T, bool is_on_host>
class ElementOfPe {
 public:
  using Value = std::remove_const_t<T>;

  ElementOfPe(ElementOfPe const&)            = delete;
  ElementOfPe& operator=(ElementOfPe const&) = delete;

 protected:
  /// \param address the element's address on `pe`. If `pe` is far, the address
  ///        that the element would have if `pe` were near.
  KOKKOS_FORCEINLINE_FUNCTION ElementOfPe(HeapMap const& map, T* address, Pe pe)
      : m_map(map), m_address(address), m_pe(pe) {}
  ~ElementOfPe() = default;

  /// Calls near(address) if the caller can load from and store to that address;
  /// otherwise, calls far().
  template <class Near, class Far>
  KOKKOS_FORCEINLINE_FUNCTION auto at(Near const& near, Far const& far) const {
    KOKKOS_IF_ON_HOST((if constexpr (!is_on_host) return far();))
    return at_pe(
        m_map, m_pe, [&] { return near(m_address); }, far);
  }
  /// Reports to the race detector that get_nbi() copies the element to `*into`.
  KOKKOS_FORCEINLINE_FUNCTION void tell_get_nbi(
      [[maybe_unused]] Value* into) const {
    check::copy(into, m_map.peer_ptr(m_address, 2 * m_map.my_pe - m_pe),
                sizeof(T), m_pe, false, true);
  }
  /// Calls operation(heap, symmetric address, pe), in the cases where at()
  /// calls far(). In kernels, `heap` is the map.
  template <class Operation>
  KOKKOS_FORCEINLINE_FUNCTION auto by_message(
      Operation const& operation) const {
    KOKKOS_IF_ON_HOST((return call_far(m_address, m_pe, operation);))
    // This translates the address from `pe`'s part of the heap to this PE's
    // part: peer_ptr() adds (argument - my_pe) strides.
    KOKKOS_IF_ON_DEVICE(
        (return operation(m_map,
                          const_cast<Value*>(m_map.peer_ptr(
                              m_address, 2 * m_map.my_pe - m_pe)),
                          m_pe);))
  }

 private:
  // On the host, accesses to near PEs read only the map members that at_pe()
  // needs. call_far() looks up the map again, so the other members are never
  // loaded.
  HeapMap m_map;
  T* m_address;
  Pe m_pe;
};

/// True for the proxy types that are defined below.
template <class T>
concept ElementOfARemoteView = requires(T const& element) {
  element.is_element_of_a_remote_view();
};

/// Returns a proxy's value; returns any other argument unchanged.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION decltype(auto) value_of_element(T const& element) {
  if constexpr (ElementOfARemoteView<T>) {
    return element.get();
  } else {
    return (element);
  }
}

/// An element whose operators load and store non-atomically. (An element of an
/// Atomic View is an AtomicRemoteElement.)
template <class T, bool is_on_host>
class RemoteElement : private ElementOfPe<T, is_on_host> {
  using Base = ElementOfPe<T, is_on_host>;

 public:
  using value_type = typename Base::Value;

  KOKKOS_FORCEINLINE_FUNCTION RemoteElement(HeapMap const& map, T* address,
                                            Pe pe)
      : Base(map, address, pe) {}

  /// The value, obtained with a load or a get.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION value_type get() const {
    return this->at(
        [](T* element) -> value_type {
          tell_access(element, false);
          return *element;
        },
        [&] { return get_far(); });
  }
  KOKKOS_FORCEINLINE_FUNCTION operator value_type() const { return get(); }

  /// Starts a get of the value, which is in `*into` after quiet(), or
  /// immediately if the PE is near. Unlike get(), does not wait for puts by
  /// this PE. On the host, several gets share a message; a kernel waits for
  /// each get.
  KOKKOS_FORCEINLINE_FUNCTION void get_nbi(value_type* into) const {
    [[maybe_unused]] check::Call const its_call("get_nbi of an element");
    this->tell_get_nbi(into);
    this->at([=](T* element) { *into = *element; },
             [&] {
               this->by_message([=]([[maybe_unused]] auto const& heap,
                                    value_type* address, Pe pe) {
                 KOKKOS_IF_ON_HOST((begin_get_of_far_element(
                                        into, heap, address, sizeof(T), pe);))
                 KOKKOS_IF_ON_DEVICE((*into = symm::g(heap, address, pe);))
               });
             });
  }

  /// Stores or puts a value.
  KOKKOS_FORCEINLINE_FUNCTION void put(value_type const& value) const {
    if constexpr (is_writable()) {
      this->at(
          [&](T* element) {
            tell_access(element, true);
            *element = value;
          },
          [&] { put_far(value); });
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION RemoteElement const& operator=(
      value_type const& value) const {
    put(value);
    return *this;
  }
  /// Assigns the value of `other`, which may be on another PE.
  KOKKOS_FORCEINLINE_FUNCTION RemoteElement const& operator=(
      RemoteElement const& other) const {
    put(other.get());
    return *this;
  }
  template <ElementOfARemoteView Other>
  KOKKOS_FORCEINLINE_FUNCTION RemoteElement const& operator=(
      Other const& other) const {
    put(static_cast<value_type>(other.get()));
    return *this;
  }

#define SYMM_ASSIGN(op)                                            \
  template <class Operand>                                         \
  KOKKOS_FORCEINLINE_FUNCTION RemoteElement const& operator op##=( \
      Operand const& operand) const {                              \
    if constexpr (is_writable()) {                                 \
      auto const& right = value_of_element(operand);               \
      change([&](value_type& value) {                              \
        if constexpr (std::is_arithmetic_v<value_type>) {          \
          value = static_cast<value_type>(value op right);         \
        } else {                                                   \
          value op## = right;                                      \
        }                                                          \
      });                                                          \
    }                                                              \
    return *this;                                                  \
  }
  SYMM_ASSIGN(+)
  SYMM_ASSIGN(-)
  SYMM_ASSIGN(*)
  SYMM_ASSIGN(/)
  SYMM_ASSIGN(%)
  SYMM_ASSIGN(&)
  SYMM_ASSIGN(|)
  SYMM_ASSIGN(^)
  SYMM_ASSIGN(<<)
  SYMM_ASSIGN(>>)
#undef SYMM_ASSIGN

  KOKKOS_FORCEINLINE_FUNCTION RemoteElement const& operator++() const {
    if constexpr (is_writable()) change([](value_type& value) { ++value; });
    return *this;
  }
  KOKKOS_FORCEINLINE_FUNCTION RemoteElement const& operator--() const {
    if constexpr (is_writable()) change([](value_type& value) { --value; });
    return *this;
  }
  KOKKOS_FORCEINLINE_FUNCTION value_type operator++(int) const {
    value_type const was = get();
    ++*this;
    return was;
  }
  KOKKOS_FORCEINLINE_FUNCTION value_type operator--(int) const {
    value_type const was = get();
    --*this;
    return was;
  }

  /// Swaps the values.
  friend KOKKOS_FORCEINLINE_FUNCTION void swap(RemoteElement const& a,
                                               RemoteElement const& b) {
    value_type const was = a.get();
    a.put(b.get());
    b.put(was);
  }
  friend KOKKOS_FORCEINLINE_FUNCTION void swap(RemoteElement const& a,
                                               value_type& b) {
    value_type const was = a.get();
    a.put(b);
    b = was;
  }
  friend KOKKOS_FORCEINLINE_FUNCTION void swap(value_type& a,
                                               RemoteElement const& b) {
    swap(b, a);
  }

  KOKKOS_FUNCTION static constexpr bool is_element_of_a_remote_view() {
    return true;
  }

 private:
  KOKKOS_FUNCTION static constexpr bool is_writable() {
    static_assert(!std::is_const_v<T>,
                  "a symm::remote_view of a View of const elements is "
                  "read-only: pass a View of non-const elements");
    return !std::is_const_v<T>;
  }

  /// Changes a near element in place. For a far element, gets the value,
  /// changes it and puts it back.
  template <class Change>
  KOKKOS_FORCEINLINE_FUNCTION void change(Change const& change_it) const {
    this->at(
        [&](T* element) {
          tell_access(element, true);
          change_it(*element);
        },
        [&] {
          value_type value = get_far();
          change_it(value);
          put_far(value);
        });
  }

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION value_type get_far() const {
    return this->by_message([]([[maybe_unused]] auto const& heap,
                               value_type* address, Pe pe) {
      KOKKOS_IF_ON_HOST((ElementMemory<value_type> memory; get_far_element(
                             &memory.element, heap, address, sizeof(T), pe);
                         return memory.element;))
      KOKKOS_IF_ON_DEVICE((symm::quiet(); return symm::g(heap, address, pe);))
    });
  }
  KOKKOS_FORCEINLINE_FUNCTION void put_far(value_type const& value) const {
    this->by_message(
        [=]([[maybe_unused]] auto const& heap, value_type* address, Pe pe) {
          KOKKOS_IF_ON_HOST(
              (put_far_element(heap, address, &value, sizeof(T), pe);))
          KOKKOS_IF_ON_DEVICE((symm::p(heap, address, value, pe);))
        });
  }
};

/// An element of an Atomic View: each operator is one atomic operation of
/// symm_atomics.hpp. Operators that return nothing need not wait for a far PE.
template <class T, bool is_on_host>
class AtomicRemoteElement : private ElementOfPe<T, is_on_host> {
  using Base = ElementOfPe<T, is_on_host>;

 public:
  using value_type = typename Base::Value;

  KOKKOS_FORCEINLINE_FUNCTION AtomicRemoteElement(HeapMap const& map,
                                                  T* address, Pe pe)
      : Base(map, address, pe) {}

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION value_type get() const {
    return this->at(
        [](T* element) { return symm::atomic_fetch<value_type>(element); },
        [&] {
          return this->by_message([]([[maybe_unused]] auto const& heap,
                                     value_type* address, Pe pe) {
            KOKKOS_IF_ON_HOST(
                (return symm::atomic_fetch<value_type>(address, pe);))
            KOKKOS_IF_ON_DEVICE(
                (return symm::atomic_fetch<value_type>(heap, address, pe);))
          });
        });
  }
  KOKKOS_FORCEINLINE_FUNCTION operator value_type() const { return get(); }

  KOKKOS_FORCEINLINE_FUNCTION AtomicRemoteElement const& operator=(
      value_type value) const {
    put(value);
    return *this;
  }
  /// Assigns the value of `other` in two steps, a fetch and a set.
  KOKKOS_FORCEINLINE_FUNCTION AtomicRemoteElement const& operator=(
      AtomicRemoteElement const& other) const {
    put(other.get());
    return *this;
  }

#define SYMM_ATOMIC_OPERATION(result, name, operation)                       \
  KOKKOS_FORCEINLINE_FUNCTION result name(value_type value) const {          \
    expect_writable();                                                       \
    return this->at(                                                         \
        [&](T* element) { return symm::operation(element, value); },         \
        [&] {                                                                \
          return this->by_message([=]([[maybe_unused]] auto const& heap,     \
                                      value_type* address, Pe pe) {          \
            KOKKOS_IF_ON_HOST((return symm::operation(address, value, pe);)) \
            KOKKOS_IF_ON_DEVICE(                                             \
                (return symm::operation(heap, address, value, pe);))         \
          });                                                                \
        });                                                                  \
  }
  SYMM_ATOMIC_OPERATION(void, put, atomic_set)
  SYMM_ATOMIC_OPERATION(void, operator+=, atomic_add)
  SYMM_ATOMIC_OPERATION(void, operator&=, atomic_and)
  SYMM_ATOMIC_OPERATION(void, operator|=, atomic_or)
  SYMM_ATOMIC_OPERATION(void, operator^=, atomic_xor)
  SYMM_ATOMIC_OPERATION(value_type, fetch_add, atomic_fetch_add)
#undef SYMM_ATOMIC_OPERATION

  KOKKOS_FORCEINLINE_FUNCTION void operator-=(value_type value) const {
    *this += static_cast<value_type>(value_type{} - value);
  }
  KOKKOS_FORCEINLINE_FUNCTION void operator++() const {
    *this += value_type{1};
  }
  KOKKOS_FORCEINLINE_FUNCTION void operator--() const {
    *this -= value_type{1};
  }
  KOKKOS_FORCEINLINE_FUNCTION value_type operator++(int) const {
    return fetch_add(value_type{1});
  }
  KOKKOS_FORCEINLINE_FUNCTION value_type operator--(int) const {
    return fetch_add(static_cast<value_type>(value_type{} - value_type{1}));
  }

  KOKKOS_FUNCTION static constexpr bool is_element_of_a_remote_view() {
    return true;
  }

 private:
  KOKKOS_FUNCTION static constexpr void expect_writable() {
    static_assert(!std::is_const_v<T>,
                  "a symm::remote_view of a View of const elements is "
                  "read-only: pass a View of non-const elements");
  }
};

// These operators apply to the values of proxies. They are needed because
// template operators, such as the operators of Kokkos::complex, do not consider
// a proxy's conversion. The return type is deduced: Clang 14 evaluates an
// explicit return type before it checks the constraint.

#define SYMM_OPERATOR(op)                                      \
  template <class A, class B>                                  \
  requires(ElementOfARemoteView<A> || ElementOfARemoteView<B>) \
      KOKKOS_FORCEINLINE_FUNCTION auto                         \
      operator op(A const& a, B const& b) {                    \
    return value_of_element(a) op value_of_element(b);         \
  }
SYMM_OPERATOR(+)
SYMM_OPERATOR(-)
SYMM_OPERATOR(*)
SYMM_OPERATOR(/)
SYMM_OPERATOR(%)
SYMM_OPERATOR(==)
SYMM_OPERATOR(!=)
SYMM_OPERATOR(<)
SYMM_OPERATOR(>)
SYMM_OPERATOR(<=)
SYMM_OPERATOR(>=)
#undef SYMM_OPERATOR

template <ElementOfARemoteView A>
KOKKOS_FORCEINLINE_FUNCTION auto operator-(A const& a) {
  return -a.get();
}

}  // namespace symm::Impl

#endif
