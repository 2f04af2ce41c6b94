// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_MAIL_WAVES_HPP
#define SYMM_MAIL_WAVES_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace_Space.hpp>

#include "../../runtime/access/Signal.hpp"
#include "../../runtime/base/Failure.hpp"
#include "../../runtime/base/Types.hpp"

namespace symm::Impl {

/// What a PE, or a tree of PEs, has done in all phases.
struct MailCounts {
  std::uint64_t n_sent     = 0;
  std::uint64_t n_received = 0;
  std::uint64_t n_failures = 0;  // handlers that threw
};

/// Finds when all messages have been handled on all PEs (Mattern's method of
/// four counters). A wave adds the counts of all PEs along a tree; PE 0 tells
/// the result back. A PE adds its counts when it has nothing to do. If a wave
/// counts as many messages sent as the wave before it had counted received,
/// none was on its way in between, and nobody had anything to do.
class MailWaves {
 public:
  /// Collective over the world. \throws OutOfMemory, SystemError on every PE.
  explicit MailWaves(char const* call);

  /// Goes on with the wave, as far as messages have come. Does not wait.
  /// \param mine the counts of this PE, which has nothing to do.
  /// \returns whether it went on.
  bool advance(MailCounts const& mine);
  /// Whether all is handled: once, after the wave that found this.
  [[nodiscard]] bool take_end();
  /// The number of handlers that threw, on all PEs, in all phases.
  [[nodiscard]] std::uint64_t n_failures() const { return m_result.n_failures; }
  /// The number of waves that have ended.
  [[nodiscard]] Signal n_waves() const { return m_wave - 1; }

 private:
  struct Result {
    std::uint64_t is_end     = 0;
    std::uint64_t n_failures = 0;
  };
  struct Words {
    // From the child with this bit more in its number, and from the parent.
    std::array<MailCounts, 32> counts;
    std::array<Signal, 32> have_counts;
    Result result;
    Signal has_result;
  };

  /// Calls f(bit, child) for the children of this PE in the tree.
  template <class F>
  void for_children(F const& f) const;
  void tell(Result const& result);

  Kokkos::View<Words, SymmetricHostSpace> m_words;
  Pe m_me;
  int m_n_pes;
  Signal m_wave            = 1;  // the present one
  bool m_has_added         = false;
  bool m_is_end            = false;
  std::uint64_t m_received = 0;  // in the wave before, on PE 0
  Result m_result;
};

/// Throws the failure of a handler on every PE. Collective over the world.
/// \param mine of this PE, if it has one; a PE has.
[[noreturn]] void throw_failure_of_handler(char const* call,
                                           std::optional<Failure> const& mine);

}  // namespace symm::Impl

#endif
