// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_COLLECTIVES_PACKETEXCHANGE_HPP
#define SYMM_COLLECTIVES_PACKETEXCHANGE_HPP

#include <cstddef>
#include <cstdint>

#include "../base/Function.hpp"
#include "../base/Types.hpp"
#include "../groups/Group.hpp"
#include "../memory/Words.hpp"
#include "../pes/PeTeamWords.hpp"
#include "../teams/PeTeam.hpp"
#include "CollectiveCall.hpp"
#ifdef SYMM_FOR_DEVICE
#include "../groups/KernelCopy.hpp"
#include "../teams/Synchronise.hpp"
#endif

// Small blocks in kernels: they are passed with a barrier instead of being
// fetched between two. A member that has received another's packets has its
// data: there is no flag, which would have to wait for the data.

namespace symm::Impl {

inline constexpr std::size_t word_bytes = sizeof(std::uint64_t);

[[nodiscard]] SYMM_INLINE_FUNCTION std::size_t n_words_of(std::size_t bytes) {
  return bytes / word_bytes + (bytes % word_bytes == 0 ? 0 : 1);
}

/// The place of each member's packets. Either all have as many, or all have one
/// and the only sender, the last in place, has the rest.
class PacketPlaces {
 public:
  SYMM_FUNCTION static PacketPlaces of_all(int n_pes) {
    auto const n = static_cast<std::size_t>(n_pes);
    return {PeTeamWords::n_packets / n, n_pes - 1, n_pes};
  }
  SYMM_FUNCTION static PacketPlaces of_one(int n_pes, Pe sender) {
    return {1, sender, n_pes};
  }

  [[nodiscard]] SYMM_FUNCTION std::size_t first(Pe member) const {
    int const turned = member - m_last - 1;
    return m_each *
           static_cast<std::size_t>(turned < 0 ? turned + m_n_pes : turned);
  }

 private:
  SYMM_FUNCTION PacketPlaces(std::size_t each, Pe last, int n_pes)
      : m_each(each), m_last(last), m_n_pes(n_pes) {}

  std::size_t m_each;
  Pe m_last;
  int m_n_pes;
};

/// Whether kernels pass the blocks of `call` by packets; equal on all members.
[[nodiscard]] SYMM_INLINE_FUNCTION bool go_by_packets(
    PeTeam const& team, CollectiveCall const& call) {
  if (call.n_words == 0 || team.has_far_pes()) return false;
  auto const n = static_cast<std::size_t>(team.n_pes());
  // Divided: a product that wraps around would be small.
  return call.has_one_sender ? call.n_words + n <= PeTeamWords::n_packets
                             : call.n_words <= PeTeamWords::n_packets / n;
}

/// Whether kernels have Work::run_by_packets(); also on the host.
template <class Work>
concept HasPackets = requires {
  requires Work::has_packets;
};

/// Whether a word has whole elements, or an element some whole words.
template <class T>
inline constexpr bool are_units_of_words_v = word_bytes % sizeof(T) == 0 ||
                                             (sizeof(T) % word_bytes == 0 &&
                                              sizeof(T) <= 8 * word_bytes);

/// The part of an exchange of packets that a kernel carries out.
enum class PacketPhase { send, receive, both };

#ifdef SYMM_FOR_DEVICE
/// The unit by which words of 8 bytes are accessed in elements of type T.
template <class T>
inline constexpr std::size_t unit_of = alignof(T) < word_bytes ? alignof(T)
                                                               : word_bytes;

/// Whether the word has all 8 bytes, and one access reaches them.
__device__ inline bool is_whole_word(char const* word, std::size_t left) {
  return left >= word_bytes &&
         reinterpret_cast<std::size_t>(word) % word_bytes == 0;
}

/// Word `k` of `count` elements; the last one may be shorter.
template <class T>
[[nodiscard]] __device__ std::uint64_t load_word(T const* block,
                                                 std::size_t count,
                                                 std::size_t k) {
  constexpr std::size_t unit = unit_of<T>;
  auto const* const from =
      reinterpret_cast<char const*>(block) + k * word_bytes;
  std::size_t const left = count * sizeof(T) - k * word_bytes;
  if (is_whole_word(from, left)) {
    return reinterpret_cast<Word<word_bytes> const*>(from)->bits;
  }
  std::uint64_t word = 0;
  if constexpr (unit < word_bytes) {
    for (std::size_t i = 0; i < word_bytes / unit; ++i) {
      if (i * unit >= left) break;
      auto const bits = reinterpret_cast<Word<unit> const*>(from)[i].bits;
      word |= static_cast<std::uint64_t>(bits) << (8 * unit * i);
    }
  }
  return word;
}

/// Stores what load_word() has loaded.
template <class T>
__device__ void store_word(T* block, std::size_t count, std::size_t k,
                           std::uint64_t word) {
  constexpr std::size_t unit = unit_of<T>;
  auto* const to             = reinterpret_cast<char*>(block) + k * word_bytes;
  std::size_t const left     = count * sizeof(T) - k * word_bytes;
  if (is_whole_word(to, left)) {
    reinterpret_cast<Word<word_bytes>*>(to)->bits = word;
    return;
  }
  if constexpr (unit < word_bytes) {
    for (std::size_t i = 0; i < word_bytes / unit; ++i) {
      if (i * unit >= left) break;
      auto& its = reinterpret_cast<Word<unit>*>(to)[i];
      its.bits  = static_cast<decltype(its.bits)>(word >> (8 * unit * i));
    }
  }
}

/// A barrier of a PE team, by one group of threads of each PE, in which members
/// pass packets to all others, if go_by_packets():
///
///     PacketExchange const exchange(group, team, PacketPlaces::...);
///     exchange.send_to_all(...);
///     exchange.pass_gates();
///     ... exchange.receive(...) ...     at least packet 0 of every member
///     exchange.end();
///
/// A kernel may send, and a later one receive.
template <Group Threads>
class PacketExchange {
 public:
  using Packet = PeTeamWords::Packet;

  __device__ PacketExchange(Threads const& group, PeTeam const& team,
                            PacketPlaces const& places)
      : m_group(group),
        m_team(team),
        m_places(places),
        m_words(team.words()),
        // Only this PE's collective calls use the epoch, one after the other.
        m_epoch(*m_words.epoch() + 1) {
    // All threads have read the epoch, and written their part of the data.
    m_group.barrier();
  }

  /// Sends to every member `n_words` packets, 1 or more, of word(k).
  template <class Word>
  __device__ void send_to_all(std::size_t n_words, Word const& word) const {
    m_group.for_each(n_words, [&](std::size_t k) {
      auto const value = word(k);
      send(k, [=](Pe) { return value; });
    });
  }
  /// The same with word(member, k).
  template <class Word>
  __device__ void send_to_each(std::size_t n_words, Word const& word) const {
    m_group.for_each(n_words, [&](std::size_t k) {
      send(k, [&](Pe member) { return word(member, k); });
    });
  }

  /// Waits for packet `k` of a member.
  [[nodiscard]] __device__ std::uint64_t receive(Pe from, std::size_t k) const {
    std::uint64_t words[1];
    receive(words, 1, k == 0, [&](std::size_t) { return packet(from, k); });
    return words[0];
  }
  /// Waits for `count` packets, or n if that is less; all loads are in flight
  /// at once.
  /// \param has_first whether number 0 of a member is among them.
  /// \param at at(i) is the i-th of them, as packet() returns it.
  template <std::size_t n, class At>
  __device__ void receive(std::uint64_t (&words)[n], std::size_t count,
                          bool has_first, At const& at) const {
    std::uint64_t epochs[n];
    for (std::size_t i = 0; i < n; ++i) {
      if (i < count) load(at(i), has_first, words[i], epochs[i]);
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (i >= count) break;
      while (epochs[i] != m_epoch) {
        InKernel::help_far();
        load(at(i), has_first, words[i], epochs[i]);
      }
    }
  }
  [[nodiscard]] __device__ Packet const* packet(Pe from, std::size_t k) const {
    return m_words.packets(m_words.map.my_pe, m_epoch) + m_places.first(from) +
           k;
  }

  /// After what was sent, if members wait at gates. Then receive() of a later
  /// kernel finds all packets there.
  __device__ void pass_gates() const {
    if (!m_team.has_gates()) return;
    m_group.barrier();
    Impl::pass_gates(m_group, m_team);
  }

  __device__ void end() const {
    m_group.for_each(1, [&](std::size_t) { *m_words.epoch() = m_epoch; });
    m_group.barrier();
  }

 private:
  /// This PE is last: a thread that has that packet knows that all are sent.
  template <class Value>
  __device__ void send(std::size_t k, Value const& value) const {
    // Ordered as the flag of a barrier. The others need no order.
    if (k == 0) fence_release();
    int const n             = m_team.n_pes();
    Pe const me             = m_team.my_pe();
    std::size_t const place = m_places.first(me) + k;
    for (int i = 1; i <= n; ++i) {
      Pe const member = me + i < n ? me + i : me + i - n;
      auto* const to =
          m_words.packets(m_team.world_pe(member), m_epoch) + place;
      InKernel::store_two_relaxed(&to->word, value(member), m_epoch);
    }
  }
  __device__ static void load(Packet const* from, bool acquires,
                              std::uint64_t& word, std::uint64_t& epoch) {
    if (acquires) {
      InKernel::load_two_acquire(&from->word, word, epoch);
    } else {
      InKernel::load_two_relaxed(&from->word, word, epoch);
    }
  }

  Threads const& m_group;
  PeTeam const& m_team;
  PacketPlaces m_places;
  PeTeamWords m_words;
  std::uint64_t m_epoch;
};
#endif

}  // namespace symm::Impl

#endif
