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
// others. One-sided host operations accept a Context as their first argument.
// Operations whose names end in _nbi accept a Request as their last argument:
//
//     symm::Context context;                      // for this thread, say
//     symm::put_nbi(context, dest, source, n, pe);
//     context.quiet();                            // waits for this put only
//
//     symm::Request request;
//     symm::get_nbi(dest, source, n, pe, &request);
//     request.wait();                             // waits for this get only
//
// For a PE on this node, a host operation is done when the call returns, in any
// context. For such operations, contexts and requests have no effect and cost
// nothing. Kernels have neither contexts nor requests: fence() and quiet() in a
// kernel apply to the calling thread.

namespace symm {

class Request;

namespace Impl {

class Aggregation;

/// \param channel the channel of the call's context; null for a call without a
///        context, or in a job without far PEs.
/// \param request if not null, tracks the call's operation.
[[nodiscard]] HostCall call_of(char const* name, Channel* channel,
                               Request* request);

}  // namespace Impl

/// How a Context sends its pending updates to PEs on other nodes.
enum class UpdateRouting {
  automatic,  ///< by_nodes in jobs on more than 32 nodes if any node has
              ///< several PEs; otherwise direct
  direct,     ///< in separate messages to each PE
  by_nodes,   ///< in messages to one PE on each node, which performs the
              ///< updates for all PEs on its node; memory use grows with the
              ///< number of nodes, not with the number of PEs
};

/// Options of a Context. The first three are promises by the program (OpenSHMEM
/// 1.5, SHMEM_CTX_SERIALIZED, _PRIVATE, _NOSTORE).
struct ContextOptions {
  bool serialized = false;  ///< only one thread at a time uses the context
  bool one_thread = false;  // /< only the creating thread uses the context
  /// The context's fence() and quiet() do not order stores to PEs on this node.
  bool nostore = false;
  /// Use this option for many small updates to random PEs (not part of
  /// OpenSHMEM). The context may defer atomic operations that return nothing,
  /// and put(), put_nbi() and p() of up to 512 bytes, and perform many of them
  /// at once. It performs them in its fence(), quiet(), pe_quiet() and
  /// destructor at the latest. Until then, pending operations may be invisible
  /// to all PEs and to other operations by this PE. Barriers, collective calls
  /// and finalize() do not perform pending operations, so call the context's
  /// quiet() first, and also before freeing the memory. A later operation in
  /// the context may throw the errors of pending operations. If this PE cannot
  /// allocate memory for messages (std::bad_alloc), the pending operations
  /// remain pending, and the operation that throws has no effect. If the
  /// destructor cannot allocate that memory, the pending operations are lost.
  /// This option implies `serialized`: give each thread its own context. The
  /// context occupies 13 KiB and, like any context, up to 16 MiB for messages
  /// to other nodes.
  bool aggregate = false;
  /// How the context sends pending atomic operations to PEs on other nodes.
  /// With `by_nodes`, the context uses up to 36 MiB of additional memory (at
  /// most 16 KiB per node), and its fence() acts like its quiet().
  UpdateRouting routing = UpdateRouting::automatic;
};

/// A sequence of operations that is ordered and completed independently: a
/// context's fence() and quiet() order and complete only the operations in that
/// context (OpenSHMEM 1.5, 9.5, shmem_ctx_t). Operations without a context form
/// their own sequence. barrier_all(), barrier(team) and the collective calls
/// that free memory complete the operations in all contexts, except for
/// operations pending in a context with `aggregate`.
///
/// PEs do not share contexts: creating and destroying a context is local. Any
/// number of threads may use the same context at the same time, unless the
/// options promise otherwise. Threads that use separate contexts do not wait
/// for each other. A PE that does not accept messages delays only the
/// operations that target it, in every context.
class Context {
 public:
  /// Creates a context for operations on all PEs.
  /// \throws UsageError  on this PE before initialize() and after finalize().
  /// \throws OutOfMemory on this PE if it already has 255 contexts (in jobs on
  ///         several nodes).
  explicit Context(ContextOptions options = {});
  /// Creates a context for operations on the PEs of a PE team. All calls with
  /// this context take PE numbers within that PE team (shmem_team_create_ctx).
  /// \throws UsageError  on this PE if `team` is not a PE team.
  /// \throws OutOfMemory as the other constructor does.
  explicit Context(PeTeam const& team, ContextOptions options = {});
  /// Does not wait, unlike shmem_ctx_destroy: operations in progress continue,
  /// and the next barrier completes them. To complete them earlier, call
  /// quiet() before the context is destroyed. The memory of each message batch
  /// is freed once the batch has been sent.
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
  /// The PE team that defines the PE numbers in calls with this context
  /// (shmem_ctx_get_team).
  /// \throws UsageError on this PE after finalize().
  [[nodiscard]] PeTeam team() const;

  // For use by the library only:

  /// Returns the HostCall for the call `name` in this context.
  /// \param request if not null, tracks the operation.
  /// \throws UsageError on this PE if the context has been moved from, or if
  ///         finalize() has been called since it was created.
  [[nodiscard]] Impl::HostCall call(char const* name,
                                    Request* request = nullptr) const;
  /// Converts a PE number in the context to a world PE number.
  /// \throws UsageError on this PE if the context has no such PE.
  [[nodiscard]] Pe world_pe(Pe pe, char const* name) const {
    return m_has_team ? world_pe_of_team(pe, name) : pe;
  }
  /// The context's pending updates; null unless ContextOptions::aggregate was
  /// set.
  [[nodiscard]] Impl::Aggregation* aggregation() const {
    return m_aggregation.get();
  }

 private:
  void open(char const* name);
  void close() noexcept;
  /// Takes ownership of everything that `other` owns. Precondition: this
  /// context owns nothing.
  void take_from(Context& other) noexcept;
  /// Delivers the pending updates. Orders stores, unless the program promised
  /// `nostore`. Then calls work(channel) in jobs with far PEs.
  template <class Work>
  void complete_by(Impl::HostCall const& call, Work const& work) const;
  [[nodiscard]] Pe world_pe_of_team(Pe pe, char const* name) const;

  Impl::Channel* m_channel = nullptr;  // null in jobs on one node
  std::uint64_t m_life     = 0;        // Runtime::number(); 0 if moved from
  bool m_has_team          = false;
  ContextOptions m_options;
  PeTeam m_team;
  std::unique_ptr<Impl::Aggregation> m_aggregation;
};

/// Tracks one operation whose name ends in _nbi. Pass the address of the
/// Request as the operation's last argument. A Request can be moved but not
/// copied. Passing it to a new call makes it track the new operation instead of
/// the earlier one. A program need not wait for a Request: an untracked
/// operation continues, and its context's quiet() completes it. Only one thread
/// at a time may use a Request.
class Request {
 public:
  /// Creates a request that tracks no operation; test() returns true.
  Request()  = default;
  ~Request() = default;
  /// Afterward, `other` tracks no operation.
  Request(Request&& other) noexcept { take_from(other); }
  Request& operator=(Request&& other) noexcept {
    take_from(other);
    return *this;
  }
  Request(Request const&)            = delete;
  Request& operator=(Request const&) = delete;

  /// Whether the operation is complete. A get or a fetching atomic operation is
  /// complete when its data has arrived. A put is complete when the data is in
  /// the target's memory and, for a put with a signal, the signal has changed.
  /// Once test() has returned true, the request no longer tracks an operation.
  /// test() makes progress: the operation needs no other calls to complete.
  [[nodiscard]] bool test();
  /// Waits until the operation is complete.
  void wait();
  /// Whether the source of a put may be overwritten. For other operations,
  /// whether the operation is complete. The request continues to track the
  /// operation.
  [[nodiscard]] bool test_source();
  /// Waits until test_source() is true.
  void wait_source();
  /// Whether the request tracks an operation, complete or not.
  [[nodiscard]] bool is_operation() const { return m_life != 0; }

 private:
  friend Impl::HostCall Impl::call_of(char const* name, Impl::Channel* channel,
                                      Request* request);
  [[nodiscard]] bool has_ended() const;
  [[nodiscard]] bool is_past(Impl::Stage stage, char const* name);
  void wait_for(Impl::Stage stage, char const* name);
  /// Called when the operation has reached `stage`. If the operation is
  /// complete, the request no longer tracks it.
  void pass(Impl::Stage stage);
  void take_from(Request& other) noexcept {
    m_operation = std::exchange(other.m_operation, {});
    m_life      = std::exchange(other.m_life, 0);
    Impl::check::operations_move(&other, this);
  }

  Impl::OperationHandle m_operation;
  std::uint64_t m_life = 0;  // Runtime::number(); 0 if there is no operation
};

/// Waits until all requests are complete.
void wait_all(std::span<Request> requests);

/// Waits until one of the requests is complete. That request then no longer
/// tracks an operation.
/// \returns the index of that request; SIZE_MAX if no request tracks an
///          operation.
std::size_t wait_any(std::span<Request> requests);

/// Returns the index of a request whose operation is complete; that request
/// then no longer tracks an operation. Returns SIZE_MAX if there is no such
/// request.
[[nodiscard]] std::size_t test_any(std::span<Request> requests);

/// Like quiet() on the host, but completes only operations without a context,
/// and only those on the PEs `pes` (OpenSHMEM 1.6, shmem_pe_quiet).
/// \throws UsageError on this PE if one of `pes` does not exist, before
///         initialize() and after finalize().
void pe_quiet(std::span<Pe const> pes);

}  // namespace symm

#endif
