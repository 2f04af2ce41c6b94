// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_COLLECTIVE_FORMS_HPP
#define SYMM_TEST_COLLECTIVE_FORMS_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>

#include <Kokkos_SymmetricSpace.hpp>
#include <runtime/collectives/KernelReduce.hpp>

#include "collective_helpers.hpp"

/// Who runs a collective operation: form(op, team, dest, source, count) makes
/// the call, and waits. collectives_in_kernels.cpp has those in kernels.
namespace symm_test {

struct OnHost {
  static constexpr bool is_slow = !is_on_host<Space>;
  template <class Op, class T>
  void operator()(Op const& op, symm::PeTeam const& team, T* dest,
                  T const* source, std::size_t count) const {
    op.call(dest, source, count, team);
  }
};

template <class Exec>
struct Enqueued {
  static constexpr bool is_slow = is_gpu<Exec> || !is_on_host<Space>;
  Exec exec{};
  template <class Op, class T>
  void operator()(Op const& op, symm::PeTeam const& team, T* dest,
                  T const* source, std::size_t count) const {
    op.call(dest, source, count, exec, team);
    exec.fence("Enqueued");
  }
};

/// As a team of threads, which come in another order.
struct ManyThreads {
  static constexpr std::size_t row = 32;
  [[nodiscard]] KOKKOS_FUNCTION std::size_t rank() const { return 0; }
  [[nodiscard]] KOKKOS_FUNCTION std::size_t size() const { return 5; }
  template <class Body>
  KOKKOS_FUNCTION void for_each(std::size_t count, Body const& body) const {
    for (std::size_t i = count; i-- > 0;) body(i);
  }
  KOKKOS_FUNCTION void barrier() const {}
};

/// The kernel of many blocks, on the host, the last part first.
struct InParts {
  static constexpr bool is_slow = false;
  std::size_t n_parts;
  template <class Op, class T>
  void operator()(Op const& op, symm::PeTeam const& team, T* dest,
                  T const* source, std::size_t count) const {
    auto const heap = symm::heap_map(Space::memory_kind);
    auto const work = op.work(team, dest, source, count);
    symm::Impl::exchange_word(symm::Impl::OneThread(), team, "test", count);
    for (std::size_t part = n_parts; part-- > 0;) {
      work(ManyThreads(), heap, part, n_parts);
    }
    symm::barrier(team);
  }
};

/// The loops of a GPU for reduce(), on the host.
template <class Group>
struct InGpuLoops {
  static constexpr bool is_slow = false;
  std::size_t n_parts;
  template <class Op, class T>
  void operator()(Op const& op, symm::PeTeam const& team, T* dest,
                  T const* source, std::size_t count) const {
    auto const heap = symm::heap_map(Space::memory_kind);
    auto const work = op.work(team, dest, source, count);
    auto const n    = static_cast<std::size_t>(team.n_pes());
    auto const me   = static_cast<std::size_t>(team.my_pe());
    symm::barrier(team);
    for (std::size_t part = 0; part < n_parts; ++part) {
      symm::Impl::KernelReduce(work, heap)
          .run(Group(), symm::Impl::part_of(count, me * n_parts + part,
                                            n * n_parts, work.width * 8));
    }
    symm::barrier(team);
  }
};

}  // namespace symm_test

#endif
