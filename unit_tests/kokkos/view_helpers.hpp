// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_VIEW_HELPERS_HPP
#define SYMM_TEST_VIEW_HELPERS_HPP

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <utility>

#include <Kokkos_SymmetricSpace.hpp>
#include <support/gpu.hpp>
#include <support/pattern.hpp>
#include <support/pes.hpp>

namespace symm_test {

// A CUDA build has these tests a second time, for SymmetricHostSpace.
#ifndef SYMM_TEST_SPACE
#define SYMM_TEST_SPACE symm::SymmetricSpace
#endif
using Space = SYMM_TEST_SPACE;

template <class MemorySpace>
inline constexpr bool is_on_host =
    Kokkos::SpaceAccessibility<Kokkos::DefaultHostExecutionSpace,
                               MemorySpace>::accessible;

/// The PEs as a ring: who this PE writes to, and who writes to it.
inline symm::Pe right() { return (symm::my_pe() + 1) % symm::n_pes(); }
inline symm::Pe left() {
  return (symm::my_pe() + symm::n_pes() - 1) % symm::n_pes();
}

/// What `from` sends to `to` as element i, never 0: a put that reaches the
/// wrong PE, the sender itself or the wrong element cannot pass.
KOKKOS_FUNCTION constexpr int value(symm::Pe from, symm::Pe to, std::size_t i) {
  return static_cast<int>(pattern({from, to}, i) % 1'000'000'007) + 1;
}

// All elements of a View. The host accesses what it reaches, by plain loads and
// stores; what it does not, a kernel does. Either has ended on return.

/// Calls body(n, i, j, ...) for the n-th element (i, j, ...), the last index
/// fastest.
template <class View, class Body>
struct OfElement {
  View view;
  Body body;

  template <std::size_t... R>
  KOKKOS_FUNCTION auto call(std::size_t n, std::index_sequence<R...>) const {
    [[maybe_unused]] std::size_t index[sizeof...(R) + 1];
    std::size_t rest = n;
    for (std::size_t r = sizeof...(R); r-- > 0;) {
      index[r] = rest % view.extent(r);
      rest /= view.extent(r);
    }
    return body(n, index[R]...);
  }
  KOKKOS_FUNCTION auto operator()(std::size_t n) const {
    return call(n, std::make_index_sequence<View::rank()>());
  }
};

/// Counts the elements for which that is true.
template <class View, class Body>
struct CountElement {
  OfElement<View, Body> of_element;
  KOKKOS_FUNCTION void operator()(std::size_t n, std::size_t& count) const {
    if (of_element(n)) ++count;
  }
};

template <class View>
using Elements = Kokkos::RangePolicy<typename View::execution_space,
                                     Kokkos::IndexType<std::size_t>>;

template <class View, class Body>
void for_each_element(View const& view, Body const& body) {
  OfElement<View, Body> const of_element{view, body};
  if constexpr (is_on_host<typename View::memory_space>) {
    for (std::size_t n = 0; n < view.size(); ++n) of_element(n);
  } else {
    Kokkos::parallel_for("for_each_element", Elements<View>(0, view.size()),
                         of_element);
    Kokkos::fence("symm_test::for_each_element");
  }
}

/// Elements for which body(n, i, j, ...) is true.
template <class View, class Body>
std::size_t count_elements(View const& view, Body const& body) {
  CountElement<View, Body> const count_element{{view, body}};
  std::size_t count = 0;
  if constexpr (is_on_host<typename View::memory_space>) {
    for (std::size_t n = 0; n < view.size(); ++n) count_element(n, count);
  } else {
    Kokkos::parallel_reduce("count_elements", Elements<View>(0, view.size()),
                            count_element, count);
  }
  return count;
}

template <class View>
struct SetElement {
  View view;
  symm::Pe from;
  symm::Pe to;
  template <class... Indices>
  KOKKOS_FUNCTION void operator()(std::size_t n, Indices... i) const {
    view(i...) = value(from, to, n);
  }
};

/// Fills a View with what `from` sends to `to`, as for_each_element() counts.
template <class View>
void fill(View const& view, symm::Pe from, symm::Pe to) {
  for_each_element(view, SetElement<View>{view, from, to});
}

template <class View>
struct IsWrong {
  View view;
  symm::Pe from;
  symm::Pe to;
  template <class... Indices>
  KOKKOS_FUNCTION bool operator()(std::size_t n, Indices... i) const {
    return view(i...) != value(from, to, n);
  }
};

/// Elements that are not what `from` has sent to `to`.
template <class View>
std::size_t count_wrong(View const& view, symm::Pe from, symm::Pe to) {
  return count_elements(view, IsWrong<View>{view, from, to});
}

template <class View>
struct IsEqual {
  View view;
  typename View::non_const_value_type what;
  template <class... Indices>
  KOKKOS_FUNCTION bool operator()(std::size_t, Indices... i) const {
    return view(i...) == what;
  }
};

/// Elements that are `what`.
template <class View>
std::size_t count_equal(View const& view,
                        typename View::non_const_value_type const& what) {
  return count_elements(view, IsEqual<View>{view, what});
}

// One element, from the host.

/// As a View of rank 0.
template <class View, class... Indices>
auto element(View const& view, Indices... i) {
  if constexpr (sizeof...(Indices) == 0) {
    return view;
  } else {
    return Kokkos::subview(view, i...);
  }
}

template <class View, class... Indices>
auto get(View const& view, Indices... i) {
  typename View::non_const_value_type result{};
  if constexpr (is_on_host<typename View::memory_space>) {
    result = view(i...);
  } else {
    Kokkos::deep_copy(result, element(view, i...));
  }
  return result;
}

template <class View, class... Indices>
void set(View const& view, typename View::value_type const& what,
         Indices... i) {
  if constexpr (is_on_host<typename View::memory_space>) {
    view(i...) = what;
  } else {
    Kokkos::deep_copy(element(view, i...), what);
  }
}

/// Element (indices...) of a GlobalView on one PE.
template <class Global, class... Indices>
struct GlobalElement {
  Global global;
  symm::Pe pe;
  Kokkos::Array<std::size_t, sizeof...(Indices)> indices;

  template <std::size_t... R>
  KOKKOS_FUNCTION auto& reference(std::index_sequence<R...>) const {
    return global(pe, indices[R]...);
  }
  KOKKOS_FUNCTION auto& reference() const {
    return reference(std::index_sequence_for<Indices...>());
  }
};

template <class Element, class Value>
struct StoreGlobal {
  Element element;
  Value what;
  KOKKOS_FUNCTION void operator()(std::size_t) const {
    element.reference() = what;
  }
};

template <class Element, class Value>
struct LoadGlobal {
  Element element;
  KOKKOS_FUNCTION void operator()(std::size_t, Value& result) const {
    result = element.reference();
  }
};

/// global(pe, i...) = what.
template <class Global, class... Indices>
void set_global(Global const& global, symm::Pe pe,
                typename Global::value_type const& what, Indices... i) {
  using View = typename Global::view_type;
  if constexpr (is_on_host<typename View::memory_space>) {
    global(pe, i...) = what;
  } else {
    using Element = GlobalElement<Global, Indices...>;
    using Value   = typename Global::value_type;
    Kokkos::parallel_for(
        "set_global", Elements<View>(0, 1),
        StoreGlobal<Element, Value>{
            {global, pe, {static_cast<std::size_t>(i)...}}, what});
    Kokkos::fence("symm_test::set_global");
  }
}

/// global(pe, i...).
template <class Global, class... Indices>
auto get_global(Global const& global, symm::Pe pe, Indices... i) {
  using View  = typename Global::view_type;
  using Value = typename View::non_const_value_type;
  Value result{};
  if constexpr (is_on_host<typename View::memory_space>) {
    result = global(pe, i...);
  } else {
    using Element = GlobalElement<Global, Indices...>;
    Kokkos::parallel_reduce("get_global", Elements<View>(0, 1),
                            LoadGlobal<Element, Value>{
                                {global, pe, {static_cast<std::size_t>(i)...}}},
                            result);
  }
  return result;
}

template <class Global>
struct SetGlobalElement {
  Global global;
  symm::Pe pe;
  symm::Pe from;
  template <class... Indices>
  KOKKOS_FUNCTION void operator()(std::size_t n, Indices... i) const {
    global(pe, i...) = value(from, pe, n);
  }
};

/// fill() of the copy of `pe`, through the GlobalView.
template <class Global>
void fill_global(Global const& global, symm::Pe pe, symm::Pe from) {
  for_each_element(global.local(), SetGlobalElement<Global>{global, pe, from});
}

/// A View whose neighbors in the heap must stay as they are.
class GuardView {
 public:
  GuardView() : m_view("guard") { Kokkos::deep_copy(m_view, pattern); }
  [[nodiscard]] bool is_intact() const {
    return count_equal(m_view, pattern) == m_view.size();
  }

 private:
  static constexpr int pattern = -77;
  Kokkos::View<int[64], Space> m_view;
};

// The heap of Space.

inline symm::HeapStats stats() { return symm::heap_stats(Space::memory_kind); }

/// Fewer rounds where a step is one of a GPU, which PEs share: all rounds of
/// host memory are run where there is none.
constexpr int rounds(int on_host) {
#ifdef SYMM_TEST_GPU
  return (on_host + 9) / 10;
#else
  return on_host;
#endif
}

/// Collective: reclaims what earlier tests have destroyed, gives free chunks
/// back, and returns what the heap is like then.
inline symm::HeapStats settled() {
  symm::heap_trim();
  return stats();
}

/// Collective calls so far: local work must not change their number.
inline std::uint64_t n_calls() { return stats().n_collective_calls; }

/// The text of the exception that `call` throws; says so if it throws none or
/// another. Use EXPECT_THAT(message_of<E>(...), HasSubstr("...")).
template <class Exception, class Call>
std::string message_of(Call const& call) {
  try {
    call();
  } catch (Exception const& error) {
    return error.what();
  } catch (std::exception const& error) {
    return std::string("another exception: ") + error.what();
  }
  return "no exception";
}

}  // namespace symm_test

#endif
