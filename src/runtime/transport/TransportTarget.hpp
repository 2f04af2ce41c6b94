// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TRANSPORT_TRANSPORT_TARGET_HPP
#define SYMM_TRANSPORT_TRANSPORT_TARGET_HPP

#include <cstddef>

#include "Transport.hpp"

namespace symm::Impl {

class SideQueue;

/// Where the segments of this PE are, for operations that come from other
/// nodes. Any thread, also while another one is in a collective call.
class TransportTarget {
 public:
  virtual ~TransportTarget() = default;

  /// The address of [offset, offset + bytes); null, if that is not there.
  [[nodiscard]] virtual char* find(Segment segment, std::size_t offset,
                                   std::size_t bytes) noexcept = 0;

  /// What reaches the memory of segments that is_of_gpu(), where find() has
  /// found some. One thread at a time.
  [[nodiscard]] virtual SideQueue* gpu() noexcept { return nullptr; }
};

}  // namespace symm::Impl

#endif
