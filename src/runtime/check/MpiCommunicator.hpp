// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_CHECK_MPI_COMMUNICATOR_HPP
#define SYMM_CHECK_MPI_COMMUNICATOR_HPP

#include <mpi.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace symm::Impl::check {

/// The record of one of the program's communicators, stored as an attribute of
/// that communicator. The record counts messages so that a message's sender and
/// receiver compute the same key for the message without communication. MPI's
/// matching rules make this possible: messages with the same source,
/// destination and tag match in the order in which they were sent, and
/// collective calls match in call order.
///
/// The detector does not see the order that communicators without a record
/// establish. Intercommunicators have no record, nor do communicators created
/// by functions that are not intercepted. All functions may be called from any
/// thread.
class MpiCommunicator {
 public:
  using Pointer = std::shared_ptr<MpiCommunicator>;
  /// The members' ranks in MPI_COMM_WORLD; -1 for a member that is not in it.
  using Members = std::vector<int>;

  MpiCommunicator(std::uint64_t id, int rank, Members members)
      : m_id(id), m_rank(rank), m_members(std::move(members)) {}

  /// Starts recording new communicators. Precondition: MPI is running.
  static void begin();
  /// Sets which processes are PEs, indexed by rank in MPI_COMM_WORLD.
  static void set_pes(std::vector<bool> are_pes);

  /// Returns a communicator's record; null if it has none.
  [[nodiscard]] static Pointer of(MPI_Comm communicator);
  /// Records that all members of `parent` have created `child`, which may be
  /// MPI_COMM_NULL.
  static void add_child(MPI_Comm parent, MPI_Comm child);
  /// Like add_child(), but for a call that only the members of `child` have
  /// made.
  static void add_child_of_group(MPI_Comm parent, int tag, MPI_Comm child);

  [[nodiscard]] int rank() const { return m_rank; }
  [[nodiscard]] int size() const { return static_cast<int>(m_members.size()); }
  /// Whether the process with this rank in the communicator is another PE of
  /// the current job.
  [[nodiscard]] bool is_other_pe(int rank) const;

  /// Called before a message is sent to rank `to`. Does nothing for
  /// MPI_PROC_NULL.
  void send(int to, int tag);
  /// Called when a message from rank `from` has been received. If
  /// `is_only_there`, the message is available but has not been received.
  void receive(int from, int tag, bool is_only_there = false);

  /// Called when a collective call begins. \returns the call's number.
  [[nodiscard]] std::uint64_t next_call();
  /// The key that a member uses to publish its times in a collective call.
  [[nodiscard]] std::uint64_t key_of_call(std::uint64_t number, int from) const;

 private:
  /// Counts of messages to or from processes, keyed by channel(); or counts of
  /// communicators.
  using Counts = std::map<std::uint64_t, std::uint64_t>;
  [[nodiscard]] static std::uint64_t channel(int rank, int tag);
  [[nodiscard]] std::uint64_t key_of_message(int from, int to, int tag,
                                             std::uint64_t number) const;
  [[nodiscard]] std::uint64_t next_child();

  std::uint64_t m_id;
  int m_rank;
  Members m_members;
  std::mutex m_mutex;
  std::uint64_t m_n_children = 0;
  std::uint64_t m_n_calls    = 0;
  Counts m_n_sent;
  Counts m_n_received;
  // The number of communicators created so far with each combination of tag and
  // members, keyed by a hash of both.
  Counts m_n_of_groups;
};

}  // namespace symm::Impl::check

#endif
