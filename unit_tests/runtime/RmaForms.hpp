// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_RMA_FORMS_HPP
#define SYMM_TEST_RMA_FORMS_HPP

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include <runtime/symm_job.hpp>
#include <runtime/symm_rma.hpp>

/// Remote memory access in a program without Kokkos, for any heap.
namespace symm_test::rma {

constexpr std::size_t count = 1001;

/// Differs for every sender, receiver and element.
constexpr int value(symm::Pe from, symm::Pe to, std::size_t i) {
  return (from * 64 + to) * 10'000 + static_cast<int>(i);
}

/// Elements that `from` sends to `to`.
inline std::vector<int> values(symm::Pe from, symm::Pe to) {
  std::vector<int> all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = value(from, to, i);
  return all;
}

/// The next PE, to which each PE puts, and the one before it.
inline symm::Pe next() { return (symm::my_pe() + 1) % symm::n_pes(); }
inline symm::Pe previous() {
  return (symm::my_pe() + symm::n_pes() - 1) % symm::n_pes();
}

/// Collective: all PEs have put; `count` elements, each `stride` behind the one
/// before, are what the previous PE has sent.
inline void expect_from_previous(int* mine, std::size_t stride = 1) {
  symm::barrier_all();
  symm::Pe const me = symm::my_pe();
  std::vector<int> found(count);
  symm::iget(found.data(), mine, 1, stride, count, me);
  EXPECT_EQ(found, values(previous(), me));
  symm::barrier_all();
}

/// Collective: every form of the host, on a block of 5 * count elements.
inline void use_forms_of_the_host(int* block) {
  symm::Pe const me = symm::my_pe();
  auto const source = values(me, next());
  auto const bytes  = count * sizeof(int);

  symm::put(block, source.data(), count, next());
  expect_from_previous(block);
  symm::put_nbi(block + 1, source.data(), count, next());
  expect_from_previous(block + 1);
  symm::putmem(block + 2, source.data(), bytes, next());
  expect_from_previous(block + 2);
  symm::putmem_nbi(block + 3, source.data(), bytes, next());
  expect_from_previous(block + 3);
  symm::iput(block, source.data(), 5, 1, count, next());
  expect_from_previous(block, 5);
  for (std::size_t i = 0; i < 3; ++i) symm::p(block + i, source[i], next());
  symm::barrier_all();
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(symm::g(block + i, me), value(previous(), me, i));
    EXPECT_EQ(symm::g(block + i, next()), value(me, next(), i));
  }
  symm::barrier_all();

  symm::put(block, source.data(), count, me);  // for the previous one
  symm::barrier_all();
  auto const theirs = values(previous(), me);
  std::vector<int> dest(count);
  symm::get(dest.data(), block, count, previous());
  EXPECT_EQ(dest, theirs);
  dest.assign(count, 0);
  symm::get_nbi(dest.data(), block, count, previous());
  EXPECT_EQ(dest, theirs);
  dest.assign(count, 0);
  symm::getmem(dest.data(), block, bytes, previous());
  EXPECT_EQ(dest, theirs);
  dest.assign(count, 0);
  symm::getmem_nbi(dest.data(), block, bytes, previous());
  EXPECT_EQ(dest, theirs);
  symm::barrier_all();
}

}  // namespace symm_test::rma

#endif
