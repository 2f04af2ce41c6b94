// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_MAIL_EACH_OF_BLOCK_HPP
#define SYMM_MAIL_EACH_OF_BLOCK_HPP

#include <cstddef>
#include <exception>
#include <span>

namespace symm::Impl {

/// Calls f(message) for all messages in a block, even if some calls throw.
/// \throws the first exception that f() threw, after all calls.
template <class Message, class F>
void for_each_of_block(std::span<Message const> block, F const& f) {
  std::exception_ptr first;
  for (std::size_t k = 0; k < block.size();) {
    try {
      while (k < block.size()) f(block[k++]);
    } catch (...) {
      if (first == nullptr) first = std::current_exception();
    }
  }
  if (first != nullptr) std::rethrow_exception(first);
}

}  // namespace symm::Impl

#endif
