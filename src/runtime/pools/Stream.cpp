// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Stream.hpp"

#include "../access/KernelQueue.hpp"
#include "../base/Text.hpp"
#include "../job/Runtime.hpp"
#include "../pes/PeTeamMemory.hpp"
#include "../symm_errors.hpp"
#include "../symm_teams.hpp"
#include "../teams/PeTeam.hpp"

namespace symm::Impl {

namespace {

constexpr char const* who_waits = "a memory pool";

constexpr int pools_slot = 2;
static_assert(PeTeamMemory::n_fixed_teams == 3);

PeTeam team_of_pools() { return MakePeTeam::of_all(pools_slot, who_waits); }

}  // namespace

CopyQueue* gpu_of_streams() {
  return Runtime::instance(who_waits).provider(MemoryKind::device);
}

void QueueStream::wait_for(Stream& earlier) {
  if (!is_on_gpu() || !earlier.is_on_gpu()) {
    earlier.fence();
    return;
  }
  m_gpu->make_wait(m_queue, static_cast<QueueStream&>(earlier).queue());
}

void QueueStream::barrier() {
  if (is_on_gpu()) {
    put_barrier(m_queue, team_of_pools());
  } else {
    symm::barrier(team_of_pools());
  }
}

bool QueueStream::has_barrier() const {
  return !is_on_gpu() || has_kernel_queue();
}

void HostStream::barrier() {
  fence();
  symm::barrier(team_of_pools());
}

bool is_captured_queue(void* queue) {
  auto* const gpu = gpu_of_streams();
  return gpu != nullptr && gpu->is_captured(queue);
}

void const* key_of_queue(void* queue) {
  static constexpr char default_queue = 0;
  return queue != nullptr ? queue : &default_queue;
}

StreamName name_of_queue(void* const& queue) {
  return {key_of_queue(queue),
          [](void const* what) -> std::unique_ptr<Stream> {
            auto* const gpu       = gpu_of_streams();
            void* const its_queue = *static_cast<void* const*>(what);
            if (gpu == nullptr && its_queue != nullptr) {
              throw UsageError(Text("stream ", its_queue,
                                    ": without a GPU, the only stream is null, "
                                    "the order of the calls"));
            }
            return std::make_unique<QueueStream>(gpu, its_queue);
          },
          &queue,
          [](void const* what) {
            return is_captured_queue(*static_cast<void* const*>(what));
          }};
}

}  // namespace symm::Impl
