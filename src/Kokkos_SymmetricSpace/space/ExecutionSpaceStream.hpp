// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_EXECUTION_SPACE_STREAM_HPP
#define SYMM_EXECUTION_SPACE_STREAM_HPP

#include <memory>

#include <Kokkos_Core.hpp>
#include <symm_gpu/ExecutionSpaceQueue.hpp>

#include "../../runtime/base/Check.hpp"
#include "../../runtime/pools/Stream.hpp"

namespace symm::Impl {

template <class T>
concept ExecutionSpace = Kokkos::is_execution_space_v<T>;

/// Whether an execution space's kernels run on the host.
template <class Exec>
inline constexpr bool runs_on_host_v =
    Kokkos::SpaceAccessibility<Exec, Kokkos::HostSpace>::accessible;

/// For the race detector: waits for all work on `exec`. Call it before and
/// after the host reports the work that it enqueues on a GPU. Does nothing in
/// an ordinary build.
template <class Exec>
void finish_for_check([[maybe_unused]] Exec const& exec,
                      [[maybe_unused]] char const* call) {
  if constexpr (check::has_detector && !runs_on_host_v<Exec>) exec.fence(call);
}

/// Whether the host can read and write a View's elements.
template <class View>
inline constexpr bool is_host_view_v =
    Kokkos::SpaceAccessibility<Kokkos::DefaultHostExecutionSpace,
                               typename View::memory_space>::accessible;

/// The stream of a host instance. Keeps the instance alive.
template <class Exec>
class HostInstance final : public HostStream {
 public:
  explicit HostInstance(Exec const& exec) : m_exec(exec) {}
  void fence() override { m_exec.fence("symm: a memory pool"); }

 private:
  Exec m_exec;
};

/// The stream of a GPU instance. Keeps the instance alive.
template <class Exec>
class GpuInstance final : public QueueStream {
 public:
  explicit GpuInstance(Exec const& exec)
      : QueueStream(gpu_of_streams(), queue_of(exec)), m_exec(exec) {}

 private:
  Exec m_exec;
};

/// If an execution space has only one instance, this variable's address is that
/// instance's key.
template <class Exec>
inline constexpr char only_instance = 0;

/// The key of a host instance: equal for copies of one instance, different for
/// different instances. (Kokkos::Threads has no object per instance.)
template <class Exec>
[[nodiscard]] void const* key_of_host_instance(Exec const& exec) {
  if constexpr (requires { exec.impl_internal_space_instance(); }) {
    return exec.impl_internal_space_instance();
  } else {
    return &only_instance<Exec>;
  }
}

/// Whether a CUDA graph is capturing the work of an execution space instance.
template <class Exec>
[[nodiscard]] bool is_captured([[maybe_unused]] Exec const& exec) {
  if constexpr (runs_on_host_v<Exec>) {
    return false;
  } else {
    return is_captured_queue(queue_of(exec));
  }
}

/// The StreamName of the instance's stream.
/// \param exec must outlive the result.
template <class Exec>
[[nodiscard]] StreamName stream_of(Exec const& exec) {
  if constexpr (runs_on_host_v<Exec>) {
    return {key_of_host_instance(exec),
            [](void const* what) -> std::unique_ptr<Stream> {
              return std::make_unique<HostInstance<Exec>>(
                  *static_cast<Exec const*>(what));
            },
            &exec, [](void const*) { return false; }};
  } else {
    return {key_of_queue(queue_of(exec)),
            [](void const* what) -> std::unique_ptr<Stream> {
              return std::make_unique<GpuInstance<Exec>>(
                  *static_cast<Exec const*>(what));
            },
            &exec,
            [](void const* what) {
              return is_captured(*static_cast<Exec const*>(what));
            }};
  }
}

}  // namespace symm::Impl

#endif
