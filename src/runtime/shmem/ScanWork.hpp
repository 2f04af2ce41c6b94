// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_SHMEM_SCANWORK_HPP
#define SYMM_SHMEM_SCANWORK_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <type_traits>

#include "../base/Function.hpp"
#include "../base/KernelText.hpp"
#include "../base/Types.hpp"
#include "../memory/HeapMap.hpp"
#include "CollectiveCall.hpp"
#include "CollectiveWork.hpp"
#include "PassedSources.hpp"
#include "PeOperations.hpp"
#include "PeTeam.hpp"
#include "RingClient.hpp"

namespace symm::Impl {

/// Makes a ScanWork inclusive.
struct NoInit {};

/// inscan(), or exscan() with a T as `init`. Each PE has a share of the
/// elements; it alone reads and stores these, on all members. So dest may be
/// source.
template <class T, class Op, class Init>
struct ScanWork {
  PeTeam team;
  T* dest;
  T const* source;
  std::size_t count;
  Op op;
  Init init;

  static constexpr bool is_inclusive = std::is_same_v<Init, NoInit>;

  [[nodiscard]] SYMM_FUNCTION CollectiveCall call() const {
    auto const bytes = bytes_of(sizeof(T), count);
    CollectiveCall result{is_inclusive ? "symm::inscan" : "symm::exscan",
                          count,
                          dest,
                          bytes,
                          source,
                          bytes,
                          0,
                          Overlap::if_equal};
    result.passing = Passing::to_combine;
    return result;
  }
  /// Does all of it on the host, with the sources that the PEs have passed.
  void run_on_passed(PassedSources const& sources) const {
    auto const element = [&](Pe pe, std::size_t i) {
      return sources.element<T>(pe, i);
    };
    Pe const end = team.my_pe() + (is_inclusive ? 1 : 0);
    for (std::size_t i = 0; i < count; ++i) {
      Pe pe   = 0;
      T value = [&]() -> T {
        if constexpr (is_inclusive) {
          return element(pe++, i);
        } else {
          return init;
        }
      }();
      for (; pe < end; ++pe) value = static_cast<T>(op(value, element(pe, i)));
      dest[i] = value;
    }
  }
  template <Group Threads>
  SYMM_FUNCTION void operator()(Threads const& group, HeapMap const& heap,
                                std::size_t part, std::size_t n_parts) const {
    auto const n  = static_cast<std::size_t>(team.n_pes());
    auto const me = static_cast<std::size_t>(team.my_pe());
    auto const range =
        range_of_part<T>(count, me * n_parts + part, n * n_parts);
    SYMM_IF_ON_HOST((scan_on_host(group, heap, range);))
    SYMM_IF_ON_DEVICE((scan_in_kernel(group, heap, range);))
  }

 private:
  static constexpr std::size_t block_bytes = std::size_t{16} << 10U;
  static constexpr std::size_t block =
      sizeof(T) < block_bytes ? block_bytes / sizeof(T) : 1;

  /// Block by block, so that compilers see loops over adjacent elements; with
  /// far PEs by one thread.
  template <Group Threads>
  void scan_on_host(Threads const& group, HeapMap const& heap,
                    Range const& range) const {
    std::size_t const n_blocks = (range.count + block - 1) / block;
    auto const scan            = [&](std::size_t b) {
      std::size_t const done = b * block;
      scan_block(heap, range.first + done, std::min(block, range.count - done));
    };
    if (!team.has_far_pes()) {
      group.for_each(n_blocks, scan);
    } else if (group.rank() == 0) {
      for (std::size_t b = 0; b < n_blocks; ++b) scan(b);
    }
  }

  void scan_block(HeapMap const& heap, std::size_t first, std::size_t n) const {
    // Elements may have no default constructor.
    alignas(T) std::array<std::byte, block * sizeof(T)> values_memory;
    alignas(T) std::array<std::byte, block * sizeof(T)> fetched_memory;
    T* const values  = reinterpret_cast<T*>(values_memory.data());
    T* const fetched = reinterpret_cast<T*>(fetched_memory.data());
    if constexpr (!is_inclusive) std::fill_n(values, n, init);
    for (Pe pe = 0; pe < team.n_pes(); ++pe) {
      Pe const in_world  = team.world_pe(pe);
      bool const is_near = heap.is_near(in_world);
      T const* its       = fetched;
      T* to              = fetched;
      if (is_near) {
        its = block_of(team, heap, source, pe) + first;
        to  = block_of(team, heap, dest, pe) + first;
      } else {
        get_otherwise(fetched, resolve_far(heap, source + first, in_world),
                      n * sizeof(T), Until::is_safe, call().name);
      }
      add_block(values, pe, its, to, n);
      if (!is_near) {
        put_otherwise(resolve_far(heap, dest + first, in_world), fetched,
                      n * sizeof(T), Until::is_safe, call().name);
      }
    }
  }
  /// \param values combined of the members before `pe`; afterwards with `pe`'s.
  void add_block(T* values, Pe pe, T const* its, T* to, std::size_t n) const {
    if constexpr (is_inclusive) {
      for (std::size_t i = 0; i < n; ++i) {
        values[i] = pe == 0 ? its[i] : static_cast<T>(op(values[i], its[i]));
        to[i]     = values[i];
      }
    } else {
      bool const is_last = pe + 1 == team.n_pes();
      for (std::size_t i = 0; i < n; ++i) {
        T const element = its[i];
        to[i]           = values[i];
        if (!is_last) values[i] = static_cast<T>(op(values[i], element));
      }
    }
  }

#ifdef SYMM_FOR_DEVICE
  /// Scans one element of all members, in the order of their numbers.
  template <class Load, class Store>
  __device__ void scan_element(Load const& load, Store const& store) const {
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
  __device__ void scan_in_kernel(Threads const& group, HeapMap const& heap,
                                 Range const& range) const {
    if (team.has_far_pes()) [[unlikely]] {
      scan_far_in_kernel(group, heap, range);
      return;
    }
    group.for_each(range.count, [&](std::size_t k) {
      std::size_t const i = range.first + k;
      scan_element([&](Pe pe) { return block_of(team, heap, source, pe)[i]; },
                   [&](Pe pe, T const& value) {
                     block_of(team, heap, dest, pe)[i] = value;
                   });
    });
  }

  /// With far PEs: element by element, each a request.
  template <Group Threads>
  __device__ __noinline__ void scan_far_in_kernel(Threads const& group,
                                                  HeapMap const& heap,
                                                  Range const& range) const {
    if constexpr (std::is_default_constructible_v<T>) {
      group.for_each(range.count, [&](std::size_t k) {
        std::size_t const i = range.first + k;
        scan_element(
            [&](Pe pe) -> T {
              Pe const in_world = team.world_pe(pe);
              if (heap.is_near(in_world))
                return block_of(team, heap, source, pe)[i];
              return InKernel::load_far(source + i, in_world);
            },
            [&](Pe pe, T const& value) {
              Pe const in_world = team.world_pe(pe);
              if (heap.is_near(in_world)) {
                block_of(team, heap, dest, pe)[i] = value;
              } else {
                InKernel::store_far(dest + i, value, in_world);
              }
            });
      });
    } else {
      (KernelText() << "symm::inscan, exscan: elements without a default "
                       "constructor are not scanned by GPUs of several nodes")
          .abort();
    }
  }
#endif
};

}  // namespace symm::Impl

#endif
