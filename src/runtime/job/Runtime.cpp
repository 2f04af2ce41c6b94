// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Runtime.hpp"

#include <pthread.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "../base/EnvironmentTable.hpp"
#include "../base/Failure.hpp"
#include "../heap/LiveObjects.hpp"
#include "../memory/Device.hpp"
#include "../memory/SymmetricRange.hpp"
#include "../memory/Vmm_HostMemfd.hpp"
#include "../network/Network.hpp"
#include "../transport/StepMessages.hpp"
#include "Trace.hpp"
#ifdef SYMM_CHECK
#include "../check/Checker.hpp"
#endif

namespace symm::Impl {

namespace {

std::uint64_t s_n_runtimes = 0;
bool s_was_finalized       = false;
Runtime const* s_of_parent = nullptr;  // in a forked child of a PE

constexpr std::size_t gib = std::size_t{1} << 30U;

/// The size of a static heap, unless SYMM_SYMMETRIC_SIZE is set.
constexpr std::size_t default_static_bytes = gib;

/// Reserved addresses cost no memory, so a PE's heap may become large. But the
/// parts of all near PEs must fit in one address space (128 TiB on x86-64),
/// together with the program.
constexpr std::size_t addresses_to_use = 32'768 * gib;

/// A setting that must be equal on all PEs.
struct CommonSetting {
  char const* name;
  std::size_t value;
};

/// Compares all settings in one collective step.
/// \throws UsageError on every PE, if one differs.
template <std::size_t n>
void check_equal(Bootstrap& bootstrap, CommonSetting const (&settings)[n]) {
  std::array<std::size_t, n> mine{};
  for (std::size_t i = 0; i < n; ++i) mine[i] = settings[i].value;
  auto const other = difference_of(bootstrap, mine);
  if (!other) return;
  for (std::size_t i = 0; i < n; ++i) {
    if (other->its[i] == other->of_first[i]) continue;
    throw UsageError(Text("symm::initialize: ", settings[i].name,
                          " differs between PEs: ", other->of_first[i],
                          " on PE 0, ", other->its[i], " on PE ", other->pe,
                          "; start all PEs with one value"));
  }
}

}  // namespace

// Defined in a source file: if a header defined it, a program with hidden
// symbols would have a second instance.
std::unique_ptr<Runtime> Runtime::s_instance;

RuntimeOptions RuntimeOptions::from_environment(int n_near) {
  RuntimeOptions options;
  auto const is_default = [](EnvironmentVariable const& variable) {
    return setting_of(variable).value().is_default;
  };
  options.is_static       = env_flag(environment::static_heap).value();
  options.symmetric_bytes = env_bytes(environment::symmetric_size).value();
  if (options.is_static && is_default(environment::symmetric_size)) {
    options.symmetric_bytes = default_static_bytes;
  }
  options.limit_bytes = env_bytes(environment::heap_limit).value();
  if (is_default(environment::heap_limit)) {
    auto const share =
        std::bit_floor(addresses_to_use / static_cast<std::size_t>(n_near));
    options.limit_bytes = std::min(options.limit_bytes, share);
  }
  if (options.limit_bytes == 0) {
    throw UsageError("SYMM_HEAP_LIMIT=0: expected a size above 0");
  }
  if (options.is_static && options.symmetric_bytes == 0) {
    throw UsageError(
        "SYMM_SYMMETRIC_SIZE=0: a static heap (SYMM_STATIC_HEAP) needs a size "
        "above 0");
  }
  options.huge_pages = env_pages(environment::huge_pages).value();
  options.timeout =
      std::chrono::duration<double>(env_seconds(environment::timeout).value());
  auto const trace = setting_of(environment::trace);
  options.traces   = trace && !trace->text.empty();
  return options;
}

void Runtime::initialize(std::unique_ptr<Bootstrap> bootstrap,
                         std::optional<int> device) {
  if (is_initialized()) {
    throw UsageError(
        "symm::initialize: initialized already; call it once, before the first "
        "View and after the last finalize()");
  }
  auto& job = *bootstrap;
  std::shared_ptr<Bootstrap> shared;
  try {
    run_collective(job, "symm::initialize", [&] {
      shared     = std::move(bootstrap);
      s_instance = std::unique_ptr<Runtime>(new Runtime(shared, device));
    });
  } catch (...) {
    // Either all PEs have thrown, or a step of the bootstrap has failed, and
    // then close() does not wait for other PEs. This exception matters more
    // than a failure of close().
    static_cast<void>(failure_of([&] { shared->close(); }));
    throw;
  }
}

void Runtime::leave_in_child() noexcept {
  if (s_instance == nullptr) return;
  s_of_parent = s_instance.release();
}

void Runtime::leave_in_children() {
  static bool is_done = false;
  if (is_done) return;
  if (int const error = ::pthread_atfork(nullptr, nullptr, leave_in_child)) {
    throw SystemError("symm::initialize", "pthread_atfork", error);
  }
  is_done = true;
}

Runtime& Runtime::instance(char const* call) {
  if (s_instance == nullptr) throw_not_initialized(call);
  return *s_instance;
}

bool Runtime::is_initialized() noexcept { return s_instance != nullptr; }

Runtime::Runtime(std::shared_ptr<Bootstrap> bootstrap,
                 std::optional<int> device)
    : m_number(++s_n_runtimes), m_bootstrap(std::move(bootstrap)) {
  auto const agree = agree_through(*m_bootstrap);
  auto nodes       = find_nodes();
  RuntimeOptions options;
  all_or_none(agree, "symm::initialize", [&] {
    options = RuntimeOptions::from_environment(nodes.max_near());
    leave_in_children();
  });
  check_equal(*m_bootstrap, {{"SYMM_STATIC_HEAP", options.is_static ? 1U : 0U},
                             {"SYMM_SYMMETRIC_SIZE", options.symmetric_bytes},
                             {"SYMM_HEAP_LIMIT", options.limit_bytes},
                             {"SYMM_HUGE_PAGES",
                              static_cast<std::size_t>(options.huge_pages)},
                             {"SYMM_TRACE", options.traces ? 1U : 0U},
                             {"the use of a GPU", device ? 1U : 0U}});

  m_control  = std::make_unique<Vmm_HostMemfd>(nodes.n_on_machine());
  m_exchange = std::make_unique<FdExchange>(*m_bootstrap, std::move(nodes),
                                            options.timeout);
  if (m_exchange->nodes().n() == 1) {
    make_memories(device, options);
    if (options.traces) begin_trace();
    begin_check();
    return;
  }
  make_network();
  try {
    make_memories(device, options);
    if (options.traces) begin_trace();
    begin_check();
  } catch (Error const&) {
    // Thrown on all PEs. This exception matters more than a failure of close().
    static_cast<void>(failure_of([&] { m_network->close(); }));
    throw;
  }
  m_bootstrap->barrier();  // no PE sends before all are ready
}

Runtime::~Runtime() = default;

/// Collective.
void Runtime::begin_check() {
#ifdef SYMM_CHECK
  std::array<HeapMap const*, 2> heaps{};
  for (auto const kind : {MemoryKind::host, MemoryKind::device}) {
    auto const& heap = memory(kind).heap;
    if (heap != nullptr) heaps[index_of(kind)] = &heap->map();
  }
  check::s_checker.start(*m_bootstrap, heaps,
                         memory(MemoryKind::device).provider.get(),
                         [this](std::optional<Failure> const& mine) {
                           return m_rendezvous->agree(mine);
                         });
#endif
}

/// Collective.
void Runtime::make_network() {
  auto const failure = error_of_all([&] {
    m_network =
        std::make_unique<Network>(*m_bootstrap, *m_exchange, *m_control);
  });
  if (!failure) return;
  throw_failure(
      {failure->kind, Text("symm::initialize: PE 0 runs on ", nodes().hosts[0],
                           ", PE ", nodes().leader(1), " on ", nodes().hosts[1],
                           ", which takes messages: ", failure->message)});
}

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
    // The variables for the size apply to the default heap only.
    options.is_static       = false;
    options.symmetric_bytes = 0;
    make_heap(MemoryKind::host, *host, options);
  }
  if (m_network == nullptr) return;
  all_or_none(agree_through(*m_bootstrap), "symm::initialize",
              [&] { m_network->open_ring(gpu); });
}

/// Collective.
void Runtime::begin_trace() {
  auto const name = setting_of(environment::trace).value().text;
  all_or_none(agree_through(*m_bootstrap), "symm::initialize", [&] {
    m_trace =
        std::make_unique<Trace>(*m_bootstrap,
                                Trace::Heaps{find_heap(MemoryKind::host),
                                             find_heap(MemoryKind::device)},
                                name);
  });
}

/// Collective.
Nodes Runtime::find_nodes() const {
  int pes_per_node = 0;
  all_or_none(agree_through(*m_bootstrap), "symm::initialize", [&] {
    pes_per_node = env_count(environment::pes_per_node).value();
  });
  Nodes nodes;
  if (auto const failure = error_of_all(
          [&] { nodes = Impl::find_nodes(*m_bootstrap, pes_per_node); })) {
    throw_failure(
        {failure->kind, Text("symm::initialize: ", failure->message)});
  }
  return nodes;
}

void Runtime::make_device_memories(int device) {
  auto const agree = agree_through(*m_bootstrap);
  auto const make  = [&](MemoryKind kind) {
    memory(kind).provider =
        make_device_memory(kind, device, nodes().n_on_machine());
  };
  all_or_none(agree, "symm::initialize", [&] {
    make(MemoryKind::device);
    if (nodes().n() > 1 && my_pe() == 0 && loads_kernels_at_launch()) {
      std::fprintf(stderr,
                   "symm::initialize: kernels that wait for PEs of other nodes "
                   "may wait for ever, since CUDA loads kernels at their first "
                   "launch here: set CUDA_MODULE_LOADING=EAGER, or call "
                   "initialize() before anything starts CUDA\n");
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
    all_or_none(agree, "it cannot be had", [&] { make(MemoryKind::host); });
    try_out(*memory(MemoryKind::host).provider);
  });
  if (!failure) return;
  memory(MemoryKind::host).provider = nullptr;
  memory(MemoryKind::host).missing  = failure->message;
}

/// Collective: finds out whether PEs share GPUs, with or without MPS.
void Runtime::find_shared_gpus(int device) {
  GpuOfPe mine;
  all_or_none(agree_through(*m_bootstrap), "symm::initialize",
              [&] { mine = identify_device(device); });
  // All PEs compute the same result. Without MPS, the kernels of one PE keep
  // the other PEs on its GPU waiting.
  auto const all = allgather(*m_bootstrap, mine);
  auto n_most    = std::ptrdiff_t{0};
  for (auto const& gpu : all) {
    auto const n = std::count_if(all.begin(), all.end(), [&](auto const& it) {
      return it.uuid == gpu.uuid;
    });
    m_are_gpus_shared = m_are_gpus_shared || n > 1;
    if (!gpu.has_mps) n_most = std::max(n_most, n);
  }
  m_has_gates = n_most > 1;
  if (m_has_gates && my_pe() == 0) {
    std::fprintf(
        stderr,
        "symm::initialize: up to %td PEs share a GPU and take turns on "
        "it. Started before the job, nvidia-cuda-mps-control -d lets "
        "their kernels run side by side\n",
        n_most);
  }
}

/// Collective: creates, shares and maps a little memory, and releases it. No
/// property of a device shows whether peers can reach each other, or whether a
/// container forbids sharing: only an attempt does.
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
  // The buffers use the provider of the default heap, which is made first.
  if (!m_buffers) m_buffers.emplace(provider);
}

SymmetricHeap& Runtime::heap(MemoryKind kind, char const* call) {
  auto const& [provider, heap, missing, private_memory] = memory(kind);
  if (heap != nullptr) return *heap;
  throw UsageError(std::string(call) + ": there is no symmetric heap in " +
                   (kind == MemoryKind::host ? "host" : "GPU") +
                   " memory: " + missing);
}

SymmetricHeap& Runtime::heap_of(void const* address) {
  for (auto const& memory : m_memories) {
    if (memory.heap != nullptr && memory.heap->contains(address)) {
      return *memory.heap;
    }
  }
  return heap();
}

SymmetricHeap& Runtime::heap_of(void const* address, char const* call) {
  return instance(call).heap_of(address);
}

SymmetricHeap& Runtime::heap_for(void const* memory) {
  for (auto const& [provider, heap, missing, private_memory] : m_memories) {
    if (heap == nullptr) continue;
    // If this fails, all PEs must learn of it. The heap therefore asks again in
    // its collective call.
    bool can_register  = false;
    auto const failure = failure_of(
        [&, &asked = *heap] { can_register = asked.can_register(memory); });
    if (failure || can_register) return *heap;
  }
  return heap();
}

void Runtime::register_buffer(void* address, std::size_t bytes) {
  for (auto const& [provider, heap, missing, private_memory] : m_memories) {
    if (heap != nullptr && heap->map().overlaps(address, bytes)) {
      throw UsageError("address " + address_text(address) + ", " +
                       bytes_text(bytes) +
                       ": in the symmetric heap, which needs no registration");
    }
  }
  m_buffers->add(address, bytes);
}

PrivateMemory& Runtime::private_memory(MemoryKind kind, char const* call) {
  static_cast<void>(heap(kind, call));
  return *memory(kind).private_memory;
}

std::size_t Runtime::trim() {
  std::size_t bytes = 0;
  for (auto const& memory : m_memories) {
    if (memory.heap != nullptr) bytes += memory.heap->trim();
  }
  return bytes;
}

std::optional<Pe> Runtime::find_gone() const {
  for (Pe const pe : nodes().near_pes()) {
    if (m_exchange->is_gone(pe)) return pe;
  }
  return std::nullopt;
}

void Runtime::finalize() {
  Runtime& runtime = instance("symm::finalize");
  std::vector<std::string> live;
  std::optional<Failure> open;  // the failure to close the network or the job
  run_collective(*runtime.m_bootstrap, "symm::finalize", [&] {
    for (auto const& memory : runtime.m_memories) {
      if (memory.heap == nullptr) continue;
      auto const in_heap = memory.heap->finalize();
      live.insert(live.end(), in_heap.begin(), in_heap.end());
      auto const beside = memory.private_memory->live();
      live.insert(live.end(), beside.begin(), beside.end());
      if (!beside.empty()) memory.heap->abandon();
    }
    // After all that may throw, as the listener must not end before the job
    // does.
    if (runtime.m_listener != nullptr) {
      auto const in_pools = runtime.m_listener->finalize();
      live.insert(live.end(), in_pools.begin(), in_pools.end());
      for (auto const& memory : runtime.m_memories) {
        if (!in_pools.empty() && memory.heap != nullptr) memory.heap->abandon();
      }
    }
    if (runtime.m_trace != nullptr) runtime.m_trace->end();
#ifdef SYMM_CHECK
    check::s_checker.finish(*runtime.m_bootstrap);
#endif
    if (runtime.m_network == nullptr) return;
    open = failure_of([&] { runtime.m_network->close(); });
    runtime.set_transport(nullptr);
  });
  for (auto const& line : lines_of_live_views(live)) {
    std::fprintf(stderr, "symm::finalize: PE %d: %s\n", runtime.my_pe(),
                 line.c_str());
  }
  auto const still_open = failure_of([&] { runtime.m_bootstrap->close(); });
  if (!open) open = still_open;
  s_instance.reset();
  s_was_finalized = true;
  if (open) {
    throw_failure({open->kind, Text("symm::finalize: ", open->message)});
  }
}

void Runtime::throw_not_initialized(char const* call) {
  if (s_of_parent != nullptr) {
    throw UsageError(std::string(call) +
                     ": called in a process that a PE has forked, which is "
                     "none; call it in the PE");
  }
  throw UsageError(std::string(call) +
                   (s_was_finalized ? ": called after symm::finalize()"
                                    : ": called before symm::initialize()") +
                   "; a symm::ScopeGuard in main() keeps the symmetric heap "
                   "initialized as long as it lives");
}

}  // namespace symm::Impl
