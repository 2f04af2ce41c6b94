// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// MPI's collective functions. A member learns of another member's earlier
// actions only if it receives data from that member. For example, MPI_Bcast()
// may return on the root before any other member has called it.
#include <utility>
#include <vector>

#include "Checker.hpp"
#include "MpiRequests.hpp"
#include "MpiStart.hpp"

using symm::Impl::check::MpiCommunicator;
using symm::Impl::check::MpiRequest;
using symm::Impl::check::s_checker;

namespace {

/// The members that a member sends data to or receives data from, given as a
/// condition on their ranks.
struct Members {
  enum class Are { none, all, one, lower, higher, counted };
  Are are           = Are::none;
  int root          = 0;
  int const* counts = nullptr;

  [[nodiscard]] bool have(int rank, int me) const {
    switch (are) {
      case Are::none: return false;
      case Are::all: return true;
      case Are::one: return rank == root;
      case Are::lower: return rank < me;
      case Are::higher: return rank > me;
      case Are::counted: return counts[rank] > 0;
    }
    return false;
  }
};
using Are = Members::Are;

struct Order {
  Members from;
  Members to;
};

// The order that each call establishes on member `me`. A call without data
// establishes no order.

Order all_to_all(int count) {
  if (count == 0) return {};
  return {{Are::all}, {Are::all}};
}
Order root_to_all(int me, int count, int root) {
  if (count == 0) return {};
  if (me == root) return {{}, {Are::all}};
  return {{Are::one, root}, {}};
}
Order all_to_root(int me, int count, int root) {
  if (count == 0) return {};
  if (me == root) return {{Are::all}, {}};
  return {{}, {Are::one, root}};
}
/// \param counts significant only on the root.
Order root_to_counted(int me, int const* counts, int count, int root) {
  if (me == root) return {{}, {Are::counted, 0, counts}};
  return root_to_all(me, count, root);
}
Order counted_to_root(int me, int const* counts, int count, int root) {
  if (me == root) return {{Are::counted, 0, counts}, {}};
  return all_to_root(me, count, root);
}
Order lower_to_higher(int count) {
  if (count == 0) return {};
  return {{Are::lower}, {Are::higher}};
}
/// \param counts the same on all members.
Order counted_to_all(int me, int const* counts) {
  return {{Are::counted, 0, counts}, {counts[me] > 0 ? Are::all : Are::none}};
}
Order all_to_counted(int me, int const* counts) {
  return {{counts[me] > 0 ? Are::all : Are::none}, {Are::counted, 0, counts}};
}
Order counted_to_counted(void const* source, int const* counts_sent,
                         int const* counts_received) {
  return {{Are::counted, 0, counts_received},
          {Are::counted, 0,
           source == MPI_IN_PLACE ? counts_received : counts_sent}};
}

/// One member's collective call.
class Call {
 public:
  /// \param order_of called with this member's rank if the communicator has a
  ///        record.
  template <class OrderOf>
  Call(MPI_Comm communicator, OrderOf const& order_of)
      : m_its(MpiCommunicator::of(communicator)) {
    if (m_its == nullptr) return;
    auto const me     = m_its->rank();
    auto const number = m_its->next_call();
    Order const order = order_of(me);
    int n_receivers   = 0;
    for (int rank = 0; rank < m_its->size(); ++rank) {
      if (!m_its->is_other_pe(rank)) continue;
      if (order.to.have(rank, me)) ++n_receivers;
      if (order.from.have(rank, me)) {
        m_keys.push_back(m_its->key_of_call(number, rank));
      }
    }
    s_checker.send(m_its->key_of_call(number, me), n_receivers);
  }

  int complete(int result) const {
    if (result != MPI_SUCCESS) return result;
    for (auto const key : m_keys) s_checker.receive(key);
    return result;
  }
  int complete_later(int result, MPI_Request const* request) {
    if (result != MPI_SUCCESS) return result;
    static_cast<void>(symm::Impl::check::forget(*request));
    if (m_keys.empty()) return result;
    symm::Impl::check::remember(*request, {.communicator = m_its,
                                           .kind = MpiRequest::Kind::call,
                                           .is_persistent = false,
                                           .keys          = std::move(m_keys)});
    return result;
  }

 private:
  MpiCommunicator::Pointer m_its;
  std::vector<std::uint64_t> m_keys;
};

}  // namespace

void symm::Impl::check::see_mpi_collectives() noexcept {}

// MPI functions.

extern "C" {

#define SYMM_LIST(...) __VA_ARGS__
#define SYMM_COLLECTIVE(name, later_name, order, parameters, arguments)      \
  int MPI_##name(SYMM_LIST parameters, MPI_Comm communicator) {              \
    Call const call(communicator,                                            \
                    [&]([[maybe_unused]] int me) { return order; });         \
    return call.complete(PMPI_##name(SYMM_LIST arguments, communicator));    \
  }                                                                          \
  int MPI_##later_name(SYMM_LIST parameters, MPI_Comm communicator,          \
                       MPI_Request* request) {                               \
    Call call(communicator, [&]([[maybe_unused]] int me) { return order; }); \
    return call.complete_later(                                              \
        PMPI_##later_name(SYMM_LIST arguments, communicator, request),       \
        request);                                                            \
  }

int MPI_Barrier(MPI_Comm communicator) {
  Call const call(communicator, [](int) { return all_to_all(1); });
  return call.complete(PMPI_Barrier(communicator));
}
int MPI_Ibarrier(MPI_Comm communicator, MPI_Request* request) {
  Call call(communicator, [](int) { return all_to_all(1); });
  return call.complete_later(PMPI_Ibarrier(communicator, request), request);
}

SYMM_COLLECTIVE(Bcast, Ibcast, root_to_all(me, count, root),
                (void* data, int count, MPI_Datatype type, int root),
                (data, count, type, root))
SYMM_COLLECTIVE(Reduce, Ireduce, all_to_root(me, count, root),
                (void const* source, void* dest, int count, MPI_Datatype type,
                 MPI_Op op, int root),
                (source, dest, count, type, op, root))
SYMM_COLLECTIVE(Allreduce, Iallreduce, all_to_all(count),
                (void const* source, void* dest, int count, MPI_Datatype type,
                 MPI_Op op),
                (source, dest, count, type, op))
SYMM_COLLECTIVE(Scan, Iscan, lower_to_higher(count),
                (void const* source, void* dest, int count, MPI_Datatype type,
                 MPI_Op op),
                (source, dest, count, type, op))
SYMM_COLLECTIVE(Exscan, Iexscan, lower_to_higher(count),
                (void const* source, void* dest, int count, MPI_Datatype type,
                 MPI_Op op),
                (source, dest, count, type, op))
SYMM_COLLECTIVE(Reduce_scatter, Ireduce_scatter, all_to_counted(me, counts),
                (void const* source, void* dest, int const counts[],
                 MPI_Datatype type, MPI_Op op),
                (source, dest, counts, type, op))
SYMM_COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block, all_to_all(count),
                (void const* source, void* dest, int count, MPI_Datatype type,
                 MPI_Op op),
                (source, dest, count, type, op))

SYMM_COLLECTIVE(
    Gather, Igather, all_to_root(me, me == root ? n_received : n_sent, root),
    (void const* source, int n_sent, MPI_Datatype type_sent, void* dest,
     int n_received, MPI_Datatype type_received, int root),
    (source, n_sent, type_sent, dest, n_received, type_received, root))
SYMM_COLLECTIVE(Gatherv, Igatherv,
                counted_to_root(me, n_received, n_sent, root),
                (void const* source, int n_sent, MPI_Datatype type_sent,
                 void* dest, int const n_received[], int const places[],
                 MPI_Datatype type_received, int root),
                (source, n_sent, type_sent, dest, n_received, places,
                 type_received, root))
SYMM_COLLECTIVE(
    Scatter, Iscatter, root_to_all(me, me == root ? n_sent : n_received, root),
    (void const* source, int n_sent, MPI_Datatype type_sent, void* dest,
     int n_received, MPI_Datatype type_received, int root),
    (source, n_sent, type_sent, dest, n_received, type_received, root))
SYMM_COLLECTIVE(Scatterv, Iscatterv,
                root_to_counted(me, n_sent, n_received, root),
                (void const* source, int const n_sent[], int const places[],
                 MPI_Datatype type_sent, void* dest, int n_received,
                 MPI_Datatype type_received, int root),
                (source, n_sent, places, type_sent, dest, n_received,
                 type_received, root))
SYMM_COLLECTIVE(Allgather, Iallgather, all_to_all(n_received),
                (void const* source, int n_sent, MPI_Datatype type_sent,
                 void* dest, int n_received, MPI_Datatype type_received),
                (source, n_sent, type_sent, dest, n_received, type_received))
SYMM_COLLECTIVE(Allgatherv, Iallgatherv, counted_to_all(me, n_received),
                (void const* source, int n_sent, MPI_Datatype type_sent,
                 void* dest, int const n_received[], int const places[],
                 MPI_Datatype type_received),
                (source, n_sent, type_sent, dest, n_received, places,
                 type_received))
SYMM_COLLECTIVE(Alltoall, Ialltoall, all_to_all(n_received),
                (void const* source, int n_sent, MPI_Datatype type_sent,
                 void* dest, int n_received, MPI_Datatype type_received),
                (source, n_sent, type_sent, dest, n_received, type_received))
SYMM_COLLECTIVE(Alltoallv, Ialltoallv,
                counted_to_counted(source, n_sent, n_received),
                (void const* source, int const n_sent[],
                 int const places_sent[], MPI_Datatype type_sent, void* dest,
                 int const n_received[], int const places_received[],
                 MPI_Datatype type_received),
                (source, n_sent, places_sent, type_sent, dest, n_received,
                 places_received, type_received))
SYMM_COLLECTIVE(
    Alltoallw, Ialltoallw, counted_to_counted(source, n_sent, n_received),
    (void const* source, int const n_sent[], int const places_sent[],
     MPI_Datatype const types_sent[], void* dest, int const n_received[],
     int const places_received[], MPI_Datatype const types_received[]),
    (source, n_sent, places_sent, types_sent, dest, n_received, places_received,
     types_received))

}  // extern "C"
