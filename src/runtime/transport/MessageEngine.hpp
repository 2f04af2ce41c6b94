// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TRANSPORT_MESSAGE_ENGINE_HPP
#define SYMM_TRANSPORT_MESSAGE_ENGINE_HPP

#include <cstddef>
#include <span>

#include "../base/Text.hpp"
#include "../base/Types.hpp"

namespace symm::Impl {

/// Carries messages between PEs of different nodes: whole and once, in any
/// order. A message is a header of at most max_header bytes and a payload.
///
/// poll() delivers; so does a thread of the engine's own while nobody polls.
/// The engine has one lock, which it holds while it calls the Receiver: one
/// thread at a time is in there, and what it sends from there is sent.
class MessageEngine {
 public:
  static constexpr std::size_t max_header = 64;
  /// Payloads up to this are copied by send() if they have to wait and have no
  /// token; others are read where they are until Receiver::sent().
  static constexpr std::size_t max_eager = std::size_t{64} << 10U;

  /// Whom messages are for. Nothing in here throws or blocks.
  class Receiver {
   public:
    virtual ~Receiver() = default;

    /// A whole message; the payload is the engine's until it returns.
    virtual void receive(Pe from, std::span<std::byte const> header,
                         std::span<std::byte const> payload) noexcept = 0;
    /// A message with a payload that has not been read yet: where it is to go,
    /// `bytes` of them; null: nowhere, and received() follows all the same.
    [[nodiscard]] virtual void* place_for(Pe from,
                                          std::span<std::byte const> header,
                                          std::size_t bytes) noexcept = 0;
    /// The payload is there.
    virtual void received(Pe from, std::span<std::byte const> header,
                          void* place, std::size_t bytes) noexcept = 0;
    /// The payload of send() with this token may be written again; not called
    /// for the token 0.
    virtual void sent(std::size_t token) noexcept = 0;
    /// `pe` is not reached any more: its process or its link is gone, or it has
    /// not been heard of for SYMM_PEER_TIMEOUT.
    virtual void lost(Pe pe, Text const& why) noexcept = 0;
  };

  virtual ~MessageEngine() = default;

  /// Before the first message; it outlives the engine.
  virtual void set_receiver(Receiver& receiver) = 0;

  /// Any thread, and within Receiver. A payload with a token, or of more than
  /// max_eager, must live until sent(token), and takes no private memory
  /// meanwhile. Any other has been copied or sent when this returns. Outside
  /// Receiver it may deliver, as poll() does, and it waits where much waits to
  /// be sent to that PE.
  /// \throws SystemError on this PE, if `to` is lost; within Receiver what goes
  ///         there is dropped instead, and sent() follows.
  virtual void send(Pe to, std::span<std::byte const> header,
                    std::span<std::byte const> payload = {},
                    std::size_t token                  = 0) = 0;

  /// Delivers what has arrived; whether there was any. Any thread; at once
  /// false if another thread is at it.
  virtual bool poll() = 0;

  /// Something waits for an answer of `pe`, or no more: it is watched
  /// (heartbeats) meanwhile. Nests.
  virtual void watch(Pe pe)   = 0;
  virtual void unwatch(Pe pe) = 0;
  /// The same for all PEs that this one has met, or meets meanwhile.
  virtual void watch_all()   = 0;
  virtual void unwatch_all() = 0;

  /// A last message to all PEs that this one is connected with, as far as it
  /// can be sent without waiting. Any thread, and within Receiver.
  virtual void send_farewell(std::span<std::byte const> header,
                             std::span<std::byte const> payload) noexcept = 0;

  /// Collective, through the bootstrap it was made with; all messages have been
  /// answered before. No call may follow.
  /// \throws SystemError on this PE.
  virtual void close() = 0;
};

}  // namespace symm::Impl

#endif
