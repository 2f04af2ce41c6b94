// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PES_COMPARED_CALL_HPP
#define SYMM_PES_COMPARED_CALL_HPP

#include <cstdint>
#include <type_traits>

#include "../base/Failure.hpp"
#include "../base/Types.hpp"
#include "RuntimeCall.hpp"

namespace symm::Impl {

/// The part of a record that a Rendezvous compares.
struct ComparedCall {
  RuntimeCall operation = RuntimeCall::none;
  MemoryKind memory     = MemoryKind::host;
  ErrorKind failure     = ErrorKind::none;
  RuntimeCallArguments arguments{};
  std::uint64_t trail = 0;  // CallTrail::hash()
};
static_assert(std::has_unique_object_representations_v<ComparedCall>);

/// A notice's number and the number of PEs that sent the notice.
struct NoticeCount {
  std::uint32_t number = 0;
  std::int32_t n_pes   = 0;
};

}  // namespace symm::Impl

#endif
