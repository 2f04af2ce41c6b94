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

/// Looks for races. One for the process, and there before and after main(),
/// whose accesses are instrumented, too.
class Checker : public Shadow {
 public:
  /// Collective. Does nothing where PEs share no memory.
  /// \param heaps those of host memory first; null: none.
  /// \param gpu   the memory of this PE's GPU, until finish(); null: none.
  /// \param agree for calls in which the heap gives out memory, until finish().
  void start(Bootstrap& bootstrap,
             std::array<HeapMap const*, max_heaps> const& heaps,
             MemoryProvider* gpu, Agree const& agree);
  /// Collective: no more accesses. Reports.
  void finish(Bootstrap& bootstrap);

  /// Reports unless another PE does, which this one waits for.
  void report_early() noexcept;

  [[nodiscard]] std::uint64_t n_races();

  /// The program loads or stores at an address of any kind.
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

  /// The address in the heap of the program's own of registered memory; any
  /// other address as it is.
  [[nodiscard]] void const* in_heap(void const* address) const;

  /// Looks at an access, and remembers it.
  void note(Where where, std::size_t bytes, Access const& access,
            bool is_here = false);
  /// The same of this PE's side of a call, wherever it is.
  void note_here(void const* address, std::size_t bytes, Access const& access);
  void allocated(void const* address, std::size_t bytes, char const* label,
                 std::size_t header_bytes);
  /// quiet(): memory of the program may be used again.
  void end_begun();
  void complete(void const* owner, Stage stage);
  /// The operations of a context or request are those of another; are nobody's.
  void move_operations(void const* from, void const* to);
  void let_go(void const* owner);

  void add_alias(void const* in_heap, void const* memory, std::size_t bytes);
  void remove_alias(void const* memory);

  // Order that another library makes: Checker_Messages.cpp.

  /// Before a message that so many PEs receive: it tells them what this PE has
  /// done. \param key of the message, odd, and no other one's.
  void send(std::uint64_t key, int n_receivers) noexcept;
  /// This PE has received the message, or has found that it is there.
  void receive(std::uint64_t key, bool is_only_there = false) noexcept;

  /// Completes what this PE has found with the labels of Views.
  void name_races() {
    if (tables().has_unnamed[me()].load(std::memory_order_relaxed) != 0)
        [[unlikely]] {
      name_unnamed();
    }
  }

  /// The label of the kernel that begins; null: one has ended.
  void set_kernel(char const* label);

  /// AccessHistory::forget_write(), of the host. Precondition: is_seen(where).
  void forget_write_here(Where where) noexcept;

  /// Calls during which all threads' accesses are the library's.
  std::atomic<int> n_hiding{0};

 private:
  struct Block {
    std::size_t bytes;
    std::size_t header_bytes;
    std::array<char, 52> label;
  };
  /// An access of the network that is not complete: to private memory, or by
  /// an operation in a context or with a request to the heap.
  struct Begun {
    std::uintptr_t start;  // address, or offset in the heap
    std::size_t bytes;
    Epoch epoch;
    bool is_written;
    Pe pe;         // -1: private memory
    bool is_here;  // this PE's side
    void const* context;
    void const* request;
  };

  /// Memory of the program in this PE's part of the heap.
  struct Alias {
    std::atomic<std::uintptr_t> start;
    std::atomic<std::size_t> bytes;  // 0: not in use
    std::atomic<std::uintptr_t> in_heap;
  };
  static constexpr std::size_t max_aliases = 256;

  /// Whether this access is remembered already, and no other one in its way: so
  /// are most. \param at in bytes from m_heap_start.
  [[nodiscard, gnu::always_inline]] bool is_again(std::size_t at,
                                                  std::size_t bytes,
                                                  bool is_write,
                                                  bool is_atomic) const {
    auto const in_word = at % 8;
    if (m_near_cells == nullptr || in_word + bytes > 8) return false;
    auto const part  = is_write ? Part::stores : Part::loads;
    auto const mask  = mask_of(in_word, bytes);
    auto const& cell = m_near_cells[at / 8];
    auto const& mine = is_write ? cell.write : cell.read;
    auto const& its  = is_write ? cell.read : cell.write;
    return Epoch(mine.load(std::memory_order_relaxed))
               .has(Epoch(part_of(me(), part), clocks.now(part), mask, 0,
                          is_atomic)) &&
           is_past(Epoch(its.load(std::memory_order_relaxed)), is_write);
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
  /// Accesses of so many bytes are looked at without asking is_in_block().
  static constexpr std::size_t max_unasked = 4096;
  [[nodiscard]] bool is_in_block(std::size_t offset, std::size_t bytes);
  [[nodiscard]] static Heap make_heap(HeapMap const& map);
  static void begin_messages(Bootstrap& bootstrap);
  void begin_on_gpu(Bootstrap& bootstrap, Agree const& agree);
  void end_on_gpu() noexcept;
  void pin(CheckMemory::Range range);
  void say_of_kernels(char const* why) const;
  /// Has GPUs reach the shadow of the first `bytes` of the parts of all near
  /// PEs. Collective.
  void reach(std::size_t heap, std::size_t bytes);
  void extend_on_gpu(std::size_t end);
  /// Work of the host on the shadow of GPU memory. A failure is said, and
  /// nothing else comes of it.
  template <class Work>
  bool try_on_gpu(Work const& work) noexcept;
  void tell_kernels();
  void learn_from_kernels();
  void note_on_gpu(Where where, std::size_t bytes, Access const& access);
  void change_on_gpu(Where where, LaterAccess const& later);
  void clear_on_gpu(Where where, std::size_t bytes);

  // Of host memory, which the host loads and stores: parts of near PEs.
  std::uintptr_t m_heap_start  = 0;
  std::size_t m_heap_bytes     = 0;
  Cell* m_near_cells           = nullptr;  // if they cover that heap
  std::uintptr_t m_other_start = 0;        // around all aliases, and all begun
  std::size_t m_other_bytes    = 0;        // in private memory
  std::array<Alias, max_aliases> m_aliases{};
  std::atomic<std::size_t> m_n_aliases{0};  // of which some may be not in use
  MemoryProvider* m_gpu = nullptr;
  ShadowOnGpu* m_on_gpu = nullptr;
  bool m_has_said       = false;
  std::mutex m_gpu_mutex;
  std::mutex m_mutex;
  // Made by start(), never destroyed.
  std::map<std::size_t, Block>* m_blocks = nullptr;  // by offset
  std::vector<Begun>* m_begun            = nullptr;
  std::vector<void*>* m_pinned           = nullptr;
};

/// The one of this process.
extern Checker s_checker;
static_assert(std::is_trivially_destructible_v<Checker>);

}  // namespace symm::Impl::check

#endif
