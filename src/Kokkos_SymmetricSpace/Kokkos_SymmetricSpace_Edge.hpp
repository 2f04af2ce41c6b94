// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_EDGE_HPP
#define KOKKOS_SYMMETRICSPACE_EDGE_HPP

/// For those who write containers of Views, such as Kokkos SymmetricContainers:
/// what these take of the libraries below beside Views, operations and PE
/// teams, in namespace symm::edge. Programs that use containers need none of
/// it, and it may change with each minor version.

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
#include "../runtime/base/Observer.hpp"
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

// Fail together.

/// Collective over the world, a barrier, by PEs of which one or more have
/// failed. \param failure why this PE has, if it has. \throws the failure of
/// the first PE that has, on all PEs; its text begins with
///         `call` and the PE.
[[noreturn]] void throw_first_failure(char const* call,
                                      std::optional<Failure> const& failure);

/// A word of each PE of a PE team, of the same collective call.
class WordsOfPes {
 public:
  /// Collective over the team. \param kind equal on all PEs, or all fail.
  /// \throws UsageError on every PE, if calls differ.
  WordsOfPes(PeTeam const& team, char const* call, std::uint64_t kind,
             std::uint64_t mine);
  /// Until the team's next collective call.
  [[nodiscard]] std::uint64_t of(Pe pe) const;

 private:
  PeTeam m_team;
  std::uint64_t m_epoch;
};

// Wait, and serve meanwhile. Both report what they wait for if it takes long,
// and end the job if a PE is gone that may have made it so. They take no
// private memory before the report.

/// Returns when is_done() is true. While it is not, calls serve(), and what
/// else this thread has to do (ThreadProgress). \param serve     returns
/// whether it has done anything. \param waits_for lines for the report: "\n
/// ...".
void wait_and_serve(char const* call, FunctionRef<bool> is_done,
                    FunctionRef<bool> serve, FunctionRef<Text> waits_for);

/// Returns when has_come() is true, which PE `pe` makes so in the same call.
/// \param other_call ObjectCall::key() of a call that keeps `pe` from it, or 0.
/// \param refusal    the text of the error, should `pe` make that call.
/// \throws UsageError if it does.
void wait_for_peer(char const* call, Pe pe, FunctionRef<bool> has_come,
                   std::uint64_t other_call, FunctionRef<Text> refusal);

/// How many collective calls all PEs have met in: what was sent before one is
/// told from what was sent behind it.
class MetCalls {
 public:
  explicit MetCalls(char const* call);
  [[nodiscard]] std::uint64_t n() const;

 private:
  Rendezvous const* m_rendezvous;
};

/// PE teams that there can be at a time: PeTeam::slot() is below.
inline constexpr int most_teams = 64;

// A way to a PE.

/// The nodes of the job: which PEs are near to which.
[[nodiscard]] Nodes const& nodes_of_job(char const* call);
/// Whether there is a symmetric heap in host memory.
[[nodiscard]] bool has_host_heap(char const* call);

/// Has the queue of an instance wait until word(i) is not 0, for all i < n.
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

/// Calls work(i), i < n, in a kernel on a GPU. Behind other kernels it begins
/// sooner than one of Kokkos (symm_gpu/Launch.hpp).
template <class Exec, class Work>
void enqueue_for_each(Exec const& exec, char const* call, std::size_t n,
                      Work const& work) {
  constexpr std::size_t warp = 32, most_threads = 256;
  if (n == 0) return;
  auto const n_threads = std::min(most_threads, (n + warp - 1) / warp * warp);
  enqueue_kernels(call, exec, [&](void* queue) {
    enqueue_kernel(call, queue, (n + n_threads - 1) / n_threads,
                   static_cast<int>(n_threads), ForEachKernel<Work>{work, n});
  });
}

// Objects.

/// The number of this start of the library: objects of an earlier one are over.
[[nodiscard]] std::uint64_t number_of_start(char const* call);

}  // namespace symm::Impl

namespace symm::edge {

// Fail together: what one PE cannot do, none does.
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
// Wait, and serve meanwhile.
using Impl::FunctionRef;
using Impl::MetCalls;
using Impl::most_teams;
using Impl::poll_far;
using Impl::ThreadProgress;
using Impl::wait_and_serve;
using Impl::wait_for_peer;
// A way to a PE.
using Impl::at_pe;
using Impl::enqueue_for_each;
using Impl::has_gates;
using Impl::has_host_heap;
using Impl::Nodes;
using Impl::nodes_of_job;
using Impl::wait_in_queue;
// Say what a call does, to profilers and to the detector of races.
using Impl::Observed;
using Impl::Operation;
using Impl::OperationKind;
namespace check = Impl::check;
// Texts without private memory, on the host and in kernels.
using Impl::KernelText;
using Impl::Text;
// Objects.
using Impl::number_of_start;

}  // namespace symm::edge

#endif
