// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TRANSPORT_PROXYSERVER_HPP
#define SYMM_TRANSPORT_PROXYSERVER_HPP

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "../base/Text.hpp"
#include "../base/Types.hpp"
#include "../memory/GpuAccessQueue.hpp"
#include "../memory/MemoryProvider.hpp"
#include "../memory/ProxyQueue.hpp"
#include "GpuStaging.hpp"
#include "Transport.hpp"
#include "TransportTarget.hpp"
#include "UpdateServer.hpp"

namespace symm::Impl {

/// A thread that executes the requests that this PE's kernels add to the
/// ProxyQueue. It starts requests in ticket order, and many requests may await
/// replies from other PEs at once. Between requests, it executes updates, as
/// ProxyQueue.hpp describes. The thread polls continuously while there is work
/// and for 2 ms afterward, and then at intervals of up to a millisecond.
class ProxyServer final : public KernelRequests {
 public:
  /// Finds the object on `pe` that corresponds to `address` in this PE's part
  /// of the heap.
  /// \returns whether such an object exists.
  using Find = std::function<bool(void const* address, std::size_t bytes, Pe pe,
                                  PeMemory& found)>;
  /// Ends the job. The reason has already been printed.
  using EndJob = std::function<void()>;

  /// \param provider The GPU's memory provider.
  /// \param memory This PE's memory, in which `find` finds objects. `provider`,
  ///        `transport` and `memory` must outlive this object.
  /// \throws SystemError, OutOfMemory on this PE.
  ProxyServer(Pe my_pe, int n_pes, Transport& transport,
              MemoryProvider& provider, TransportTarget& memory, Find find,
              EndJob end_job);
  /// Precondition: no kernel is still using ring().
  ~ProxyServer() override;
  ProxyServer(ProxyServer const&)            = delete;
  ProxyServer& operator=(ProxyServer const&) = delete;

  /// The queue that kernels use.
  [[nodiscard]] ProxyQueue* ring() const { return m_ring; }

  /// Waits until the server has executed all requests and updates from
  /// completed kernels. Gets are then complete; puts may still be in flight.
  /// Callable from any thread except the server's thread.
  void drain(char const* call) override;

 private:
  using Number                             = std::uint64_t;
  static constexpr auto size               = ProxyQueue::size;
  static constexpr std::size_t max_pending = 512;
  static constexpr std::size_t n_landings  = 16;

  enum class State : std::uint8_t { done, pending, replied };

  /// A request that awaits a reply from another PE.
  struct PendingRequest {
    Number ticket;
    Pe pe;
    bool wants_reply;
    Channel::Counter left{1};
    std::uint64_t value       = 0;
    std::byte* receive_buffer = nullptr;  // receives the block
    void* to                  = nullptr;
    std::size_t bytes         = 0;
  };

  void run();
  bool take_requests();
  bool finish_pending();
  void advance();
  void carry_out(FarRequest const& request);
  void put(FarRequest const& request);
  void copy_strided(FarRequest const& request);
  void put_signal(FarRequest const& request);
  void begin_load(FarRequest const& request, PeMemory const& from);
  void begin_get(FarRequest const& request, PeMemory const& from);
  void begin_atomic(FarRequest const& request, PeMemory const& at);
  PendingRequest& add_pending(FarRequest const& request);
  void quiet_all();
  void reply(Number ticket, std::uint64_t value);
  void set_state(Number ticket, State state) {
    m_states[ticket % size] = state;
  }
  [[nodiscard]] bool is_written(Number ticket) const;
  [[nodiscard]] PeMemory find(void const* address, std::size_t bytes, Pe pe,
                              char const* what) const;
  /// Whether `local` is in the host heap. If so, the thread need not query the
  /// GPU driver. Such a query may wait for kernels that are waiting for this
  /// thread.
  [[nodiscard]] bool is_in_host_heap(void const* local,
                                     std::size_t bytes) const;
  [[noreturn]] void end_job(Text const& why) noexcept;

  Pe const m_my_pe;
  Transport& m_transport;
  Channel& m_channel;
  MemoryProvider& m_provider;
  Find m_find;
  EndJob m_end_job;

  PinnedMemory m_memory;  // for m_requests, m_replies, m_freed_for_kernels
  PinnedMemory m_landing_memory;
  FarRequest* m_requests;
  FarReply* m_replies;
  std::uint64_t* m_freed_for_kernels;
  ProxyQueue* m_ring = nullptr;
  GpuStaging m_staging;
  GpuAccessQueue m_queue;
  UpdateServer m_updates;

  // Used only by the server's thread:
  Number m_head  = 0;  // the next request to start
  Number m_freed = 0;
  std::vector<State> m_states;
  std::list<PendingRequest> m_pending;
  std::vector<std::byte*> m_receive_buffers;  // the free buffers
  std::vector<Number> m_quiets;               // tickets not yet replied to
  std::optional<Watch> m_watch;

  std::atomic<Number> m_begun     = 0;  // all lower tickets have started
  std::atomic<Number> m_completed = 0;  // all lower tickets are complete
  std::atomic<bool> m_is_over     = false;
  std::thread m_thread;
};

}  // namespace symm::Impl

#endif
