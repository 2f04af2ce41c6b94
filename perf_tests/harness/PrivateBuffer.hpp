// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PERF_PRIVATE_BUFFER_HPP
#define SYMM_PERF_PRIVATE_BUFFER_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>

namespace perf {

/// Page-aligned private memory of this PE, as from malloc. It has been written
/// once, so that no page fault falls into a timed part.
class PrivateBuffer {
 public:
  /// \param bytes  rounded up to a multiple of the page size; a word has 8
  ///        bytes.
  explicit PrivateBuffer(std::size_t bytes)
      : m_words(static_cast<std::uint64_t*>(
            std::aligned_alloc(page_bytes, round_up(bytes)))),
        m_count(bytes / sizeof(std::uint64_t)) {
    if (m_words == nullptr) throw std::bad_alloc();
    std::fill_n(m_words.get(), round_up(bytes) / sizeof(std::uint64_t),
                std::uint64_t{0});
  }

  [[nodiscard]] std::uint64_t* data() const { return m_words.get(); }
  [[nodiscard]] std::span<std::uint64_t> words() const {
    return {m_words.get(), m_count};
  }

 private:
  static constexpr std::size_t page_bytes = 4096;

  static constexpr std::size_t round_up(std::size_t bytes) {
    return std::max((bytes + page_bytes - 1) / page_bytes, std::size_t{1}) *
           page_bytes;
  }

  struct Free {
    void operator()(void* p) const { std::free(p); }
  };

  std::unique_ptr<std::uint64_t, Free> m_words;
  std::size_t m_count;
};

}  // namespace perf

#endif
