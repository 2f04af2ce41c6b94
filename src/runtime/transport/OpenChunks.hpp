// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TRANSPORT_OPEN_CHUNKS_HPP
#define SYMM_TRANSPORT_OPEN_CHUNKS_HPP

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>

#include "../engines/OneSided.hpp"

namespace symm::Impl {

/// Where the engine reaches chunks of another PE's host heap without messages.
/// Any thread.
class OpenChunks {
 public:
  /// Where the chunk starts; nothing: it is not reached.
  using Answer = std::optional<OneSided::Place>;

  /// \param offset of the chunk. \returns nothing: nobody has asked.
  [[nodiscard]] std::optional<Answer> find(std::size_t offset) const {
    std::lock_guard const lock(m_mutex);
    auto const found = m_answers.find(offset);
    if (found == m_answers.end()) return {};
    return found->second;
  }
  /// \throws std::bad_alloc.
  void add(std::size_t offset, Answer const& answer) {
    std::lock_guard const lock(m_mutex);
    m_answers.emplace(offset, answer);
  }
  void forget(std::size_t offset) noexcept {
    std::lock_guard const lock(m_mutex);
    m_answers.erase(offset);
  }

 private:
  mutable std::mutex m_mutex;
  std::map<std::size_t, Answer> m_answers;
};

}  // namespace symm::Impl

#endif
