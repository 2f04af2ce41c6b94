// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TRANSPORT_LOST_PE_HPP
#define SYMM_TRANSPORT_LOST_PE_HPP

#include <atomic>
#include <cstddef>
#include <string_view>

#include "../base/Text.hpp"
#include "../base/Types.hpp"

namespace symm::Impl {

/// A PE without which the job cannot continue.
struct LostPe {
  Pe pe       = 0;
  Pe found_by = 0;  // the PE that noticed
  Text why;         // the end of a sentence, such as "its process is gone"
};

/// The first PE that any PE on this node found to be lost. The record is in
/// memory that the PEs on the node share. So the error messages on all these
/// PEs name that PE, and not a PE that exited as a consequence.
class LostPeRecord {
 public:
  /// Callable from any thread on these PEs. Only the first call has an effect.
  void set(LostPe const& lost) noexcept {
    auto expected = State::none;
    if (!m_state.compare_exchange_strong(expected, State::being_written)) {
      return;
    }
    m_pe             = lost.pe;
    m_found_by       = lost.found_by;
    auto const why   = std::string_view(lost.why);
    auto const bytes = why.copy(m_why, sizeof m_why - 1);
    m_why[bytes]     = '\0';
    m_state.store(State::there, std::memory_order_release);
  }
  [[nodiscard]] bool is_set() const noexcept {
    return m_state.load(std::memory_order_acquire) == State::there;
  }
  /// Precondition: is_set().
  [[nodiscard]] LostPe get() const noexcept {
    return {m_pe, m_found_by, Text(m_why)};
  }

 private:
  enum class State { none, being_written, there };

  std::atomic<State> m_state{State::none};
  Pe m_pe         = 0;
  Pe m_found_by   = 0;
  char m_why[512] = {};
};

}  // namespace symm::Impl

#endif
