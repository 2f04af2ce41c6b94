// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_EDGE_HPP
#define KOKKOS_SYMMETRICSPACE_EDGE_HPP

/// This header is for libraries that build containers from Views, such as
/// Kokkos SymmetricContainers. Besides Views, operations and PE teams,
/// containers need some internals of the lower layers. Namespace symm::edge
/// exposes these internals. Programs that only use containers do not need this
/// header, which may change with each minor version.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "../runtime/access/GroupOperations.hpp"
#include "../runtime/access/PeOperations.hpp"
#include "../runtime/base/BitCast.hpp"
#include "../runtime/base/Check.hpp"
#include "../runtime/base/Failure.hpp"
#include "../runtime/base/KernelText.hpp"
#include "../runtime/base/NameHash.hpp"
#include "../runtime/base/Observer.hpp"
#include "../runtime/base/PeNumbers.hpp"
#include "../runtime/base/Text.hpp"
#include "../runtime/bootstrap/Nodes.hpp"
#include "../runtime/groups/Group.hpp"
#include "../runtime/memory/CopyQueue.hpp"
#include "../runtime/pes/ObjectCall.hpp"
#include "../runtime/pes/ThreadProgress.hpp"
#include "../runtime/symm_teams.hpp"
#include "edge/FunctionRef.hpp"
#include "space/Agree.hpp"
#include "space/ExecutionSpaceStream.hpp"

#include <symm_gpu/ExecutionSpaceQueue.hpp>
#include <symm_gpu/Launch.hpp>

namespace symm::Impl {

class Rendezvous;

// Collective error handling: if a call fails on any PE, all PEs throw.

/// Throws the failure of the lowest-numbered PE that passes one. Collective
/// over the world; also acts as a barrier. Precondition: at least one PE passes
/// a failure.
/// \param failure this PE's failure, if any.
/// \throws that PE's failure, on every PE. The message begins with `call` and
///         that PE's number.
[[noreturn]] void throw_first_failure(char const* call,
                                      std::optional<Failure> const& failure);

/// One word from each PE of a PE team, exchanged in one collective call.
class WordsOfPes {
 public:
  /// Collective over the PE team.
  /// \param kind must be the same on all PEs. Otherwise, all PEs throw.
  /// \throws UsageError on every PE if the PEs make different calls.
  WordsOfPes(PeTeam const& team, char const* call, std::uint64_t kind,
             std::uint64_t mine);
  /// The word from PE `pe`. Valid until the PE team's next collective call.
  [[nodiscard]] std::uint64_t of(Pe pe) const;

 private:
  PeTeam m_team;
  std::uint64_t m_epoch;
};

// These functions wait and, in the meantime, serve other PEs. After a long
// wait, wait_and_serve() and wait_for_peer() report what they are waiting for.
// They end the job if they may be waiting for a PE that has exited. They
// allocate no private memory before the report.

/// Returns once is_done() is true. Until then, calls serve() and makes progress
/// for other PEs (ThreadProgress).
/// \param serve does pending work for other PEs and returns whether there was
///        any.
/// \param waits_for returns the lines of the report, each preceded by "\n".
void wait_and_serve(char const* call, FunctionRef<bool> is_done,
                    FunctionRef<bool> serve, FunctionRef<Text> waits_for);

/// Returns once has_come() is true. PE `pe` makes has_come() true by making the
/// same call.
/// \param other_call the ObjectCall::key() of a call in which `pe` can no
///        longer make has_come() true, or 0 if there is no such call.
/// \param refusal returns the error message if `pe` is in that other call.
/// \throws UsageError on this PE if `pe` is in that other call.
void wait_for_peer(char const* call, Pe pe, FunctionRef<bool> has_come,
                   std::uint64_t other_call, FunctionRef<Text> refusal);

/// The number of collective calls that all PEs have reached. A receiver can use
/// this number to distinguish messages sent before such a call from messages
/// sent after the call.
class MetCalls {
 public:
  explicit MetCalls(char const* call);
  [[nodiscard]] std::uint64_t n() const;

 private:
  Rendezvous const* m_rendezvous;
};

/// Maximum number of PE teams that can exist at a time. PeTeam::slot() is less
/// than this number.
inline constexpr int max_teams = 64;

// Functions for reaching other PEs.

/// The job's nodes. A Nodes object shows which PEs are near each other.
[[nodiscard]] Nodes const& nodes_of_job(char const* call);
/// Whether the job has a symmetric heap in host memory.
[[nodiscard]] bool has_host_heap(char const* call);

/// Makes `exec`'s GPU queue wait until, for all i < n, the word at address
/// word(i) is not 0.
template <class Exec, class WordOf>
void wait_in_queue(Exec const& exec, char const* call, std::size_t n,
                   WordOf const& word) {
  enqueue_kernels(call, exec, [&](void* queue) {
    copy_queue(call).wait_for_all(queue, n, [&](std::size_t i) {
      return CopyQueue::WordWait{word(i), 0};
    });
  });
}

// Kernels.

template <class Work>
struct ForEachKernel {
  Work work;
  std::size_t n;

  template <Group Threads>
  SYMM_FUNCTION void operator()(Threads const& group, std::size_t block,
                                std::size_t) const {
    auto const i = block * group.size() + group.rank();
    if (i < n) work(i);
  }
};

/// Calls work(i) for all i < n in a kernel on a GPU. If the kernel follows
/// another kernel, it starts sooner than a Kokkos kernel would
/// (symm_gpu/Launch.hpp).
template <class Exec, class Work>
void enqueue_for_each(Exec const& exec, char const* call, std::size_t n,
                      Work const& work) {
  constexpr std::size_t warp = 32, max_threads = 256;
  if (n == 0) return;
  auto const n_threads = std::min(max_threads, (n + warp - 1) / warp * warp);
  enqueue_kernels(call, exec, [&](void* queue) {
    enqueue_kernel(call, queue, (n + n_threads - 1) / n_threads,
                   static_cast<int>(n_threads), ForEachKernel<Work>{work, n});
  });
}

// Objects.

/// Identifies the current run of the library, between initialize() and
/// finalize(). Objects created in an earlier run are invalid.
[[nodiscard]] std::uint64_t number_of_start(char const* call);

}  // namespace symm::Impl

namespace symm::edge {

// Collective error handling: either all PEs perform an operation, or none does.
using Impl::agree;
using Impl::ErrorKind;
using Impl::Failure;
using Impl::failure_of;
using Impl::ObjectCall;
using Impl::quiet_all_contexts;
using Impl::throw_failure;
using Impl::throw_first_failure;
using Impl::without_call;
using Impl::WordsOfPes;
// Waiting while serving other PEs.
using Impl::FunctionRef;
using Impl::max_teams;
using Impl::MetCalls;
using Impl::poll_far;
using Impl::ThreadProgress;
using Impl::wait_and_serve;
using Impl::wait_for_peer;
// Access to other PEs.
using Impl::at_pe;
using Impl::enqueue_for_each;
using Impl::has_gates;
using Impl::has_host_heap;
using Impl::Nodes;
using Impl::nodes_of_job;
using Impl::wait_in_queue;
// Reports to profilers and to the race detector.
using Impl::Observed;
using Impl::Operation;
using Impl::OperationKind;
namespace check = Impl::check;
// Strings that allocate no private memory, for the host and for kernels.
using Impl::KernelText;
using Impl::Text;
// Objects.
using Impl::number_of_start;

}  // namespace symm::edge

#endif
