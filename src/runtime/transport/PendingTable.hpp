// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TRANSPORT_PENDING_TABLE_HPP
#define SYMM_TRANSPORT_PENDING_TABLE_HPP

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "../base/Types.hpp"

namespace symm::Impl {

struct PendingOperation;

/// A channel's operations that await a reply, keyed by the tokens in their
/// messages. Each token belongs to one message to one PE. find() returns null
/// if a reply's token is invalid, was sent to another PE, or has already been
/// used. (A token contains a slot's generation number, which is odd while the
/// slot holds an operation.)
///
/// Only one thread at a time, which holds the channel's mutex, adds operations.
/// The Receiver finds and removes operations concurrently.
class PendingTable {
 public:
  /// 0 means no operation.
  using Token = std::uint64_t;

  /// The expected properties of a reply that has not arrived yet.
  struct Asked {
    PendingOperation* pending = nullptr;
    std::size_t bytes         = 0;      // size of the reply's payload
    std::size_t first         = 0;      // index of the first strided element
    bool is_arriving          = false;  // whether the payload is being received
  };

  PendingTable()                               = default;
  PendingTable(PendingTable const&)            = delete;
  PendingTable& operator=(PendingTable const&) = delete;
  ~PendingTable() {
    for (auto& chunk : m_chunks) delete[] chunk.load();
  }

  // The caller must hold the channel's mutex.

  /// Ensures that there is a free slot so that the next add() cannot fail.
  /// \throws std::bad_alloc.
  void make_room() {
    if (m_free.load(std::memory_order_acquire) != none) return;
    auto const number = chunk_of(m_n_used);
    auto& chunk       = m_chunks[number];
    if (chunk.load(std::memory_order_relaxed) != nullptr) return;
    chunk.store(new Place[least << number], std::memory_order_release);
  }
  /// Adds an operation and returns its token. The caller must have called
  /// make_room() and must not have released the mutex since.
  Token add(Pe pe, Asked const& asked) noexcept {
    auto const index = take_free();
    auto& place      = place_at(index);
    place.asked      = asked;
    place.pe         = pe;
    auto const generation =
        place.generation.load(std::memory_order_relaxed) + 1;
    place.generation.store(generation, std::memory_order_release);
    return Token{generation} << 32U | index;
  }

  // For the Receiver:

  /// Returns null if no message with this token was sent to `from`, or if
  /// `from` has already answered the message.
  [[nodiscard]] Asked* find(Token token, Pe from) const noexcept {
    auto const index      = static_cast<Index>(token);
    auto const generation = generation_of(token);
    if (generation % 2 == 0 || !has_place(index)) return nullptr;
    auto& place = place_at(index);
    bool const is_there =
        place.generation.load(std::memory_order_acquire) == generation &&
        place.pe == from;
    return is_there ? &place.asked : nullptr;
  }
  /// \param token A token for which find() has returned an operation.
  void remove(Token token) noexcept {
    auto const index = static_cast<Index>(token);
    auto& place      = place_at(index);
    place.generation.store(generation_of(token) + 1, std::memory_order_relaxed);
    place.next = m_free.load(std::memory_order_relaxed);
    while (!m_free.compare_exchange_weak(place.next, index,
                                         std::memory_order_release,
                                         std::memory_order_relaxed)) {
    }
  }

 private:
  using Index = std::uint32_t;

  struct Place {
    Asked asked;
    Pe pe = 0;
    std::atomic<std::uint32_t> generation{0};
    Index next = 0;  // next slot in the free list
  };

  static constexpr Index none  = ~Index{0};
  static constexpr Index least = 64;  // slots in the first chunk

  static std::uint32_t generation_of(Token token) {
    return static_cast<std::uint32_t>(token >> 32U);
  }
  /// Each chunk has twice as many slots as the previous one.
  static std::size_t chunk_of(Index index) {
    return static_cast<std::size_t>(std::bit_width(index / least + 1)) - 1;
  }
  [[nodiscard]] bool has_place(Index index) const noexcept {
    return m_chunks[chunk_of(index)].load(std::memory_order_acquire) != nullptr;
  }
  /// Precondition: has_place().
  [[nodiscard]] Place& place_at(Index index) const noexcept {
    auto const number = chunk_of(index);
    auto const begin  = (std::size_t{least} << number) - least;
    return m_chunks[number].load(std::memory_order_acquire)[index - begin];
  }
  /// Removes a slot from the free list. Only one thread at a time does so, and
  /// a free slot stays in the list until that thread removes it, so there is no
  /// ABA problem.
  Index take_free() noexcept {
    auto index = m_free.load(std::memory_order_acquire);
    while (index != none &&
           !m_free.compare_exchange_weak(index, place_at(index).next,
                                         std::memory_order_acquire)) {
    }
    return index != none ? index : m_n_used++;
  }

  std::array<std::atomic<Place*>, 27> m_chunks{};  // enough for any Index
  Index m_n_used = 0;
  std::atomic<Index> m_free{none};  // head of the free list
};

}  // namespace symm::Impl

#endif
