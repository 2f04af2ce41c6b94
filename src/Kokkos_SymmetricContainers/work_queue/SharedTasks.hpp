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

/// The tasks of each PE that other PEs may steal, as bytes in the symmetric
/// heap. A word says which places contain tasks: the PE that shares tasks
/// stores it, and a PE that takes some changes it by compare-and-swap. Near and
/// far PEs use one-sided operations.
///
/// The work ends when no member has tasks. Member 0 has a counter of the PEs
/// that may have tasks. A PE without tasks decrements it, and increments it
/// again before it steals. The last PE to decrement it notifies member 0. Each
/// notified PE notifies two others.
class SharedTasks {
 public:
  /// Collective over the world.
  /// \param near       the result of near_of(members).
  /// \param task_bytes bytes of a task.
  /// \param most       the most tasks that a PE shares at a time.
  /// \throws as Views, on every PE.
  SharedTasks(char const* call, TeamMembers const& members,
              std::vector<Pe> near, std::size_t task_bytes, std::size_t most);
  /// The members on this node, by their numbers in the world. \throws
  /// std::bad_alloc.
  [[nodiscard]] static std::vector<Pe> near_of(TeamMembers const& members);

  /// Resets the counters. Local; after the barrier that must follow, all PEs
  /// may have tasks.
  void begin();

  // For the tasks of this PE. Called by one thread.

  /// Whether other PEs have taken and copied all tasks that this PE has shared.
  /// Always false in a job of one PE.
  [[nodiscard]] bool is_free() const;
  /// The memory for the tasks to share next. Precondition: is_free().
  [[nodiscard]] std::byte* places() const { return m_tasks.data(); }
  /// The most tasks that places() has room for.
  [[nodiscard]] std::size_t most() const { return m_most; }
  /// Shares the tasks in the first `count` places.
  void share(std::size_t count);
  /// Takes back the tasks that no PE has stolen. The result is valid until the
  /// next share().
  [[nodiscard]] std::span<std::byte const> take_back();

  // For the tasks of other PEs.

  /// Waits for tasks of another PE. Precondition: this PE has none.
  /// \param stolen  receives half of the tasks that the other PE shares; has
  ///        room for most() of them.
  /// \param has_own whether this PE has received tasks of its own meanwhile: a
  ///        message handler may push some. Then nothing is stolen.
  /// \returns false if no PE has any tasks.
  [[nodiscard]] bool steal(std::vector<std::byte>& stolen,
                           std::function<bool()> const& has_own);
  /// Makes all PEs discard their tasks.
  void stop();
  /// Whether a PE has called stop(). Also forwards this to other PEs.
  [[nodiscard]] bool is_stopped();

 private:
  /// The shared tasks are in places [first, end).
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
  /// The PE from which to steal next, by its number in the world.
  [[nodiscard]] Pe next_victim();
  [[nodiscard]] bool steal_from(Pe victim, std::vector<std::byte>& stolen);

  char const* m_call;
  std::size_t m_task_bytes;
  std::size_t m_most;
  Kokkos::View<std::byte*, SymmetricHostSpace> m_tasks;
  // Each word is in a separate cache line.
  Kokkos::View<std::uint64_t* [8], Kokkos::LayoutRight, SymmetricHostSpace>
      m_words;
  std::uint64_t* m_places;  // Places
  std::uint64_t* m_copied;  // tasks of this PE that others have copied
  std::uint64_t* m_flags;
  std::uint64_t* m_n_active;      // used on member 0 only
  std::uint64_t m_n_stolen  = 0;  // without those of the last share()
  std::uint64_t m_flags_now = 0;  // flags that this PE has forwarded
  TeamMembers m_members;
  Pe m_root = 0;  // member 0, in the world
  std::vector<Pe> m_near;
  std::uint64_t m_random;
  unsigned m_n_tries = 0;
};

}  // namespace symm::Impl

#endif
