// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_POOLS_POOLS_HPP
#define SYMM_POOLS_POOLS_HPP

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "../job/Runtime.hpp"
#include "../pes/RendezvousListener.hpp"
#include "../symm_pools.hpp"
#include "ImportedPool.hpp"
#include "LocalHeap.hpp"
#include "StreamOrder.hpp"
#include "StreamPool.hpp"

namespace symm::Impl {

/// All of a PE's pools, from the first call that involves pools until
/// finalize(). Implements the functions in symm_pools.hpp and those of the
/// Kokkos memory space, but reports errors as exceptions. Callable from any
/// thread, but only one thread at a time may make calls on symmetric pools.
class Pools final : public RendezvousListener {
 public:
  /// \throws UsageError on this PE before initialize() and after finalize().
  static Pools& instance(char const* call);
  /// The instance; null before the first call that involves pools.
  static Pools* find() noexcept;

  explicit Pools(Runtime& runtime);

  // All functions below that take a MemPool throw UsageError on this PE if the
  // pool does not exist.

  [[nodiscard]] MemPool create(MemPoolProperties const& properties);
  void destroy(MemPool pool);
  [[nodiscard]] MemPool default_pool(MemoryKind memory);
  [[nodiscard]] MemPool current_pool(MemoryKind memory);
  void set_current_pool(MemoryKind memory, MemPool pool);

  /// \param call The call's name, for error messages.
  /// \param memory The kind of memory that the pool must have; nullopt for any
  ///        kind.
  /// \param phase The size of a View's header: (address + phase) is aligned.
  /// \returns null if `bytes` is 0.
  /// \throws UsageError, OutOfMemory, SystemError, NotSupported.
  [[nodiscard]] void* malloc(char const* call, MemPool pool,
                             std::optional<MemoryKind> memory,
                             std::size_t bytes, std::size_t phase,
                             StreamName const& name, char const* label);
  /// \throws UsageError, NotSupported.
  void free(char const* call, void* address, StreamName const& name);
  /// Frees a block in stream order, on the stream on which the block was
  /// allocated. Ignores blocks that were still alive at an earlier finalize().
  void free_on_its_stream(void* address);
  [[nodiscard]] bool free_at_once(void* address) override;
  /// Whether a live block of any pool starts at `address`.
  [[nodiscard]] bool is_block(void const* address);

  void order_after(StreamName const& later, StreamName const& earlier);
  /// Records that a barrier over all PEs was enqueued on the stream.
  void note_barrier(StreamName const& name);

  [[nodiscard]] std::uint64_t attribute(MemPool pool, MemPoolAttribute which);
  void set_attribute(MemPool pool, MemPoolAttribute which, std::uint64_t value);
  void trim_to(MemPool pool, std::size_t min_bytes_to_hold);

  // The next functions share pools between processes and devices. They are
  // local. Pools_Sharing.cpp defines them.

  /// \throws UsageError, SystemError.
  [[nodiscard]] UniqueFd export_pool(MemPool pool, MemPoolHandleType type,
                                     unsigned flags);
  /// \param descriptor The caller keeps ownership.
  [[nodiscard]] MemPool import_pool(int descriptor, MemPoolHandleType type,
                                    unsigned flags);
  [[nodiscard]] MemPoolPtrExportData export_pointer(void const* address);
  /// \throws UsageError, OutOfMemory, SystemError.
  [[nodiscard]] void* import_pointer(MemPool pool,
                                     MemPoolPtrExportData const& data);
  [[nodiscard]] MemAccessFlags access(MemPool pool, MemLocation const& location,
                                      char const* call);
  /// Checks that each location already has the given access. Changes nothing.
  /// \throws UsageError if any location has a different access.
  void set_access(MemPool pool, std::span<MemAccessDesc const> list);

  [[nodiscard]] std::uint64_t idle_streams() override;
  void were_idle(std::uint64_t streams) override;
  void prepare() override;
  void all_ended() override;
  void before_return(RuntimeCall call) override;
  [[nodiscard]] std::vector<std::string> finalize() override;

 private:
  using Lock = std::lock_guard<std::recursive_mutex>;
  using BothLocks =
      std::scoped_lock<std::recursive_mutex, std::recursive_mutex>;

  /// This bit is set in every local pool's number.
  static constexpr std::uint64_t local_bit = std::uint64_t{1} << 63U;
  /// The upper bits of a symmetric pool's number contain its generation.
  static constexpr unsigned generation_shift = 32;

  /// The pools of one kind (local, or symmetric in one generation), and the
  /// order of the streams that use these pools.
  struct PoolSet {
    explicit PoolSet(int n_pes) : order(n_pes) {}

    StreamOrder order;
    StreamOrder::Position collected_to = 0;
    std::vector<std::unique_ptr<StreamPool>> pools;
  };

  struct Found {
    PoolSet& group;
    StreamPool& pool;
  };

  /// The current generation of symmetric pools. All PEs have made the same
  /// calls on these pools so far.
  [[nodiscard]] PoolSet& symmetric();
  void begin_generation();
  [[nodiscard]] std::array<PoolSet*, 2> groups() {
    return {&symmetric(), &m_local};
  }
  [[nodiscard]] PoolSet& group_of(Pool const& pool) {
    return pool.is_local() ? m_local
                           : *m_symmetric[pool.number() >> generation_shift];
  }
  [[nodiscard]] static bool is_local(MemPool pool) {
    return (pool.number() & local_bit) != 0;
  }
  [[nodiscard]] Lock lock_for(MemPool pool) {
    return Lock(is_local(pool) ? m_local_mutex : m_mutex);
  }
  /// Whether the address is in a symmetric heap and may therefore belong to a
  /// symmetric pool. Callable from any thread.
  [[nodiscard]] bool is_in_symmetric_heap(void const* address);
  [[nodiscard]] Lock lock_for(void const* address) {
    return Lock(is_in_symmetric_heap(address) ? m_mutex : m_local_mutex);
  }
  /// Finds a pool of any type, including imported pools.
  [[nodiscard]] Pool& find(MemPool pool, char const* call);
  /// Finds a pool that can allocate; rejects imported pools (H86).
  [[nodiscard]] Found get(MemPool pool, char const* call);
  /// Like get(), but also rejects pools that are out of step (see
  /// is_out_of_step()).
  [[nodiscard]] Found get_in_step(MemPool pool, char const* call);
  [[nodiscard]] StreamPool* find_stream_pool(MemPool pool);
  [[nodiscard]] ImportedPool* find_imported(MemPool pool);
  [[nodiscard]] ImportedPool* find_importer(void const* address);
  /// \throws UsageError on this PE if the pool's memory is of a different kind.
  static void require_memory(Pool const& pool, MemoryKind memory,
                             char const* call);
  [[noreturn]] static void throw_no_pool(MemPool pool, char const* call);
  [[nodiscard]] StreamPool* find_owner(void const* address);
  /// Records a call on a symmetric pool. The next collective call compares the
  /// calls that the PEs have recorded.
  void note(Pool const& pool, RuntimeCall call,
            RuntimeCallArguments const& arguments, char const* label = "");
  /// Performs a recorded call. If the call fails only on this PE, the next
  /// collective call reports the failure to the other PEs.
  template <class Step>
  decltype(auto) run_noted(Pool const& pool, Step const& step);
  void free_block(StreamPool& pool, void* address, StreamOrder::Number stream);
  /// Makes freed memory available to all streams if all work that uses it has
  /// completed.
  static void catch_up(PoolSet& group);
  /// The next three functions are steps of a collective call in which the PEs
  /// have already synchronized. They release memory above the release
  /// thresholds and remove destroyed pools. A pool that is out of step releases
  /// all of its memory once no PE has blocks in it.
  static void release(PoolSet& group);
  void release_local();
  void release_out_of_step();
  [[noreturn]] void throw_no_block(char const* call, void const* address);
  [[nodiscard]] SymmetricHeap& local_heap(MemoryKind memory, char const* call);
  [[nodiscard]] MemoryProvider& provider_of(StreamPool const& pool);
  [[nodiscard]] std::unique_ptr<LocalHeap> make_own_heap(
      MemPoolProperties const& properties, char const* call);
  /// Whether, since the pool was created, a collective call has found that the
  /// PEs made different calls. The pool's blocks may then differ between PEs.
  [[nodiscard]] bool is_out_of_step(Pool const& pool);

  Runtime& m_runtime;
  // Protects symmetric pools. The mutex is recursive because a thread may hold
  // it during a collective call, and that call may lock it again in functions
  // of RendezvousListener.
  std::recursive_mutex m_mutex;
  // Protects local and imported pools. The thread that holds this mutex may
  // wait for the GPU, but not for other PEs. finalize() is the only collective
  // call that waits for this mutex.
  std::recursive_mutex m_local_mutex;
  std::array<std::unique_ptr<LocalHeap>, n_memory_kinds> m_local_heaps;
  std::vector<std::unique_ptr<PoolSet>>
      m_symmetric;  // indexed by CallTrail::generation()
  PoolSet m_local{1};
  std::vector<std::unique_ptr<ImportedPool>> m_imported;
  std::array<MemPool, n_memory_kinds> m_default;
  std::array<std::atomic<std::uint64_t>, n_memory_kinds> m_current{};
  std::atomic<std::uint64_t> m_n_generations{0};  // size of m_symmetric
  std::uint64_t m_n_symmetric = 0;                // number of the last pool
  std::uint64_t m_n_local     = 0;
};

}  // namespace symm::Impl

#endif
