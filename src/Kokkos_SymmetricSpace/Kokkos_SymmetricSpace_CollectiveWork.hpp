// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_COLLECTIVEWORK_HPP
#define KOKKOS_SYMMETRICSPACE_COLLECTIVEWORK_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace_CollectiveCall.hpp>
#include <Kokkos_SymmetricSpace_Ordering.hpp>

#include "../runtime/base/Types.hpp"
#include "../runtime/memory/HeapMap.hpp"
#include "../runtime/shmem/Group.hpp"
#include "../runtime/shmem/GroupCopy.hpp"
#include "../runtime/shmem/Rma.hpp"
#include "../runtime/symm_teams.hpp"

// What the collective operations are given, and what each PE does of them
// between the barrier after which everybody's source is there and the one after
// which everybody is done. The same code on the host (one thread), in a kernel
// (one thread group) and in a kernel of several blocks:
// work(group, heap, part, n_parts) does part `part`.
//
// Data are fetched from where they are, each PE beginning with another, but for
// reductions: each PE reduces a share and stores it to all, so every result is
// computed once and has the same bits everywhere. (On the host, sources of a
// word come with the checks, and each PE computes alone, in the same order.)

namespace symm {

struct Range {
  std::size_t first;
  std::size_t count;
};

/// A part of `count` elements; those that are not empty begin at multiples of
/// `unit`.
KOKKOS_INLINE_FUNCTION Range part_of(std::size_t count, std::size_t part,
                                     std::size_t n_parts, std::size_t unit) {
  std::size_t const n_units = (count + unit - 1) / unit;
  std::size_t const each    = (n_units + n_parts - 1) / n_parts * unit;
  std::size_t const first   = part * each < count ? part * each : count;
  std::size_t const left    = count - first;
  return {first, left < each ? left : each};
}

/// A member's copy of the block at the symmetric address `mine`.
template <class T>
KOKKOS_INLINE_FUNCTION T* block_of(PeTeam const& team, HeapMap const& heap,
                                   T* mine, Pe member) {
  check_element<T>();
  return heap.peer_ptr(mine, team.world_pe(member));
}

/// Size of one block for each PE of a team; the largest number, if it is none.
KOKKOS_INLINE_FUNCTION std::size_t bytes_of_all(PeTeam const& team,
                                                std::size_t size,
                                                std::size_t count) {
  return count == 0 ? 0
                    : bytes_of(bytes_of(size, count),
                               static_cast<std::size_t>(team.n_pes()));
}

/// Copies a part of a block of elements.
template <class T, class Group>
KOKKOS_INLINE_FUNCTION void copy_part(Group const& group, T* dest,
                                      T const* source, std::size_t count,
                                      std::size_t part, std::size_t n_parts) {
  constexpr std::size_t unit = sizeof(T) < 128 ? 128 / sizeof(T) : 1;
  auto const range           = part_of(count, part, n_parts, unit);
  if (range.count == 0 || dest == source) return;
  copy_bytes<alignof(T)>(group, dest + range.first, source + range.first,
                         range.count * sizeof(T));
}

template <class T>
struct BroadcastWork {
  PeTeam team;
  T* dest;
  T const* source;
  std::size_t count;
  Pe root;

  [[nodiscard]] KOKKOS_FUNCTION CollectiveCall call() const {
    auto const bytes = bytes_of(sizeof(T), count);
    return {"symm::broadcast", count, dest, bytes, source, bytes, root,
            Overlap::if_equal};
  }
  template <class Group>
  KOKKOS_FUNCTION void operator()(Group const& group, HeapMap const& heap,
                                  std::size_t part, std::size_t n_parts) const {
    copy_part(group, dest, block_of(team, heap, source, root), count, part,
              n_parts);
  }
};

/// fcollect and alltoall: one block of every member, one after the other.
template <class T, bool is_alltoall>
struct GatherWork {
  PeTeam team;
  T* dest;
  T const* source;
  std::size_t count;  // of a block

  [[nodiscard]] KOKKOS_FUNCTION CollectiveCall call() const {
    auto const bytes = bytes_of_all(team, sizeof(T), count);
    return {is_alltoall ? "symm::alltoall" : "symm::fcollect",
            count,
            dest,
            bytes,
            source,
            is_alltoall ? bytes : bytes_of(sizeof(T), count)};
  }
  template <class Group>
  KOKKOS_FUNCTION void operator()(Group const& group, HeapMap const& heap,
                                  std::size_t part, std::size_t n_parts) const {
    int const n       = team.n_pes();
    Pe const me       = team.my_pe();
    T const* const my = source + (is_alltoall ? block(me) : 0);
    for (int k = 1; k <= n; ++k) {
      Pe const pe = (me + k) % n;
      copy_part(group, dest + block(pe), block_of(team, heap, my, pe), count,
                part, n_parts);
    }
  }

 private:
  [[nodiscard]] KOKKOS_FUNCTION std::size_t block(Pe pe) const {
    return static_cast<std::size_t>(pe) * count;
  }
};

/// Blocks of different sizes: every member has passed its count.
template <class T>
struct CollectWork {
  PeTeam team;
  T* dest;
  T const* source;
  std::size_t count;
  // No more than that; at null nothing.
  std::size_t dest_bytes = dest == nullptr ? 0 : ~std::size_t{0};

  [[nodiscard]] KOKKOS_FUNCTION CollectiveCall call() const {
    return {"symm::collect",
            count,
            dest,
            dest_bytes,
            source,
            bytes_of(sizeof(T), count),
            0,
            Overlap::none,
            sizeof(T)};
  }
  template <class Group>
  KOKKOS_FUNCTION void operator()(Group const& group, HeapMap const& heap,
                                  std::size_t part, std::size_t n_parts) const {
    auto const words          = team.words();
    std::uint64_t const epoch = load_relaxed(words.epoch());
    std::size_t first         = 0;
    for (Pe pe = 0; pe < team.n_pes(); ++pe) {
      std::size_t const n =
          load_relaxed(words.passed(words.map.my_pe, pe, epoch));
      if (n > dest_bytes / sizeof(T) - first) {  // the host has looked before
        Kokkos::abort("symm::collect: dest is too small");
      }
      copy_part(group, dest + first, block_of(team, heap, source, pe), n, part,
                n_parts);
      first += n;
    }
  }
};

/// alltoall with elements that are not next to each other.
template <class T>
struct StridedAlltoallWork {
  PeTeam team;
  T* dest;
  T const* source;
  std::size_t dest_stride;
  std::size_t source_stride;
  std::size_t count;

  [[nodiscard]] KOKKOS_FUNCTION CollectiveCall call() const {
    auto const n = bytes_of_all(team, 1, count);
    return {"symm::alltoalls",
            count,
            dest,
            bytes_of(sizeof(T), n, dest_stride),
            source,
            bytes_of(sizeof(T), n, source_stride),
            0,
            Overlap::unknown};
  }
  template <class Group>
  KOKKOS_FUNCTION void operator()(Group const& group, HeapMap const& heap,
                                  std::size_t part, std::size_t n_parts) const {
    int const n       = team.n_pes();
    Pe const me       = team.my_pe();
    auto const range  = part_of(count, part, n_parts, 1);
    T const* const my = source + first_of(me, range) * source_stride;
    for (int k = 1; k <= n; ++k) {
      Pe const pe         = (me + k) % n;
      T const* const from = block_of(team, heap, my, pe);
      T* const to         = dest + first_of(pe, range) * dest_stride;
      copy_each(
          group, range.count,
          [=, stride = source_stride](std::size_t i) {
            return from[i * stride];
          },
          [=, stride = dest_stride](std::size_t i, T const& value) {
            to[i * stride] = value;
          });
    }
  }

 private:
  [[nodiscard]] KOKKOS_FUNCTION std::size_t first_of(Pe pe,
                                                     Range const& range) const {
    return static_cast<std::size_t>(pe) * count + range.first;
  }
};

/// Elements that are loaded or stored at once.
template <class T, std::size_t n>
struct alignas(n == 1 ? alignof(T) : 16) Pack {
  T values[n];
};

template <class T, class Op>
struct ReduceWork {
  PeTeam team;
  T* dest;
  T const* source;
  std::size_t count;
  Op op;

  /// Elements of an access of 16 bytes.
  static constexpr std::size_t width = 16 % sizeof(T) == 0 ? 16 / sizeof(T) : 1;

  [[nodiscard]] KOKKOS_FUNCTION CollectiveCall call() const {
    auto const bytes = bytes_of(sizeof(T), count);
    CollectiveCall result{"symm::reduce", count, dest, bytes,
                          source,         bytes, 0,    Overlap::if_equal};
    result.may_pass_source = sizeof(T) <= sizeof(std::uint64_t);
    return result;
  }
  /// All of it on the host, from the words that the PEs have passed: for each
  /// PE itself, in the same order.
  void run_on_passed(PeTeamWords const& words, std::uint64_t epoch) const
      requires(sizeof(T) <= sizeof(std::uint64_t)) {
    auto const value = [&](Pe pe, std::size_t i) {
      auto const word =
          load_relaxed(words.passed(words.map.my_pe, pe, epoch, 1));
      alignas(T) std::array<std::byte, sizeof(T)> its;
      std::memcpy(its.data(),
                  reinterpret_cast<std::byte const*>(&word) + i * sizeof(T),
                  sizeof(T));
      return std::bit_cast<T>(its);
    };
    for (std::size_t i = 0; i < count; ++i) {
      T result = value(0, i);
      for (Pe pe = 1; pe < team.n_pes(); ++pe)
        result = static_cast<T>(op(result, value(pe, i)));
      dest[i] = result;
    }
  }
  template <class Group>
  KOKKOS_FUNCTION void operator()(Group const& group, HeapMap const& heap,
                                  std::size_t part, std::size_t n_parts) const {
    auto const n  = static_cast<std::size_t>(team.n_pes());
    auto const me = static_cast<std::size_t>(team.my_pe());
    auto const range =
        part_of(count, me * n_parts + part, n * n_parts, width * 8);
    KOKKOS_IF_ON_HOST((reduce_on_host(group, heap, range);))
    KOKKOS_IF_ON_DEVICE((reduce_on_device(group, heap, range);))
  }

  /// Block by block, so that compilers see loops over adjacent elements.
  template <class Group>
  void reduce_on_host(Group const& group, HeapMap const& heap,
                      Range const& range) const {
    constexpr std::size_t block = sizeof(T) < 4096 ? 4096 / sizeof(T) : 1;
    group.for_each((range.count + block - 1) / block, [&](std::size_t b) {
      std::size_t const first = range.first + b * block;
      std::size_t const left  = range.first + range.count - first;
      std::size_t const size  = left < block ? left : block;
      // Of elements that may have no default constructor.
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

  /// By accesses of 16 bytes if both addresses allow them.
  template <class Group>
  KOKKOS_FUNCTION void reduce_on_device(Group const& group, HeapMap const& heap,
                                        Range const& range) const {
    if constexpr (std::is_default_constructible_v<T>) {
      std::size_t n_packs = 0;
      if constexpr (width > 1) {
        auto const bits = reinterpret_cast<std::size_t>(source) |
                          reinterpret_cast<std::size_t>(dest);
        if (bits % 16 == 0) n_packs = range.count / width;
        reduce_packs<Pack<T, width>>(group, heap, range.first, n_packs);
      }
      std::size_t const done = n_packs * width;
      reduce_packs<Pack<T, 1>>(group, heap, range.first + done,
                               range.count - done);
    } else {
      group.for_each(range.count, [&](std::size_t i) {
        reduce_element(heap, range.first + i);
      });
    }
  }

  KOKKOS_FUNCTION void reduce_element(HeapMap const& heap,
                                      std::size_t i) const {
    T value = block_of(team, heap, source, 0)[i];
    for (Pe pe = 1; pe < team.n_pes(); ++pe)
      value = static_cast<T>(op(value, block_of(team, heap, source, pe)[i]));
    for (Pe pe = 0; pe < team.n_pes(); ++pe)
      block_of(team, heap, dest, pe)[i] = value;
  }

 private:
  template <class P, class Group>
  KOKKOS_FUNCTION void reduce_packs(Group const& group, HeapMap const& heap,
                                    std::size_t first,
                                    std::size_t n_packs) const {
    constexpr std::size_t n_loads = sizeof(P) <= 16 ? 4 : 1;
    constexpr std::size_t row     = Group::row;
    constexpr std::size_t tile    = row * n_loads;
    std::size_t const n_tiles     = n_packs / tile;
    group.for_each(n_tiles * row, [&](std::size_t i) {
      std::size_t const begin = i / row * tile + i % row;
      reduce_some<P, n_loads>(heap, first, begin, row);
    });
    std::size_t const done = n_tiles * tile;
    group.for_each(n_packs - done, [&](std::size_t i) {
      reduce_some<P, 1>(heap, first, done + i, row);
    });
  }

  /// Packs number begin, begin + row, ...: a thread has the loads of all of
  /// them on their way at once.
  template <class P, std::size_t n>
  KOKKOS_FUNCTION void reduce_some(HeapMap const& heap, std::size_t first,
                                   std::size_t begin, std::size_t row) const {
    P values[n];  // in registers: compilers unroll the loops over n
    load(values, heap, 0, first, begin, row);
    for (Pe pe = 1; pe < team.n_pes(); ++pe) {
      P its[n];
      load(its, heap, pe, first, begin, row);
      for (std::size_t k = 0; k < n; ++k) combine(values[k], its[k]);
    }
    for (Pe pe = 0; pe < team.n_pes(); ++pe) {
      T* const to = block_of(team, heap, dest, pe) + first;
      for (std::size_t k = 0; k < n; ++k)
        reinterpret_cast<P*>(to)[begin + k * row] = values[k];
    }
  }
  template <class P, std::size_t n>
  KOKKOS_FUNCTION void load(P (&values)[n], HeapMap const& heap, Pe pe,
                            std::size_t first, std::size_t begin,
                            std::size_t row) const {
    T const* const from = block_of(team, heap, source, pe) + first;
    for (std::size_t k = 0; k < n; ++k)
      values[k] = reinterpret_cast<P const*>(from)[begin + k * row];
  }
  template <std::size_t n>
  KOKKOS_FUNCTION void combine(Pack<T, n>& a, Pack<T, n> const& b) const {
    for (std::size_t i = 0; i < n; ++i)
      a.values[i] = static_cast<T>(op(a.values[i], b.values[i]));
  }
};

}  // namespace symm

#endif
