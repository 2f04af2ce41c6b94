// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ENGINES_MESSAGE_ENGINE_UCX_HPP
#define SYMM_ENGINES_MESSAGE_ENGINE_UCX_HPP

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "../bootstrap/Nodes.hpp"
#include "ProcessMemory.hpp"
#include "ServedEngine.hpp"
#include "Ucp.hpp"
#include "UcxDescriptors.hpp"

namespace symm::Impl {

/// An engine that uses UCX's active messages, with one context and one worker.
class MessageEngine_Ucx final : public ServedEngine {
 public:
  /// See MessageEngineKind::make().
  MessageEngine_Ucx(Bootstrap& bootstrap, FdExchange& exchange, Vmm& vmm,
                    MessageEngineOptions const& options);
  MessageEngine_Ucx(MessageEngine_Ucx const&)            = delete;
  MessageEngine_Ucx& operator=(MessageEngine_Ucx const&) = delete;
  /// If close() has not been called, the other PEs consider this PE lost.
  ~MessageEngine_Ucx() override;

  void close() override;

  OneSided* one_sided() noexcept override {
    return m_process_memory ? &*m_process_memory : nullptr;
  }

 private:
  /// The UCX ID of the engine's active messages.
  static constexpr unsigned message_id = 1;

  struct Connection final : Peer {
    ucp_ep_h endpoint   = nullptr;
    ucp_ep_h bulk       = nullptr;  // null: `endpoint` sends all payloads
    bool is_bulk_wanted = false;
    // The number of large payloads received, counted only up to 4. After four
    // payloads, the peer's `bulk` is connected.
    int n_large_heard = 0;
    ParcelList on_bulk;  // sent through `bulk`
    ucs_status_t status = UCS_OK;
  };

  // MessageEngine_UcxStart.cpp
  void start(Nodes const& nodes);
  void start_context();
  void start_worker();
  [[nodiscard]] std::vector<std::byte> my_address() const;
  void close_endpoint(Connection& peer, unsigned flags) noexcept;
  void wait_for_closed_endpoints(Clock::duration at_most) noexcept;
  void destroy() noexcept;

  // MessageEngine_Ucx.cpp
  Connection& connection_of(Pe pe) {
    return static_cast<Connection&>(peer_of(pe));
  }
  [[nodiscard]] std::unique_ptr<Peer> make_peer() override;
  void connect(Peer& its_peer) noexcept override;
  /// Creates Connection::bulk for the peers in m_without_bulk: an endpoint
  /// without error handling. Only between such endpoints can UCX receive a
  /// payload from the socket directly into the destination.
  /// Connection::endpoint still reports failures.
  ///
  /// UCX 1.13 aborts if the peer exits while such an endpoint is connecting. So
  /// the endpoint is created only when the peer has just received a large
  /// payload.
  void connect_bulk() noexcept;
  void give_back_bulk(Connection& peer) noexcept;
  void disconnect(Peer& peer) noexcept override;
  void post(Peer& its_peer, Parcel* parcel) noexcept override;
  void note_failure(Connection& peer, ucs_status_t status) noexcept;
  [[nodiscard]] Text reason_of(Peer const& peer) const override;
  bool progress_network() noexcept override;
  bool prepare_sleep() noexcept override;
  void sleep(std::chrono::milliseconds at_most) noexcept override;
  void wake_thread() noexcept override;
  void look_after() noexcept override { m_descriptors.look(); }

  // MessageEngine_UcxReceive.cpp
  ucs_status_t take_message(void const* header, std::size_t header_bytes,
                            void* data, std::size_t bytes,
                            bool is_rendezvous) noexcept;
  ucs_status_t take_rendezvous(Pe from, std::span<std::byte const> header,
                               void* data, std::size_t bytes) noexcept;

  // UCX callbacks.
  static void on_error(void* peer, ucp_ep_h endpoint, ucs_status_t status);
  static void on_sent(void* request, ucs_status_t status, void* parcel);
  static void on_received(void* request, ucs_status_t status, std::size_t bytes,
                          void* parcel);
  static ucs_status_t on_message(void* engine, void const* header,
                                 std::size_t header_bytes, void* data,
                                 std::size_t bytes,
                                 ucp_am_recv_param_t const* param);

  Ucp const* m_ucp = nullptr;
  int m_n_near     = 0;

  ucp_context_h m_context = nullptr;
  ucp_worker_h m_worker   = nullptr;  // guarded by m_mutex
  int m_events            = -1;       // the worker's file descriptor
  UcxDescriptors m_descriptors;
  std::optional<ProcessMemory> m_process_memory;  // empty if UCX_TLS forbids it
  std::vector<ucs_status_ptr_t> m_closing;        // has room for all of m_met
  bool m_has_complained = false;
  bool m_has_bulk       = false;              // true if all networks are TCP
  std::vector<Connection*> m_without_bulk{};  // has room for all of m_met
  ParcelList m_given_back;
  ParcelList m_receiving;
};

}  // namespace symm::Impl

#endif
