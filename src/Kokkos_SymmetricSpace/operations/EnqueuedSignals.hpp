// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_ENQUEUEDSIGNALS_HPP
#define KOKKOS_SYMMETRICSPACE_ENQUEUEDSIGNALS_HPP

#include <algorithm>
#include <cstddef>
#include <span>

#include <Kokkos_Core.hpp>
#include <symm_gpu/ExecutionSpaceQueue.hpp>
#include <symm_gpu/Launch.hpp>

#include "../../runtime/access/Access.hpp"
#include "../../runtime/access/Operations.hpp"
#include "../../runtime/access/PeOperations.hpp"
#include "../../runtime/access/ProxyClient.hpp"
#include "../../runtime/access/Signal.hpp"
#include "../../runtime/base/Observer.hpp"
#include "../../runtime/base/Types.hpp"
#include "../../runtime/groups/Group.hpp"
#include "../../runtime/groups/GroupCopy.hpp"
#include "../../runtime/memory/CopyQueue.hpp"
#include "../../runtime/one_sided/PutSignal.hpp"
#include "../../runtime/one_sided/Rma.hpp"
#include "../../runtime/symm_rma.hpp"
#include "EnqueuedRma.hpp"

// Enqueues puts with signals on an execution space instance. On a GPU, one
// kernel performs several puts, each in a separate thread block.

namespace symm::Impl {

/// Each thread block performs one put. If the put is to a near PE, `dest` and
/// `signal` are mapped addresses of that PE's memory.
template <std::size_t most>
struct PutSignalsKernel {
  struct Sent {
    SignaledPut put;
    bool is_far;
  };
  Sent all[most];

  template <Group Threads>
  SYMM_FUNCTION void operator()(Threads const& group, std::size_t block,
                                std::size_t) const {
    auto const& [put, is_far] = all[block];
    if (is_far) {
#ifdef SYMM_FOR_DEVICE
      if (group.rank() == 0) {
        InKernel::fence_far();  // orders earlier kernels' puts
      }
      InKernel::put_signal_far(group, put.dest, put.source, put.bytes,
                               put.signal, put.value, atomic_op_of(put.op),
                               put.pe, true);
#endif
      return;
    }
    copy_bytes<1>(group, put.dest, put.source, put.bytes);
    group.barrier();
    // The signal has release semantics even if this put has no data, because
    // earlier kernels may have put data.
    if (group.rank() == 0) DeliverSignal{put.signal, put.value, put.op, true}();
  }
};

/// Whether the kernel copies `put`'s data; otherwise, a copy engine does. For
/// larger blocks, a copy engine is faster. In addition, only copy engines can
/// access all of the process's memory.
[[nodiscard]] inline bool is_copied_by_kernel(SignaledPut const& put,
                                              Segment dest, char const* call) {
  constexpr std::size_t most = std::size_t{64} << 10U;
  return put.bytes <= most && is_of_gpu(dest) &&
         (heap_map(MemoryKind::device).contains(put.source) ||
          copy_queue(call).is_on_gpu(put.source));
}

/// Enqueues one kernel on a GPU for up to `most` puts.
template <std::size_t most, class Exec>
void launch_put_signals(Exec const& exec, std::span<SignaledPut const> puts,
                        char const* call) {
  PutSignalsKernel<most> kernel{};
  std::size_t longest = 0;
  for (std::size_t i = 0; i < puts.size(); ++i) {
    auto const& put   = puts[i];
    auto& sent        = kernel.all[i];
    sent              = {put, false};
    auto const signal = resolve(put.signal, sizeof(Signal), put.pe, call);
    sent.is_far       = signal.path == AccessPath::messages;
    if (sent.is_far) {
      longest = std::max(longest, put.bytes);
      continue;
    }
    sent.put.signal = signal.template address<Signal>();
    if (put.bytes == 0) continue;
    auto const to = resolve(put.dest, put.bytes, put.pe, call);
    sent.put.dest = to.address();
    if (is_copied_by_kernel(put, to.segment, call)) {
      longest = std::max(longest, put.bytes);
    } else {
      enqueue_copy(exec, to.segment, to.address(), put.source, put.bytes, call);
      sent.put.bytes = 0;
    }
  }
  constexpr std::size_t warp = 32, max_threads = 512, bytes_of_thread = 16;
  auto const n_threads =
      std::min(max_threads, (longest / bytes_of_thread + warp) / warp * warp);
  enqueue_kernels(call, exec, [&](void* queue) {
    enqueue_kernel(call, queue, puts.size(), static_cast<int>(n_threads),
                   kernel);
  });
}

/// \throws UsageError on this PE in the same cases as put_signal().
inline void check_put_signal(SignaledPut const& put, char const* call) {
  check_aligned(put.signal, sizeof(Signal), call);
  static_cast<void>(resolve(put.signal, sizeof(Signal), put.pe, call));
  if (put.bytes == 0) return;
  static_cast<void>(resolve(put.dest, put.bytes, put.pe, call));
  check_private(put.source, call);
}

/// Performs put_signal() for each of `puts`, in order with the other work on
/// `exec`. If the call throws UsageError, it has sent nothing.
template <class Exec>
void enqueue_put_signals(Exec const& exec, std::span<SignaledPut const> puts,
                         char const* call) {
  if constexpr (runs_on_host_v<Exec>) {
    if (puts.size() > 1)
      for (auto const& put : puts) check_put_signal(put, call);
    exec.fence(call);
    symm::fence();
    for (auto const& put : puts) {
      put_signal_on_host(static_cast<char*>(put.dest),
                         static_cast<char const*>(put.source), put.bytes,
                         put.signal, put.value, put.op, put.pe,
                         Completion::local, call);
    }
  } else {
    for (auto const& put : puts) {
      Observed const observed([&] {
        return SignalOperation{call, put}.operation();
      });
      check_put_signal(put, call);
    }
    finish_for_check(exec, call);
    for (auto const& put : puts) {
      check::fence();
      SignalOperation{call, put}.report();
    }
    // (A kernel starts faster if its arguments occupy fewer bytes.)
    constexpr std::size_t most = 8;
    while (puts.size() > 1) {
      auto const n = std::min(puts.size(), most);
      launch_put_signals<most>(exec, puts.first(n), call);
      puts = puts.subspan(n);
    }
    if (!puts.empty()) launch_put_signals<1>(exec, puts, call);
  }
}

}  // namespace symm::Impl

#endif
