// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TRANSPORT_TRANSPORT_TARGET_HPP
#define SYMM_TRANSPORT_TRANSPORT_TARGET_HPP

#include <cstddef>

#include "Transport.hpp"

namespace symm::Impl {

/// Where the segments of this PE are, for operations that come from other
/// nodes. Any thread, also while another one is in a collective call.
class TransportTarget {
 public:
  virtual ~TransportTarget() = default;

  /// The address of [offset, offset + bytes); null, if that is not there.
  [[nodiscard]] virtual char* find(Segment segment, std::size_t offset,
                                   std::size_t bytes) noexcept = 0;
};

}  // namespace symm::Impl

#endif
