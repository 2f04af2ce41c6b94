// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TRANSPORT_STEP_MESSAGES_HPP
#define SYMM_TRANSPORT_STEP_MESSAGES_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "../base/Types.hpp"

namespace symm::Impl {

/// Messages that make up the steps of collective calls between PEs on different
/// nodes. A receiver looks up a message by number; the message may have arrived
/// earlier. A PE uses each number only once per receiver.
///
/// If a PE is lost, the job ends with an error message that names the PE, its
/// host and the call. The error message names `call` or, if that is null, the
/// collective call that a thread of this PE is in.
class StepMessages {
 public:
  /// This number and all higher ones are reserved for Rendezvous.
  static constexpr std::uint64_t first_of_rendezvous = std::uint64_t{1} << 63U;

  virtual ~StepMessages() = default;

  /// Sends a message. The caller may reuse `message` as soon as send() returns.
  virtual void send(Pe to, std::uint64_t number,
                    std::span<std::byte const> message,
                    char const* call = nullptr) = 0;
  /// Waits for message `number` from `from` and returns it.
  [[nodiscard]] virtual std::vector<std::byte> receive(
      Pe from, std::uint64_t number) = 0;
  /// Like receive(), but waits for up to `most`, and returns nullopt if the
  /// message has not arrived by then. If `most` is 0, does not wait.
  [[nodiscard]] virtual std::optional<std::vector<std::byte>> receive_within(
      Pe from, std::uint64_t number, std::chrono::milliseconds most,
      char const* call = nullptr) = 0;

  /// For callers that wait for `pe` by calling the functions above repeatedly.
  /// Between watch() and unwatch(), heartbeats check that `pe` is alive. If
  /// `pe` is silent for too long, it is considered lost. Pairs of watch() and
  /// unwatch() may be nested.
  virtual void watch(Pe pe)   = 0;
  virtual void unwatch(Pe pe) = 0;

  /// Makes progress and returns whether there was any. Every wait loop in the
  /// library calls this function.
  virtual bool poll(char const* call = nullptr) = 0;
};

class Watch {
 public:
  Watch(StepMessages& messages, Pe pe) : m_messages(messages), m_pe(pe) {
    m_messages.watch(m_pe);
  }
  Watch(Watch const&)            = delete;
  Watch& operator=(Watch const&) = delete;
  ~Watch() { m_messages.unwatch(m_pe); }

 private:
  StepMessages& m_messages;
  Pe m_pe;
};

}  // namespace symm::Impl

#endif
