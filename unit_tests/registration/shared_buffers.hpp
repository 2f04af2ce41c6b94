// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_SHARED_BUFFERS_HPP
#define SYMM_TEST_SHARED_BUFFERS_HPP

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <kokkos/view_helpers.hpp>
#include <runtime/symm_errors.hpp>
#include <runtime/symm_job.hpp>
#include <runtime/symm_shared_buffers.hpp>
#include <support/pattern.hpp>
#include <support/pes.hpp>

namespace symm_test {

using Word = std::uint64_t;
using symm::Pe;
using symm::SharedHostBuffer;
using testing::AllOf;
using testing::HasSubstr;

inline std::string pe_text(Pe pe) { return "PE " + std::to_string(pe); }

/// Private memory of this PE with guard cells on both sides.
class GuardedWords {
 public:
  explicit GuardedWords(std::size_t count)
      : m_words(count + 2 * n_guards, guard) {}

  [[nodiscard]] Word* data() { return m_words.data() + n_guards; }
  [[nodiscard]] std::size_t count() const {
    return m_words.size() - 2 * n_guards;
  }
  [[nodiscard]] Word operator[](std::size_t i) const {
    return m_words[n_guards + i];
  }
  void fill(Tag tag) {
    for (std::size_t i = 0; i < count(); ++i) data()[i] = pattern(tag, i);
  }
  /// Words from `begin` on that are not the first ones of the data.
  [[nodiscard]] std::size_t n_wrong(Tag tag, std::size_t begin,
                                    std::size_t count) const {
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < count; ++i) {
      wrong += (*this)[begin + i] != pattern(tag, i) ? 1U : 0U;
    }
    return wrong;
  }
  /// Guard cells, and words outside of [begin, end), that were written.
  [[nodiscard]] std::size_t n_touched_outside(std::size_t begin,
                                              std::size_t end) const {
    std::size_t touched = 0;
    for (std::size_t i = 0; i < m_words.size(); ++i) {
      bool const is_inside = begin + n_guards <= i && i < end + n_guards;
      touched += !is_inside && m_words[i] != guard ? 1U : 0U;
    }
    return touched;
  }

 private:
  static constexpr std::size_t n_guards = 8;
  static constexpr Word guard           = 0xdead'beef'0bad'cafe;
  std::vector<Word> m_words;
};

/// Pages of this process that can be taken away while they are shared.
class Pages {
 public:
  explicit Pages(std::size_t count)
      : m_page(static_cast<std::size_t>(::sysconf(_SC_PAGESIZE))),
        m_bytes(count * m_page),
        m_start(
            static_cast<char*>(::mmap(nullptr, m_bytes, PROT_READ | PROT_WRITE,
                                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    EXPECT_NE(m_start, MAP_FAILED);
  }
  Pages(Pages const&)            = delete;
  Pages& operator=(Pages const&) = delete;
  ~Pages() { EXPECT_EQ(::munmap(m_start, m_bytes), 0); }

  [[nodiscard]] char* start() const { return m_start; }
  [[nodiscard]] std::size_t bytes() const { return m_bytes; }
  [[nodiscard]] std::size_t page() const { return m_page; }
  /// Page `first` and all behind it are no longer to be read.
  void take_away(std::size_t first) const {
    EXPECT_EQ(::mprotect(m_start + first * m_page, m_bytes - first * m_page, 0),
              0);
  }

 private:
  std::size_t m_page;
  std::size_t m_bytes;
  char* m_start;
};

/// Where Yama guards processes, a test lets its peers in, as a user would.
inline void let_peers_in() {
  if (::prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0) != 0) {
    EXPECT_EQ(errno, EINVAL) << "there is no Yama";
  }
}

class SharedBuffers : public testing::Test {
 protected:
  void SetUp() override {
    let_peers_in();
    wait_for_all_pes();
  }
};

}  // namespace symm_test

#endif
