// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Runtime.hpp"

#include <pthread.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "../base/EnvironmentTable.hpp"
#include "../base/Failure.hpp"
#include "../check/Detector.hpp"
#include "../heap/LiveObjects.hpp"
#include "../memory/Vmm_HostMemfd.hpp"
#include "../network/Network.hpp"
#include "CommonSettings.hpp"
#include "Trace.hpp"

namespace symm::Impl {

namespace {

std::uint64_t s_n_runtimes = 0;
bool s_was_finalized       = false;
Runtime const* s_of_parent = nullptr;  // null except in a PE's forked child

}  // namespace

// Defined in a source file, because a program with hidden symbols would
// otherwise have its own instance.
std::unique_ptr<Runtime> Runtime::s_instance;

void Runtime::initialize(std::unique_ptr<Bootstrap> bootstrap,
                         std::optional<int> device) {
  if (is_initialized()) {
    throw UsageError(
        "symm::initialize: the library is already initialized; call it once, "
        "before the first View and after the last finalize()");
  }
  auto& job = *bootstrap;
  std::shared_ptr<Bootstrap> shared;
  try {
    run_collective(job, "symm::initialize", [&] {
      shared     = std::move(bootstrap);
      s_instance = std::unique_ptr<Runtime>(new Runtime(shared, device));
    });
  } catch (...) {
    // Either all PEs have thrown, or a bootstrap step has failed, in which case
    // close() does not wait for other PEs. This exception matters more than a
    // failure of close().
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
    // This exception was thrown on all PEs, and it matters more than a failure
    // of close().
    static_cast<void>(failure_of([&] { m_network->close(); }));
    throw;
  }
  m_bootstrap->barrier();  // no PE may send before all PEs are ready
}

Runtime::~Runtime() = default;

/// Collective.
void Runtime::begin_check() {
  std::array<HeapMap const*, 2> heaps{};
  for (auto const kind : {MemoryKind::host, MemoryKind::device}) {
    auto const& heap = memory(kind).heap;
    if (heap != nullptr) heaps[index_of(kind)] = &heap->map();
  }
  check::start_detector(*m_bootstrap, heaps,
                        memory(MemoryKind::device).provider.get(),
                        [this](std::optional<Failure> const& mine) {
                          return m_rendezvous->agree(mine);
                        });
}

/// Collective.
void Runtime::make_network() {
  auto const failure = error_of_all([&] {
    m_network =
        std::make_unique<Network>(*m_bootstrap, *m_exchange, *m_control);
  });
  if (!failure) return;
  throw_failure({failure->kind,
                 Text("symm::initialize: PE 0 runs on ", nodes().hosts[0],
                      " and PE ", nodes().leader(1), " on ", nodes().hosts[1],
                      ", which requires a network: ", failure->message)});
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
    // If this check fails, all PEs must learn of the failure. Therefore, the
    // heap repeats the check in its collective call.
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
      throw UsageError(
          "address " + address_text(address) + ", " + bytes_text(bytes) +
          ": the range is in the symmetric heap, which needs no registration");
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
  std::optional<Failure> open;  // a failure to close the network or the job
  run_collective(*runtime.m_bootstrap, "symm::finalize", [&] {
    for (auto const& memory : runtime.m_memories) {
      if (memory.heap == nullptr) continue;
      auto const in_heap = memory.heap->finalize();
      live.insert(live.end(), in_heap.begin(), in_heap.end());
      auto const beside = memory.private_memory->live();
      live.insert(live.end(), beside.begin(), beside.end());
      if (!beside.empty()) memory.heap->abandon();
    }
    // This must follow everything that may throw, because the listener must
    // remain usable if the runtime does.
    if (runtime.m_listener != nullptr) {
      auto const in_pools = runtime.m_listener->finalize();
      live.insert(live.end(), in_pools.begin(), in_pools.end());
      for (auto const& memory : runtime.m_memories) {
        if (!in_pools.empty() && memory.heap != nullptr) memory.heap->abandon();
      }
    }
    if (runtime.m_trace != nullptr) runtime.m_trace->end();
    check::finish_detector(*runtime.m_bootstrap);
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
                     ": called in a process that a PE has forked; only the PE "
                     "itself may make this call");
  }
  throw UsageError(std::string(call) +
                   (s_was_finalized ? ": called after symm::finalize()"
                                    : ": called before symm::initialize()") +
                   "; a symm::ScopeGuard in main() keeps the library "
                   "initialized for its lifetime");
}

}  // namespace symm::Impl
