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

/// The chunks in another PE's host heap that the engine can reach without
/// messages. Callable from any thread.
class OpenChunks {
 public:
  /// The start of a chunk; nullopt if the engine cannot reach the chunk.
  using Answer = std::optional<OneSided::Place>;

  /// \param offset The chunk's offset.
  /// \returns nullopt if no answer has arrived yet. Otherwise, returns the
  ///          other PE's answer, which may itself be nullopt.
  [[nodiscard]] std::optional<Answer> find(std::size_t offset) const {
    std::lock_guard const lock(m_mutex);
    auto const found = m_answers.find(offset);
    if (found == m_answers.end()) return {};
    return found->second;
  }
  /// \returns whether the caller is the first to need the chunk and so must
  ///          request the chunk's key from the other PE. Each key is requested
  ///          only once, so no answer arrives after the chunk has been
  ///          unmapped.
  /// \throws std::bad_alloc.
  [[nodiscard]] bool is_to_ask(std::size_t offset) {
    std::lock_guard const lock(m_mutex);
    return m_answers.emplace(offset, std::nullopt).second;
  }
  void answer(std::size_t offset, Answer const& answer) noexcept {
    std::lock_guard const lock(m_mutex);
    auto const asked = m_answers.find(offset);
    if (asked != m_answers.end()) asked->second = answer;
  }
  void forget(std::size_t offset) noexcept {
    std::lock_guard const lock(m_mutex);
    m_answers.erase(offset);
  }

 private:
  mutable std::mutex m_mutex;
  std::map<std::size_t, std::optional<Answer>> m_answers;
};

}  // namespace symm::Impl

#endif
