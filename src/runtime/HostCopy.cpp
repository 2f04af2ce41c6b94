// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "../runtime/HostCopy.hpp"

namespace symm {

void copy_host_words_apart(void* to, void const* from, std::size_t bytes) {
  char between[most_bytes_by_words];
  for_each_host_word<1>(from, bytes, [&](std::size_t at, auto width) {
    auto const word =
        load_host_word<width>(static_cast<char const*>(from) + at);
    std::memcpy(between + at, &word, width);
  });
  for_each_host_word<1>(to, bytes, [&](std::size_t at, auto width) {
    typename HostWord<width>::type word;
    std::memcpy(&word, between + at, width);
    store_host_word<width>(static_cast<char*>(to) + at, word);
  });
}

}  // namespace symm
