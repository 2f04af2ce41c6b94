// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ENGINES_MESSAGE_ENGINE_LIBFABRIC_HPP
#define SYMM_ENGINES_MESSAGE_ENGINE_LIBFABRIC_HPP

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "../base/UniqueFd.hpp"
#include "Fabric.hpp"
#include "ServedEngine.hpp"

namespace symm::Impl {

/// An engine that uses libfabric, with one endpoint for all PEs (FI_EP_RDM).
///
/// If the network supports fi_write and fi_read, the engine uses them to move
/// blocks (MessageEngine_LibfabricOneSided.cpp). A chunk is registered when it
/// is opened.
///
/// A message of up to max_eager bytes is sent as a single libfabric message. A
/// larger payload is first offered to the receiver. The receiver posts a
/// receive into the destination with a unique tag and answers with that tag.
/// The sender then sends the payload with the same tag.
class MessageEngine_Libfabric final : public ServedEngine, private OneSided {
 public:
  /// See MessageEngineKind::make().
  MessageEngine_Libfabric(Bootstrap& bootstrap, FdExchange& exchange, Vmm& vmm,
                          MessageEngineOptions const& options);
  MessageEngine_Libfabric(MessageEngine_Libfabric const&)            = delete;
  MessageEngine_Libfabric& operator=(MessageEngine_Libfabric const&) = delete;
  /// If close() has not been called, the other PEs consider this PE lost.
  ~MessageEngine_Libfabric() override;

  void close() override;

  OneSided* one_sided() noexcept override {
    return m_is_one_sided ? this : nullptr;
  }

 private:
  /// The values of InFlight::kind.
  enum Kind {
    sends_message,
    sends_payload,
    receives_message,
    receives_payload,
    writes_block,
    reads_block
  };

  static constexpr std::size_t buffer_bytes =
      sizeof(ParcelHead) + max_header + max_eager;
  /// A receive buffer for one message.
  struct Buffer : InFlight {
    Buffer* next = nullptr;  // next buffer in m_to_repost
    std::array<std::byte, buffer_bytes> bytes;
  };

  struct Connection final : Peer {
    fi_addr_t address = FI_ADDR_UNSPEC;
    int error         = 0;  // libfabric's error code
    ParcelQueue to_post;    // parcels that libfabric has no room for yet
    bool is_stuck = false;  // whether in m_stuck
    Clock::time_point stuck_since;
    bool was_reached = false;  // whether the peer has received a message
    int n_posted     = 0;
    ParcelList offered;
  };

  template <class Object>
  struct Close {
    void operator()(Object* object) const noexcept {
      static_cast<void>(fi_close(&object->fid));
    }
  };
  template <class Object>
  using Owned = std::unique_ptr<Object, Close<Object>>;

  // MessageEngine_LibfabricStart.cpp
  void start();
  void start_endpoint(fi_info& info);
  [[nodiscard]] std::vector<std::byte> my_address() const;
  void destroy() noexcept;

  // MessageEngine_Libfabric.cpp
  Connection& connection_of(Pe pe) {
    return static_cast<Connection&>(peer_of(pe));
  }
  [[nodiscard]] std::unique_ptr<Peer> make_peer() override;
  void connect(Peer& its_peer) noexcept override;
  void disconnect(Peer& its_peer) noexcept override;
  void post(Peer& its_peer, Parcel* parcel) noexcept override;
  [[nodiscard]] Text reason_of(Peer const& peer) const override;
  bool progress_network() noexcept override;
  bool prepare_sleep() noexcept override;
  void sleep(std::chrono::milliseconds at_most) noexcept override;
  void wake_thread() noexcept override;
  /// Sets close-on-exec on connection sockets, because libfabric may open
  /// connections at any time.
  void look_after() noexcept override;

  void note_failure(Connection& peer, int error) noexcept;
  void post_or_queue(Connection& peer, Parcel* parcel) noexcept;
  [[nodiscard]] bool try_post(Connection& peer, Parcel* parcel) noexcept;
  bool post_queued(Connection& peer) noexcept;
  bool post_queued_of_all() noexcept;
  void forget(Connection& peer, Parcel* parcel) noexcept;
  [[nodiscard]] static bool is_block(Parcel const& parcel) {
    return parcel.kind == writes_block || parcel.kind == reads_block;
  }
  Parcel* control(Pe to, ParcelHead::Kind kind,
                  std::span<std::byte const> header,
                  std::span<std::uint64_t const> words);

  // MessageEngine_LibfabricOneSided.cpp
  [[nodiscard]] std::size_t least_bytes() const noexcept override;
  [[nodiscard]] std::size_t max_bytes() const noexcept override;
  [[nodiscard]] std::optional<Key> open_chunk(
      void* start, std::size_t bytes) noexcept override;
  void close_chunk(void* start) noexcept override;
  [[nodiscard]] bool reaches(Pe pe, Key const& key) noexcept override;
  void put(Place const& to, void const* from, std::size_t bytes,
           std::size_t token) override;
  void get(void* to, Place const& from, std::size_t bytes,
           std::size_t token) override;
  void begin_block(Kind kind, Place const& there, void* here, std::size_t bytes,
                   std::size_t token);
  [[nodiscard]] long post_block(Connection& peer, Parcel& block) noexcept;
  [[nodiscard]] Owned<fid_mr> register_chunk(void* start, std::size_t bytes);

  // MessageEngine_LibfabricReceive.cpp
  void complete(InFlight& operation, std::size_t bytes) noexcept;
  void take_error() noexcept;
  void complete_send(Parcel* parcel, int error) noexcept;
  void complete_payload(Parcel* parcel, int error) noexcept;
  void take_message(std::span<std::byte const> message) noexcept;
  void take_offer(Connection& peer, std::span<std::byte const> header,
                  std::uint64_t number, std::uint64_t bytes) noexcept;
  void take_answer(Connection& peer, std::uint64_t number,
                   std::uint64_t tag) noexcept;
  void post_receive(Parcel* parcel) noexcept;
  void repost(Buffer& buffer) noexcept;
  void post_queued_receives() noexcept;

  Fabric const* m_library = nullptr;
  std::array<char, 64> m_provider{};  // the provider's name, null-terminated
  UniqueFd m_wake;                    // wakes the engine's thread
  int m_events            = -1;       // file descriptor of m_queue
  bool m_may_sleep_long   = true;     // used only by the engine's thread
  bool m_is_one_sided     = false;
  std::size_t m_max_bytes = 0;
  int m_key_mode          = 0;  // FI_MR_...

  // m_mutex guards the members below. The buffers must outlive the endpoint.
  std::unique_ptr<Buffer[]> m_buffers;
  Buffer* m_to_repost = nullptr;
  ParcelList m_posted;
  ParcelQueue m_to_receive;          // receives that libfabric has no room for
  std::vector<Connection*> m_stuck;  // has room for all of m_met
  int m_n_posted           = 0;
  std::uint64_t m_n_offers = 0;
  std::uint64_t m_n_tags   = 0;
  Owned<fid_fabric> m_fabric;
  Owned<fid_domain> m_domain;
  Owned<fid_av> m_table;
  Owned<fid_cq> m_queue;
  Owned<fid_ep> m_endpoint;
  std::map<void*, Owned<fid_mr>> m_chunks;  // open chunks by start address
  std::uint64_t m_n_keys = 0;
  bool m_has_complained  = false;
};

}  // namespace symm::Impl

#endif
