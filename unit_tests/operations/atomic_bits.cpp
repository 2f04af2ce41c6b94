// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Atomic minimum, maximum and bits, loads and stores: of all PEs at once, on
// the word of one of them.

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <Kokkos_SymmetricSpace.hpp>
#include <kokkos/view_helpers.hpp>
#include <support/pes.hpp>

#include "atomic_helpers.hpp"

namespace {

using namespace symm_test;

template <class Form>
class AtomicValues : public testing::Test {
 protected:
  void SetUp() override {
    if (std::is_same_v<Form, WithAddress> && !are_all_near()) {
      GTEST_SKIP() << "there are PEs that loads and stores do not reach";
    }
  }
};
TYPED_TEST_SUITE(AtomicValues, Forms);

/// Operand i of `pe`: each is unlike all others, and beyond the earlier ones.
template <bool is_min, class T>
KOKKOS_FUNCTION T operand(T initial, T step, Pe pe, int n_pes, int i) {
  T const distance = step * static_cast<T>(i * n_pes + pe + 1);
  return is_min ? initial - distance : initial + distance;
}

/// returned[i] is what this operation has replaced; the initial value if it has
/// replaced nothing, or has not asked.
template <bool is_min, class Form, class T>
struct Extreme {
  Form form;
  T* word;
  Pe pe;
  T* returned;
  T initial;
  T step;
  Pe me;
  int n_pes;
  KOKKOS_FUNCTION void operator()(int i) const {
    using namespace op;
    using Op = std::conditional_t<is_min, atomic_min, atomic_max>;
    using FetchOp =
        std::conditional_t<is_min, atomic_fetch_min, atomic_fetch_max>;
    T const what = operand<is_min>(initial, step, me, n_pes, i);
    returned[i]  = initial;
    if (i % 8 == 0) {
      form.call(Op(), word, pe, what);
    } else {
      T const was = form.call(FetchOp(), word, pe, what);
      if (is_min ? what < was : what > was) returned[i] = was;
    }
  }
};

template <bool is_min, class T, class Form>
void test_extreme(T initial, T step) {
  int const n = symm::n_pes();
  for (Pe pe = 0; pe < n; ++pe) {
    Word<T> const word(initial);
    run_all<Form>(count(),
                  Extreme<is_min, Form, T>{make<Form>(), word.address(), pe,
                                           word.returned(), initial, step,
                                           symm::my_pe(), n});
    EXPECT_EQ(word.result(),
              symm::my_pe() == pe
                  ? operand<is_min>(initial, step, n - 1, n, count() - 1)
                  : initial);
    // Nothing is replaced twice.
    auto all = word.all_returned();
    all.erase(std::remove(all.begin(), all.end(), initial), all.end());
    EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
    if (std::is_same_v<Form, OnHost>) {  // one after the other
      EXPECT_GE(all.size(), static_cast<std::size_t>(count() / 2));
    }
    symm::barrier_all();
  }
}

template <class T, class Form>
void test_extremes(T initial, T step) {
  test_extreme<true, T, Form>(initial, step);
  test_extreme<false, T, Form>(initial, step);
}

TYPED_TEST(AtomicValues, min_and_max_find_the_extremes_of_all_PEs) {
  test_extremes<long, TypeParam>(-billions, billions);
  test_extremes<long long, TypeParam>(billions, billions);
  test_extremes<std::uint64_t, TypeParam>(std::uint64_t{1} << 63U, billions);
  test_extremes<int, TypeParam>(3, 7);
  test_extremes<unsigned, TypeParam>(1U << 31U, 3);
  test_extremes<double, TypeParam>(-0.5, 0.25);
  test_extremes<float, TypeParam>(5, 0.5F);
}

/// Number `i` of the bits of T that belong to this PE; 0 if there is none.
template <class T>
KOKKOS_FUNCTION constexpr T own_bit(Pe me, int n_pes, int i) {
  int const bit = i * n_pes + me;
  using Bits    = std::make_unsigned_t<T>;
  return bit < static_cast<int>(8 * sizeof(T))
             ? static_cast<T>(Bits{1} << static_cast<unsigned>(bit))
             : T{0};
}

/// Sets, turns over and clears the bits of this PE, each by both operations;
/// counts the times that a bit was not what this PE had made it.
template <class Form, class T>
struct OwnBits {
  Form form;
  T* word;
  Pe pe;
  T* returned;
  Pe me;
  int n_pes;
  int n_rounds;

  KOKKOS_FUNCTION int is_wrong(T was, T bit, bool is_set) const {
    return (was & bit) == (is_set ? bit : T{0}) ? 0 : 1;
  }
  KOKKOS_FUNCTION void operator()(int i) const {
    using namespace op;
    T const bit  = own_bit<T>(me, n_pes, i);
    T const rest = static_cast<T>(~bit);
    int n_wrong  = 0;
    for (int round = 0; round < n_rounds; ++round) {
      form.call(atomic_or(), word, pe, bit);
      n_wrong +=
          is_wrong(form.call(atomic_fetch_and(), word, pe, rest), bit, true);
      n_wrong +=
          is_wrong(form.call(atomic_fetch_or(), word, pe, bit), bit, false);
      form.call(atomic_and(), word, pe, rest);
      n_wrong +=
          is_wrong(form.call(atomic_fetch_xor(), word, pe, bit), bit, false);
      form.call(atomic_xor(), word, pe, bit);
      n_wrong +=
          is_wrong(form.call(atomic_fetch_xor(), word, pe, bit), bit, false);
    }
    returned[i] = static_cast<T>(n_wrong);
  }
};

template <class T, class Form>
void test_bits() {
  for (Pe pe = 0; pe < symm::n_pes(); ++pe) {
    Word<T> const word(T{0});
    run_all<Form>(
        64, OwnBits<Form, T>{make<Form>(), word.address(), pe, word.returned(),
                             symm::my_pe(), symm::n_pes(), count() / 40});
    // Every bit was turned over last.
    EXPECT_EQ(word.result(),
              symm::my_pe() == pe ? static_cast<T>(~T{0}) : T{0});
    EXPECT_EQ(word.all_returned().back(), T{0});
    symm::barrier_all();
  }
}

TYPED_TEST(AtomicValues, bits_of_the_same_word_belong_to_different_PEs) {
  test_bits<std::uint64_t, TypeParam>();
  test_bits<long long, TypeParam>();
  test_bits<unsigned, TypeParam>();
  test_bits<int, TypeParam>();
}

/// Stores words whose halves are equal, and looks for others.
template <class Form, class T>
struct StoreAndLoad {
  Form form;
  T* word;
  Pe pe;
  T* returned;
  Pe me;
  KOKKOS_FUNCTION void operator()(int i) const {
    auto const half = static_cast<std::uint32_t>(me * max_count + i);
    auto const both = std::uint64_t{half} << 32U | half;
    form.call(op::atomic_set(), word, pe, Kokkos::bit_cast<T>(both));
    auto const seen = Kokkos::bit_cast<std::uint64_t>(
        form.call(op::atomic_fetch(), word, pe));
    bool const is_whole = seen >> 32U == (seen & 0xffff'ffffU);
    returned[i]         = is_whole ? T{0} : T{1};
  }
};

template <class T, class Form>
void test_whole() {
  for (Pe pe = 0; pe < symm::n_pes(); ++pe) {
    Word<T> const word(T{0});
    run_all<Form>(count(),
                  StoreAndLoad<Form, T>{make<Form>(), word.address(), pe,
                                        word.returned(), symm::my_pe()});
    auto const last = Kokkos::bit_cast<std::uint64_t>(word.result());
    EXPECT_EQ(last >> 32U, last & 0xffff'ffffU);
    EXPECT_EQ(word.all_returned().back(), T{0}) << "on PE " << pe;
    EXPECT_TRUE(symm::my_pe() == pe || last == 0);
    symm::barrier_all();
  }
}

TYPED_TEST(AtomicValues, fetch_and_set_move_whole_words) {
  test_whole<std::uint64_t, TypeParam>();
  test_whole<long, TypeParam>();
  test_whole<double, TypeParam>();
}

enum class Color : std::uint32_t { red = 1, green = 0x8000'0001U, blue };

/// Stores, swaps and compares what is no number.
template <class Form, class T>
struct Replace {
  Form form;
  T* word;
  Pe pe;
  T* returned;
  T a;
  T b;
  KOKKOS_FUNCTION void operator()(int) const {
    form.call(op::atomic_set(), word, pe, a);
    returned[0] = form.call(op::atomic_fetch(), word, pe);               // a
    returned[1] = form.call(op::atomic_swap(), word, pe, b);             // a
    returned[2] = form.call(op::atomic_compare_swap(), word, pe, a, a);  // b
    returned[3] = form.call(op::atomic_compare_swap(), word, pe, b, a);  // b
    returned[4] = form.call(op::atomic_fetch(), word, pe);               // a
  }
};

template <class T, class Form>
void test_replace(T initial, T a, T b) {
  Kokkos::View<std::uint64_t*, Space> const words("words", 6);
  T* const word     = static_cast<T*>(static_cast<void*>(words.data()));
  T* const returned = word + 1;
  set_value(word, initial);
  symm::barrier_all();
  run_all<Form>(1,
                Replace<Form, T>{make<Form>(), word, right(), returned, a, b});
  symm::barrier_all();
  EXPECT_TRUE(get_value(word) == a);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_TRUE(get_value(returned + i) == (i == 2 || i == 3 ? b : a)) << i;
  }
  symm::barrier_all();
}

TYPED_TEST(AtomicValues, enumerations_and_pointers_are_replaced) {
  // Any: a pointer is good on the PE that made it only.
  auto* const x = reinterpret_cast<int*>(std::uintptr_t{0x1234'5678'9ab0});
  test_replace<Color, TypeParam>(Color::red, Color::green, Color::blue);
  test_replace<int*, TypeParam>(nullptr, x, x + 4);
}

template <class Form>
struct SwapZeroes {
  Form form;
  double* word;
  Pe pe;
  KOKKOS_FUNCTION void operator()(int) const {
    form.call(op::atomic_compare_swap(), word, pe, -0.0, 5.0);  // 0.0 is there
    double const nan = form.call(op::atomic_swap(), word + 1, pe, 2.0);
    form.call(op::atomic_set(), word + 1, pe, nan);
    form.call(op::atomic_compare_swap(), word + 1, pe, nan, 7.0);
  }
};

TYPED_TEST(AtomicValues, compare_swap_compares_bits) {
  Kokkos::View<double*, Space> const words("words", 2);
  set_value(words.data() + 1, std::numeric_limits<double>::quiet_NaN());
  symm::barrier_all();
  run_all<TypeParam>(
      1, SwapZeroes<TypeParam>{make<TypeParam>(), words.data(), right()});
  symm::barrier_all();
  EXPECT_EQ(get_value(words.data()), 0.0);
  EXPECT_EQ(get_value(words.data() + 1), 7.0);
  symm::barrier_all();
}

TYPED_TEST(AtomicValues, a_NaN_is_no_extreme) {
  Word<double> const word(1.0);
  double const nan = std::numeric_limits<double>::quiet_NaN();
  change_all<op::atomic_min, TypeParam>(word, right(), nan, 0.0);
  change_all<op::atomic_max, TypeParam>(word, right(), nan, 0.0);
  EXPECT_EQ(word.result(), 1.0);
  symm::barrier_all();
}

}  // namespace
