// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "HostCopy.hpp"

#include <bit>

#include "HostWords.hpp"

namespace symm::Impl {

void copy_host_words(void* to, void const* from, std::size_t bytes) {
  auto* const target       = static_cast<char*>(to);
  auto const* const source = static_cast<char const*>(from);
  std::size_t const widest =
      bytes < widest_host_word ? std::bit_floor(bytes) : widest_host_word;
  std::size_t const differ =
      reinterpret_cast<std::size_t>(to) ^ reinterpret_cast<std::size_t>(from);
  if (differ % widest == 0) {
    for_each_host_word(to, bytes, [&](std::size_t at, auto width) {
      store_host_word<width>(target + at, load_host_word<width>(source + at));
    });
    return;
  }
  // Source and target have different alignments: load everything first, then
  // store.
  char between[max_bytes_by_words];
  for_each_host_word(from, bytes, [&](std::size_t at, auto width) {
    auto const word = load_host_word<width>(source + at);
    std::memcpy(between + at, &word, width);
  });
  for_each_host_word(to, bytes, [&](std::size_t at, auto width) {
    typename HostWord<width>::type word;
    std::memcpy(&word, between + at, width);
    store_host_word<width>(target + at, word);
  });
}

}  // namespace symm::Impl
