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

/// All pools of a PE, from the first call about pools to finalize(). Does the
/// calls of symm_pools.hpp, and those of the Kokkos memory space, with
/// exceptions. Any thread; for symmetric pools one thread at a time.
class Pools final : public RendezvousListener {
 public:
  /// \throws UsageError on this PE, before initialize() and after finalize().
  static Pools& instance(char const* call);
  /// The instance; null if no call was about pools yet.
  static Pools* find() noexcept;

  explicit Pools(Runtime& runtime);

  // All throw UsageError on this PE if there is no such pool.

  [[nodiscard]] MemPool create(MemPoolProperties const& properties);
  void destroy(MemPool pool);
  [[nodiscard]] MemPool default_pool(MemoryKind memory);
  [[nodiscard]] MemPool current_pool(MemoryKind memory);
  void set_current_pool(MemoryKind memory, MemPool pool);

  /// \param call   for messages.
  /// \param memory that the pool must be in, if given (UsageError).
  /// \param phase  (address + phase) is aligned; bytes of a View's header.
  /// \returns null for 0 bytes.
  /// \throws UsageError, OutOfMemory, SystemError, NotSupported.
  [[nodiscard]] void* malloc(char const* call, MemPool pool,
                             std::optional<MemoryKind> memory,
                             std::size_t bytes, std::size_t phase,
                             StreamName const& name, char const* label);
  /// \throws UsageError, NotSupported.
  void free(char const* call, void* address, StreamName const& name);
  /// Frees a block in the order of the stream that it was allocated on. Ignores
  /// blocks left by an earlier finalize().
  void free_on_its_stream(void* address);
  [[nodiscard]] bool free_at_once(void* address) override;
  /// Whether `address` is in a live block.
  [[nodiscard]] bool is_block(void const* address);

  void order_after(StreamName const& later, StreamName const& earlier);
  /// Notes that a barrier of all PEs has been put into the stream.
  void note_barrier(StreamName const& name);

  [[nodiscard]] std::uint64_t attribute(MemPool pool, MemPoolAttribute which);
  void set_attribute(MemPool pool, MemPoolAttribute which, std::uint64_t value);
  void trim_to(MemPool pool, std::size_t min_bytes_to_hold);

  // Between processes and devices: Pools_Sharing.cpp. Local.

  /// \throws SystemError, too.
  [[nodiscard]] UniqueFd export_pool(MemPool pool, MemPoolHandleType type,
                                     unsigned flags);
  /// \param descriptor stays the caller's.
  [[nodiscard]] MemPool import_pool(int descriptor, MemPoolHandleType type,
                                    unsigned flags);
  [[nodiscard]] MemPoolPtrExportData export_pointer(void const* address);
  /// \throws OutOfMemory, SystemError, too.
  [[nodiscard]] void* import_pointer(MemPool pool,
                                     MemPoolPtrExportData const& data);
  [[nodiscard]] MemAccessFlags access(MemPool pool, MemLocation const& location,
                                      char const* call);
  /// Only checks: \throws UsageError if a location has another access.
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

  /// Set in the numbers of local pools.
  static constexpr std::uint64_t local_bit = std::uint64_t{1} << 63U;
  /// Numbers of symmetric pools begin with their generation.
  static constexpr unsigned generation_shift = 32;

  /// The pools of one kind, and the order of the streams that use them.
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

  /// The symmetric pools for which all PEs have made the same calls so far.
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
  /// Whether a symmetric pool may own the address. Any thread.
  [[nodiscard]] bool is_in_symmetric_heap(void const* address);
  [[nodiscard]] Lock lock_for(void const* address) {
    return Lock(is_in_symmetric_heap(address) ? m_mutex : m_local_mutex);
  }
  /// Finds any pool.
  [[nodiscard]] Pool& find(MemPool pool, char const* call);
  /// Finds a pool that allocates, no imported one (H86).
  [[nodiscard]] Found get(MemPool pool, char const* call);
  /// Finds a pool that allocates and is not out of step.
  [[nodiscard]] Found get_in_step(MemPool pool, char const* call);
  [[nodiscard]] StreamPool* find_stream_pool(MemPool pool);
  [[nodiscard]] ImportedPool* find_imported(MemPool pool);
  [[nodiscard]] ImportedPool* find_importer(void const* address);
  /// \throws UsageError on this PE, if the pool is in other memory.
  static void require_memory(Pool const& pool, MemoryKind memory,
                             char const* call);
  [[noreturn]] static void throw_no_pool(MemPool pool, char const* call);
  [[nodiscard]] StreamPool* find_owner(void const* address);
  /// Notes a call on a symmetric pool: the next collective call compares it.
  void note(Pool const& pool, RuntimeCall call,
            RuntimeCallArguments const& arguments, char const* label = "");
  /// Runs the step of a noted call. If it fails on this PE alone, the next
  /// collective call tells the other PEs.
  template <class Step>
  decltype(auto) run_noted(Pool const& pool, Step const& step);
  void free_block(StreamPool& pool, void* address, StreamOrder::Number stream);
  /// Makes memory free for all streams when all its uses have ended.
  static void catch_up(PoolSet& group);
  /// Steps of a collective call in which the PEs have met. They give back
  /// memory above the release thresholds, and end pools; pools out of step give
  /// back all when no PE has blocks of them any more.
  static void release(PoolSet& group);
  void release_local();
  void release_out_of_step();
  [[noreturn]] void throw_no_block(char const* call, void const* address);
  [[nodiscard]] SymmetricHeap& local_heap(MemoryKind memory, char const* call);
  [[nodiscard]] MemoryProvider& provider_of(StreamPool const& pool);
  [[nodiscard]] std::unique_ptr<LocalHeap> make_own_heap(
      MemPoolProperties const& properties, char const* call);
  /// Whether the PEs were found to differ since the pool was made: on other PEs
  /// it may have other blocks.
  [[nodiscard]] bool is_out_of_step(Pool const& pool);

  Runtime& m_runtime;
  // For symmetric pools. Recursive: a thread may hold it in a collective call,
  // which calls back the functions of RendezvousListener.
  std::recursive_mutex m_mutex;
  // For local and imported pools. Its holder waits for no other PE, but maybe
  // for the GPU. No collective call waits for it but finalize().
  std::recursive_mutex m_local_mutex;
  std::array<std::unique_ptr<LocalHeap>, n_memory_kinds> m_local_heaps;
  std::vector<std::unique_ptr<PoolSet>>
      m_symmetric;  // by CallTrail::generation()
  PoolSet m_local{1};
  std::vector<std::unique_ptr<ImportedPool>> m_imported;
  std::array<MemPool, n_memory_kinds> m_default;
  std::array<std::atomic<std::uint64_t>, n_memory_kinds> m_current{};
  std::atomic<std::uint64_t> m_n_generations{0};  // in m_symmetric
  std::uint64_t m_n_symmetric = 0;                // the latest number
  std::uint64_t m_n_local     = 0;
};

}  // namespace symm::Impl

#endif
