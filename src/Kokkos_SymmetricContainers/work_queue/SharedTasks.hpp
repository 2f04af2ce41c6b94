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

/// The tasks of each PE that others may steal, as bytes, in the symmetric heap.
/// A word says which places have some: a PE that shares tasks stores it, one
/// that takes some exchanges it. PEs near and far, by one-sided operations.
///
/// Ends when no member has tasks. Member 0 has a counter of the PEs that may
/// have some: a PE that has none leaves it, and enters again before it steals.
/// Whoever is the last to leave tells member 0, and each one tells two others.
class SharedTasks {
 public:
  /// Collective over the world.
  /// \param near       near_of(members).
  /// \param task_bytes of a task.
  /// \param most       tasks that a PE shares at once.
  /// \throws as Views, on every PE.
  SharedTasks(char const* call, TeamMembers const& members,
              std::vector<Pe> near, std::size_t task_bytes, std::size_t most);
  /// The members of this node, in the world. \throws std::bad_alloc.
  [[nodiscard]] static std::vector<Pe> near_of(TeamMembers const& members);

  /// Local, with a barrier after it: then all PEs may have tasks.
  void begin();

  // The tasks of this PE. One thread.

  /// Whether all that this PE has shared is taken and copied. Never in a job of
  /// one PE.
  [[nodiscard]] bool is_free() const;
  /// The memory for the tasks that are shared next. Precondition: is_free().
  [[nodiscard]] std::byte* places() const { return m_tasks.data(); }
  /// In tasks.
  [[nodiscard]] std::size_t most() const { return m_most; }
  /// Shares the tasks in the first `count` places.
  void share(std::size_t count);
  /// Takes back what nobody has stolen. Valid until the next share().
  [[nodiscard]] std::span<std::byte const> take_back();

  // The others.

  /// Waits for tasks of another PE. Precondition: this PE has none.
  /// \param stolen  gets them, half of what that PE shares; has room for most()
  ///        of them.
  /// \param has_own whether this PE has got tasks meanwhile: a handler of a
  ///        message may push some. Then nothing is stolen.
  /// \returns false: no PE has any.
  [[nodiscard]] bool steal(std::vector<std::byte>& stolen,
                           std::function<bool()> const& has_own);
  /// Tells all PEs to forget their tasks.
  void stop();
  /// Whether a PE has called stop(). Tells others.
  [[nodiscard]] bool is_stopped();

 private:
  /// The shared tasks are those in places [first, end).
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
  /// In the world.
  [[nodiscard]] Pe next_victim();
  [[nodiscard]] bool steal_from(Pe victim, std::vector<std::byte>& stolen);

  char const* m_call;
  std::size_t m_task_bytes;
  std::size_t m_most;
  Kokkos::View<std::byte*, SymmetricHostSpace> m_tasks;
  // Each in a line of its own.
  Kokkos::View<std::uint64_t* [8], Kokkos::LayoutRight, SymmetricHostSpace>
      m_words;
  std::uint64_t* m_places;  // Places
  std::uint64_t* m_copied;  // tasks of this PE that others have copied
  std::uint64_t* m_flags;
  std::uint64_t* m_n_active;      // of member 0
  std::uint64_t m_n_stolen  = 0;  // of those shared before the last time
  std::uint64_t m_flags_now = 0;  // that others have been told of
  TeamMembers m_members;
  Pe m_root = 0;  // member 0, in the world
  std::vector<Pe> m_near;
  std::uint64_t m_random;
  unsigned m_n_tries = 0;
};

}  // namespace symm::Impl

#endif
