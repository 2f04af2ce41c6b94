// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ENGINES_SERVED_ENGINE_HPP
#define SYMM_ENGINES_SERVED_ENGINE_HPP

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <thread>
#include <vector>

#include "../bootstrap/Bootstrap.hpp"
#include "../bootstrap/FdExchange.hpp"
#include "../memory/NodeTable.hpp"
#include "../memory/Vmm.hpp"
#include "MessageEngine.hpp"
#include "MessageEngineOptions.hpp"
#include "Parcel.hpp"

namespace symm::Impl {

/// An engine with one lock and one progress thread, which makes progress while
/// no other thread polls. This class sends heartbeats, keeps track of the PEs
/// with which this PE has communicated, and queues messages until the network
/// library can accept them. A derived class adds the network library. The
/// derived class's constructor must call start_thread() last, and its
/// destructor must call stop_thread() first.
class ServedEngine : public MessageEngine {
 public:
  ServedEngine(ServedEngine const&)            = delete;
  ServedEngine& operator=(ServedEngine const&) = delete;

  void set_receiver(Receiver& receiver) final;
  void send(Pe to, std::span<std::byte const> header,
            std::span<std::byte const> payload, std::size_t token) final;
  [[nodiscard]] bool is_full(Pe to) const noexcept final {
    return m_is_full[index_of(to)].load(std::memory_order_relaxed);
  }
  bool poll() final;
  void watch(Pe pe) final;
  void unwatch(Pe pe) final;
  void watch_all() final;
  void unwatch_all() final;
  void send_farewell(std::span<std::byte const> header,
                     std::span<std::byte const> payload) noexcept final;

  /// The number of received messages that were not sent by this job.
  [[nodiscard]] std::uint64_t n_strangers() const { return m_n_strangers; }

 protected:
  using Clock = std::chrono::steady_clock;

  ServedEngine(Bootstrap& bootstrap, MessageEngineOptions const& options);

  /// A PE with which this PE has communicated: this PE has sent messages to it,
  /// received messages from it, or waited for it.
  struct Peer {
    Peer()                       = default;
    Peer(Peer const&)            = delete;
    Peer& operator=(Peer const&) = delete;
    virtual ~Peer()              = default;

    ServedEngine* engine      = nullptr;
    Pe pe                     = 0;
    bool is_connected         = false;  // post() may be called
    bool is_to_connect        = false;  // whether in m_to_connect
    bool has_failed           = false;  // whether in m_failed, or lost
    std::size_t pending_bytes = 0;      // memory taken up by unsent messages
    // Heartbeats
    int n_watching = 0;
    bool was_heard =
        false;  // whether a message has arrived since the last check
    bool is_heard = false;  // whether any message has ever arrived
    Clock::time_point last_heard;
    Clock::time_point last_pinged;
  };
  /// Holds the engine's lock until the end of the scope. Does nothing if this
  /// thread already holds the lock, as it does within Receiver.
  class Section {
   public:
    explicit Section(ServedEngine& engine);
    Section(Section const&)            = delete;
    Section& operator=(Section const&) = delete;
    ~Section();

   private:
    friend class ServedEngine;
    struct TryTag {};
    Section(ServedEngine& engine, TryTag);

    ServedEngine const* m_outer;
    std::unique_lock<std::mutex> m_lock;
  };

  // A derived class implements these functions with its network library. All
  // except sleep(), wake_thread() and look_after() are called with the lock
  // held.

  [[nodiscard]] virtual std::unique_ptr<Peer> make_peer() = 0;
  /// Connects to a PE and sets is_connected. On failure, calls note_failure()
  /// instead.
  virtual void connect(Peer& peer) noexcept = 0;
  /// Discards the messages and operations in flight to a lost PE, as far as
  /// possible.
  virtual void disconnect(Peer& peer) noexcept = 0;
  /// Sends a parcel and calls finish() after the parcel has been sent. May call
  /// note_failure().
  virtual void post(Peer& peer, Parcel* parcel) noexcept = 0;
  /// Handles arrived messages and completed sends. Returns whether there were
  /// any.
  virtual bool progress_network() noexcept = 0;
  /// Describes, for the error message, why note_failure() was called for
  /// `peer`.
  [[nodiscard]] virtual Text reason_of(Peer const& peer) const = 0;
  /// Prepares for sleep().
  /// \returns false if the thread must not sleep because there are new events.
  virtual bool prepare_sleep() noexcept = 0;
  /// Sleeps until there is a new event, wake_thread() is called, or `at_most`
  /// has passed.
  virtual void sleep(std::chrono::milliseconds at_most) noexcept = 0;
  virtual void wake_thread() noexcept                            = 0;
  /// The engine's thread calls this several times a second.
  virtual void look_after() noexcept {}

  // For derived classes, which must hold the lock when they call these
  // functions:

  Peer& peer_of(Pe pe);
  Parcel* parcel_for(std::span<std::byte const> header,
                     std::span<std::byte const> payload, std::size_t token);
  /// These two functions track the memory taken up by unsent parcels. A parcel
  /// counts while the network library or a queue holds it.
  void add_pending(Peer& peer, Parcel const& parcel) noexcept {
    count_pending(peer,
                  peer.pending_bytes + sizeof(Parcel) + parcel.large_bytes);
  }
  void take_pending(Peer& peer, Parcel const& parcel) noexcept {
    count_pending(peer,
                  peer.pending_bytes - sizeof(Parcel) - parcel.large_bytes);
  }
  void submit(Peer& peer, Parcel* parcel) noexcept;
  /// Must be called once the message has been sent or if it will never be sent.
  void finish(Parcel* parcel) noexcept;
  /// Handles an arrived message's ParcelHead. Answers pings. Returns the
  /// sender, or null if the message must be dropped.
  Peer* take_head(ParcelHead const& head) noexcept;
  /// Reports `from` as lost, because this PE has no memory for a message from
  /// it.
  void refuse_message(Pe from) noexcept;
  void note_failure(Peer& peer) noexcept;
  [[nodiscard]] bool is_inside() const { return s_inside == this; }

  void start_thread();
  void stop_thread() noexcept;
  /// Collective: generates the job's key, compares the library versions, and
  /// gathers m_addresses.
  void gather_addresses(std::string_view library, unsigned major,
                        unsigned minor, std::vector<std::byte> const& address,
                        FdExchange& exchange, Vmm& vmm);
  [[nodiscard]] std::byte const* address_of(Pe pe) const {
    return m_addresses->bytes().data() +
           static_cast<std::size_t>(pe) * m_address_bytes;
  }

  Bootstrap& m_bootstrap;
  Pe m_me = 0;
  Clock::duration m_peer_timeout;  // 0: no timeout
  Clock::duration m_check_time;
  /// A watched PE is pinged after it has been silent for this long.
  Clock::duration m_ping_time;
  std::uint64_t m_key         = 0;
  std::size_t m_address_bytes = 0;  // size of each address

  // m_mutex guards the members below and the network library.
  std::mutex m_mutex;
  std::vector<std::unique_ptr<Peer>> m_peers;  // by PE; null: no contact yet
  std::vector<Peer*> m_met;
  Parcels m_parcels;
  bool m_is_closing     = false;  // connections may now be closed
  bool m_is_over        = false;  // the receiver is no longer called
  bool m_is_open        = false;  // the network library may be used
  bool m_needs_progress = false;  // an operation is incomplete

  std::atomic<Receiver*> m_receiver{nullptr};

 private:
  // ServedEngine.cpp
  void check_other_pe(Pe pe) const;
  void count_pending(Peer& peer, std::size_t bytes) noexcept;
  void post_control(Peer& peer, ParcelHead::Kind kind) noexcept;
  [[nodiscard]] bool is_of_job(ParcelHead const& head) noexcept;
  void lose(Peer& peer, Text const& why) noexcept;
  bool progress() noexcept;
  bool settle() noexcept;

  // ServedEngine_Thread.cpp
  void serve() noexcept;
  bool others_poll() noexcept;
  bool progress_in_turn() noexcept;
  bool poll_until_silent() noexcept;
  void sleep_until_something_comes() noexcept;
  void wake_if_needed() noexcept;
  void wake_to_park() noexcept;
  void wake() noexcept;
  void check_peers() noexcept;

  // The engine whose lock this thread holds, if any.
  static inline thread_local ServedEngine const* s_inside = nullptr;

  std::optional<NodeTable> m_addresses;      // m_address_bytes for each PE
  std::vector<std::atomic<bool>> m_is_full;  // by PE; set with the lock held
  std::atomic<int> m_n_waiting{0};  // number of threads waiting for m_mutex

  // m_mutex guards the members up to m_n_watching_all. The vectors and queues
  // contain work that must wait until the call into the network library has
  // returned. Each vector has room for all of m_met.
  std::vector<Peer*> m_to_connect;
  ParcelQueue m_to_post;
  std::vector<Peer*> m_failed;
  ParcelQueue m_sent;  // to be reported to the receiver
  int m_n_watching_all = 0;

  std::atomic<std::uint64_t> m_n_polls{0};
  std::atomic<std::uint64_t> m_n_strangers{0};

  std::atomic<bool> m_may_start{false};
  std::atomic<bool> m_stops{false};
  std::atomic<bool> m_is_asleep{false};
  std::atomic<bool> m_is_polled{false};  // a polling thread woke m_thread
  // Used only by the engine's thread:
  Clock::time_point m_last_check;
  Clock::time_point m_last_look;  // time of the last read of m_n_polls
  Clock::time_point m_they_polled;
  std::uint64_t m_n_polls_seen = 0;
  std::thread m_thread;
};

}  // namespace symm::Impl

#endif
