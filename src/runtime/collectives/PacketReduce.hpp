// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_COLLECTIVES_PACKETREDUCE_HPP
#define SYMM_COLLECTIVES_PACKETREDUCE_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "../base/Function.hpp"
#include "../base/Types.hpp"
#include "../groups/Group.hpp"
#include "PacketExchange.hpp"

namespace symm::Impl {

#ifdef SYMM_FOR_DEVICE
/// All elements in one word, or one element that spans several words. T need
/// not have a default constructor.
template <class T>
class PacketUnit {
 public:
  static constexpr std::size_t n_words =
      sizeof(T) < word_bytes ? 1 : sizeof(T) / word_bytes;
  static constexpr std::size_t n_elements = n_words * word_bytes / sizeof(T);

  __device__ void set(std::uint64_t const* words) {
    memcpy(m_bytes, words, sizeof m_bytes);
  }
  [[nodiscard]] __device__ T& operator[](std::size_t i) {
    return reinterpret_cast<T*>(m_bytes)[i];
  }

 private:
  alignas(T) unsigned char m_bytes[n_words * word_bytes];
};

/// Executes a ReduceWork or ScanWork with packets: combines the elements of
/// members 0 to `end` - 1, in member order. Precondition: are_units_of_words_v
/// is true for the element type.
/// \param init If not null, a value that precedes member 0's elements.
template <PacketPhase phase, class Work, Group Threads>
__device__ void combine_packets(Work const& work, Threads const& group,
                                PacketPart const& part, Pe end,
                                typename Work::Element const* init = nullptr) {
  using T    = typename Work::Element;
  using Unit = PacketUnit<T>;
  // The number of members whose packets are loaded together.
  constexpr std::size_t n_ahead = Unit::n_words == 1 ? 4 : 1;
  PacketExchange const exchange(group, part, work.team,
                                PacketPlaces::of_all(work.team));
  using Place             = typename decltype(exchange)::Place;
  std::size_t const count = work.count;
  auto const n            = static_cast<std::size_t>(work.team.n_pes());
  auto const range = part.of(n_words_of(count * sizeof(T)), 8 * Unit::n_words);
  if constexpr (phase != PacketPhase::receive) {
    exchange.send_to_all(
        range, [&](std::size_t k) { return load_word(work.source, count, k); });
    exchange.pass_gates();
  }
  if constexpr (phase == PacketPhase::send) return;
  group.for_each(range.count / Unit::n_words, [&](std::size_t i_unit) {
    std::size_t const u     = range.first / Unit::n_words + i_unit;
    std::size_t const first = u * Unit::n_elements;
    std::uint64_t words[n_ahead * Unit::n_words];
    Unit result;
    if (init != nullptr) {
      for (std::size_t i = 0; i < Unit::n_elements; ++i) result[i] = *init;
    }
    for (std::size_t member = 0; member < n; member += n_ahead) {
      std::size_t const left = n - member;
      exchange.receive(
          words, [&](std::size_t i) { return i < left * Unit::n_words; },
          [&](std::size_t i) {
            return Place{static_cast<Pe>(member + i / Unit::n_words),
                         u * Unit::n_words + i % Unit::n_words};
          });
      for (std::size_t k = 0; k < n_ahead; ++k) {
        if (k >= left || member + k >= static_cast<std::size_t>(end)) break;
        Unit unit;
        unit.set(words + k * Unit::n_words);
        if (member + k == 0 && init == nullptr) {
          result = unit;
        } else {
          for (std::size_t i = 0; i < Unit::n_elements; ++i) {
            if (first + i < count)
              result[i] = static_cast<T>(work.op(result[i], unit[i]));
          }
        }
      }
    }
    for (std::size_t i = 0; i < Unit::n_elements; ++i) {
      if (first + i < count) work.dest[first + i] = result[i];
    }
  });
  exchange.end();
}
#endif

}  // namespace symm::Impl

#endif
