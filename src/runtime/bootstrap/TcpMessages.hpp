// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TCP_MESSAGES_HPP
#define SYMM_TCP_MESSAGES_HPP

#include <array>
#include <cstdint>
#include <string_view>
#include <type_traits>

/// The messages that a PE and PE 0 exchange to establish their connections when
/// a job starts over TCP.
namespace symm::Impl {

enum class TcpPurpose : std::uint32_t { steps, life };

/// The first message on a connection.
struct TcpHello {
  std::array<char, 8> magic{'s', 'y', 'm', 'm', 'T', 'C', 'P', '2'};
  std::uint64_t key     = 0;
  std::uint64_t process = 0;  // identifies the process; random, never 0
  std::int32_t pe = 0, n_pes = 0;
  TcpPurpose purpose = TcpPurpose::steps;
  /// The number of this process's attempt to connect. Both connections of an
  /// attempt carry the same number.
  std::uint32_t attempt = 0;
};

/// PE 0's answer on the `steps` connection, sent once all PEs have connected or
/// PE 0 has given up. If PE 0 refuses a PE immediately, it also sends the
/// answer on the `life` connection.
struct TcpAnswer {
  enum class Kind : std::uint32_t {
    let_in,
    refused,  // the PE has sent wrong values
    given_up  // other PEs did not connect in time
  };

  Kind kind = Kind::let_in;
  std::array<char, 508> why{};

  TcpAnswer() = default;
  /// \param why_not why PE 0 does not admit the PE.
  TcpAnswer(Kind its_kind, std::string_view why_not) : kind(its_kind) {
    why_not.copy(why.data(), why.size() - 1);
  }
};

// Padding would leak uninitialized stack bytes.
static_assert(std::has_unique_object_representations_v<TcpHello>);
static_assert(std::has_unique_object_representations_v<TcpAnswer>);

}  // namespace symm::Impl

#endif
