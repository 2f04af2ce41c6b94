// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PES_PE_GROUPS_HPP
#define SYMM_PES_PE_GROUPS_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "../base/Failure.hpp"
#include "../base/Text.hpp"
#include "../base/Types.hpp"
#include "ComparedCall.hpp"
#include "RuntimeCall.hpp"

namespace symm::Impl {

/// PEs grouped by the text (`words`) that each PE contributes to an error
/// message. The error message names the lowest-numbered PEs in each group. Only
/// message() allocates private memory.
///
/// Stores only the max_groups groups that contain the lowest-numbered PEs. All
/// other PEs are only counted.
class PeGroups {
 public:
  static constexpr std::size_t max_groups = 16;
  static constexpr std::size_t max_named  = 16;
  using Words                             = BasicText<767>;
  using Host                              = BasicText<63>;

  struct PeGroup {
    std::array<Pe, max_named> pes{};  // the lowest PE numbers, in order
    int n_pes             = 0;
    RuntimeCall operation = RuntimeCall::none;  // of the lowest-numbered PE
    ErrorKind failure     = ErrorKind::none;    // of the lowest-numbered PE
    Host host;                                  // of the lowest-numbered PE
    Words words;

    [[nodiscard]] std::span<Pe const> named() const {
      return std::span(pes).first(
          std::min(max_named, static_cast<std::size_t>(n_pes)));
    }
    /// The PEs' names for error messages, such as "PE 3" or "PEs 0, 2".
    [[nodiscard]] Text names() const;
  };

  /// Adds a PE, unless `words` is empty.
  /// \param host The PE's host; empty in single-node jobs.
  void add(Pe pe, ComparedCall const& call, std::string_view words,
           std::string_view host);

  /// Adds a message() from other nodes. The PE numbers in the message must be
  /// either all higher or all lower than the PE numbers in this object.
  /// \throws SystemError if `message` is not valid.
  void add(std::span<std::byte const> message);
  /// Replaces the contents with a message() from all PEs.
  /// \throws SystemError if `message` is not valid.
  void assign(std::span<std::byte const> message);

  /// The bytes to send.
  [[nodiscard]] std::vector<std::byte> message() const;

  [[nodiscard]] std::span<PeGroup const> groups() const {
    return std::span(m_groups).first(m_n_groups);
  }

  /// Text to append to an error message: "; and 3 other PEs", or nothing.
  [[nodiscard]] Text others() const;
  /// Text to append to an error message: the host of the lowest-numbered PE in
  /// each group, or nothing.
  [[nodiscard]] Text hosts() const;

 private:
  void add(PeGroup const& group);

  std::size_t m_n_groups = 0;
  int m_n_other_pes      = 0;
  std::array<PeGroup, max_groups> m_groups;
};

}  // namespace symm::Impl

#endif
