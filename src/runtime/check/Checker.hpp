// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_CHECK_CHECKER_HPP
#define SYMM_CHECK_CHECKER_HPP

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <type_traits>
#include <vector>

#include "../base/Check.hpp"
#include "../base/Types.hpp"
#include "../bootstrap/Bootstrap.hpp"
#include "../memory/HeapMap.hpp"
#include "CheckMemory.hpp"
#include "Clocks.hpp"
#include "Epoch.hpp"
#include "Shadow.hpp"

namespace symm::Impl {
class MemoryProvider;
}  // namespace symm::Impl

namespace symm::Impl::check {

struct ShadowOnGpu;

/// The race detector. There is one per process. It must also work before and
/// after main(), because accesses before and after main() are instrumented,
/// too.
class Checker : public Shadow {
 public:
  /// Collective. Does nothing unless all PEs run on one machine and there are
  /// at most max_pes of them.
  /// \param heaps the heap in host memory, then the heap in GPU memory; null
  ///        for a heap that does not exist.
  /// \param gpu   provides this PE's GPU memory, and is used until finish();
  ///        null without a GPU.
  /// \param agree used until finish(), in calls in which the heap allocates
  ///        memory.
  void start(Bootstrap& bootstrap,
             std::array<HeapMap const*, max_heaps> const& heaps,
             MemoryProvider* gpu, Agree const& agree);
  /// Collective. Stops recording accesses, and reports the races.
  void finish(Bootstrap& bootstrap);

  /// Reports the races. If another PE is already reporting them, waits up to
  /// ten seconds for that report.
  void report_early() noexcept;

  [[nodiscard]] std::uint64_t n_races();

  /// Records one of the program's loads or stores, at any address.
  /// \param place the return address that identifies the place in the program.
  [[gnu::always_inline]] void access(void const* address, std::size_t bytes,
                                     bool is_write, bool is_atomic,
                                     void const* place) {
    auto const at = reinterpret_cast<std::uintptr_t>(address);
    if (at - m_heap_start < m_heap_bytes) {
      if (is_again(at - m_heap_start, bytes, is_write, is_atomic)) return;
      access_heap(address, bytes, is_write, is_atomic, place);
    } else if (at - m_other_start < m_other_bytes) [[unlikely]] {
      access_other(at, bytes, is_write, is_atomic, place);
    }
  }

  /// Translates the program's address of registered memory to the corresponding
  /// address in the heap. Returns any other address unchanged.
  [[nodiscard]] void const* in_heap(void const* address) const;

  /// Checks and records an access.
  /// \param is_here whether the access is on this PE's side of the call.
  void note(Where where, std::size_t bytes, Access const& access,
            bool is_here = false);
  /// Like note(), but for an access on this PE's side of a call, at any
  /// address.
  void note_here(void const* address, std::size_t bytes, Access const& access);
  void allocated(void const* address, std::size_t bytes, char const* label,
                 std::size_t header_bytes);
  /// Called by quiet(). After quiet(), the program may reuse the buffers of its
  /// nonblocking operations.
  void end_begun();
  void complete(void const* owner, Stage stage);
  /// move_operations() transfers operations from one context or request to
  /// another. let_go() leaves the operations of `owner` without an owner.
  void move_operations(void const* from, void const* to);
  void let_go(void const* owner);

  void add_alias(void const* in_heap, void const* memory, std::size_t bytes);
  void remove_alias(void const* memory);

  // The next two functions record the order that other libraries, such as MPI,
  // establish. They are defined in Checker_Messages.cpp.

  /// Called before this PE sends a message that `n_receivers` PEs will receive.
  /// Publishes this PE's times to them.
  /// \param key the message's unique key, an odd number.
  void send(std::uint64_t key, int n_receivers) noexcept;
  /// Called when this PE has received the message. If `is_only_there`, this PE
  /// has found that the message is available but has not received it.
  void receive(std::uint64_t key, bool is_only_there = false) noexcept;

  /// Adds View labels to the races that this PE has found.
  void name_races() {
    if (tables().has_unnamed[me()].load(std::memory_order_relaxed) != 0)
        [[unlikely]] {
      name_unnamed();
    }
  }

  /// Sets the running Kokkos kernel's label.
  /// \param label null once the kernel has ended.
  void set_kernel(char const* label);

  /// The host's AccessHistory::forget_write(). Precondition: is_seen(where).
  void forget_write_here(Where where) noexcept;

  /// The number of library calls in progress that hide all threads' accesses.
  std::atomic<int> n_hiding{0};

 private:
  struct Block {
    std::size_t bytes;
    std::size_t header_bytes;
    std::array<char, 52> label;
  };
  /// An access by a network operation that is not yet complete. The access is
  /// to private memory or, if the operation belongs to a context or a request,
  /// to the heap.
  struct Begun {
    std::uintptr_t start;  // address, or offset in the heap
    std::size_t bytes;
    Epoch epoch;
    bool is_written;
    Pe pe;         // -1: private memory
    bool is_here;  // whether the access is on this PE's side
    void const* context;
    void const* request;
  };

  /// The program's memory that is also mapped into this PE's part of the heap.
  struct Alias {
    std::atomic<std::uintptr_t> start;
    std::atomic<std::size_t> bytes;  // 0 if unused
    std::atomic<std::uintptr_t> in_heap;
  };
  static constexpr std::size_t max_aliases = 256;

  /// Whether this access is already recorded and conflicts with no other
  /// access, as is the case for most accesses.
  /// \param at the offset in bytes from m_heap_start.
  [[nodiscard, gnu::always_inline]] bool is_again(std::size_t at,
                                                  std::size_t bytes,
                                                  bool is_write,
                                                  bool is_atomic) const {
    auto const in_word = at % 8;
    if (m_near_cells == nullptr || in_word + bytes > 8) return false;
    auto const part        = is_write ? Part::stores : Part::loads;
    auto const mask        = mask_of(in_word, bytes);
    auto const& cell       = m_near_cells[at / 8];
    auto const& same_kind  = is_write ? cell.write : cell.read;
    auto const& other_kind = is_write ? cell.read : cell.write;
    return Epoch(same_kind.load(std::memory_order_relaxed))
               .has(Epoch(part_of(me(), part), clocks.now(part), mask, 0,
                          is_atomic)) &&
           is_past(Epoch(other_kind.load(std::memory_order_relaxed)), is_write);
  }
  void access_heap(void const* address, std::size_t bytes, bool is_write,
                   bool is_atomic, void const* place);
  void access_other(std::uintptr_t at, std::size_t bytes, bool is_write,
                    bool is_atomic, void const* place);
  void access_private(std::uintptr_t at, std::size_t bytes, bool is_write,
                      void const* place);
  void include(std::uintptr_t start, std::size_t bytes);
  void include_all_others();
  [[gnu::cold]] void name_unnamed();
  void begin(Begun const& begun);
  void rename_owner(void const* from, void const* to);
  /// For accesses of at most this many bytes, the detector does not call
  /// is_in_block().
  static constexpr std::size_t max_unasked = 4096;
  [[nodiscard]] bool is_in_block(std::size_t offset, std::size_t bytes);
  [[nodiscard]] static Heap make_heap(HeapMap const& map);
  static void begin_messages(Bootstrap& bootstrap);
  void begin_on_gpu(Bootstrap& bootstrap, Agree const& agree);
  void end_on_gpu() noexcept;
  void pin(CheckMemory::Range range);
  void say_of_kernels(char const* why) const;
  /// Collective. Makes the shadow of the first `bytes` bytes of each near PE's
  /// part accessible to GPUs.
  void reach(std::size_t heap, std::size_t bytes);
  void extend_on_gpu(std::size_t end);
  /// Calls work(), which uses the shadow of GPU memory from the host. If work()
  /// throws, this function does not throw, but prints the reason unless it has
  /// printed one before. \returns whether work() succeeded.
  template <class Work>
  bool try_on_gpu(Work const& work) noexcept;
  void tell_kernels();
  void learn_from_kernels();
  void note_on_gpu(Where where, std::size_t bytes, Access const& access);
  void change_on_gpu(Where where, LaterAccess const& later);
  void clear_on_gpu(Where where, std::size_t bytes);

  // The near PEs' parts of the heap in host memory. The host accesses them with
  // loads and stores.
  std::uintptr_t m_heap_start = 0;
  std::size_t m_heap_bytes    = 0;
  Cell* m_near_cells          = nullptr;  // null unless they cover all of it
  // The smallest range that contains all aliases and all incomplete accesses to
  // private memory.
  std::uintptr_t m_other_start = 0;
  std::size_t m_other_bytes    = 0;
  std::array<Alias, max_aliases> m_aliases{};
  std::atomic<std::size_t> m_n_aliases{0};  // includes unused aliases
  MemoryProvider* m_gpu = nullptr;
  ShadowOnGpu* m_on_gpu = nullptr;
  bool m_has_said       = false;
  std::mutex m_gpu_mutex;
  std::mutex m_mutex;
  // Created by start() and never destroyed.
  std::map<std::size_t, Block>* m_blocks = nullptr;  // keyed by offset
  std::vector<Begun>* m_begun            = nullptr;
  std::vector<void*>* m_pinned           = nullptr;
};

/// This process's race detector.
extern Checker s_checker;
static_assert(std::is_trivially_destructible_v<Checker>);

}  // namespace symm::Impl::check

#endif
