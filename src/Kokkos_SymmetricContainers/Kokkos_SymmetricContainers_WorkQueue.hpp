// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICCONTAINERS_WORKQUEUE_HPP
#define KOKKOS_SYMMETRICCONTAINERS_WORKQUEUE_HPP

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <Kokkos_SymmetricSpace_Edge.hpp>

#include "../runtime/symm_atomics.hpp"
#include "../runtime/symm_collectives.hpp"
#include "../runtime/symm_errors.hpp"
#include "../runtime/symm_teams.hpp"
#include "base/TeamMembers.hpp"
#include "work_queue/SharedTasks.hpp"

namespace symm {

/// A WorkQueue's options. All PEs must pass the same options.
struct WorkQueueOptions {
  /// The maximum number of tasks that a PE shares with other PEs at a time. The
  /// PE's other tasks are in private memory, which grows as needed. If 0, the
  /// maximum is the number of tasks that fit into 64 KiB, but at least 2.
  std::size_t shared_tasks = 0;
};

/// A queue of tasks that any idle PE may run. Tasks can create more tasks. Each
/// PE runs its own tasks, newest first, and shares some of its oldest tasks. A
/// PE that has run out of tasks steals half of the tasks that another PE, near
/// or far, is sharing.
///
///     symm::WorkQueue<Node> nodes("nodes", [&](Node const& node) {
///       for (auto const& child : children(node)) nodes.push(child);
///     });
///     if (symm::my_pe() == 0) nodes.push(root);
///     nodes.finish();  // all tasks on all PEs are done
///
/// The function runs on the host, during finish(), on the thread that created
/// the queue. It runs once for each task, on one of the PEs. It may send
/// messages through mailboxes and query a DistributedHashMap, because a PE
/// without tasks handles messages. Call finish() on mailboxes and maps after
/// finish() on the queue. A message handler may push tasks. If a handler pushes
/// a task after all tasks have been run, the next finish() runs that task.
///
/// \tparam Task a trivially copyable, default-constructible type.
template <class Task>
class WorkQueue {
  static_assert(std::is_trivially_copyable_v<Task> &&
                    std::is_default_constructible_v<Task>,
                "tasks must be trivially copyable and default-constructible, "
                "because they are copied as bytes");

 public:
  /// Creates a queue. The call is collective over the world because it
  /// allocates symmetric memory.
  ///
  /// \param label a name for error messages and tools.
  /// \param function called as `function(task)`, with a Task const&. The
  ///        function may throw; see finish().
  /// \param team the PEs that run the tasks; see the constructor of Mailbox.
  /// \throws UsageError, OutOfMemory or SystemError on every PE, like a View's
  ///         constructor.
  template <class Function>
  requires std::invocable<Function&, Task const&> WorkQueue(
      std::string const& label, Function function,
      WorkQueueOptions const& options = {}, PeTeam const& team = team_world())
      : m_members(team),
        m_max_shared(
            options.shared_tasks != 0
                ? options.shared_tasks
                : std::max<std::size_t>(shared_bytes / sizeof(Task), 2)) {
    std::vector<Pe> near;
    auto const failure = Impl::failure_of([&] {
      near          = Impl::SharedTasks::near_of(m_members);
      m_name        = "symm::WorkQueue \"" + label + "\"";
      m_finish_call = m_name + "::finish()";
      // (std::function does not accept a move-only function.)
      auto callee = std::make_shared<Function>(std::move(function));
      m_function  = [callee](Task const& task) { (*callee)(task); };
      if (m_max_shared > m_stolen.max_size() / sizeof(Task))
        throw std::bad_alloc();
      m_stolen.reserve(m_max_shared * sizeof(Task));
    });
    m_number           = Impl::agree(
                  {"symm::WorkQueue", "symm::WorkQueue", 0, m_max_shared}, failure);
    m_members.expect_to_fit("symm::WorkQueue");
    m_shared.emplace(m_name.c_str(), m_members, std::move(near), sizeof(Task),
                     m_max_shared);
  }

  // Not movable: the function may hold the queue's address.
  WorkQueue(WorkQueue const&)            = delete;
  WorkQueue& operator=(WorkQueue const&) = delete;
  /// Discards tasks that were pushed but not run.
  ~WorkQueue() = default;

  /// Adds a task to this PE's tasks. The call is local. Call push() before
  /// finish(), from a running task, or from a message handler.
  /// \throws std::bad_alloc on this PE.
  void push(Task const& task) { m_tasks.push_back({task}); }

  /// Runs tasks until none remain on any PE. The queue can be used again
  /// afterward.
  ///
  /// The call is collective over the queue's PEs and returns when all tasks are
  /// done. All these PEs then see everything that the tasks have written.
  ///
  /// \throws UsageError on every PE if PEs make different calls, such as
  ///         finish() on different queues; in that case, no task has been run.
  ///         If the function threw on one or more PEs, every PE throws, as an
  ///         Error, the exception of the lowest-numbered such PE, and tasks
  ///         that have not started are discarded.
  void finish() {
    if (m_is_working)
      throw UsageError(m_name + "::finish: must not be called from a task");
    m_shared->begin();
    m_members.agree(
        {m_finish_call.c_str(), "symm::WorkQueue::finish", m_number},
        std::nullopt);
    m_is_working      = true;
    auto failure      = Impl::failure_of([&] { work(); });
    bool are_all_done = false;
    auto const go_on  = [&] {
      are_all_done =
          !m_shared->steal(m_stolen, [this] { return n_own() != 0; });
      if (are_all_done) return;
      m_n_stolen += m_stolen.size() / sizeof(Task);
      take(m_stolen);
      if (!failure) work();
    };
    while (!are_all_done) {
      if (failure) {
        m_shared->stop();
        forget();
      }
      auto const another = Impl::failure_of(go_on);
      if (!failure) failure = another;
    }
    m_is_working = false;
    quiet();
    bool const has_failed =
        reduce(m_members.team(), failure ? 1 : 0, symm::Max{}) != 0;
    if (has_failed) m_members.throw_first_failure(m_name.c_str(), failure);
  }

  /// Number of tasks that this PE has stolen since it created the queue.
  [[nodiscard]] std::size_t n_stolen() const { return m_n_stolen; }

 private:
  struct Slot {
    Task task;  // (a std::vector<bool> would not store bools)
  };
  static_assert(sizeof(Slot) == sizeof(Task));

  static constexpr std::size_t shared_bytes = std::size_t{64} << 10U;

  [[nodiscard]] std::size_t n_own() const { return m_tasks.size() - m_first; }

  /// Runs this PE's tasks until none remain.
  void work() {
    do {
      while (n_own() != 0) {
        if (m_shared->is_stopped()) return forget();
        if (n_own() > 1 && m_shared->is_free()) share();
        Task const task = m_tasks.back().task;
        m_tasks.pop_back();
        m_function(task);
      }
      m_tasks.clear();
      m_first = 0;
    } while (take(m_shared->take_back()) != 0);
  }

  /// Shares the older half of the tasks, or as many of these as fit.
  void share() {
    auto const n = std::min(m_shared->most(), n_own() / 2);
    std::memcpy(m_shared->places(),
                static_cast<void const*>(m_tasks.data() + m_first),
                n * sizeof(Task));
    m_shared->share(n);
    m_first += n;
    if (m_first < m_tasks.size() / 2) return;
    m_tasks.erase(m_tasks.begin(),
                  m_tasks.begin() + static_cast<std::ptrdiff_t>(m_first));
    m_first = 0;
  }

  std::size_t take(std::span<std::byte const> bytes) {
    auto const n    = bytes.size() / sizeof(Task);
    auto const size = m_tasks.size();
    m_tasks.resize(size + n);
    if (n != 0) {
      std::memcpy(static_cast<void*>(&m_tasks[size]), bytes.data(),
                  bytes.size());
    }
    return n;
  }

  void forget() {
    m_tasks.clear();
    m_first = 0;
    static_cast<void>(m_shared->take_back());
  }

  Impl::TeamMembers m_members;
  std::string m_name;  // m_shared keeps a pointer to this text
  std::string m_finish_call;
  std::uint64_t m_number = 0;
  std::function<void(Task const&)> m_function;
  std::vector<Slot> m_tasks;  // this PE's tasks, from index m_first on
  std::size_t m_first = 0;
  std::vector<std::byte> m_stolen;
  std::size_t m_n_stolen = 0;
  bool m_is_working      = false;
  std::size_t m_max_shared;
  std::optional<Impl::SharedTasks> m_shared;
};

}  // namespace symm

#endif
