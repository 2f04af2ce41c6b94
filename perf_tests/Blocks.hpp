// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PERF_BLOCKS_HPP
#define SYMM_PERF_BLOCKS_HPP

#include <Kokkos_SymmetricSpace.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "harness/DeviceWords.hpp"
#include "harness/Gpus.hpp"
#include "harness/Pattern.hpp"
#include "harness/Sampler.hpp"
#include "harness/Session.hpp"

namespace perf {

/// The sizes in bytes of the blocks that the allocation benchmarks ask for. On
/// GPUs, the sizes go up to 16 GiB, but not above an eighth of the memory that
/// the PE can use. Collective.
[[nodiscard]] inline std::vector<std::size_t> block_sizes(
    Session const& session) {
  constexpr std::size_t kib = std::size_t{1} << 10U;
  constexpr std::size_t mib = std::size_t{1} << 20U;
  constexpr std::size_t gib = std::size_t{1} << 30U;
  if (session.quick()) return {kib, 64 * kib, 4 * mib};
  if (session.gpus().count > 0) {
    std::vector<std::size_t> sizes{kib, 32 * kib, mib, 32 * mib};
    std::size_t const most = gpu_share_bytes(session.gpus()) / 8;
    for (std::size_t bytes = gib; bytes <= std::min(most, 16 * gib); bytes *= 4)
      sizes.push_back(bytes);
    return sizes;
  }
  return {kib, 4 * kib, 16 * kib, 64 * kib, 256 * kib,
          mib, 4 * mib, 16 * mib, 64 * mib};
}

/// symm::malloc. Collective. \throws std::bad_alloc
[[nodiscard]] inline void* allocate_block(std::size_t bytes) {
  void* const p = symm::malloc(bytes);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}

/// Creates and destroys an uninitialized View of `bytes` bytes. Collective if
/// the space is symmetric.
template <class Space>
void create_and_destroy_view(std::size_t bytes) {
  Kokkos::View<char*, Space> const view(
      Kokkos::view_alloc("view", Kokkos::WithoutInitializing), bytes);
  keep(view.data());
}

/// Every PE writes the first and the last word of the next PE's copy of a block
/// of `bytes` bytes. Returns the number of wrong words in this PE's copy.
/// Collective.
[[nodiscard]] inline std::int64_t count_wrong_in_block(Session const& session,
                                                       std::size_t bytes) {
  int const me           = session.my_pe();
  int const next         = (me + 1) % session.n_pes();
  int const previous     = (me + session.n_pes() - 1) % session.n_pes();
  std::size_t const last = bytes / sizeof(std::uint64_t) - 1;

  auto* const mine   = static_cast<std::uint64_t*>(allocate_block(bytes));
  auto* const theirs = static_cast<std::uint64_t*>(symm::ptr(mine, next));
  write_word(theirs, pattern(me, next, 0));
  write_word(theirs + last, pattern(me, next, last));
  symm::barrier_all(Kokkos::DefaultExecutionSpace{});
  std::int64_t const wrong =
      (read_word(mine) != pattern(previous, me, 0) ? 1 : 0) +
      (read_word(mine + last) != pattern(previous, me, last) ? 1 : 0);
  symm::free(mine);
  return wrong;
}

}  // namespace perf

#endif
