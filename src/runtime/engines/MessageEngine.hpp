// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ENGINES_MESSAGE_ENGINE_HPP
#define SYMM_ENGINES_MESSAGE_ENGINE_HPP

#include <cstddef>
#include <span>

#include "../base/Text.hpp"
#include "../base/Types.hpp"
#include "OneSided.hpp"

namespace symm::Impl {

/// Carries messages between PEs of different nodes. Each arrives whole and
/// exactly once, in any order. A message is a header of at most max_header
/// bytes and a payload.
///
/// poll() delivers messages; a thread of the engine does so while no other
/// thread polls. The engine holds its only lock while it calls the Receiver. So
/// one thread at a time runs functions of the Receiver, and these may call
/// send().
class MessageEngine {
 public:
  static constexpr std::size_t max_header = 64;
  /// send() copies a payload of up to this many bytes that has no token, unless
  /// it is sent at once. Other payloads are read in place until
  /// Receiver::sent().
  static constexpr std::size_t max_eager = std::size_t{64} << 10U;

  /// Takes the messages that arrive. None of its functions throws or blocks.
  class Receiver {
   public:
    virtual ~Receiver() = default;

    /// A whole message has arrived; its payload is valid until this returns.
    virtual void receive(Pe from, std::span<std::byte const> header,
                         std::span<std::byte const> payload) noexcept = 0;
    /// A message has arrived whose payload of `bytes` bytes is still to be
    /// received.
    /// \returns the address for the payload. If it is null, the engine drops
    ///          the payload, and still calls received().
    [[nodiscard]] virtual void* place_for(Pe from,
                                          std::span<std::byte const> header,
                                          std::size_t bytes) noexcept = 0;
    /// The payload has arrived in `place`, or has been dropped if that is null.
    virtual void received(Pe from, std::span<std::byte const> header,
                          void* place, std::size_t bytes) noexcept = 0;
    /// The payload that was sent with this token may be overwritten, or the
    /// one-sided operation with this token is complete. Not called for the
    /// token 0.
    virtual void sent(std::size_t token) noexcept = 0;
    /// `pe` cannot be reached any more: its process or its link is gone, or it
    /// has been silent for SYMM_PEER_TIMEOUT.
    virtual void lost(Pe pe, Text const& why) noexcept = 0;
  };

  virtual ~MessageEngine() = default;

  /// To be called before the first message; `receiver` must outlive the engine.
  virtual void set_receiver(Receiver& receiver) = 0;

  /// Callable by any thread, and within Receiver. A payload with a token must
  /// live until sent(token); the engine does not copy it. Any other, of at most
  /// max_eager bytes, has been copied or sent when this call returns.
  /// Never waits for `to`, since the caller may hold resources that operations
  /// on other PEs need. Callers check is_full() before.
  /// \throws SystemError on this PE, if `to` is lost; within Receiver the
  ///         message is dropped instead, and sent() follows. UsageError on this
  ///         PE, if `to` is no other PE, or if the header or a payload without
  ///         a token is too long.
  virtual void send(Pe to, std::span<std::byte const> header,
                    std::span<std::byte const> payload = {},
                    std::size_t token                  = 0) = 0;

  /// Whether messages to `to` that are not sent yet take much private memory. A
  /// caller waits until they do not, before it sends a message that no PE waits
  /// for. False if `to` is lost. Any thread.
  [[nodiscard]] virtual bool is_full(Pe to) const noexcept = 0;

  /// The one-sided operations; null if the engine has none. The result is the
  /// same from set_receiver() to close(). Any thread.
  [[nodiscard]] virtual OneSided* one_sided() noexcept { return nullptr; }

  /// Delivers messages that have arrived; returns whether there were any. Any
  /// thread; returns false at once if another thread is delivering.
  virtual bool poll() = 0;

  /// A caller waits for an answer of `pe` between watch() and unwatch(). During
  /// that time, heartbeats check that `pe` is alive. Calls nest.
  virtual void watch(Pe pe)   = 0;
  virtual void unwatch(Pe pe) = 0;
  /// The same for all PEs that this PE has exchanged messages with, or does so
  /// meanwhile.
  virtual void watch_all()   = 0;
  virtual void unwatch_all() = 0;

  /// Sends a last message to all PEs that this PE is connected with, except
  /// where that would need waiting. Any thread, and within Receiver.
  virtual void send_farewell(std::span<std::byte const> header,
                             std::span<std::byte const> payload) noexcept = 0;

  /// Collective, through the bootstrap that the engine was made with. All
  /// messages must have been answered before, and no call may follow.
  /// \throws SystemError on this PE.
  virtual void close() = 0;
};

}  // namespace symm::Impl

#endif
