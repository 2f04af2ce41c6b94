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

/// PEs by what they have to say, for messages: those that say the same are a
/// group, which is named by its lowest PEs. Takes no private memory but for
/// messages.
///
/// There are only so many groups, those with the lowest PEs; of the others'
/// PEs the number is known.
class PeGroups {
 public:
  static constexpr std::size_t max_groups = 16;
  static constexpr std::size_t max_named  = 16;
  using Words                             = BasicText<767>;
  using Host                              = BasicText<63>;

  struct Group {
    std::array<Pe, max_named> pes{};  // the lowest, in their order
    int n_pes             = 0;
    RuntimeCall operation = RuntimeCall::none;  // of the lowest
    ErrorKind failure     = ErrorKind::none;    // of the lowest
    Host host;                                  // of the lowest
    Words words;

    [[nodiscard]] std::span<Pe const> named() const {
      return std::span(pes).first(
          std::min(max_named, static_cast<std::size_t>(n_pes)));
    }
    /// "PE 3", "PEs 0, 2".
    [[nodiscard]] Text names() const;
  };

  /// What a PE says; empty words are none.
  /// \param host where it is; empty: all PEs are on one.
  void add(Pe pe, ComparedCall const& call, std::string_view words,
           std::string_view host);

  /// What PEs of other nodes say: a message() of theirs, all of whose PEs are
  /// higher, or all lower, than those here.
  /// \throws SystemError if it is none.
  void add(std::span<std::byte const> message);
  /// What all PEs say.
  void assign(std::span<std::byte const> message);

  /// To be sent.
  [[nodiscard]] std::vector<std::byte> message() const;

  [[nodiscard]] std::span<Group const> groups() const {
    return std::span(m_groups).first(m_n_groups);
  }

  /// For the end of a message: ", and so many other PEs", or nothing.
  [[nodiscard]] Text others() const;
  /// For the end of a message: where the lowest PE of each group is, or
  /// nothing.
  [[nodiscard]] Text hosts() const;

 private:
  void add(Group const& group);

  std::size_t m_n_groups = 0;
  int m_n_other_pes      = 0;
  std::array<Group, max_groups> m_groups;
};

}  // namespace symm::Impl

#endif
