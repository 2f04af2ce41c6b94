// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PES_COMBINATION_HPP
#define SYMM_PES_COMBINATION_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

#include "../base/Types.hpp"
#include "ComparedCall.hpp"

namespace symm::Impl {

/// The combined records of several PEs in one step of a Rendezvous.
struct Summary {
  // Each flag says how the PEs' calls differ, or that a condition holds on at
  // least one PE.
  static constexpr std::uint32_t other_operation  = 1;
  static constexpr std::uint32_t other_arguments  = 2;  // or different memory
  static constexpr std::uint32_t other_trail      = 4;
  static constexpr std::uint32_t has_failed       = 8;
  static constexpr std::uint32_t has_more_notices = 16;
  static constexpr std::uint32_t is_wrong =
      other_operation | other_arguments | other_trail | has_failed;

  ComparedCall call{};  // the lowest-numbered PE's call, without its failure
  std::uint64_t bits           = 0;   // the bits that are set on all PEs
  std::uint64_t lowest_first   = 0;   // the lowest first argument
  std::uint64_t highest_second = 0;   // the highest second argument
  Pe lowest_pe                 = -1;  // -1: no PE yet
  std::uint32_t flags          = 0;

  /// One PE's summary.
  static Summary of(Pe pe, ComparedCall const& said, std::uint64_t its_bits,
                    bool has_more);

  [[nodiscard]] bool is(std::uint32_t any_of) const {
    return (flags & any_of) != 0;
  }
  /// Merges a summary of other PEs into this one. The result does not depend on
  /// the order of the merges.
  void add(Summary const& others);
};
static_assert(std::has_unique_object_representations_v<Summary>);

/// The combined records of the PEs on one or more nodes, in one step of a
/// Rendezvous. The object's size does not depend on the number of PEs. After
/// construction, the object allocates no private memory, not even for sending.
///
/// If there are more than max_notices different notices, only those with the
/// lowest numbers are kept. The result does not depend on the order in which
/// PEs are combined: the lowest numbers overall are also among the lowest in
/// every subset that contains them.
class Combination {
 public:
  /// The maximum number of distinct notice numbers.
  static constexpr std::size_t max_notices = 1024;
  static constexpr std::uint32_t told_all =
      std::numeric_limits<std::uint32_t>::max();

  void clear() { parts().clear(); }

  /// Adds one PE's record.
  void add(Summary const& said, std::span<std::uint32_t const> its_notices);

  /// Adds a message() from PEs on other nodes.
  /// \throws SystemError if `message` is not valid.
  void add(std::span<std::byte const> message);
  /// Replaces the contents with a message() from all PEs.
  /// \throws SystemError if `message` is not valid.
  void assign(std::span<std::byte const> message);

  /// The bytes to send. They are valid until this object changes.
  [[nodiscard]] std::span<std::byte const> message() const;

  [[nodiscard]] Summary const& summary() const { return parts().summary; }
  /// The notices, sorted by number.
  [[nodiscard]] std::span<NoticeCount const> notices() const {
    return std::span(parts().notices).first(parts().n_notices);
  }
  /// Notices with numbers above the returned value have been dropped.
  [[nodiscard]] std::uint32_t last_told() const { return parts().last_told; }

 private:
  /// The format of a message, which ends after the last notice.
  struct Parts {
    Summary summary{};
    std::uint32_t last_told = told_all;
    std::uint32_t n_notices = 0;
    std::array<NoticeCount, max_notices> notices;

    void clear() {
      summary   = {};
      last_told = told_all;
      n_notices = 0;
    }
  };
  static_assert(std::is_trivially_copyable_v<Parts>);

  [[nodiscard]] Parts& parts() { return m_both[m_current]; }
  [[nodiscard]] Parts const& parts() const { return m_both[m_current]; }
  [[nodiscard]] Parts& spare() { return m_both[1 - m_current]; }
  void add_notices(std::span<NoticeCount const> more, std::uint32_t last);
  /// Copies a message to `copy` and checks its size.
  [[nodiscard]] static Parts const& parts_of(std::span<std::byte const> message,
                                             Parts& copy);

  std::array<Parts, 2> m_both;
  std::size_t m_current = 0;
  Parts m_received;
};

}  // namespace symm::Impl

#endif
