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

/// Carries messages between PEs on different nodes. Each message arrives whole
/// and exactly once; the order is arbitrary. A message consists of a header of
/// up to max_header bytes and a payload.
///
/// poll() delivers messages. While no other thread calls poll(), the engine's
/// progress thread delivers them. The engine holds its only lock while it calls
/// the Receiver, so the Receiver's functions run on one thread at a time. These
/// functions may call send().
class MessageEngine {
 public:
  static constexpr std::size_t max_header = 64;
  /// send() copies a payload of up to this many bytes if the payload has no
  /// token. A payload that has a token is read in place until Receiver::sent()
  /// is called.
  static constexpr std::size_t max_eager = std::size_t{64} << 10U;

  /// Handles arriving messages. None of these functions throws or blocks.
  class Receiver {
   public:
    virtual ~Receiver() = default;

    /// A whole message has arrived. The payload is valid until this call
    /// returns.
    virtual void receive(Pe from, std::span<std::byte const> header,
                         std::span<std::byte const> payload) noexcept = 0;
    /// A message's header has arrived, but the `bytes`-byte payload has not
    /// been received yet.
    /// \returns where to store the payload. If null, the engine discards the
    ///          payload but still calls received().
    [[nodiscard]] virtual void* place_for(Pe from,
                                          std::span<std::byte const> header,
                                          std::size_t bytes) noexcept = 0;
    /// The payload has arrived in `place`, or was discarded if `place` is null.
    virtual void received(Pe from, std::span<std::byte const> header,
                          void* place, std::size_t bytes) noexcept = 0;
    /// The payload sent with this token may be overwritten, or the one-sided
    /// operation that has this token is complete. Not called for token 0.
    virtual void sent(std::size_t token) noexcept = 0;
    /// `pe` can no longer be reached: its process has ended, its link is down,
    /// or it has been silent for SYMM_PEER_TIMEOUT.
    virtual void lost(Pe pe, Text const& why) noexcept = 0;
  };

  virtual ~MessageEngine() = default;

  /// Must be called before the first message is sent. `receiver` must outlive
  /// the engine.
  virtual void set_receiver(Receiver& receiver) = 0;

  /// Sends a message. Callable from any thread and from within Receiver. A
  /// payload that has a token is not copied and must stay valid until
  /// sent(token) is called. A payload without a token that is larger than
  /// max_eager is not copied, either; it must stay valid until `to` has
  /// received it. Any other payload has been copied or sent when this call
  /// returns. Never waits for `to`, because the caller may hold resources that
  /// operations on other PEs need. Callers should check is_full() first.
  /// \throws SystemError on this PE if `to` is lost. Within Receiver, the
  ///         message is dropped instead, and sent() is called for it.
  /// \throws UsageError on this PE if `to` is not another PE, or if the header
  ///         is too long.
  virtual void send(Pe to, std::span<std::byte const> header,
                    std::span<std::byte const> payload = {},
                    std::size_t token                  = 0) = 0;

  /// Whether unsent messages to `to` take up so much private memory that
  /// callers should hold back messages that no PE is waiting for. False if `to`
  /// is lost. Callable from any thread.
  [[nodiscard]] virtual bool is_full(Pe to) const noexcept = 0;

  /// The engine's one-sided operations; null if the engine has none. The result
  /// does not change between set_receiver() and close(). Callable from any
  /// thread.
  [[nodiscard]] virtual OneSided* one_sided() noexcept { return nullptr; }

  /// Delivers messages that have arrived and returns whether there were any.
  /// Callable from any thread; returns false immediately if another thread is
  /// delivering messages.
  virtual bool poll() = 0;

  /// Call these functions before and after a wait for an answer from `pe`. In
  /// between, heartbeats check that `pe` is alive. Pairs of calls may be
  /// nested.
  virtual void watch(Pe pe)   = 0;
  virtual void unwatch(Pe pe) = 0;
  /// Like watch() and unwatch(), but for all PEs with which this PE exchanges
  /// messages, including any that it first contacts before unwatch_all().
  virtual void watch_all()   = 0;
  virtual void unwatch_all() = 0;

  /// Sends a final message to every connected PE to which this PE can send
  /// without waiting. Callable from any thread and from within Receiver.
  virtual void send_farewell(std::span<std::byte const> header,
                             std::span<std::byte const> payload) noexcept = 0;

  /// Shuts the engine down. Collective: uses the bootstrap that the engine was
  /// created with. All messages must have been answered before this call, and
  /// the engine must not be used after it.
  /// \throws SystemError on this PE.
  virtual void close() = 0;
};

}  // namespace symm::Impl

#endif
