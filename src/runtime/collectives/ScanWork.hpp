// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_COLLECTIVES_SCANWORK_HPP
#define SYMM_COLLECTIVES_SCANWORK_HPP

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "../base/Function.hpp"
#include "../base/Types.hpp"
#include "../memory/HeapMap.hpp"
#include "../teams/PassedSources.hpp"
#include "../teams/PeTeam.hpp"
#include "CollectiveCall.hpp"
#include "CollectiveWork.hpp"
#include "Combine.hpp"
#include "HostShare.hpp"
#include "PacketExchange.hpp"
#ifdef SYMM_FOR_DEVICE
#include "PacketReduce.hpp"
#endif

namespace symm::Impl {

/// The type of `init` in an inclusive scan.
struct NoInit {};

/// inscan() if Init is NoInit; exscan() if Init is T. Each PE processes one
/// share of the elements. No other PE loads or stores these elements, on any
/// member. Therefore, `dest` may be the same as `source`.
template <class T, class Op, class Init>
struct ScanWork {
  PeTeam team;
  T* dest;
  T const* source;
  std::size_t count;
  Op op;
  Init init;

  using Element                      = T;
  static constexpr bool is_inclusive = std::is_same_v<Init, NoInit>;
  static constexpr char const* name =
      is_inclusive ? "symm::inscan" : "symm::exscan";

  [[nodiscard]] SYMM_FUNCTION CollectiveCall call() const {
    auto const bytes = bytes_of(sizeof(T), count);
    CollectiveCall result{name,   count, dest, bytes,
                          source, bytes, 0,    Overlap::if_equal};
    result.passing = Passing::to_combine;
    if constexpr (has_packets) result.n_words = n_words_of(bytes);
    return result;
  }
  static constexpr bool has_packets = are_units_of_words_v<T>;
#ifdef SYMM_FOR_DEVICE
  /// See ReduceWork::run_by_packets().
  template <PacketPhase phase, Group Threads>
  __device__ void run_by_packets(Threads const& group,
                                 PacketPart const& part) const
      requires(has_packets) {
    if constexpr (is_inclusive) {
      combine_packets<phase>(*this, group, part, team.my_pe() + 1);
    } else {
      combine_packets<phase>(*this, group, part, team.my_pe(), &init);
    }
  }
#endif
  /// Executes the entire operation on the host, using the sources that the PEs
  /// piggybacked on the checks.
  void run_on_passed(PassedSources const& sources) const {
    if constexpr (is_inclusive) {
      combine_passed(dest, count, op, team.my_pe() + 1, sources);
    } else {
      combine_passed(dest, count, op, team.my_pe(), sources, &init);
    }
  }
  /// Processes one block of this PE's share; called by HostShare.
  template <class Blocks>
  void run_block(Blocks& blocks, T* values, std::size_t n) const {
    if constexpr (!is_inclusive) std::fill_n(values, n, init);
    for (Pe pe = 0; pe < team.n_pes(); ++pe) {
      T const* const from = blocks.source(pe);
      T* const to         = blocks.dest(pe);
      add_block(values, pe, from, to, n);
      blocks.store(pe, to);
    }
  }
  template <Group Threads>
  SYMM_FUNCTION void operator()(Threads const& group, HeapMap const& heap,
                                std::size_t part, std::size_t n_parts) const {
    auto const n  = static_cast<std::size_t>(team.n_pes());
    auto const me = static_cast<std::size_t>(team.my_pe());
    auto const range =
        range_of_part<T>(count, me * n_parts + part, n * n_parts);
    run_share(group, heap, *this, range);
  }

#ifdef SYMM_FOR_DEVICE
  // Used by run_share().

  /// Scans one element across all members, in member order.
  template <class Load, class Store>
  __device__ void run_element(Load const& load, Store const& store) const {
    int const n = team.n_pes();
    if constexpr (is_inclusive) {
      T value = load(0);
      store(0, value);
      for (Pe pe = 1; pe < n; ++pe) {
        value = static_cast<T>(op(value, load(pe)));
        store(pe, value);
      }
    } else {
      T value = init;
      for (Pe pe = 0; pe + 1 < n; ++pe) {
        T const element = load(pe);
        store(pe, value);
        value = static_cast<T>(op(value, element));
      }
      store(n - 1, value);
    }
  }

  template <Group Threads>
  __device__ void run_near(Threads const& group, HeapMap const& heap,
                           Range const& range) const {
    group.for_each(range.count, [&](std::size_t k) {
      std::size_t const i = range.first + k;
      run_element([&](Pe pe) { return block_of(team, heap, source, pe)[i]; },
                  [&](Pe pe, T const& value) {
                    block_of(team, heap, dest, pe)[i] = value;
                  });
    });
  }
#endif

 private:
  /// Computes member `pe`'s block `to` from that member's block `from`.
  /// \param values The result for the members before `pe`; updated with member
  ///        `pe`'s elements.
  void add_block(T* values, Pe pe, T const* from, T* to, std::size_t n) const {
    if constexpr (is_inclusive) {
      for (std::size_t i = 0; i < n; ++i) {
        values[i] = pe == 0 ? from[i] : static_cast<T>(op(values[i], from[i]));
        to[i]     = values[i];
      }
    } else {
      bool const is_last = pe + 1 == team.n_pes();
      for (std::size_t i = 0; i < n; ++i) {
        T const element = from[i];
        to[i]           = values[i];
        if (!is_last) values[i] = static_cast<T>(op(values[i], element));
      }
    }
  }
};

}  // namespace symm::Impl

#endif
