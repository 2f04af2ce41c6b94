// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TRANSPORT_TRANSPORT_TARGET_HPP
#define SYMM_TRANSPORT_TRANSPORT_TARGET_HPP

#include <cstddef>
#include <string_view>

#include "LostPe.hpp"
#include "Transport.hpp"

namespace symm::Impl {

class SideQueue;

/// What a transport asks of its PE: where the segments are, for operations that
/// come from other nodes, and what there is to say to them. Any thread, also
/// while another one is in a collective call.
class TransportTarget {
 public:
  virtual ~TransportTarget() = default;

  /// The address of [offset, offset + bytes); null, if that is not there.
  [[nodiscard]] virtual char* find(Segment segment, std::size_t offset,
                                   std::size_t bytes) noexcept = 0;

  /// What reaches the memory of segments that is_of_gpu(), where find() has
  /// found some. One thread at a time.
  [[nodiscard]] virtual SideQueue* gpu() noexcept { return nullptr; }

  /// Where `pe` runs, for messages; empty, if it is not known.
  [[nodiscard]] virtual std::string_view host_of(Pe /*pe*/) const noexcept {
    return {};
  }
  /// The collective call that this PE is in, for messages; null: in none.
  [[nodiscard]] virtual char const* call() const noexcept { return nullptr; }
  [[nodiscard]] virtual Standing standing() const noexcept { return {}; }

  /// What the PEs of this node share.
  [[nodiscard]] virtual LostPeRecord* lost_pe() noexcept { return nullptr; }
};

}  // namespace symm::Impl

#endif
