// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TRANSPORT_FAR_PES_HPP
#define SYMM_TRANSPORT_FAR_PES_HPP

#include <chrono>
#include <cstdint>
#include <optional>

#include "../base/Text.hpp"
#include "../base/Types.hpp"
#include "LostPe.hpp"

namespace symm::Impl {

/// Where a PE stands, as it says itself.
struct Standing {
  std::uint64_t n_calls = 0;  // rendezvous that it has come to
  bool is_in_finalize   = false;
  Text call;  // the last of them
};

/// What is to be known of PEs of other nodes besides their memory: where they
/// stand, and whether they are there at all. Any thread.
class FarPes {
 public:
  virtual ~FarPes() = default;

  /// What `pe` says within `most`, or has said before and cannot have become
  /// otherwise: that it is in finalize. 0: nobody is asked.
  /// Ends the job if a PE is lost.
  [[nodiscard]] virtual std::optional<Standing> standing_of(
      Pe pe, std::chrono::milliseconds most) = 0;

  /// Who waits, and does not know for whom, says so: all that this PE has met
  /// are watched meanwhile. Nests.
  virtual void watch_all()   = 0;
  virtual void unwatch_all() = 0;

  /// Ends the job; the reason has been printed. The PEs of this node, and those
  /// of others that this one has met, hear of it and say so, too.
  [[noreturn]] virtual void end_job(LostPe const& lost) noexcept = 0;

  /// Of this process; null in jobs of one node.
  static FarPes* instance() noexcept { return s_instance; }
  static void set_instance(FarPes* far_pes) noexcept { s_instance = far_pes; }

 private:
  static FarPes* s_instance;
};

/// The call of the user that this thread is in, for messages: the outermost.
class InCall {
 public:
  explicit InCall(char const* call) noexcept : m_is_outermost(!s_call) {
    if (m_is_outermost) s_call = call;
  }
  InCall(InCall const&)            = delete;
  InCall& operator=(InCall const&) = delete;
  ~InCall() {
    if (m_is_outermost) s_call = nullptr;
  }
  /// Null, if it is not known.
  [[nodiscard]] static char const* name() noexcept { return s_call; }

 private:
  static constinit thread_local char const* s_call;
  bool m_is_outermost;
};

}  // namespace symm::Impl

#endif
