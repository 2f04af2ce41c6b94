// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_MEMORY_ATOMICBATCH_HPP
#define SYMM_MEMORY_ATOMICBATCH_HPP

#include <cstddef>
#include <cstdint>

#include "../base/Function.hpp"
#include "AtomicOp.hpp"
#include "ChangeWord.hpp"
#include "Words.hpp"

namespace symm::Impl {

// Atomic operations on words in GPU memory, on behalf of far PEs. The host
// posts the operations in batches, and a library kernel executes each batch in
// parts. If kernels that wait for far PEs occupy the whole GPU, the library's
// kernel cannot start. In that case, the waiting threads execute the parts.

/// The address of a word and the operation on it, packed into 64 bits.
/// (Decoding WordOp::code() instead would cost waiting threads a register.)
class PostedWord {
 public:
  SYMM_FUNCTION explicit PostedWord(std::uint64_t bits) : m_bits(bits) {}
  PostedWord(void* word, AtomicOp op, WordType type)
      : m_bits(static_cast<std::uint64_t>(op) << 56U |
               static_cast<std::uint64_t>(type) << 48U |
               (reinterpret_cast<std::uintptr_t>(word) & address_bits)) {}

  [[nodiscard]] std::uint64_t bits() const { return m_bits; }
  [[nodiscard]] SYMM_FUNCTION void* word() const {
    return reinterpret_cast<void*>(m_bits & address_bits);
  }
  [[nodiscard]] SYMM_FUNCTION AtomicOp op() const {
    return static_cast<AtomicOp>(m_bits >> 56U);
  }
  [[nodiscard]] SYMM_FUNCTION WordType type() const {
    return static_cast<WordType>(m_bits >> 48U & 0xffU);
  }

 private:
  static constexpr std::uint64_t address_bits = 0xffff'ffff'ffff;

  std::uint64_t m_bits;
};

struct GpuAtomic {
  std::uint64_t where;  // PostedWord::bits()
  std::uint64_t value;
  std::uint64_t compare;
  std::uint64_t was;  // receives the old value of the word

  GpuAtomic() = default;
  GpuAtomic(void* word, AtomicOp op, WordType type, std::uint64_t its_value,
            std::uint64_t its_compare = 0)
      : where(PostedWord(word, op, type).bits()),
        value(its_value),
        compare(its_compare),
        was(0) {}
};

/// Describes a batch of operations in one 64-bit word. The operations may be
/// performed in any order.
class AtomicBatch {
 public:
  static constexpr std::size_t most    = 4096;
  static constexpr std::size_t in_part = 32;

  SYMM_FUNCTION explicit AtomicBatch(std::uint64_t word) : m_word(word) {}
  /// \param number the batch's number, counted from 1; wraps around.
  /// \param first index of the batch's first operation in AtomicBoard::changes.
  AtomicBatch(std::uint32_t number, std::size_t first, std::size_t count)
      : m_word(std::uint64_t{number} << 32U | first << 16U | count) {}

  [[nodiscard]] SYMM_FUNCTION std::uint64_t word() const { return m_word; }
  [[nodiscard]] SYMM_FUNCTION std::uint32_t number() const {
    return static_cast<std::uint32_t>(m_word >> 32U);
  }
  [[nodiscard]] SYMM_FUNCTION std::size_t first() const {
    return m_word >> 16U & 0xffffU;
  }
  [[nodiscard]] SYMM_FUNCTION std::size_t count() const {
    return m_word & 0xffffU;
  }
  [[nodiscard]] SYMM_FUNCTION std::size_t n_parts() const {
    return (count() + in_part - 1) / in_part;
  }

 private:
  std::uint64_t m_word;
};

/// The batch in progress. This object is in GPU memory.
struct AtomicBoard {
  GpuAtomic* changes;       // in host memory
  std::uint64_t* finished;  // in host memory: number of last finished batch
  /// The word() of the batch offered to waiting threads; 0 if there is none.
  std::uint64_t wanted;
  std::uint64_t claimed;  // batch number << 16 | number of parts claimed so far
  std::uint64_t n_done;   // number of finished parts of that batch
};

/// Parts [first, first + count) of a batch. If `count` is 0, no unclaimed parts
/// remain.
struct ChangeParts {
  std::size_t first;
  std::size_t count;
};

/// Claims up to `most` parts of batch `run`.
template <class Board>
SYMM_INLINE_FUNCTION ChangeParts claim_parts(Board& board, AtomicBatch run,
                                             std::size_t most) {
  auto claimed = load_relaxed(&board.claimed);
  while (true) {
    auto const number   = static_cast<std::uint32_t>(claimed >> 16U);
    bool const is_begun = number == run.number();
    // A batch is posted only after the previous one has ended. If the board has
    // a newer number, `run` has therefore ended.
    if (static_cast<std::int32_t>(run.number() - number) < 0) return {0, 0};
    auto const part = is_begun ? claimed & 0xffffU : 0;
    if (part >= run.n_parts()) return {0, 0};
    auto const left  = run.n_parts() - part;
    auto const count = left < most ? left : most;
    if (replace_if_seen(&board.claimed, claimed,
                        std::uint64_t{run.number()} << 16U | (part + count))) {
      return {part, count};
    }
  }
}

/// Performs operation `i` of part `part`. Does nothing if the part has fewer
/// operations.
template <class Board>
SYMM_INLINE_FUNCTION void change_one(Board const& board, AtomicBatch run,
                                     std::size_t part, std::size_t i) {
  auto const at = part * AtomicBatch::in_part + i;
  if (at >= run.count()) return;
  auto* const change = board.changes + run.first() + at;
  PostedWord const posted(load_relaxed(&change->where));
  auto* const word   = posted.word();
  auto const op      = posted.op();
  auto const value   = load_relaxed(&change->value);
  auto const compare = load_relaxed(&change->compare);
  auto const was     = with_type(posted.type(), [&](auto zero) {
    return change_bits<decltype(zero)>(word, op, value, compare);
  });
  store_relaxed(&change->was, was);
}

/// Like change_one(), but with a single compare-and-swap loop for all types and
/// operations. (The loop loads the operand again in each iteration, because
/// keeping it would cost two registers.)
template <class Change>
SYMM_FORCEINLINE_FUNCTION void change_by_swaps(Change* change) {
  PostedWord const posted(load_relaxed(&change->where));
  bool const is_short = bytes_of(posted.type()) == 4;
  auto* const all     = static_cast<std::uint64_t*>(posted.word());
  auto* const half    = static_cast<std::uint32_t*>(posted.word());
  std::uint64_t seen  = is_short ? load_relaxed(half) : load_relaxed(all);
  SYMM_NOT_UNROLLED
  while (true) {
    auto next = changed_bits(posted.op(), posted.type(), seen,
                             load_relaxed(&change->value));
    if (posted.op() == AtomicOp::compare_swap) {
      auto const differ = load_relaxed(&change->compare) ^ seen;
      if ((is_short ? differ << 32U : differ) != 0) next = seen;
    }
    std::uint64_t const before =
        is_short ? compare_swap_word(half, static_cast<std::uint32_t>(seen),
                                     static_cast<std::uint32_t>(next))
                 : compare_swap_word(all, seen, next);
    if (before == seen) break;
    seen = before;
  }
  store_relaxed(&change->was, seen);
}

/// Reports `count` finished parts. The last report for a batch notifies the
/// host. One thread calls this function after it has finished all of these
/// parts.
template <class Board>
SYMM_INLINE_FUNCTION void finish_parts(Board& board, AtomicBatch run,
                                       std::size_t count) {
  fence_words();
  auto const before = fetch_add_word(&board.n_done, std::uint64_t{count});
  if (before + count != run.n_parts()) return;
  fence_words();
  set_word(&board.n_done, std::uint64_t{0});
  set_word(&board.wanted, std::uint64_t{0});
  store_release(board.finished, std::uint64_t{run.number()});
}

/// Performs one part of the offered batch, if there is one. A thread calls this
/// function repeatedly while it waits for far PEs. If no batch is offered, the
/// call only reads one word of GPU memory.
/// \returns whether this call performed a part.
///
/// Every kernel that operates on other PEs contains this function, but it must
/// not take registers away from operations on near PEs. The function is
/// therefore small and inlined: a function call would cost 30 registers.
template <class Board>
SYMM_FORCEINLINE_FUNCTION bool take_part(Board* board) {
  AtomicBatch const run(load_relaxed(&board->wanted));
  if (run.count() == 0) return false;
  auto const part = claim_parts(*board, run, 1);
  if (part.count == 0) return false;
  fence_words();  // to see everything that the host wrote before the offer
  auto const first = static_cast<std::uint32_t>(part.first) *
                     static_cast<std::uint32_t>(AtomicBatch::in_part);
  auto left = static_cast<std::uint32_t>(run.count()) - first;
  if (left > AtomicBatch::in_part)
    left = static_cast<std::uint32_t>(AtomicBatch::in_part);
  auto* change = board->changes + run.first() + first;
  SYMM_NOT_UNROLLED
  for (; left != 0; --left, ++change) change_by_swaps(change);
  finish_parts(*board, run, 1);
  return true;
}

}  // namespace symm::Impl

#endif
