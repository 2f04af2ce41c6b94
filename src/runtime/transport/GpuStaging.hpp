// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TRANSPORT_GPUSTAGING_HPP
#define SYMM_TRANSPORT_GPUSTAGING_HPP

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "../memory/GpuAccessQueue.hpp"
#include "../memory/MemoryProvider.hpp"
#include "Channel.hpp"

namespace symm::Impl {

/// Operations on far PEs' memory. The source, the destination or both may be in
/// GPU memory. Data on this PE's GPU are staged in page-locked host memory:
/// messages are sent from and received into that memory. The copies do not wait
/// for running kernels. Callable from any thread.
///
/// All functions throw SystemError on this PE.
class GpuStaging {
 public:
  using Completion = Impl::Completion;

  /// \param provider The GPU's memory provider. Must outlive this object.
  explicit GpuStaging(MemoryProvider& provider);

  // Like Channel's functions, except that puts from this PE's GPU and all gets
  // from or to a GPU always use Completion::local.

  void put(Channel& channel, PeMemory to, void const* from, std::size_t bytes,
           Completion completion, HostCall const& call = {});
  void put_strided(Channel& channel, PeMemory to, void const* from,
                   Strides strides, HostCall const& call = {});
  void put_signal(Channel& channel, PeMemory to, void const* from,
                  std::size_t bytes, PeMemory signal, std::uint64_t value,
                  AtomicOp op, Completion completion,
                  HostCall const& call = {});
  void get(Channel& channel, void* to, PeMemory from, std::size_t bytes,
           Completion completion, HostCall const& call = {});
  void get_strided(Channel& channel, void* to, PeMemory from, Strides strides,
                   HostCall const& call = {});

 private:
  static constexpr std::size_t half = 4 * Channel::max_begun;
  class Begun;

  [[nodiscard]] std::byte* half_of(std::size_t n) const {
    return m_memory.data() + n % 2 * half;
  }
  void put_from_host(Channel& channel, PeMemory to, std::byte const* from,
                     std::size_t bytes, Completion completion,
                     HostCall const& call);
  void get_to_host(Channel& channel, std::byte* to, PeMemory from,
                   std::size_t bytes, HostCall const& call);

  MemoryProvider& m_provider;
  std::mutex m_mutex;  // guards the members below
  PinnedMemory m_memory;
  GpuAccessQueue m_queue;
};

}  // namespace symm::Impl

#endif
