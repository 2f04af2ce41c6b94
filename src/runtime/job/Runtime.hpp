// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_RUNTIME_HPP
#define SYMM_RUNTIME_HPP

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "../base/Env.hpp"
#include "../base/Failure.hpp"
#include "../base/Types.hpp"
#include "../bootstrap/Bootstrap.hpp"
#include "../bootstrap/FdExchange.hpp"
#include "../bootstrap/Nodes.hpp"
#include "../heap/SymmetricHeap.hpp"
#include "../memory/MemoryProvider.hpp"
#include "../pes/ObjectCall.hpp"
#include "../pes/PeTeamMemory.hpp"
#include "../pes/Rendezvous.hpp"
#include "../registration/LocalBuffers.hpp"
#include "../registration/PrivateMemory.hpp"

namespace symm::Impl {

class Network;
class Transport;
class Trace;

/// Settings from the environment (EnvironmentTable.hpp). All of them except
/// `timeout` must be the same on all PEs.
struct RuntimeOptions {
  bool is_static                        = false;  // SYMM_STATIC_HEAP
  std::size_t symmetric_bytes           = 0;      // SYMM_SYMMETRIC_SIZE
  std::size_t limit_bytes               = 0;      // SYMM_HEAP_LIMIT
  std::chrono::duration<double> timeout = {};     // SYMM_TIMEOUT
  bool traces                           = false;  // SYMM_TRACE
  HugePages huge_pages                  = HugePages::never;  // SYMM_HUGE_PAGES

  /// \param n_near The number of PEs on the largest node. These PEs' parts of
  ///        the heap share an address space, so the default limit depends on
  ///        this number.
  /// \throws UsageError on this PE if any variable is malformed.
  static RuntimeOptions from_environment(int n_near);
};

/// Owns everything that lives from initialize() to finalize(). The only
/// instance is a global object, which is destroyed even if the program calls
/// exit() without finalize(). A PE's forked child has no Runtime.
class Runtime {
 public:
  /// Collective over the PEs of `bootstrap`. Either all PEs pass a device or
  /// none does.
  ///
  /// \param device The ordinal of this PE's GPU among the GPUs visible to this
  ///        process. Several PEs may share a GPU. If empty, there is a heap in
  ///        host memory only.
  /// \throws UsageError on every PE if the runtime is already initialized, or
  ///         if any of the RuntimeOptions is malformed or (except for
  ///         `timeout`) differs between PEs.
  /// \throws SystemError, OutOfMemory on every PE.
  static void initialize(std::unique_ptr<Bootstrap> bootstrap,
                         std::optional<int> device = std::nullopt);

  /// Collective. No View in a symmetric space may be alive. If any are, their
  /// labels and sizes are printed to stderr, and their memory is not released
  /// until the process ends.
  ///
  /// \throws UsageError on this PE if the runtime is not initialized. If
  ///         closing the network or the job fails, throws the corresponding
  ///         exception after the runtime has ended.
  static void finalize();

  [[nodiscard]] static bool is_initialized() noexcept;

  /// The current runtime.
  /// \param call The name for the error message, such as "symm::malloc".
  /// \throws UsageError on this PE before initialize() or after finalize().
  static Runtime& instance(char const* call);

  Runtime(Runtime const&)            = delete;
  Runtime& operator=(Runtime const&) = delete;
  ~Runtime();

  /// This runtime's number within this process, counted from 1.
  [[nodiscard]] std::uint64_t number() const { return m_number; }
  [[nodiscard]] Pe my_pe() const { return m_bootstrap->my_pe(); }
  [[nodiscard]] int n_pes() const { return m_bootstrap->n_pes(); }
  [[nodiscard]] Nodes const& nodes() const { return m_exchange->nodes(); }
  /// The heap in GPU memory if the PEs have devices; otherwise, the heap in
  /// host memory.
  [[nodiscard]] SymmetricHeap& heap() { return *m_memories[m_default].heap; }
  /// \throws UsageError on this PE if there is no heap of that kind.
  [[nodiscard]] SymmetricHeap& heap(MemoryKind kind, char const* call);
  /// Returns null if there is no heap of that kind.
  [[nodiscard]] SymmetricHeap* find_heap(MemoryKind kind) {
    return memory(kind).heap.get();
  }
  /// Returns the heap whose part on this PE contains `address`; heap() if there
  /// is none.
  [[nodiscard]] SymmetricHeap& heap_of(void const* address);
  /// Same as instance(call).heap_of(address), in a single function call.
  [[nodiscard]] static SymmetricHeap& heap_of(void const* address,
                                              char const* call);
  /// Returns the heap to which the program's memory at `memory` can be added;
  /// heap() if there is none. Local.
  [[nodiscard]] SymmetricHeap& heap_for(void const* memory);

  // The program's memory.

  /// Calls LocalBuffers::add() for memory outside all symmetric heaps.
  /// \throws UsageError on this PE if any of the memory is inside a heap; also
  ///         throws whatever add() throws.
  void register_buffer(void* address, std::size_t bytes);
  /// The program's buffers that are registered as local operands.
  [[nodiscard]] LocalBuffers& buffers() { return *m_buffers; }
  /// \throws UsageError on this PE if there is no heap of that kind.
  [[nodiscard]] PrivateMemory& private_memory(MemoryKind kind,
                                              char const* call);

  /// Collective: calls SymmetricHeap::trim() on all heaps, and returns the
  /// total number of bytes.
  std::size_t trim();

  /// Performs symm::barrier_all(). Collective.
  void barrier_all() {
    m_rendezvous->run(RuntimeCall::barrier_all, [&] {
      auto call = Rendezvous::make_call(RuntimeCall::barrier_all, {});
      auto* const listener = m_rendezvous->listener();
      if (listener != nullptr) {
        // If this step fails on any PE, the call fails on all PEs.
        call.failure =
            failure_of([&] { call.bits = listener->idle_streams(); });
      }
      m_rendezvous->meet(call);
      if (call.bits != 0) listener->were_idle(m_rendezvous->bits_of_all());
    });
  }

  /// Collective: a barrier in which all PEs must make the same call.
  /// \param failure The reason why this PE cannot complete its part. If any PE
  ///        passes a failure, the call fails on all PEs.
  /// \returns the call's number, which is the same on all PEs and different for
  ///          each call.
  /// \throws UsageError on every PE if calls differ.
  /// \throws the exception of `failure` on every PE if any PE passes one.
  std::uint64_t meet(ObjectCall const& object_call,
                     std::optional<Failure> const& failure) {
    return m_rendezvous->run(RuntimeCall::object, [&] {
      auto call =
          Rendezvous::make_call(RuntimeCall::object, object_call.arguments());
      call.label   = object_call.text;
      call.failure = failure;
      m_rendezvous->meet(call);
      return m_rendezvous->n_met();
    });
  }

  /// Notifies `listener` of collective calls until finalize(). Local.
  void set_listener(std::unique_ptr<RendezvousListener> listener) {
    m_listener = std::move(listener);
    m_rendezvous->set_listener(m_listener.get());
  }

  // For memory that PEs share outside of a heap:

  [[nodiscard]] FdExchange& exchange() { return *m_exchange; }
  [[nodiscard]] Rendezvous& rendezvous() { return *m_rendezvous; }
  /// Null for device memory if there are no GPUs. For host memory, may also be
  /// null if there are no GPUs.
  [[nodiscard]] MemoryProvider* provider(MemoryKind kind) {
    return memory(kind).provider.get();
  }
  [[nodiscard]] Bootstrap& bootstrap() { return *m_bootstrap; }
  /// Whether PEs of this job share a GPU without MPS, so one process's kernels
  /// make other processes wait. In that case, streams rather than kernels wait
  /// for other PEs.
  [[nodiscard]] bool has_gates() const { return m_has_gates; }
  /// Whether several thread blocks of a kernel may wait for other PEs at the
  /// same time. This is false if PEs of this job share a GPU, if other jobs
  /// might share it through MPS, or if a GPU is small
  /// (PeTeam::may_blocks_wait()). In these cases, waiting blocks could leave no
  /// room for the kernel that they are waiting for.
  [[nodiscard]] bool may_blocks_wait() const { return m_may_blocks_wait; }
  /// A pointer that expires when the runtime ends.
  [[nodiscard]] std::weak_ptr<void const> life() const { return m_bootstrap; }

  /// Null in jobs on one node.
  [[nodiscard]] Network* network() { return m_network.get(); }
  /// The Transport for PEs on other nodes; null in jobs on one node.
  [[nodiscard]] Transport* transport() const { return m_transport; }
  /// Precondition: no other thread is in a call.
  /// \param transport Null, or must live until another transport is set.
  void set_transport(Transport* transport) {
    m_transport = transport;
    m_rendezvous->set_transport(transport);
  }
  /// Returns the current runtime's transport(); null if there is no runtime.
  [[nodiscard]] static Transport* find_transport() noexcept {
    return s_instance == nullptr ? nullptr : s_instance->m_transport;
  }

  // PE teams.

  /// Null for device memory if there are no GPUs.
  [[nodiscard]] PeTeamMemory* team_memory(MemoryKind kind) {
    auto& memory = m_team_memories[index_of(kind)];
    return memory ? &*memory : nullptr;
  }
  /// The slots of the PE teams that contain this PE.
  [[nodiscard]] PeTeamSlots& team_slots() { return m_team_slots; }

  // For a PE that waits for another PE outside of a collective call:

  /// The Rendezvous, which contains the settings for such waits. Local.
  [[nodiscard]] Rendezvous const& rendezvous() const { return *m_rendezvous; }
  /// Returns a PE on this node whose process has ended, if there is one. Such a
  /// PE has failed, because no PE completes finalize() before this PE calls
  /// finalize(). Local; callable from any thread.
  [[nodiscard]] std::optional<Pe> find_gone() const;
  /// Ends the job; does not return.
  void abort(LostPe const& lost) { m_rendezvous->end_job(lost); }

 private:
  /// One kind of memory and its heap. If there is no heap, `missing` contains
  /// the reason.
  struct Memory {
    std::unique_ptr<MemoryProvider> provider;
    std::unique_ptr<SymmetricHeap> heap;
    std::string missing;
    std::unique_ptr<PrivateMemory> private_memory{};
  };

  Runtime(std::shared_ptr<Bootstrap> bootstrap, std::optional<int> device);
  [[nodiscard]] Nodes find_nodes() const;
  void make_network();
  void begin_trace();
  void begin_check();
  void make_memories(std::optional<int> device, RuntimeOptions options);
  void make_device_memories(int device);
  void find_shared_gpus(int device);
  void try_out(Vmm& vmm);
  void make_heap(MemoryKind kind, MemoryProvider& provider,
                 RuntimeOptions const& options);
  [[nodiscard]] Memory& memory(MemoryKind kind) {
    return m_memories[index_of(kind)];
  }
  [[noreturn]] static void throw_not_initialized(char const* call);

  /// Runs in a PE's forked child. The child is not a PE: it has copies of its
  /// parent's objects, but not its threads, and it shares the parent's sockets.
  /// Therefore, the child must neither use nor destroy these objects.
  static void leave_in_child() noexcept;
  /// Registers leave_in_child() with pthread_atfork() on the first call in a
  /// process.
  /// \throws SystemError on this PE.
  static void leave_in_children();

  static std::unique_ptr<Runtime> s_instance;

  std::uint64_t const m_number;
  Transport* m_transport = nullptr;
  std::shared_ptr<Bootstrap> m_bootstrap;
  std::unique_ptr<FdExchange> m_exchange;
  // Host memory for the rendezvous, for the network, and for the heap if there
  // is no GPU.
  std::unique_ptr<MemoryProvider> m_control;
  std::unique_ptr<Rendezvous> m_rendezvous;
  std::array<Memory, n_memory_kinds> m_memories;
  std::size_t m_default  = 0;
  bool m_has_gates       = false;
  bool m_are_gpus_shared = false;  // whether PEs of this job share GPUs
  bool m_may_blocks_wait = false;
  std::optional<LocalBuffers> m_buffers;
  std::array<std::optional<PeTeamMemory>, n_memory_kinds> m_team_memories;
  PeTeamSlots m_team_slots;
  std::unique_ptr<RendezvousListener> m_listener;
  // Null unless SYMM_TRACE is set.
  std::unique_ptr<Trace> m_trace;
  // Null in jobs on one node. Must be the last member so that it is destroyed
  // first, because its threads write to the other members' memory.
  std::unique_ptr<Network> m_network;
};

}  // namespace symm::Impl

#endif
