// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_SNAPSHOT_HPP
#define SYMM_SNAPSHOT_HPP

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <type_traits>

namespace symm::Impl {

/// A value that one thread at a time publishes and any number of threads read
/// without locks (a seqlock). Readers always see a complete value. A writer
/// never waits; a reader retries while a change is in progress.
template <class Value>
requires(std::is_trivially_copyable_v<Value> &&
         sizeof(Value) % sizeof(std::uint64_t) == 0) class Snapshot {
 public:
  void publish(Value const& value) {
    auto const version = m_version.load(std::memory_order_relaxed);
    m_version.store(version + 1, std::memory_order_relaxed);
    // A reader that sees any of these words also sees the odd version.
    for (std::size_t i = 0; i < m_words.size(); ++i) {
      std::uint64_t word;
      std::memcpy(&word,
                  reinterpret_cast<char const*>(&value) + i * sizeof word,
                  sizeof word);
      m_words[i].store(word, std::memory_order_release);
    }
    m_version.store(version + 2, std::memory_order_release);
  }

  [[nodiscard]] Value read() const {
    Words words;
    while (true) {
      auto const version = m_version.load(std::memory_order_acquire);
      // If any word is from a later change, the second load of the version
      // returns a different number.
      for (std::size_t i = 0; i < words.size(); ++i) {
        words[i] = m_words[i].load(std::memory_order_acquire);
      }
      if (version % 2 == 0 &&
          m_version.load(std::memory_order_relaxed) == version) {
        return std::bit_cast<Value>(words);
      }
    }
  }

 private:
  using Words =
      std::array<std::uint64_t, sizeof(Value) / sizeof(std::uint64_t)>;

  std::array<std::atomic<std::uint64_t>, std::tuple_size_v<Words>> m_words{};
  std::atomic<std::uint64_t> m_version{0};  // odd while a change is in progress
};

}  // namespace symm::Impl

#endif
