// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "../symm_locks.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "../access/Access.hpp"
#include "../access/GroupOperations.hpp"
#include "../access/PeOperations.hpp"
#include "../base/Backoff.hpp"
#include "../base/Check.hpp"
#include "../base/Observer.hpp"
#include "../base/Text.hpp"
#include "../base/Types.hpp"
#include "../heap/SymmetricHeap.hpp"
#include "../memory/HeapMap.hpp"
#include "../symm_atomics.hpp"
#include "../symm_errors.hpp"
#include "../waiting/HostWait.hpp"
#include "../waiting/Waiting.hpp"

namespace symm {

namespace Impl {

namespace {

static_assert(std::is_trivial_v<Lock>, "zero bytes are a free lock");

/// A ticket lock for the threads of this PE that set or test a symm::Lock.
/// While one thread tests the lock, no other thread sees the intermediate
/// state. A thread leaves the Entrance before it starts to wait for other PEs
/// to clear the lock.
class Entrance {
 public:
  explicit Entrance(Lock const* lock) : m_line(line_of(lock)) {
    auto const ticket = m_line.n_come.fetch_add(1, std::memory_order_relaxed);
    if (is_turn_of(ticket)) return;
    // Each earlier thread holds the Entrance for at most one round trip.
    for (Backoff backoff(n_spins); !is_turn_of(ticket);)
      static_cast<void>(backoff.pause());
  }
  Entrance(Entrance const&)            = delete;
  Entrance& operator=(Entrance const&) = delete;
  ~Entrance() { m_line.n_gone.fetch_add(1, std::memory_order_release); }

 private:
  /// The tickets. A lock's address selects its Line; several locks may share a
  /// Line.
  struct alignas(64) Line {
    std::atomic<std::uint64_t> n_come{0};
    std::atomic<std::uint64_t> n_gone{0};
  };
  static constexpr std::size_t n_lines = 64;
  static constexpr int n_spins         = 100;

  static Line& line_of(Lock const* lock) {
    static std::array<Line, n_lines> s_lines;
    return s_lines[reinterpret_cast<std::size_t>(lock) / sizeof(Lock) %
                   n_lines];
  }
  [[nodiscard]] bool is_turn_of(std::uint64_t number) const {
    return m_line.n_gone.load(std::memory_order_acquire) == number;
  }

  Line& m_line;
};

/// The values of Lock::turn.
enum Turn : std::uint64_t { is_out, is_waiting, is_holder };

/// One call on a lock. The PEs that hold the lock or wait for it form a queue
/// (the MCS lock of Mellor-Crummey and Scott). Each PE stores the number of the
/// next PE in the queue, and the lock's home PE stores the number of the last
/// one.
class LockCall {
 public:
  LockCall(Lock* lock, char const* call)
      : m_lock(lock), m_call(call), m_map(map_of(lock, call)) {
    auto const number = m_map.offset_of(lock) / sizeof(Lock);
    m_home = static_cast<Pe>(number % static_cast<std::size_t>(m_map.n_pes));
  }

  [[nodiscard]] Operation operation() const {
    return {OperationKind::atomic, m_call, m_home, sizeof(Lock), m_lock};
  }
  [[nodiscard]] bool is_holder_here() const {
    return load_acquire(&m_lock->turn) == is_holder;
  }

  /// If this PE neither holds the lock nor waits for it, marks this PE as
  /// waiting and returns true. Called within an Entrance.
  [[nodiscard]] bool enter() const {
    if (atomic_compare_swap(&m_lock->turn, is_out, is_waiting) != is_out) {
      return false;
    }
    store_relaxed(&m_lock->next, 0);
    fence_words();  // before any other PE sees this PE in the queue
    return true;
  }

  void wait_for_turn() const {
    auto const before = change_word<std::uint64_t, std::uint64_t>(
        m_map, &m_lock->last, m_home, m_call,
        [&](auto* there) { return swap_word(there, me()); }, AtomicOp::swap,
        me());
    if (before == 0) return hold();
    Pe const pe = pe_of(before);
    set(&m_lock->next, me(), pe);
    wait([&] { return is_holder_here(); },
         [&] {
           return Text("\n  the lock at ", m_lock, ", which PE ", pe,
                       " holds or waits for");
         });
    fence_words();
  }

  [[nodiscard]] bool take_if_free() const {
    if (compare_swap_last(0, me()) == 0) {
      hold();
      return true;
    }
    store_relaxed(&m_lock->turn, is_out);
    return false;
  }

  void release() const {
    fence_words();
    quiet_far(m_call);
    if (load_acquire(&m_lock->next) == 0 &&
        compare_swap_last(me(), 0) == me()) {
      store_relaxed(&m_lock->turn, is_out);
      return;
    }
    // Another PE is now last in the queue and is about to store its number in
    // this PE's `next`.
    wait([&] { return load_acquire(&m_lock->next) != 0; },
         [&] {
           return Text("\n  the next PE in the queue of the lock at ", m_lock);
         });
    Pe const next = pe_of(load_acquire(&m_lock->next));
    store_relaxed(&m_lock->turn, is_out);
    set(&m_lock->turn, is_holder, next);
  }

 private:
  static HeapMap const& map_of(Lock const* lock, char const* call) {
    check_variable(call, lock, alignof(Lock));
    return heap_to_access(lock, sizeof *lock, 0, call).map();
  }
  [[nodiscard]] std::uint64_t me() const {
    return static_cast<std::uint64_t>(m_map.my_pe) + 1;
  }
  [[nodiscard]] static Pe pe_of(std::uint64_t number) {
    return static_cast<Pe>(number - 1);
  }
  // Atomic operations on the lock's words, on this PE or others.

  void set(std::uint64_t* word, std::uint64_t value, Pe pe) const {
    change_word<void, std::uint64_t>(
        m_map, word, pe, m_call, [&](auto* there) { set_word(there, value); },
        AtomicOp::set, value);
  }
  [[nodiscard]] std::uint64_t compare_swap_last(std::uint64_t compare,
                                                std::uint64_t value) const {
    return change_word<std::uint64_t, std::uint64_t>(
        m_map, &m_lock->last, m_home, m_call,
        [&](auto* there) { return compare_swap_word(there, compare, value); },
        AtomicOp::compare_swap, value, compare);
  }
  void hold() const {
    store_relaxed(&m_lock->turn, is_holder);
    fence_words();
  }

  /// Waits until is_done() returns true, and reports as HostWait does.
  /// \param what returns the text for the report.
  template <class IsDone, class What>
  void wait(IsDone const& is_done, What const& what) const {
    if (is_done()) return;
    HostWait wait(m_call);
    while (!is_done()) {
      if (!wait.pause()) continue;
      auto const why = wait.reason_to_give_up();
      if (is_done()) return;
      if (wait.must_report(why)) wait.report(why, "", what());
    }
  }

  Lock* m_lock;
  char const* m_call;
  HeapMap const& m_map;
  Pe m_home;
};

}  // namespace

}  // namespace Impl

void set_lock(Lock* lock) {
  Impl::LockCall const call(lock, "symm::set_lock");
  Impl::Observed const observed([&] { return call.operation(); });
  {
    Impl::Entrance const entrance(lock);
    if (!call.enter()) {
      throw UsageError(
          Impl::Text("symm::set_lock: this PE already holds the lock at ", lock,
                     ", or one of its threads is waiting for it; "
                     "call symm::clear_lock() first"));
    }
  }
  call.wait_for_turn();
  Impl::check::acquire_lock(lock);
}

void clear_lock(Lock* lock) {
  Impl::LockCall const call(lock, "symm::clear_lock");
  Impl::Observed const observed([&] { return call.operation(); });
  if (!call.is_holder_here()) {
    throw UsageError(
        Impl::Text("symm::clear_lock: this PE does not hold the lock at ", lock,
                   "; call symm::set_lock() first"));
  }
  Impl::check::release_lock(lock);
  call.release();
}

int test_lock(Lock* lock) {
  Impl::LockCall const call(lock, "symm::test_lock");
  Impl::Observed const observed([&] { return call.operation(); });
  Impl::Entrance const entrance(lock);
  if (!call.enter() || !call.take_if_free()) return 1;
  Impl::check::acquire_lock(lock);
  return 0;
}

}  // namespace symm
