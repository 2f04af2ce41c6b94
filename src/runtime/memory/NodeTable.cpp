// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "NodeTable.hpp"

#include <cstring>

#include "../base/Types.hpp"

namespace symm::Impl {

NodeTable::NodeTable(Bootstrap& bootstrap, FdExchange& exchange, Vmm& vmm,
                     char const* what, std::span<std::byte const> bytes) {
  auto const agree = agree_through(bootstrap);
  auto const room =
      round_up(bytes.size(), vmm.granularity(Vmm::Granularity::minimum));
  all_or_none(agree, what, [&] {
    m_range.emplace(vmm, exchange, bootstrap.my_pe(), bootstrap.n_pes(), room,
                    0);
  });
  m_range->add_chunk(0, room, agree);
  // No PE touches the other parts of the range, so they occupy no memory.
  auto const& map   = m_range->map();
  char* const first = map.part(map.first_near);
  if (map.my_pe == map.first_near) {
    std::memcpy(first, bytes.data(), bytes.size());
  }
  bootstrap.barrier();
  m_bytes = {reinterpret_cast<std::byte const*>(first), bytes.size()};
}

}  // namespace symm::Impl
