// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Communicators, and the MPI functions that create them.
#include "MpiCommunicator.hpp"

#include <numeric>

#include "Checker.hpp"

namespace symm::Impl::check {

namespace {

using Pointer = MpiCommunicator::Pointer;

// Whether each process is a PE, indexed by rank in MPI_COMM_WORLD.
std::mutex s_mutex;
std::vector<bool>& pes() {
  static auto& all = *new std::vector<bool>;  // static destructors use it, too
  return all;
}

constexpr std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e37'79b9'7f4a'7c15U;
  return hash ^ hash >> 32U;
}

/// Returns the ranks in MPI_COMM_WORLD of a communicator's members.
MpiCommunicator::Members members_of(MPI_Comm communicator) {
  int size = 0;
  if (PMPI_Comm_size(communicator, &size) != MPI_SUCCESS) return {};
  MpiCommunicator::Members ranks(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  MpiCommunicator::Members members(ranks.size());
  MPI_Group group      = MPI_GROUP_NULL;
  MPI_Group world      = MPI_GROUP_NULL;
  bool const has_its   = PMPI_Comm_group(communicator, &group) == MPI_SUCCESS;
  bool const has_world = PMPI_Comm_group(MPI_COMM_WORLD, &world) == MPI_SUCCESS;
  bool const is_done =
      has_its && has_world &&
      PMPI_Group_translate_ranks(group, size, ranks.data(), world,
                                 members.data()) == MPI_SUCCESS;
  // A failure to free a group affects nothing else.
  if (has_its) static_cast<void>(PMPI_Group_free(&group));
  if (has_world) static_cast<void>(PMPI_Group_free(&world));
  for (auto& rank : members) rank = is_done && rank >= 0 ? rank : -1;
  return members;
}

// The attribute is a pointer to a Pointer. MPI must not copy the attribute to
// new communicators, because Open MPI would also copy it in
// MPI_Comm_create_group(), which not all members of the parent call.

int delete_attribute(MPI_Comm, int, void* value, void*) {
  delete static_cast<Pointer*>(value);
  return MPI_SUCCESS;
}

void set_attribute(MPI_Comm communicator, int key, std::uint64_t id,
                   MpiCommunicator::Members members) {
  int rank = 0;
  if (PMPI_Comm_rank(communicator, &rank) != MPI_SUCCESS) return;
  auto* const value = new Pointer(
      std::make_shared<MpiCommunicator>(id, rank, std::move(members)));
  if (PMPI_Comm_set_attr(communicator, key, value) != MPI_SUCCESS) delete value;
}

/// Returns the attribute's key; MPI_KEYVAL_INVALID if it cannot be created.
/// Precondition: MPI is running.
int key_of_attribute() {
  static int const key = [] {
    int made = MPI_KEYVAL_INVALID;
    if (PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_attribute, &made,
                                nullptr) != MPI_SUCCESS) {
      return MPI_KEYVAL_INVALID;
    }
    set_attribute(MPI_COMM_WORLD, made, 1, members_of(MPI_COMM_WORLD));
    return made;
  }();
  return key;
}

void set_child(MPI_Comm child, std::uint64_t id,
               MpiCommunicator::Members members) {
  // Communicators created by the same call have disjoint members, so hashing
  // the members gives them different ids.
  for (auto const rank : members) id = mix(id, static_cast<unsigned>(rank));
  set_attribute(child, key_of_attribute(), id, std::move(members));
}

}  // namespace

void MpiCommunicator::begin() { static_cast<void>(key_of_attribute()); }

void MpiCommunicator::set_pes(std::vector<bool> are_pes) {
  std::lock_guard const lock(s_mutex);
  pes() = std::move(are_pes);
}

Pointer MpiCommunicator::of(MPI_Comm communicator) {
  auto const key = key_of_attribute();
  if (communicator == MPI_COMM_NULL || key == MPI_KEYVAL_INVALID) return {};
  Pointer* value = nullptr;
  int is_there   = 0;
  if (PMPI_Comm_get_attr(communicator, key, static_cast<void*>(&value),
                         &is_there) != MPI_SUCCESS ||
      is_there == 0) {
    return {};
  }
  return *value;
}

std::uint64_t MpiCommunicator::next_child() {
  std::lock_guard const lock(m_mutex);
  return mix(mix(m_id, 1), ++m_n_children);
}

void MpiCommunicator::add_child(MPI_Comm parent, MPI_Comm child) {
  auto const record = of(parent);
  if (record == nullptr) return;
  auto const id = record->next_child();
  if (child != MPI_COMM_NULL) set_child(child, id, members_of(child));
}

void MpiCommunicator::add_child_of_group(MPI_Comm parent, int tag,
                                         MPI_Comm child) {
  auto const record = of(parent);
  if (record == nullptr || child == MPI_COMM_NULL) return;
  auto members = members_of(child);
  auto id      = mix(mix(record->m_id, 2), static_cast<unsigned>(tag));
  for (auto const rank : members) id = mix(id, static_cast<unsigned>(rank));
  std::unique_lock lock(record->m_mutex);
  auto const number = ++record->m_n_of_groups[id];
  lock.unlock();
  set_child(child, mix(id, number), std::move(members));
}

bool MpiCommunicator::is_other_pe(int rank) const {
  if (rank == m_rank || rank < 0 || rank >= size()) return false;
  auto const process = m_members[static_cast<std::size_t>(rank)];
  std::lock_guard const lock(s_mutex);
  return process >= 0 && static_cast<std::size_t>(process) < pes().size() &&
         pes()[static_cast<std::size_t>(process)];
}

std::uint64_t MpiCommunicator::channel(int rank, int tag) {
  return static_cast<std::uint64_t>(rank) << 32U | static_cast<unsigned>(tag);
}

std::uint64_t MpiCommunicator::key_of_message(int from, int to, int tag,
                                              std::uint64_t number) const {
  auto const key = mix(mix(m_id, 3), channel(from, tag));
  return mix(mix(key, channel(to, 0)), number) | 1U;
}

void MpiCommunicator::send(int to, int tag) {
  if (to < 0 || to == m_rank) return;
  std::unique_lock lock(m_mutex);
  auto const number = ++m_n_sent[channel(to, tag)];
  lock.unlock();
  if (is_other_pe(to))
    s_checker.send(key_of_message(m_rank, to, tag, number), 1);
}

void MpiCommunicator::receive(int from, int tag, bool is_only_there) {
  if (from < 0 || from == m_rank) return;
  std::unique_lock lock(m_mutex);
  auto& count       = m_n_received[channel(from, tag)];
  auto const number = count + 1;
  if (!is_only_there) count = number;
  lock.unlock();
  if (!is_other_pe(from)) return;
  s_checker.receive(key_of_message(from, m_rank, tag, number), is_only_there);
}

std::uint64_t MpiCommunicator::next_call() {
  std::lock_guard const lock(m_mutex);
  return ++m_n_calls;
}

std::uint64_t MpiCommunicator::key_of_call(std::uint64_t number,
                                           int from) const {
  return mix(mix(mix(m_id, 4), number), channel(from, 0)) | 1U;
}

}  // namespace symm::Impl::check

using symm::Impl::check::MpiCommunicator;

// MPI functions.

extern "C" {

#define SYMM_LIST(...) __VA_ARGS__
#define SYMM_MAKES_COMMUNICATOR(name, parameters, arguments)               \
  int MPI_##name(MPI_Comm parent, SYMM_LIST parameters, MPI_Comm* child) { \
    int const result = PMPI_##name(parent, SYMM_LIST arguments, child);    \
    if (result == MPI_SUCCESS) MpiCommunicator::add_child(parent, *child); \
    return result;                                                         \
  }

SYMM_MAKES_COMMUNICATOR(Comm_dup_with_info, (MPI_Info info), (info))
SYMM_MAKES_COMMUNICATOR(Comm_split, (int color, int key), (color, key))
SYMM_MAKES_COMMUNICATOR(Comm_split_type, (int type, int key, MPI_Info info),
                        (type, key, info))
SYMM_MAKES_COMMUNICATOR(Comm_create, (MPI_Group group), (group))
SYMM_MAKES_COMMUNICATOR(Cart_create,
                        (int n, int const dims[], int const periods[],
                         int reorder),
                        (n, dims, periods, reorder))
SYMM_MAKES_COMMUNICATOR(Cart_sub, (int const remain[]), (remain))
SYMM_MAKES_COMMUNICATOR(Graph_create,
                        (int n, int const index[], int const edges[],
                         int reorder),
                        (n, index, edges, reorder))
SYMM_MAKES_COMMUNICATOR(Dist_graph_create,
                        (int n, int const sources[], int const degrees[],
                         int const targets[], int const weights[],
                         MPI_Info info, int reorder),
                        (n, sources, degrees, targets, weights, info, reorder))
SYMM_MAKES_COMMUNICATOR(Dist_graph_create_adjacent,
                        (int n_in, int const sources[], int const weights_in[],
                         int n_out, int const targets[],
                         int const weights_out[], MPI_Info info, int reorder),
                        (n_in, sources, weights_in, n_out, targets, weights_out,
                         info, reorder))

int MPI_Comm_dup(MPI_Comm parent, MPI_Comm* child) {
  int const result = PMPI_Comm_dup(parent, child);
  if (result == MPI_SUCCESS) MpiCommunicator::add_child(parent, *child);
  return result;
}
int MPI_Comm_create_group(MPI_Comm parent, MPI_Group group, int tag,
                          MPI_Comm* child) {
  int const result = PMPI_Comm_create_group(parent, group, tag, child);
  if (result == MPI_SUCCESS) {
    MpiCommunicator::add_child_of_group(parent, tag, *child);
  }
  return result;
}

}  // extern "C"
