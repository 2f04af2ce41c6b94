// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_SHMEM_REDUCEWORK_HPP
#define SYMM_SHMEM_REDUCEWORK_HPP

#include <array>
#include <cstddef>
#include <type_traits>

#include "../base/Function.hpp"
#include "../base/Types.hpp"
#include "../memory/HeapMap.hpp"
#include "CollectiveCall.hpp"
#include "CollectiveWork.hpp"
#include "FarReduce.hpp"
#include "PacketExchange.hpp"
#include "PassedSources.hpp"
#include "PeTeam.hpp"
#include "Words.hpp"
#ifdef SYMM_FOR_DEVICE
#include "KernelReduce.hpp"
#include "PacketReduce.hpp"
#endif

namespace symm::Impl {

template <class T, class Op>
struct ReduceWork {
  using Element = T;

  PeTeam team;
  T* dest;
  T const* source;
  std::size_t count;
  Op op;

  /// The number of elements in an access of 16 bytes.
  static constexpr std::size_t width = 16 % sizeof(T) == 0 ? 16 / sizeof(T) : 1;

  /// Whether a word has whole elements, or an element some whole words.
  static constexpr bool are_units_of_words =
      word_bytes % sizeof(T) == 0 ||
      (sizeof(T) % word_bytes == 0 && sizeof(T) <= 8 * word_bytes);

  [[nodiscard]] SYMM_FUNCTION CollectiveCall call() const {
    auto const bytes = bytes_of(sizeof(T), count);
    CollectiveCall result{"symm::reduce", count, dest, bytes,
                          source,         bytes, 0,    Overlap::if_equal};
    result.passing = Passing::to_combine;
    if constexpr (are_units_of_words) result.n_words = n_words_of(bytes);
    return result;
  }
#ifdef SYMM_FOR_DEVICE
  /// Does all of it in a kernel: each PE for itself, in the same order.
  template <Group Threads>
  __device__ void run_by_packets(Threads const& group) const
      requires(are_units_of_words) {
    reduce_packets(*this, group);
  }
#endif
  /// Does all of it on the host, with the sources that the PEs have passed:
  /// each PE for itself, in the same order.
  void run_on_passed(PassedSources const& sources) const {
    for (std::size_t i = 0; i < count; ++i) {
      T result = sources.element<T>(0, i);
      for (Pe pe = 1; pe < team.n_pes(); ++pe)
        result = static_cast<T>(op(result, sources.element<T>(pe, i)));
      dest[i] = result;
    }
  }
  template <Group Threads>
  SYMM_FUNCTION void operator()(Threads const& group, HeapMap const& heap,
                                std::size_t part, std::size_t n_parts) const {
    auto const n  = static_cast<std::size_t>(team.n_pes());
    auto const me = static_cast<std::size_t>(team.my_pe());
    auto const range =
        part_of(count, me * n_parts + part, n * n_parts, width * 8);
    SYMM_IF_ON_HOST((if (team.has_far_pes()) {
      if (group.rank() == 0) FarReduce(*this, heap).run(range);
      return;
    }))
    SYMM_IF_ON_HOST((reduce_on_host(group, heap, range);))
    SYMM_IF_ON_DEVICE((
        if (team.has_far_pes()) [[unlikely]] {
          KernelReduce(*this, heap).run_far(group, range);
        } else { KernelReduce(*this, heap).run(group, range); }))
  }

  /// Block by block, so that compilers see loops over adjacent elements.
  template <Group Threads>
  void reduce_on_host(Threads const& group, HeapMap const& heap,
                      Range const& range) const {
    constexpr std::size_t block = sizeof(T) < 4096 ? 4096 / sizeof(T) : 1;
    group.for_each((range.count + block - 1) / block, [&](std::size_t b) {
      std::size_t const first = range.first + b * block;
      std::size_t const left  = range.first + range.count - first;
      std::size_t const size  = left < block ? left : block;
      // Elements may have no default constructor.
      alignas(T) std::array<std::byte, block * sizeof(T)> memory;
      T* const values = reinterpret_cast<T*>(memory.data());
      T const* its    = block_of(team, heap, source, 0) + first;
      for (std::size_t i = 0; i < size; ++i) values[i] = its[i];
      for (Pe pe = 1; pe < team.n_pes(); ++pe) {
        its = block_of(team, heap, source, pe) + first;
        for (std::size_t i = 0; i < size; ++i)
          values[i] = static_cast<T>(op(values[i], its[i]));
      }
      for (Pe pe = 0; pe < team.n_pes(); ++pe) {
        T* const to = block_of(team, heap, dest, pe) + first;
        for (std::size_t i = 0; i < size; ++i) to[i] = values[i];
      }
    });
  }
};

}  // namespace symm::Impl

#endif
