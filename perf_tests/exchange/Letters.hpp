// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PERF_EXCHANGE_LETTERS_HPP
#define SYMM_PERF_EXCHANGE_LETTERS_HPP

#include <Kokkos_SymmetricSpace.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace perf {

constexpr std::size_t per_block = 65'536;

inline std::uint64_t mix(std::uint64_t x) {
  x += 0x9e37'79b9'7f4a'7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58'476d'1ce4'e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d0'49bb'1331'11ebU;
  return x ^ (x >> 31U);
}

// Messages are updates of a word in a table, addressed by its index.

/// A message of 4 bytes: the index alone.
struct Index {
  std::uint32_t index;
  [[nodiscard]] std::int64_t value() const { return 1; }
  static Index make(std::uint64_t index, std::uint64_t) {
    return {static_cast<std::uint32_t>(index)};
  }
};
/// A message of 16 bytes.
struct Update {
  std::int64_t index;
  std::int64_t number;
  [[nodiscard]] std::int64_t value() const { return number; }
  static Update make(std::uint64_t index, std::uint64_t random) {
    return {static_cast<std::int64_t>(index),
            static_cast<std::int64_t>(random % 1000)};
  }
};

/// The messages that this PE sends, each to a random word on a random PE.
template <class Message>
struct Letters {
  std::vector<int> pes;
  std::vector<Message> messages;

  Letters(std::size_t count, std::size_t n_words) {
    auto const n  = static_cast<std::uint64_t>(symm::n_pes());
    auto const me = static_cast<std::uint64_t>(symm::my_pe());
    for (std::size_t k = 0; k < count; ++k) {
      auto const word = mix((me << 40U) + k) % (n * n_words);
      pes.push_back(static_cast<int>(word / n_words));
      messages.push_back(Message::make(word % n_words, mix(word)));
    }
  }
};

using Table = Kokkos::View<std::int64_t*, symm::SymmetricSpace>;

/// A hand-written delivery of messages in blocks, with put_signal and inboxes
/// of two halves. Blocks for near PEs are written where they will be read. All
/// PEs must make the call.
template <class Message>
class HandSupersteps {
 public:
  HandSupersteps()
      : m_n(static_cast<std::size_t>(symm::n_pes())),
        m_in("in", 2 * m_n * per_block),
        m_signals("signals", 2, m_n),
        m_out(m_n * per_block) {}

  void operator()(Letters<Message> const& letters, Table const& table) {
    auto const total = letters.pes.size();
    for (std::size_t first = 0; first < total; first += per_block)
      step(letters, table, first, std::min(total, first + per_block));
  }

 private:
  void step(Letters<Message> const& letters, Table const& table,
            std::size_t first, std::size_t end) {
    auto const half = static_cast<std::size_t>(++m_step % 2);
    auto const me   = static_cast<std::size_t>(symm::my_pe());
    std::vector<Message*> to(m_n), next(m_n);
    for (std::size_t pe = 0; pe < m_n; ++pe) {
      auto* const there = symm::ptr(inbox(half, me), static_cast<symm::Pe>(pe));
      to[pe]            = next[pe] =
          there != nullptr ? there : m_out.data() + pe * per_block;
    }
    for (auto k = first; k < end; ++k)
      *next[static_cast<std::size_t>(letters.pes[k])]++ = letters.messages[k];
    auto* const signal = &m_signals(half, me);
    for (std::size_t pe = 0; pe < m_n; ++pe) {
      auto const count  = static_cast<std::size_t>(next[pe] - to[pe]);
      auto const number = static_cast<symm::Pe>(pe);
      auto const tells  = m_step << 24U | count;
      if (symm::is_near(number)) {
        symm::fence();
        symm::signal_op(signal, tells, symm::SignalOp::set, number);
      } else {
        symm::put_signal(inbox(half, me), to[pe], count, signal, tells,
                         symm::SignalOp::set, number);
      }
    }
    for (std::size_t pe = 0; pe < m_n; ++pe) {
      auto const tells        = symm::wait_until(&m_signals(half, pe),
                                                 symm::Compare::ge, m_step << 24U);
      auto const* const block = inbox(half, pe);
      for (std::size_t k = 0; k < (tells & 0xff'ffffU); ++k)
        table(static_cast<std::size_t>(block[k].index)) += block[k].value();
    }
  }
  Message* inbox(std::size_t half, std::size_t from) const {
    return m_in.data() + (half * m_n + from) * per_block;
  }

  std::size_t m_n;
  Kokkos::View<Message*, symm::SymmetricHostSpace> m_in;
  Kokkos::View<symm::Signal**, Kokkos::LayoutRight, symm::SymmetricHostSpace>
      m_signals;
  std::vector<Message> m_out;
  symm::Signal m_step = 0;
};

}  // namespace perf

#endif
