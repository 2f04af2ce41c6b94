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
#include "Shares.hpp"
#ifdef SYMM_FOR_DEVICE
#include "../groups/KernelCopy.hpp"
#include "../groups/LastBlock.hpp"
#include "../teams/Synchronize.hpp"
#endif

// An exchange of small blocks in kernels. PEs send the blocks as part of a
// single barrier instead of fetching them between two barriers. Every packet
// contains the epoch, so a member that sees the current epoch in a packet has
// also received the packet's data. This avoids a separate flag, which could be
// set only after the data have arrived.

namespace symm::Impl {

inline constexpr std::size_t word_bytes = sizeof(std::uint64_t);

[[nodiscard]] SYMM_INLINE_FUNCTION std::size_t n_words_of(std::size_t bytes) {
  return bytes / word_bytes + (bytes % word_bytes == 0 ? 0 : 1);
}

/// Assigns a range of packet slots to each member. Either all members have the
/// same number of packets, or there is only one sender. With one sender, every
/// other member has one packet, and the sender has the remaining packets, which
/// come last.
class PacketPlaces {
 public:
  SYMM_FUNCTION static PacketPlaces of_all(PeTeam const& team) {
    int const n_pes = team.n_pes();
    auto const n    = static_cast<std::size_t>(n_pes);
    return {team.words_on_gpu().n_packets / n, n_pes - 1, n_pes};
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

/// The number of packets that a 370 GB/s link carries in 3.9 us, which is the
/// duration of the round that packets save (docs/laboratory.md, "Collective
/// operations on a stream").
inline constexpr std::size_t packets_of_a_round = 90'000;

/// Whether `n_packets` packets per epoch are enough for the blocks of `call`,
/// and whether sending packets takes less time than fetching blocks.
[[nodiscard]] SYMM_INLINE_FUNCTION bool are_enough_packets(
    std::size_t n_packets, int n_pes, CollectiveCall const& call) {
  if (call.n_words == 0) return false;
  auto const n = static_cast<std::size_t>(n_pes);
  // The expressions are written so that no sum or product can overflow.
  if (n > 1 && call.n_words > packets_of_a_round / (n - 1)) return false;
  return call.has_one_sender ? n <= n_packets && call.n_words <= n_packets - n
                             : call.n_words <= n_packets / n;
}

/// Whether kernels send the blocks of `call` as packets. The result is the same
/// on all members. Packets take up twice as many bytes as blocks, but save one
/// round. In a user kernel, a single group of threads sends all packets, so
/// only a few packets are allowed.
[[nodiscard]] SYMM_INLINE_FUNCTION bool go_by_packets(
    PeTeam const& team, CollectiveCall const& call, bool is_enqueued) {
  std::size_t const n_packets =
      is_enqueued ? team.words_on_gpu().n_packets : PeTeamWords::few_packets;
  return !team.has_far_pes() &&
         are_enough_packets(n_packets, team.n_pes(), call);
}

/// Whether Work has run_by_packets() in kernels. Usable on the host, too.
template <class Work>
concept HasPackets = InKernel::has_two_words && requires {
  requires Work::has_packets;
};

/// Whether a word contains whole elements, or an element consists of whole
/// words.
template <class T>
inline constexpr bool are_units_of_words_v = word_bytes % sizeof(T) == 0 ||
                                             (sizeof(T) % word_bytes == 0 &&
                                              sizeof(T) <= 8 * word_bytes);

/// The part of a packet exchange that one of this PE's thread groups processes.
/// Part `part` on one PE waits only for part `part` on other PEs, and a GPU
/// starts thread blocks in the order of their numbers. There may therefore be
/// more parts than fit on the GPU at once. This is safe only if no other PE
/// shares the GPU. Otherwise, waiting blocks could leave no room for the blocks
/// that they are waiting for.
struct PacketPart {
  std::size_t part    = 0;
  std::size_t n_parts = 1;

  /// The words that belong to this part, out of `n_words` words.
  /// \param unit The number of consecutive words that stay in the same part.
  [[nodiscard]] SYMM_FUNCTION Range of(std::size_t n_words,
                                       std::size_t unit) const {
    return n_parts == 1 ? Range{0, n_words}
                        : part_of(n_words, part, n_parts, unit);
  }
};

/// The phases of a packet exchange that a kernel executes.
enum class PacketPhase { send, receive, both };

#ifdef SYMM_FOR_DEVICE
/// The size in bytes of an access to part of an 8-byte word if the elements are
/// of type T.
template <class T>
inline constexpr std::size_t unit_of = alignof(T) < word_bytes ? alignof(T)
                                                               : word_bytes;

/// Whether the word has all 8 bytes and is aligned, in which case a single
/// access suffices.
__device__ inline bool is_whole_word(char const* word, std::size_t left) {
  return left >= word_bytes &&
         reinterpret_cast<std::size_t>(word) % word_bytes == 0;
}

/// Loads 8-byte word `k` of a `count`-element block. The last word may be
/// incomplete; its missing bytes are 0.
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

/// Stores a word that load_word() loaded.
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
      auto& piece = reinterpret_cast<Word<unit>*>(to)[i];
      piece.bits  = static_cast<decltype(piece.bits)>(word >> (8 * unit * i));
    }
  }
}

/// A barrier in which the members of a PE team send packets to each other, for
/// calls for which go_by_packets() is true. On each PE, one group of threads
/// uses it, or several groups that have one PacketPart each:
///
///     PacketExchange const exchange(group, part, team, PacketPlaces::...);
///     exchange.send_to_all(...);
///     exchange.pass_gates();
///     exchange.receive_each(...);       at least packet 0 of every member
///     exchange.end();
///
/// One kernel may send, and a later kernel may receive.
template <Group Threads>
class PacketExchange {
 public:
  using Packet = PeTeamWords::Packet;

  __device__ PacketExchange(Threads const& group, PacketPart const& part,
                            PeTeam const& team, PacketPlaces const& places)
      : m_group(group),
        m_n_parts(part.n_parts),
        m_team(team),
        m_places(places),
        m_words(team.words()),
        // Only this PE's collective calls, one at a time, use the epoch.
        m_epoch(*m_words.epoch() + 1) {
    // After this barrier, all threads have read the epoch and written their
    // part of the data.
    m_group.barrier();
  }

  /// Sends the packets in `range` to every member; packet k contains word(k).
  /// Together, the groups must send at least packet 0.
  template <class Word>
  __device__ void send_to_all(Range const& range, Word const& word) const {
    m_group.for_each(range.count, [&](std::size_t i) {
      auto const value = word(range.first + i);
      send(range.first + i, [=](Pe) { return value; });
    });
  }
  /// Like send_to_all(), but with word(member, k).
  template <class Word>
  __device__ void send_to_each(Range const& range, Word const& word) const {
    m_group.for_each(range.count, [&](std::size_t i) {
      std::size_t const k = range.first + i;
      send(k, [&](Pe member) { return word(member, k); });
    });
  }

  /// Identifies a packet by its sender and its number among the sender's
  /// packets.
  struct Place {
    Pe from;
    std::size_t k;
  };

  /// Waits for `count` packets and calls use(i, word) for each of them.
  /// \param at at(i) returns the Place of packet i.
  template <class At, class Use>
  __device__ void receive_each(std::size_t count, At const& at,
                               Use const& use) const {
    constexpr std::size_t n_ahead = 4;
    std::size_t const step        = m_group.size();
    for (std::size_t i = m_group.rank(); i < count; i += n_ahead * step) {
      std::uint64_t words[n_ahead];
      auto const is_one = [&](std::size_t k) { return i + k * step < count; };
      receive(words, is_one, [&](std::size_t k) { return at(i + k * step); });
      for (std::size_t k = 0; k < n_ahead; ++k) {
        if (is_one(k)) use(i + k * step, words[k]);
      }
    }
  }
  /// Waits for the packets at(i) for which is_one(i) is true. All loads are in
  /// flight at once.
  template <std::size_t n, class IsOne, class At>
  __device__ void receive(std::uint64_t (&words)[n], IsOne const& is_one,
                          At const& at) const {
    std::uint64_t epochs[n];
    for (std::size_t i = 0; i < n; ++i) {
      if (is_one(i)) load(at(i), words[i], epochs[i]);
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (!is_one(i)) break;
      while (epochs[i] != m_epoch) {
        InKernel::help_far();
        load(at(i), words[i], epochs[i]);
      }
    }
  }

  /// Must be called after sending. If the PE team has gates, opens this PE's
  /// gate on each member. Once the queue has passed the gates, receive() in a
  /// later kernel finds that all packets have arrived.
  __device__ void pass_gates() const {
    if (!m_team.has_gates()) return;
    m_group.barrier();
    if (m_n_parts > 1 && m_group.rank() == 0) fence_release();
    after_all_groups(
        [&](auto const& group) { Impl::pass_gates(group, m_team); });
  }

  /// Ends the exchange: the last group to call this function writes the new
  /// epoch. By then, all groups have read the old epoch, because they have
  /// received packets that contain the new epoch.
  __device__ void end() const {
    after_all_groups([&](auto const& group) {
      group.for_each(1, [&](std::size_t) { *m_words.epoch() = m_epoch; });
    });
    m_group.barrier();
  }

 private:
  /// Calls body(group). If there are several groups, only one thread of the
  /// last group to arrive calls body().
  template <class Body>
  __device__ void after_all_groups(Body const& body) const {
    if (m_n_parts == 1) {
      body(m_group);
      return;
    }
    m_group.barrier();
    if (m_group.rank() != 0) return;
    if (is_last_block(m_words.n_blocks_done(), m_n_parts)) body(OneThread{});
  }

  /// Sends packet k to all members, and to this PE last: once a thread has
  /// received this PE's own packet, all copies have been sent.
  template <class Value>
  __device__ void send(std::size_t k, Value const& value) const {
    // Packet 0 is ordered like a barrier's flag; other packets need no
    // ordering.
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
  /// Loads a packet. A member's packet 0 also serves as that member's barrier
  /// flag.
  __device__ void load(Place const& at, std::uint64_t& word,
                       std::uint64_t& epoch) const {
    Packet const* const from = m_words.packets(m_words.map.my_pe, m_epoch) +
                               m_places.first(at.from) + at.k;
    if (at.k == 0) {
      InKernel::load_two_acquire(&from->word, word, epoch);
    } else {
      InKernel::load_two_relaxed(&from->word, word, epoch);
    }
  }

  Threads const& m_group;
  std::size_t m_n_parts;
  PeTeam const& m_team;
  PacketPlaces m_places;
  PeTeamWords m_words;
  std::uint64_t m_epoch;
};
#endif

}  // namespace symm::Impl

#endif
