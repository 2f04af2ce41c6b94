// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_CONTEXTS_HPP
#define SYMM_CONTEXTS_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "base/Check.hpp"
#include "base/Types.hpp"
#include "teams/PeTeam.hpp"
#include "transport/HostCall.hpp"
#include "transport/OperationHandle.hpp"

// Contexts and requests order and complete some operations independently of
// others. The host's one-sided operations take a Context as their first
// argument. Operations whose names end in _nbi take a Request as their last
// argument:
//
//     symm::Context mine;                         // for this thread, say
//     symm::put_nbi(mine, dest, source, n, pe);
//     mine.quiet();                               // waits for this put alone
//
//     symm::Request request;
//     symm::get_nbi(dest, source, n, pe, &request);
//     request.wait();                             // waits for this get alone
//
// For a PE on this node, a host operation is done when the operation returns,
// in any context. For such operations, contexts and requests cost nothing and
// change nothing. Kernels have neither contexts nor requests: fence() and
// quiet() in a kernel apply to the calling thread.

namespace symm {

class Request;

namespace Impl {

class Aggregation;

/// Describes a call; unless `request` is null, the call's operation becomes
/// that of `request`.
[[nodiscard]] HostCall call_of(char const* name, Channel* channel,
                               Request* request);

}  // namespace Impl

/// How updates that wait in a Context reach PEs on other nodes.
enum class UpdateRouting {
  automatic,  ///< by nodes in jobs of more than 32 nodes with several PEs
  direct,     ///< in messages to each PE
  by_nodes,   ///< in messages to one PE on each node, which carries out the
              ///< updates for the node's other PEs: memory grows with the
              ///< number of nodes, not of PEs
};

/// Promises that a program makes about a Context (OpenSHMEM 1.5,
/// SHMEM_CTX_SERIALIZED, _PRIVATE, _NOSTORE).
struct ContextOptions {
  bool serialized = false;  ///< no two threads use the context at once
  bool one_thread = false;  ///< only the thread that made the context uses it
  /// The context's fence() and quiet() need not order stores to PEs on this
  /// node, and do not order these stores.
  bool nostore = false;
  /// This option is for many small updates on random PEs (OpenSHMEM does not
  /// have it). Atomic operations that return nothing, and put(), put_nbi() and
  /// p() of up to 512 bytes, may wait in the context, which then carries out
  /// many at once. The context carries out waiting operations at the latest in
  /// its fence(), quiet() and pe_quiet(), and in its destructor. Until then,
  /// waiting operations may be invisible to all PEs and to other operations by
  /// this PE. Barriers, collective calls and finalize() do not carry out
  /// waiting operations: call the context's quiet() first, also before the
  /// memory is freed. A later operation in the context may throw the errors of
  /// operations that waited. This option implies `serialized`: give each thread
  /// a context of its own. The context takes 13 KiB and, like any context, up
  /// to 16 MiB for other nodes.
  bool aggregate = false;
  /// How the waiting atomic operations travel. When routed by nodes, they take
  /// up to 36 MiB more, 16 KiB for each node, and the context's fence() does
  /// the same as its quiet().
  UpdateRouting routing = UpdateRouting::automatic;
};

/// A sequence of operations with an order and a completion of its own: a
/// context's fence() and quiet() order and complete only the operations in that
/// context (OpenSHMEM 1.5, 9.5, shmem_ctx_t). Operations without a context
/// share a separate sequence. barrier_all(), barrier(team) and the collective
/// calls that free memory complete the operations in all contexts, except in
/// contexts that `aggregate`.
///
/// PEs do not share contexts: making and ending a context is local. Any number
/// of threads may use the same context at the same time, unless the options
/// promise otherwise. Threads that each have a context do not wait for each
/// other. In every context, a PE that takes no messages holds up only
/// operations on that PE.
class Context {
 public:
  /// Makes a context for operations on all PEs.
  /// \throws UsageError  on this PE before initialize() and after finalize().
  /// \throws OutOfMemory on this PE if this PE already has 255 contexts, in
  ///         jobs on several nodes.
  explicit Context(ContextOptions options = {});
  /// Makes a context for operations on the PEs of a PE team. All calls with
  /// this context take PE numbers within that PE team (shmem_team_create_ctx).
  /// \throws UsageError  on this PE if `team` is not a PE team.
  /// \throws OutOfMemory as the other constructor does.
  explicit Context(PeTeam const& team, ContextOptions options = {});
  /// Does not wait, unlike shmem_ctx_destroy: operations that have begun
  /// continue, and the next barrier completes them. To complete these
  /// operations before the context ends, call quiet() first. The library frees
  /// the memory of batches when the batches are sent.
  ~Context();
  Context(Context&& other) noexcept;
  Context& operator=(Context&& other) noexcept;
  Context(Context const&)            = delete;
  Context& operator=(Context const&) = delete;

  /// Orders the operations in this context, as symm::fence() orders operations
  /// without a context.
  /// \throws UsageError on this PE after finalize().
  void fence() const;
  /// Completes the operations in this context, as symm::quiet() completes
  /// operations without a context.
  /// \throws UsageError on this PE after finalize().
  void quiet() const;
  /// Completes the operations in this context on the PEs `pes` (OpenSHMEM 1.6,
  /// shmem_ctx_pe_quiet).
  /// \throws UsageError on this PE if one of `pes` does not exist, and after
  ///         finalize().
  void pe_quiet(std::span<Pe const> pes) const;
  /// The PE team to which the PE numbers in calls with this context refer
  /// (shmem_ctx_get_team).
  /// \throws UsageError on this PE after finalize().
  [[nodiscard]] PeTeam team() const;

  // The library's operations use the following functions.

  /// \param request null, or the object that becomes the request of the
  ///        operation.
  /// \throws UsageError on this PE if the context has been moved from, or if
  ///         the context's runtime has ended.
  [[nodiscard]] Impl::HostCall call(char const* name,
                                    Request* request = nullptr) const;
  /// Returns the number in the world of the PE that has number `pe` in the
  /// context.
  /// \throws UsageError on this PE if the context has no such PE.
  [[nodiscard]] Pe world_pe(Pe pe, char const* name) const {
    return m_has_team ? world_pe_of_team(pe, name) : pe;
  }
  /// Returns null if the context does not aggregate.
  [[nodiscard]] Impl::Aggregation* aggregation() const {
    return m_aggregation.get();
  }

 private:
  void open(char const* name);
  void close() noexcept;
  /// This context has nothing.
  void take_from(Context& other) noexcept;
  /// Sends what waits, orders stores, and calls work(channel) for far PEs.
  template <class Work>
  void complete_by(Impl::HostCall const& call, Work const& work) const;
  [[nodiscard]] Pe world_pe_of_team(Pe pe, char const* name) const;

  Impl::Channel* m_channel = nullptr;  // null in jobs of one node
  std::uint64_t m_life     = 0;        // of the runtime; 0: moved from
  bool m_has_team          = false;
  ContextOptions m_options;
  PeTeam m_team;
  std::unique_ptr<Impl::Aggregation> m_aggregation;
};

/// The completion of one operation whose name ends in _nbi. Pass the address of
/// the Request as the operation's last argument. A Request cannot be copied. If
/// a Request is still in use, a new call makes the Request let go of the
/// earlier operation. A program need not wait for a Request: an operation that
/// was let go of continues, and quiet() of the operation's context completes
/// that operation. Only one thread at a time may use a Request.
class Request {
 public:
  /// Makes a request that is complete and has no operation.
  Request()  = default;
  ~Request() = default;
  /// After the move, `other` has no operation.
  Request(Request&& other) noexcept { take_from(other); }
  Request& operator=(Request&& other) noexcept {
    take_from(other);
    return *this;
  }
  Request(Request const&)            = delete;
  Request& operator=(Request const&) = delete;

  /// Whether the operation is complete. A get or a fetching atomic operation is
  /// complete when its data have arrived. A put is complete when the target has
  /// the data and has changed its signal. If the result is true, this request
  /// no longer has an operation. test() makes progress: no other calls are
  /// needed for the operation to complete.
  [[nodiscard]] bool test();
  /// Waits until the operation is complete.
  void wait();
  /// Whether the source of a put may be written again; for other operations,
  /// whether the operation is complete. The request keeps its operation.
  [[nodiscard]] bool test_source();
  /// Waits until test_source() is true.
  void wait_source();
  /// Whether the request has an operation, complete or not.
  [[nodiscard]] bool is_operation() const { return m_life != 0; }

 private:
  friend Impl::HostCall Impl::call_of(char const* name, Impl::Channel* channel,
                                      Request* request);
  [[nodiscard]] bool has_ended() const;
  [[nodiscard]] bool is_past(Impl::Stage stage, char const* name);
  void wait_for(Impl::Stage stage, char const* name);
  /// The operation has reached the stage.
  void pass(Impl::Stage stage);
  void take_from(Request& other) noexcept {
    m_operation = std::exchange(other.m_operation, {});
    m_life      = std::exchange(other.m_life, 0);
    Impl::check::operations_move(&other, this);
  }

  Impl::OperationHandle m_operation;
  std::uint64_t m_life = 0;  // of the runtime; 0: no operation
};

/// Waits until all requests are complete.
void wait_all(std::span<Request> requests);

/// Waits until one request is complete, and takes the operation from that
/// request.
/// \returns the index of that request; SIZE_MAX if no request has an operation.
std::size_t wait_any(std::span<Request> requests);

/// Returns the index of a request that is complete, and takes the operation
/// from that request; returns SIZE_MAX if no request is complete.
[[nodiscard]] std::size_t test_any(std::span<Request> requests);

/// Acts on the host as quiet() for those operations without a context that go
/// to the PEs `pes` (OpenSHMEM 1.6, shmem_pe_quiet).
/// \throws UsageError on this PE if one of `pes` does not exist, before
///         initialize() and after finalize().
void pe_quiet(std::span<Pe const> pes);

}  // namespace symm

#endif
