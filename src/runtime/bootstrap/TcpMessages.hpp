// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TCP_MESSAGES_HPP
#define SYMM_TCP_MESSAGES_HPP

#include <array>
#include <cstdint>
#include <string_view>
#include <type_traits>

/// What a PE and PE 0 send each other in a start by TCP before they are
/// connected.
namespace symm::Impl {

enum class TcpPurpose : std::uint32_t { steps, life };

/// The first message on a connection.
struct TcpHello {
  std::array<char, 8> magic{'s', 'y', 'm', 'm', 'T', 'C', 'P', '2'};
  std::uint64_t key     = 0;
  std::uint64_t process = 0;  // drawn by it, never 0
  std::int32_t pe = 0, n_pes = 0;
  TcpPurpose purpose = TcpPurpose::steps;
  /// Equal on both connections; counts those that the process has given up.
  std::uint32_t attempt = 0;
};

/// PE 0's answer on the connection for steps, once all PEs are there, or not. A
/// PE that is not let in gets it on the other one, too.
struct TcpAnswer {
  std::uint32_t is_refused = 0;
  std::array<char, 508> why{};

  TcpAnswer() = default;
  /// \param why_not empty: the PE is let in.
  explicit TcpAnswer(std::string_view why_not)
      : is_refused(why_not.empty() ? 0 : 1) {
    why_not.copy(why.data(), why.size() - 1);
  }
};

// Padding would send what is left on the stack.
static_assert(std::has_unique_object_representations_v<TcpHello>);
static_assert(std::has_unique_object_representations_v<TcpAnswer>);

}  // namespace symm::Impl

#endif
