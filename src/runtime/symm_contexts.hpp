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
#include "transport/Started.hpp"

// Orders and completes some operations, independently of others. The host's
// one-sided operations take a Context as first argument, and those that end in
// _nbi a Request as last one:
//
//     symm::Context mine;                         // of this thread, say
//     symm::put_nbi(mine, dest, source, n, pe);
//     mine.quiet();                               // waits for this put alone
//
//     symm::Request request;
//     symm::get_nbi(dest, source, n, pe, &request);
//     request.wait();                             // waits for this get alone
//
// On PEs of this node an operation of the host is done when it returns, in any
// context; there contexts and requests cost nothing and change nothing. In
// kernels there are none: fence() and quiet() are those of the calling thread.

namespace symm {

class Request;

namespace Impl {

class Aggregation;

/// A call whose operation becomes that of `request`, unless that is null.
[[nodiscard]] HostCall call_of(char const* name, Channel* channel,
                               Request* request);

}  // namespace Impl

/// How updates that wait in a Context reach PEs of other nodes.
enum class UpdateRouting {
  automatic,  ///< by nodes, if there are more than 32 of several PEs
  direct,     ///< in messages to each PE
  by_nodes,   ///< in messages to a PE of each node, which carries them out for
              ///< the others: memory grows with nodes, not with PEs
};

/// Promises of a program about a Context (OpenSHMEM 1.5, SHMEM_CTX_SERIALIZED,
/// _PRIVATE, _NOSTORE).
struct ContextOptions {
  bool serialized = false;  ///< no two threads use it at the same time
  bool one_thread = false;  ///< only the thread that has made it uses it
  /// fence() and quiet() of the context need not order stores to PEs of this
  /// node, and do not.
  bool nostore = false;
  /// For many small updates of random PEs (not in OpenSHMEM). Atomic operations
  /// that return nothing, put(), put_nbi() and p() of up to 512 bytes may wait
  /// until many are carried out at once: at the latest in fence(), quiet() and
  /// pe_quiet() of the context, and in its destructor. Until then no PE may
  /// see them, nor other operations of this PE. Barriers, collective calls and
  /// finalize() do not carry them out: call quiet() first, also before the
  /// memory is given back. Errors may be thrown by a later operation of the
  /// context. Implies `serialized`: give each thread a context of its own.
  /// Takes 13 KiB, and for other nodes as any context up to 16 MiB.
  bool aggregate = false;
  /// Of the atomic operations that wait. By nodes, they take up to 36 MiB more,
  /// 16 KiB for each node, and fence() of the context is its quiet().
  UpdateRouting routing = UpdateRouting::automatic;
};

/// A sequence of operations with an order and a completion of its own: fence()
/// and quiet() are about the operations of this context only (OpenSHMEM 1.5,
/// 9.5, shmem_ctx_t). Operations without a context have one of their own.
/// barrier_all(), barrier(team) and the collective calls that give memory back
/// complete the operations of all contexts, unless they `aggregate`.
///
/// PEs have no contexts in common: making and ending one is local. Any number
/// of threads may use one at the same time, unless the options promise that
/// none does. Threads with a context each do not wait for each other. In every
/// context, a PE that takes no messages holds up operations on that PE only.
class Context {
 public:
  /// For operations on all PEs.
  /// \throws UsageError  on this PE, before initialize() and after finalize().
  /// \throws OutOfMemory on this PE, if there are 255 already, in jobs of
  ///         several nodes.
  explicit Context(ContextOptions options = {});
  /// For operations on the PEs of a PE team, which all calls with this context
  /// number as the team does (shmem_team_create_ctx).
  /// \throws UsageError  on this PE, if `team` is no team.
  /// \throws OutOfMemory as the other.
  explicit Context(PeTeam const& team, ContextOptions options = {});
  /// Does not wait, unlike shmem_ctx_destroy: operations that have begun go on,
  /// and the next barrier completes them. To complete them here, call quiet()
  /// first. Memory of batches is given back when they are sent.
  ~Context();
  Context(Context&& other) noexcept;
  Context& operator=(Context&& other) noexcept;
  Context(Context const&)            = delete;
  Context& operator=(Context const&) = delete;

  /// Orders the operations of this context, as symm::fence() those without one.
  /// \throws UsageError on this PE, after finalize().
  void fence() const;
  /// Completes them, as symm::quiet() those without one.
  /// \throws UsageError on this PE, after finalize().
  void quiet() const;
  /// Completes those on `pes` (OpenSHMEM 1.6, shmem_ctx_pe_quiet).
  /// \throws UsageError on this PE, if there is no such PE; after finalize().
  void pe_quiet(std::span<Pe const> pes) const;
  /// The PE team whose numbers of PEs calls with this context take
  /// (shmem_ctx_get_team).
  /// \throws UsageError on this PE, after finalize().
  [[nodiscard]] PeTeam team() const;

  // For operations.

  /// \param request null, or becomes the request of the operation.
  /// \throws UsageError on this PE, if the context has been moved from, or its
  ///         runtime has ended.
  [[nodiscard]] Impl::HostCall call(char const* name,
                                    Request* request = nullptr) const;
  /// The number in the world of PE `pe` of the context.
  /// \throws UsageError on this PE, if there is none.
  [[nodiscard]] Pe world_pe(Pe pe, char const* name) const {
    return m_has_team ? world_pe_of_team(pe, name) : pe;
  }
  /// Null, if the context does not aggregate.
  [[nodiscard]] Impl::Aggregation* aggregation() const {
    return m_aggregation.get();
  }

 private:
  void open(char const* name);
  void close() noexcept;
  void deliver(char const* name) const;
  [[nodiscard]] Pe world_pe_of_team(Pe pe, char const* name) const;

  Impl::Channel* m_channel = nullptr;  // null in jobs of one node
  std::uint64_t m_life     = 0;        // of the runtime; 0: moved from
  bool m_has_team          = false;
  ContextOptions m_options;
  PeTeam m_team;
  std::unique_ptr<Impl::Aggregation> m_aggregation;
};

/// The completion of one operation that ends in _nbi, which gets the address of
/// this as last argument. It has no copies; a call with the address of one that
/// is in use lets go of the earlier operation. Nobody has to wait for it: what
/// is let go of goes on, and quiet() of its context completes it. Of one thread
/// at a time.
class Request {
 public:
  /// Complete: no operation.
  Request()  = default;
  ~Request() = default;
  /// `other` is no operation afterwards.
  Request(Request&& other) noexcept
      : m_started(std::exchange(other.m_started, {})),
        m_life(std::exchange(other.m_life, 0)) {
    Impl::check::operations_move(&other, this);
  }
  Request& operator=(Request&& other) noexcept {
    m_started = std::exchange(other.m_started, {});
    m_life    = std::exchange(other.m_life, 0);
    Impl::check::operations_move(&other, this);
    return *this;
  }
  Request(Request const&)            = delete;
  Request& operator=(Request const&) = delete;

  /// Whether the operation is complete: the data of a get or of a fetching
  /// atomic operation have arrived, or the target has what was put, and has
  /// changed its signal. Then it is no operation any more. Does what is
  /// necessary for that to happen without other calls.
  [[nodiscard]] bool test();
  /// Waits until it is complete.
  void wait();
  /// Whether the source of a put may be written again; of other operations
  /// whether they are complete. It stays an operation.
  [[nodiscard]] bool test_source();
  /// Waits until test_source() is true.
  void wait_source();
  /// Whether it is an operation, complete or not.
  [[nodiscard]] bool is_operation() const { return m_life != 0; }

 private:
  friend Impl::HostCall Impl::call_of(char const* name, Impl::Channel* channel,
                                      Request* request);
  [[nodiscard]] bool has_ended() const;
  // The library stores data that come meanwhile.
  [[nodiscard]] bool is_past(Impl::Stage stage, char const* name);
  void wait_for(Impl::Stage stage, char const* name);

  Impl::Started m_started;
  std::uint64_t m_life = 0;  // of the runtime; 0: no operation
};

/// Waits until all are complete.
void wait_all(std::span<Request> requests);

/// Waits until one is complete, which is no operation any more then.
/// \returns its index; SIZE_MAX, if none is an operation.
std::size_t wait_any(std::span<Request> requests);

/// The index of one that is complete, which is no operation any more then;
/// SIZE_MAX, if there is none.
[[nodiscard]] std::size_t test_any(std::span<Request> requests);

/// quiet() of the operations on `pes` without a context (OpenSHMEM 1.6,
/// shmem_pe_quiet). On the host.
/// \throws UsageError on this PE, if there is no such PE; before initialize()
///         and after finalize().
void pe_quiet(std::span<Pe const> pes);

}  // namespace symm

#endif
