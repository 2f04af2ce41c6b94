// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
// The part of Runtime that creates its memories and heaps.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <optional>

#include "../base/Failure.hpp"
#include "../base/Text.hpp"
#include "../memory/Device.hpp"
#include "../memory/SymmetricRange.hpp"
#include "../memory/Vmm_HostMemfd.hpp"
#include "../network/Network.hpp"
#include "../transport/StepMessages.hpp"
#include "CommonSettings.hpp"
#include "Runtime.hpp"

namespace symm::Impl {

/// Collective.
void Runtime::make_memories(std::optional<int> device, RuntimeOptions options) {
  StepMessages* const messages =
      m_network == nullptr ? nullptr : &m_network->transport();
  m_rendezvous = std::make_unique<Rendezvous>(
      *m_bootstrap, *m_exchange, *m_control, options.timeout, messages);
  if (m_network != nullptr) {
    m_network->open_rendezvous(*m_rendezvous);
    set_transport(&m_network->transport());
  }
  auto& teams = m_team_memories[index_of(MemoryKind::host)];
  using enum PeTeamWords::Buffers;
  teams.emplace(*m_bootstrap, *m_exchange, *m_control,
                m_network == nullptr ? none : rooms);
  if (m_network != nullptr) {
    if (m_rendezvous->spins() == 0) m_network->transport().set_spins(0);
    m_network->open_team_words(MemoryKind::host, teams->words(0).map);
  }
  if (!device) {
    memory(MemoryKind::device).missing =
        "the runtime was initialized without a GPU";
    auto& host = memory(MemoryKind::host).provider;
    if (options.huge_pages != HugePages::never) {
      all_or_none(agree_through(*m_bootstrap), "symm::initialize", [&] {
        host = std::make_unique<Vmm_HostMemfd>(nodes().n_on_machine(),
                                               available_pageable_memory,
                                               options.huge_pages);
      });
    }
    make_heap(MemoryKind::host, host ? *host : *m_control, options);
    return;
  }
  make_device_memories(*device);
  find_shared_gpus(*device);
  m_default = static_cast<std::size_t>(MemoryKind::device);
  auto& gpu = *memory(MemoryKind::device).provider;
  m_team_memories[m_default].emplace(
      *m_bootstrap, *m_exchange, gpu,
      m_are_gpus_shared ? packets : many_packets);
  if (m_network != nullptr) {
    all_or_none(agree_through(*m_bootstrap), "symm::initialize",
                [&] { m_network->open_gpu(gpu); });
    m_network->open_team_words(MemoryKind::device,
                               m_team_memories[m_default]->words(0).map);
  }
  make_heap(MemoryKind::device, gpu, options);
  if (auto const& host = memory(MemoryKind::host).provider) {
    // The variables that specify the heap's size apply only to the default
    // heap.
    options.is_static       = false;
    options.symmetric_bytes = 0;
    make_heap(MemoryKind::host, *host, options);
  }
  if (m_network == nullptr) return;
  all_or_none(agree_through(*m_bootstrap), "symm::initialize",
              [&] { m_network->open_ring(gpu); });
}

void Runtime::make_device_memories(int device) {
  auto const agree = agree_through(*m_bootstrap);
  auto const make  = [&](MemoryKind kind) {
    memory(kind).provider =
        make_device_memory(kind, device, nodes().n_on_machine());
  };
  all_or_none(agree, "symm::initialize", [&] {
    make(MemoryKind::device);
    if (nodes().n() == 1 || my_pe() != 0) return;
    if (char const* const why = why_kernels_load_late()) {
      std::fprintf(stderr,
                   "symm::initialize: kernels that wait for PEs of other nodes "
                   "may wait forever, because %s\n",
                   why);
    }
  });
  if (auto const failure = error_of_all(
          [&] { try_out(*memory(MemoryKind::device).provider); })) {
    throw_failure(
        {failure->kind, Text("symm::initialize: ", failure->message)});
  }
  // Host memory is optional: not every GPU, driver or container allows PEs to
  // share it.
  auto const failure = error_of_all([&] {
    all_or_none(agree, "it is not available", [&] { make(MemoryKind::host); });
    try_out(*memory(MemoryKind::host).provider);
  });
  if (!failure) return;
  memory(MemoryKind::host).provider = nullptr;
  memory(MemoryKind::host).missing  = failure->message;
}

/// Collective: determines whether PEs share GPUs, with or without MPS, and
/// whether several blocks of a kernel may wait at the same time on every GPU.
void Runtime::find_shared_gpus(int device) {
  GpuOfPe mine;
  all_or_none(agree_through(*m_bootstrap), "symm::initialize",
              [&] { mine = identify_device(device); });
  // All PEs compute the same result. Without MPS, one PE's kernels make the
  // other PEs on its GPU wait.
  auto const all = allgather(*m_bootstrap, mine);
  auto n_most    = std::ptrdiff_t{0};
  bool has_mps   = false;
  bool have_room = true;
  // For two PE teams: the world and the node.
  constexpr auto max_on_gpu = static_cast<int>(2 * max_waiting_blocks);
  for (auto const& gpu : all) {
    auto const n = std::count_if(all.begin(), all.end(), [&](auto const& it) {
      return it.uuid == gpu.uuid;
    });
    m_are_gpus_shared = m_are_gpus_shared || n > 1;
    has_mps           = has_mps || gpu.has_mps;
    have_room         = have_room && gpu.n_multiprocessors > max_on_gpu;
    if (!gpu.has_mps) n_most = std::max(n_most, n);
  }
  m_may_blocks_wait = !m_are_gpus_shared && !has_mps && have_room;
  m_has_gates       = n_most > 1;
  if (m_has_gates && my_pe() == 0) {
    std::fprintf(stderr, "symm::initialize: up to %td PEs share a GPU%s\n",
                 n_most, how_pes_share_a_gpu());
  }
}

/// Collective: creates, shares, maps and releases a small amount of memory. No
/// device property says whether peers can reach each other's memory, or whether
/// a container forbids sharing. The only way to find out is to try.
void Runtime::try_out(Vmm& vmm) {
  auto const agree = agree_through(*m_bootstrap);
  auto const bytes = vmm.granularity(Vmm::Granularity::recommended);
  check_equal(*m_bootstrap, {{"the granularity of GPU memory", bytes}});
  std::optional<SymmetricRange> range;
  all_or_none(agree, "reserving addresses", [&] {
    range.emplace(vmm, *m_exchange, my_pe(), n_pes(), bytes, 0);
  });
  range->add_chunk(0, bytes, agree);
}

void Runtime::make_heap(MemoryKind kind, MemoryProvider& provider,
                        RuntimeOptions const& options) {
  memory(kind).heap = std::make_unique<SymmetricHeap>(
      provider, *m_exchange, *m_bootstrap, *m_rendezvous,
      HeapOptions{
          options.is_static, options.symmetric_bytes,
          options.is_static ? options.symmetric_bytes : options.limit_bytes,
          kind});
  if (m_network != nullptr) m_network->open(*memory(kind).heap);
  memory(kind).private_memory = std::make_unique<PrivateMemory>(provider);
  // The buffers use the provider for the default heap, which is created first.
  if (!m_buffers) m_buffers.emplace(provider);
}

}  // namespace symm::Impl
