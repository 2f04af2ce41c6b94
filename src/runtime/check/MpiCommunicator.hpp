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

/// A communicator of the program, as an attribute of it. It counts messages, so
/// that PEs name each by the same key, without a message of their own: MPI
/// matches messages of one source, destination and tag in the order in which
/// they are sent, and collective calls in the order of the calls.
///
/// Communicators that are unknown make no order for the detector: those that
/// are made in a way that is not seen, and inter-communicators. Any thread.
class MpiCommunicator {
 public:
  using Pointer = std::shared_ptr<MpiCommunicator>;
  /// The members' ranks in MPI_COMM_WORLD; -1: not in it.
  using Members = std::vector<int>;

  MpiCommunicator(std::uint64_t id, int rank, Members members)
      : m_id(id), m_rank(rank), m_members(std::move(members)) {}

  /// Communicators that are made from now on are known. Precondition: MPI runs.
  static void begin();
  /// Which processes are PEs, by their ranks in MPI_COMM_WORLD.
  static void set_pes(std::vector<bool> are_pes);

  /// Null: unknown.
  [[nodiscard]] static Pointer of(MPI_Comm communicator);
  /// All members of `parent` have made `child`, which may be MPI_COMM_NULL.
  static void add_child(MPI_Comm parent, MPI_Comm child);
  /// The same of the members of `child` alone.
  static void add_child_of_group(MPI_Comm parent, int tag, MPI_Comm child);

  [[nodiscard]] int rank() const { return m_rank; }
  [[nodiscard]] int size() const { return static_cast<int>(m_members.size()); }
  /// Whether that process is another PE of the job that runs.
  [[nodiscard]] bool is_other_pe(int rank) const;

  /// Before a message, which may be none: to MPI_PROC_NULL.
  void send(int to, int tag);
  /// A message has been received, or is there.
  void receive(int from, int tag, bool is_only_there = false);

  /// Begins a collective call. \returns its number.
  [[nodiscard]] std::uint64_t next_call();
  /// What a member tells others in a collective call.
  [[nodiscard]] std::uint64_t key_of_call(std::uint64_t number, int from) const;

 private:
  /// Of messages to, or from, a process with a tag.
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
  Counts m_n_of_groups;  // children
};

}  // namespace symm::Impl::check

#endif
