// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEAMS_HOSTSYNC_HPP
#define SYMM_TEAMS_HOSTSYNC_HPP

#include <cstddef>
#include <cstdint>

#include "../base/Types.hpp"
#include "PassedSources.hpp"
#include "PeTeam.hpp"

namespace symm::Impl {

/// The source that a member sends: one block, or one block for each member.
/// `passing`, `root` and `bytes` must be the same on all members.
struct PassedBlock {
  Passing passing;
  Pe root;
  void const* source;
  std::size_t bytes;  // size of one block
  // The total size of all blocks. The last blocks may be shorter or empty.
  std::size_t source_bytes;
};

/// Synchronizes the members of a PE team on the host, with one thread on each
/// PE. Members on the same node use flags; members on different nodes use
/// messages. All functions except of(), can_pass() and passed() are collective.
class HostSync {
 public:
  [[nodiscard]] static HostSync const& of(PeTeam const& team);

  /// A barrier in which every member sends two words to all others.
  /// \returns the barrier's epoch. Until this PE begins the next epoch,
  ///          team.words().passed(own PE, member, epoch, which) points to word
  ///          `which` (0 or 1) from `member`.
  virtual std::uint64_t exchange_words(PeTeam const& team, char const* call,
                                       std::uint64_t first,
                                       std::uint64_t second) const = 0;

  /// A barrier that returns whether all members have passed the same word. The
  /// result is the same on all members.
  /// \param looks whether the caller needs the result.
  virtual bool compare_word(PeTeam const& team, char const* call,
                            std::uint64_t word, bool looks) const = 0;

  /// Whether pass() can send `block`. The result is the same on all members.
  [[nodiscard]] virtual bool can_pass(PeTeam const& team,
                                      PassedBlock const& block) const = 0;
  /// Like compare_word(), but the same messages also carry the members' blocks.
  /// If pass() returns true, passed() gives access to the sources.
  virtual bool pass(PeTeam const& team, char const* call, std::uint64_t word,
                    PassedBlock const& block) const = 0;
  /// The sources passed in this PE's latest call to pass() for the PE team.
  [[nodiscard]] virtual PassedSources passed(
      PeTeam const& team, PassedBlock const& block) const = 0;

 protected:
  HostSync()                           = default;
  HostSync(HostSync const&)            = delete;
  HostSync& operator=(HostSync const&) = delete;
  ~HostSync()                          = default;

 private:
  static HostSync const& over_nodes();
};

}  // namespace symm::Impl

#endif
