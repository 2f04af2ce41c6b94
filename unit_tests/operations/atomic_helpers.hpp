// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_ATOMIC_HELPERS_HPP
#define SYMM_TEST_ATOMIC_HELPERS_HPP

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <Kokkos_SymmetricSpace.hpp>
#include <kokkos/view_helpers.hpp>
#include <support/Sanitizers.hpp>
#include <support/memory.hpp>
#include <support/pes.hpp>

namespace symm_test {

using symm::Pe;
using Exec = Space::execution_space;

inline constexpr std::int64_t billions = 5'000'000'011;  // more than 32 bits

// The operations, to pass to templates.
#define OPERATION(name)                                        \
  struct name {                                                \
    static constexpr int number = __LINE__;                    \
    template <class... Arguments>                              \
    KOKKOS_FUNCTION static auto call(Arguments... arguments) { \
      return symm::name(arguments...);                         \
    }                                                          \
    template <class... Arguments>                              \
    static auto call_on_host(Arguments... arguments) {         \
      return symm::name(arguments...);                         \
    }                                                          \
  };
namespace op {
OPERATION(atomic_fetch)
OPERATION(atomic_set)
OPERATION(atomic_swap)
OPERATION(atomic_compare_swap)
OPERATION(atomic_fetch_add)
OPERATION(atomic_add)
OPERATION(atomic_fetch_inc)
OPERATION(atomic_inc)
OPERATION(atomic_fetch_min)
OPERATION(atomic_min)
OPERATION(atomic_fetch_max)
OPERATION(atomic_max)
OPERATION(atomic_fetch_and)
OPERATION(atomic_and)
OPERATION(atomic_fetch_or)
OPERATION(atomic_or)
OPERATION(atomic_fetch_xor)
OPERATION(atomic_xor)
}  // namespace op

// Their three forms. Each calls an operation on PE `pe`'s copy of *address.

struct WithHeap {
  symm::HeapMap heap;
  template <class Op, class T, class... Values>
  KOKKOS_FUNCTION auto call(Op, T* address, Pe pe, Values... values) const {
    return Op::call(heap, address, values..., pe);
  }
};

struct WithAddress {
  symm::HeapMap heap;
  template <class Op, class T, class... Values>
  KOKKOS_FUNCTION auto call(Op, T* address, Pe pe, Values... values) const {
    return Op::call(heap.peer_ptr(address, pe), values...);
  }
};

/// One of the two, by operation and type: each operation, and each kind of
/// number, has both. For GPUs, where both for all are twice the compiling.
struct InTurn {
  symm::HeapMap heap;
  template <class Op, class T, class... Values>
  KOKKOS_FUNCTION auto call(Op op, T* address, Pe pe, Values... values) const {
    constexpr int number =
        Op::number + int{std::is_signed_v<T>} + int{sizeof(T) == 8};
    if constexpr (number % 2 == 0) {
      return WithHeap{heap}.call(op, address, pe, values...);
    } else {
      if (!heap.is_near(pe))  // no address for loads and stores
        return WithHeap{heap}.call(op, address, pe, values...);
      return WithAddress{heap}.call(op, address, pe, values...);
    }
  }
};

/// Of the host only: throws, on GPU memory.
struct OnHost {
  symm::HeapMap heap;
  template <class Op, class T, class... Values>
  KOKKOS_FUNCTION auto call(Op, [[maybe_unused]] T* address,
                            [[maybe_unused]] Pe pe,
                            [[maybe_unused]] Values... values) const
      -> decltype(Op::call(address, values...)) {
    KOKKOS_IF_ON_HOST((return Op::call_on_host(address, values..., pe);))
    KOKKOS_IF_ON_DEVICE((return decltype(Op::call(address, values...))();))
  }
};

/// Collective: calls body(i) for all i below `n`, at once where Form is of
/// kernels. All PEs start together, twice: or one is done before another
/// begins.
template <class Form, class Body>
void run_all(int n, Body const& body) {
  int const n_starts = std::min(n, 2);
  for (int start = 0; start < n_starts; ++start) {
    int const begin = n / n_starts * start;
    int const end   = start + 1 < n_starts ? begin + n / n_starts : n;
    wait_for_all_pes();
    if constexpr (std::is_same_v<Form, OnHost>) {
      for (int i = begin; i < end; ++i) body(i);
    } else {
      Kokkos::parallel_for("run_all", Kokkos::RangePolicy<Exec>(begin, end),
                           body);
      Exec().fence("run_all");
    }
  }
}

/// Operations of each PE in a test: of those whose results are looked at, and
/// of the others. Fewer on GPUs, which PEs share, and where every access is
/// checked.
inline constexpr int max_count =
    is_on_host<Space> ? fewer_if_sanitized(20'000) : 1000;
inline constexpr int max_n_times =
    is_on_host<Space> ? fewer_if_sanitized(100'000) : 1000;
/// And between nodes, where each with a result takes ten microseconds.
inline int fewer_over_nodes(int most) {
  return are_all_near() ? most : std::max(most / 200, 80);
}
inline int count() { return fewer_over_nodes(max_count); }
inline int n_times() { return fewer_over_nodes(max_n_times); }

template <class Form>
Form make() {
  return {symm::heap_map(Space::memory_kind)};
}

/// A word of each PE, between words that must stay as they are; and a list of
/// what the operations of this PE have returned. In Views of one type whatever
/// T is: less to compile.
template <class T>
class Word {
 public:
  explicit Word(T initial) {
    for (std::size_t i = 0; i < 3; ++i) {
      set_value(address() - 1 + i, i == 1 ? initial : guard);
    }
    symm::barrier_all();
  }
  Word(Word const&)            = delete;
  Word& operator=(Word const&) = delete;
  ~Word() {
    EXPECT_EQ(get_value(address() - 1), guard);
    EXPECT_EQ(get_value(address() + 1), guard);
  }

  [[nodiscard]] T* address() const { return start_of(m_words) + 1; }
  [[nodiscard]] T* returned() const { return start_of(m_returned); }

  /// Collective: what the word of this PE is when all PEs are done.
  [[nodiscard]] T result() const {
    symm::barrier_all();
    return get_value(address());
  }

  /// Collective: what all PEs' operations have returned, in increasing order.
  [[nodiscard]] std::vector<T> all_returned() const {
    std::array<T, max_count> list{};
    read_memory(list.data(), returned(), sizeof list);
    std::vector<T> all;
    for (auto const& other : gather(list)) {
      all.insert(all.end(), other.begin(), other.begin() + count());
    }
    std::sort(all.begin(), all.end());
    return all;
  }

 private:
  using Words = Kokkos::View<std::uint64_t*, Space>;
  static T* start_of(Words const& words) {
    return static_cast<T*>(static_cast<void*>(words.data()));
  }

  static constexpr T guard = T(-77);
  Words m_words{"word between guards", 3};
  Words m_returned{"returned", max_count};
};

/// returned[i] = Op(word of pe, first + step * i): what an operation returns,
/// of an operand that differs between all operations.
template <class Op, class Form, class T>
struct Fetch {
  Form form;
  T* word;
  Pe pe;
  T* returned;
  T first;
  T step;
  KOKKOS_FUNCTION void operator()(int i) const {
    returned[i] = form.call(Op(), word, pe, first + step * static_cast<T>(i));
  }
};

/// The same with an operation that returns nothing.
template <class Op, class Form, class T>
struct Change {
  Form form;
  T* word;
  Pe pe;
  T first;
  T step;
  KOKKOS_FUNCTION void operator()(int i) const {
    form.call(Op(), word, pe, first + step * static_cast<T>(i % 16));
  }
};

template <class Form, class T>
struct FetchInc {
  Form form;
  T* word;
  Pe pe;
  T* returned;
  KOKKOS_FUNCTION void operator()(int i) const {
    returned[i] = form.call(op::atomic_fetch_inc(), word, pe);
    form.call(op::atomic_inc(), word, pe);
  }
};

template <class Op, class Form, class T>
void fetch_all(Word<T> const& word, Pe pe, T first, T step) {
  run_all<Form>(count(), Fetch<Op, Form, T>{make<Form>(), word.address(), pe,
                                            word.returned(), first, step});
}
template <class Op, class Form, class T>
void change_all(Word<T> const& word, Pe pe, T first, T step) {
  run_all<Form>(n_times(), Change<Op, Form, T>{make<Form>(), word.address(), pe,
                                               first, step});
}

/// For typed tests.
using Forms = std::conditional_t<is_on_host<Space>,
                                 testing::Types<WithHeap, WithAddress, OnHost>,
                                 testing::Types<InTurn>>;

}  // namespace symm_test

#endif
