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
#include "Far.hpp"
#include "PassedSources.hpp"
#include "PeTeam.hpp"
#include "RingClient.hpp"

namespace symm::Impl {

/// For ScanWork: the scan is inclusive.
struct NoInit {};

/// inscan(), and with a T as `init` exscan(): each PE computes its own dest
/// from the sources of those before it.
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
                          bytes};
    result.passing = Passing::to_combine;
    return result;
  }
  /// All of it on the host, from what the PEs have passed.
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
    auto const range = range_of_part<T>(count, part, n_parts);
    SYMM_IF_ON_HOST((if (team.has_far_pes()) {
      if (group.rank() == 0) scan_far(heap, range);
      return;
    }))
    SYMM_IF_ON_DEVICE((if (team.has_far_pes()) [[unlikely]] {
      scan_far_in_kernel(group, heap, range);
      return;
    }))
    group.for_each(range.count, [&](std::size_t k) {
      std::size_t const i = range.first + k;
      dest[i] =
          scanned([&](Pe pe) { return block_of(team, heap, source, pe)[i]; });
    });
  }

 private:
  /// This PE's element of the members' ones, in the order of their numbers.
  template <class ElementOf>
  [[nodiscard]] SYMM_FUNCTION T scanned(ElementOf const& element_of) const {
    if constexpr (is_inclusive) {
      T value = element_of(0);
      for (Pe pe = 1; pe <= team.my_pe(); ++pe)
        value = static_cast<T>(op(value, element_of(pe)));
      return value;
    } else {
      T value = init;
      for (Pe pe = 0; pe < team.my_pe(); ++pe)
        value = static_cast<T>(op(value, element_of(pe)));
      return value;
    }
  }

  /// Block by block, of which those of far members come one after the other.
  void scan_far(HeapMap const& heap, Range const& range) const {
    constexpr std::size_t most = std::max<std::size_t>(16384 / sizeof(T), 1);
    alignas(T) std::array<std::byte, most * sizeof(T)> memory;
    T* const fetched     = reinterpret_cast<T*>(memory.data());
    Pe const end         = team.my_pe() + (is_inclusive ? 1 : 0);
    std::size_t const to = range.first + range.count;
    for (std::size_t first = range.first; first < to; first += most) {
      std::size_t const n = std::min(most, to - first);
      if constexpr (!is_inclusive) std::fill_n(dest + first, n, init);
      for (Pe pe = 0; pe < end; ++pe) {
        T const* its = fetched;
        if (heap.is_near(team.world_pe(pe))) {
          its = block_of(team, heap, source, pe) + first;
        } else {
          get_far(fetched,
                  {heap, source + first, team.world_pe(pe), call().name},
                  n * sizeof(T));
        }
        for (std::size_t i = 0; i < n; ++i) {
          T& sum = dest[first + i];
          sum    = is_inclusive && pe == 0 ? its[i]
                                           : static_cast<T>(op(sum, its[i]));
        }
      }
    }
  }

#ifdef SYMM_FOR_DEVICE
  /// Element by element, each a request.
  template <Group Threads>
  __device__ __noinline__ void scan_far_in_kernel(Threads const& group,
                                                  HeapMap const& heap,
                                                  Range const& range) const {
    if constexpr (std::is_default_constructible_v<T>) {
      group.for_each(range.count, [&](std::size_t k) {
        std::size_t const i = range.first + k;
        dest[i]             = scanned([&](Pe pe) -> T {
          Pe const in_world = team.world_pe(pe);
          if (heap.is_near(in_world))
            return block_of(team, heap, source, pe)[i];
          return InKernel::load_far(source + i, in_world);
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
