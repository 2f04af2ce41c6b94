// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_WORK_QUEUE_SHARED_TASKS_HPP
#define SYMM_WORK_QUEUE_SHARED_TASKS_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace_Space.hpp>

#include "../../runtime/symm_job.hpp"
#include "../base/TeamMembers.hpp"

namespace symm::Impl {

/// The tasks that each PE shares for other PEs to steal, stored as bytes in the
/// symmetric heap. A word holds the range of tasks that are still available.
/// The PE that shares tasks stores this word, and a PE that steals updates it
/// with a compare-and-swap. All PEs, near and far, steal with one-sided
/// operations.
///
/// All tasks are done when none remain on any member. A counter on member 0
/// holds the number of PEs that may have tasks. A PE that runs out of tasks
/// decrements the counter and increments it again before stealing. The PE that
/// decrements the counter to 0 notifies member 0. Each notified PE notifies up
/// to two others.
class SharedTasks {
 public:
  /// Collective over the world.
  /// \param near       the result of near_of(members).
  /// \param task_bytes the size of a task in bytes.
  /// \param most the maximum number of tasks that a PE shares at a time.
  /// \throws the same errors as a View's constructor, on every PE.
  SharedTasks(char const* call, TeamMembers const& members,
              std::vector<Pe> near, std::size_t task_bytes, std::size_t most);
  /// The members on this node, as world PE numbers.
  /// \throws std::bad_alloc.
  [[nodiscard]] static std::vector<Pe> near_of(TeamMembers const& members);

  /// Resets the counters. The call is local and must be followed by a barrier.
  /// After the barrier, every member is counted as a PE that may have tasks.
  void begin();

  // The following functions are for this PE's own tasks. The same thread calls
  // all of them.

  /// Whether this PE may share tasks: none of its shared tasks remain, and
  /// other PEs have copied all tasks that they have stolen. Always false if
  /// there is only one member.
  [[nodiscard]] bool is_free() const;
  /// The memory for the tasks to share next. Precondition: is_free().
  [[nodiscard]] std::byte* places() const { return m_tasks.data(); }
  /// The maximum number of tasks for which places() has room.
  [[nodiscard]] std::size_t most() const { return m_most; }
  /// Shares the first `count` tasks at places().
  void share(std::size_t count);
  /// Stops sharing and returns the shared tasks that no PE has stolen. The
  /// result is valid until the next share().
  [[nodiscard]] std::span<std::byte const> take_back();

  // The following functions are for other PEs' tasks.

  /// Waits until another PE shares tasks, then steals some of them.
  /// Precondition: this PE has no tasks.
  /// \param stolen receives half of the tasks that the other PE shares, rounded
  ///        up; its capacity must be at least most() tasks.
  /// \param has_own returns whether this PE has its own tasks again because a
  ///        message handler has pushed some. In that case, nothing is stolen.
  /// \returns whether this PE has tasks now; false if none remain on any PE.
  [[nodiscard]] bool steal(std::vector<std::byte>& stolen,
                           std::function<bool()> const& has_own);
  /// Asks all PEs to discard their tasks. Does not wait until they have done
  /// so.
  void stop();
  /// Whether this PE has been notified of a call to stop() on any PE. Forwards
  /// a new notification to up to two other PEs.
  [[nodiscard]] bool is_stopped();

 private:
  /// The shared tasks that are still available: indices `first` to `end` - 1 at
  /// places().
  struct Places {
    std::uint64_t first;
    std::uint64_t end;

    static Places of(std::uint64_t word) {
      return {word >> 32U, word & 0xffff'ffffU};
    }
    [[nodiscard]] std::uint64_t word() const { return first << 32U | end; }
    [[nodiscard]] std::uint64_t count() const { return end - first; }
  };
  enum Flag : std::uint64_t { stopped = 1, over = 2 };

  [[nodiscard]] std::uint64_t flags();
  void tell(Flag flag);
  void enter();
  void leave();
  /// The world PE number of the next PE from which this PE tries to steal.
  [[nodiscard]] Pe next_victim();
  [[nodiscard]] bool steal_from(Pe victim, std::vector<std::byte>& stolen);

  char const* m_call;
  std::size_t m_task_bytes;
  std::size_t m_most;
  Kokkos::View<std::byte*, SymmetricHostSpace> m_tasks;
  // Each word is in its own cache line.
  Kokkos::View<std::uint64_t* [8], Kokkos::LayoutRight, SymmetricHostSpace>
      m_words;
  std::uint64_t* m_places;  // the available tasks, as a Places::word()
  std::uint64_t* m_copied;  // number of this PE's tasks that others have copied
  std::uint64_t* m_flags;
  std::uint64_t* m_n_active;  // number of PEs that may have tasks; on member 0
  std::uint64_t m_n_stolen  = 0;  // excludes tasks from the latest share()
  std::uint64_t m_flags_now = 0;  // flags that this PE has forwarded
  TeamMembers m_members;
  Pe m_root = 0;  // world PE number of member 0
  std::vector<Pe> m_near;
  std::uint64_t m_random;
  unsigned m_n_tries = 0;
};

}  // namespace symm::Impl

#endif
