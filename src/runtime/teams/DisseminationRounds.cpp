// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "DisseminationRounds.hpp"

#include <chrono>
#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "../access/GroupOperations.hpp"
#include "../base/Types.hpp"
#include "../job/Runtime.hpp"
#include "../memory/Words.hpp"
#include "../pes/PeTeamWords.hpp"
#include "../transport/Transport.hpp"
#include "../waiting/PeWait.hpp"

namespace symm::Impl {

namespace {

using Message = std::vector<std::byte>;

/// The number of bytes sent for a block that accompanies a pair. A nonzero
/// number is never a multiple of a pair's size, so a PE in a different call
/// cannot mistake data for pairs. (The room also has space for one byte after
/// the block.)
std::size_t sent_bytes(std::size_t data) {
  bool const is_like_pairs =
      data != 0 && data % sizeof(DisseminationRounds::Pair) == 0;
  return data + (is_like_pairs ? 1 : 0);
}

/// Waits for `member` until has_come() returns true.
template <class HasCome>
void wait_for_member(char const* call, PeTeam const& team, Pe member,
                     HasCome const& has_come) {
  wait_for_pe(
      call, team.world_pe(member), [&] { return text_of(team); }, has_come);
}

}  // namespace

void DisseminationRounds::tell(Pe to, std::size_t n_pairs, std::size_t place,
                               RoundData const& data) const {
  Pe const pe                = m_team.world_pe(to);
  auto const* const my_pairs = pair(m_words.map.my_pe, 0);
  auto const tell_near       = [&] {
    auto* const peer_pairs = pair(pe, place);
    if (data.out_bytes != 0) {
      std::memcpy(m_words.room(pe, m_epoch) + data.in, room() + data.out,
                        data.out_bytes);
    }
    for (std::size_t i = 0; i < 2 * n_pairs; ++i) {
      store_relaxed(peer_pairs + i, my_pairs[i]);
    }
    store_release(m_words.flag(pe, m_team.my_pe()), m_epoch);
  };
  at_pe(m_words.map, pe, tell_near, [&] {
    auto message = std::as_bytes(std::span(my_pairs, 2 * n_pairs));
    if (data.out_bytes != 0) {
      auto* const out = room() + data.out;
      std::memcpy(out - sizeof(Pair), my_pairs, sizeof(Pair));
      message = {out - sizeof(Pair), sizeof(Pair) + sent_bytes(data.out_bytes)};
    }
    Runtime::instance(m_call).transport()->send(pe, number(), message, m_call);
  });
}

void DisseminationRounds::hear(Pe from, std::size_t n_pairs, std::size_t place,
                               RoundData const& data) const {
  Pe const pe          = m_team.world_pe(from);
  auto const hear_near = [&] {
    auto const* const flag = m_words.flag(m_words.map.my_pe, from);
    wait_for_member(m_call, m_team, from,
                    [&] { return load_acquire(flag) >= m_epoch; });
  };
  at_pe(m_words.map, pe, hear_near, [&] {
    std::optional<Message> message;
    wait_for_member(m_call, m_team, from, [&] {
      using std::chrono::milliseconds;
      message = Runtime::instance(m_call).transport()->receive_within(
          pe, number(), milliseconds(0), m_call);
      return message.has_value();
    });
    auto const bytes  = n_pairs * sizeof(Pair);
    auto* const pairs = pair(m_words.map.my_pe, place);
    if (message->size() != bytes + sent_bytes(data.in_bytes)) {
      // The message is from a different call, so store values that no member
      // sends.
      std::memset(pairs, 0xff, bytes);
      return;
    }
    std::memcpy(pairs, message->data(), bytes);
    if (data.in_bytes != 0)
      std::memcpy(room() + data.in, message->data() + bytes, data.in_bytes);
  });
}

}  // namespace symm::Impl
