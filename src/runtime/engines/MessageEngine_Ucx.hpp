// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ENGINES_MESSAGE_ENGINE_UCX_HPP
#define SYMM_ENGINES_MESSAGE_ENGINE_UCX_HPP

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "../bootstrap/Bootstrap.hpp"
#include "../bootstrap/FdExchange.hpp"
#include "../bootstrap/Nodes.hpp"
#include "../memory/NodeTable.hpp"
#include "../memory/Vmm.hpp"
#include "MessageEngine.hpp"
#include "MessageEngineOptions.hpp"
#include "Ucp.hpp"
#include "UcxDescriptors.hpp"
#include "UcxParcel.hpp"

namespace symm::Impl {

/// Active messages of UCX as an engine: one context, one worker, one thread.
class MessageEngine_Ucx final : public MessageEngine {
 public:
  /// As MessageEngineKind::make().
  MessageEngine_Ucx(Bootstrap& bootstrap, FdExchange& exchange, Vmm& vmm,
                    MessageEngineOptions const& options);
  MessageEngine_Ucx(MessageEngine_Ucx const&)            = delete;
  MessageEngine_Ucx& operator=(MessageEngine_Ucx const&) = delete;
  /// If close() was not called, the other PEs lose this one.
  ~MessageEngine_Ucx() override;

  void set_receiver(Receiver& receiver) override;
  void send(Pe to, std::span<std::byte const> header,
            std::span<std::byte const> payload, std::size_t token) override;
  bool poll() override;
  void watch(Pe pe) override;
  void unwatch(Pe pe) override;
  void watch_all() override;
  void unwatch_all() override;
  void send_farewell(std::span<std::byte const> header,
                     std::span<std::byte const> payload) noexcept override;
  void close() override;

  /// The number of messages that were not of this job.
  [[nodiscard]] std::uint64_t n_strangers() const { return m_n_strangers; }

 private:
  using Clock = std::chrono::steady_clock;

  /// The id of the engine's active messages.
  static constexpr unsigned message_id = 1;

  /// A PE that this one has met: sent to, heard of, or waited for.
  struct Connection {
    MessageEngine_Ucx* engine = nullptr;
    Pe pe                     = 0;
    ucp_ep_h endpoint         = nullptr;
    bool is_to_connect        = false;  // in m_to_connect
    bool has_failed           = false;  // in m_failed, or lost
    ucs_status_t status       = UCS_OK;
    std::size_t pending_bytes = 0;  // not sent yet
    // Heartbeats
    int n_watching = 0;
    bool was_heard = false;  // since the last check
    bool is_heard  = false;  // a message of it has come
    Clock::time_point last_heard;
    Clock::time_point last_pinged;
  };
  /// Holds the lock, unless this thread holds it anyway: within Receiver.
  class Section {
   public:
    explicit Section(MessageEngine_Ucx& engine);
    Section(Section const&)            = delete;
    Section& operator=(Section const&) = delete;
    ~Section();

   private:
    friend class MessageEngine_Ucx;
    struct TryTag {};
    Section(MessageEngine_Ucx& engine, TryTag);

    MessageEngine_Ucx const* m_outer;
    std::unique_lock<std::mutex> m_lock;
  };

  // MessageEngine_UcxStart.cpp
  void start(Nodes const& nodes);
  void start_context(Nodes const& nodes);
  void start_worker();
  [[nodiscard]] std::vector<std::byte> my_address() const;
  void gather_addresses(std::vector<std::byte> const& mine,
                        FdExchange& exchange, Vmm& vmm);
  void close_endpoint(Connection& peer, unsigned flags) noexcept;
  void wait_for_closed_endpoints(Clock::duration at_most) noexcept;
  void destroy() noexcept;

  // MessageEngine_Ucx.cpp
  [[nodiscard]] bool is_inside() const { return s_inside == this; }
  Connection& peer_of(Pe pe);
  void check_receiver_of(Pe to, std::size_t header_bytes) const;
  void start_watching(Connection& peer) noexcept;
  void connect(Connection& peer) noexcept;
  UcxParcel* parcel_for(std::span<std::byte const> header,
                        std::span<std::byte const> payload, std::size_t token);
  void submit(Connection& peer, UcxParcel* parcel) noexcept;
  void post(Connection& peer, UcxParcel* parcel) noexcept;
  void finish(UcxParcel* parcel) noexcept;
  void post_control(Connection& peer, UcxHead::Kind kind) noexcept;
  [[nodiscard]] bool is_of_job(UcxHead const& head) noexcept;
  ucs_status_t take_message(void const* header, std::size_t header_bytes,
                            void* data, std::size_t bytes,
                            bool is_rendezvous) noexcept;
  ucs_status_t take_rendezvous(Pe from, std::span<std::byte const> header,
                               void* data, std::size_t bytes) noexcept;
  void refuse_message(Pe from) noexcept;
  void note_failure(Connection& peer, ucs_status_t status) noexcept;
  void lose(Connection& peer, Text const& why) noexcept;
  bool progress() noexcept;
  bool settle() noexcept;

  // UCX calls these.
  static void on_error(void* peer, ucp_ep_h endpoint, ucs_status_t status);
  static void on_sent(void* request, ucs_status_t status, void* parcel);
  static void on_received(void* request, ucs_status_t status, std::size_t bytes,
                          void* parcel);
  static ucs_status_t on_message(void* engine, void const* header,
                                 std::size_t header_bytes, void* data,
                                 std::size_t bytes,
                                 ucp_am_recv_param_t const* param);

  // MessageEngine_UcxThread.cpp
  void start_thread();
  void stop_thread() noexcept;
  void serve() noexcept;
  bool others_poll() noexcept;
  bool progress_in_turn() noexcept;
  bool poll_until_silent() noexcept;
  void sleep_until_something_comes() noexcept;
  void wake_if_needed() noexcept;
  void wake_to_park() noexcept;
  void wake() noexcept;
  void check_peers() noexcept;

  // The engine whose lock this thread has.
  static inline thread_local MessageEngine_Ucx const* s_inside = nullptr;

  Bootstrap& m_bootstrap;
  Ucp const* m_ucp = nullptr;
  Pe m_me          = 0;
  int m_n_near     = 0;
  Clock::duration m_peer_timeout;  // 0: none
  Clock::duration m_check_time;

  ucp_context_h m_context = nullptr;
  ucp_worker_h m_worker   = nullptr;
  int m_events            = -1;  // the worker's file descriptor
  UcxDescriptors m_descriptors;
  std::uint64_t m_key = 0;
  std::optional<NodeTable> m_addresses;  // of all PEs, m_address_bytes each
  std::size_t m_address_bytes = 0;

  // m_mutex guards what follows, and the worker.
  std::mutex m_mutex;
  std::atomic<int> m_n_waiting{0};  // threads that wait for it
  std::vector<std::unique_ptr<Connection>>
      m_peers;  // of all PEs; null: never met
  std::vector<Connection*> m_met;
  int m_n_watching_all = 0;
  UcxParcels m_parcels;
  // Work for when UCX has returned. Each vector has room for all of m_met.
  std::vector<Connection*> m_to_connect;
  UcxParcelQueue m_to_post;
  std::vector<Connection*> m_failed;
  UcxParcelQueue m_sent;  // the receiver is to be told
  std::vector<ucs_status_ptr_t> m_closing;
  bool m_is_closing     = false;  // connections may end
  bool m_is_over        = false;  // the receiver is not called any more
  bool m_needs_progress = false;  // something has begun that is not done

  std::atomic<Receiver*> m_receiver{nullptr};
  std::atomic<std::uint64_t> m_n_polls{0};
  std::atomic<std::uint64_t> m_n_strangers{0};

  std::atomic<bool> m_may_start{false};
  std::atomic<bool> m_stops{false};
  std::atomic<bool> m_is_asleep{false};
  std::atomic<bool> m_is_polled{false};  // the thread that woke it polls
  bool m_has_complained = false;
  // Used by the thread:
  Clock::time_point m_last_check;
  Clock::time_point m_last_look;  // at m_n_polls
  Clock::time_point m_they_polled;
  std::uint64_t m_n_polls_seen = 0;
  std::thread m_thread;
};

}  // namespace symm::Impl

#endif
