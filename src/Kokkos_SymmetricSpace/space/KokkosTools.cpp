// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "KokkosTools.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include <Kokkos_Core.hpp>

#include "../../runtime/base/Observer.hpp"

namespace symm::Impl {

namespace {

namespace Tools = Kokkos::Tools;

struct Memory {
  char const* space;
  std::string label;
  std::size_t bytes;
};

class ToolsObserver final : public Observer {
 public:
  ToolsObserver() { ObserverList::add(*this); }
  ~ToolsObserver() override { ObserverList::remove(*this); }

  void begin(Operation const& operation) noexcept override {
    if (!is_told()) return;
    std::string const call = operation.call;
    if (operation.kind == OperationKind::waiting_for_pes) {
      Tools::beginFence(call + ": waiting for PEs",
                        Tools::Experimental::device_id_root<
                            Kokkos::DefaultHostExecutionSpace>(),
                        &m_fence);
      return;
    }
    Tools::pushRegion(call);
    if (moves(operation)) begin_copy(operation);
  }

  void end(Operation const& operation) noexcept override {
    if (!is_told()) return;
    if (operation.kind == OperationKind::waiting_for_pes) {
      Tools::endFence(m_fence);
      return;
    }
    if (moves(operation)) Tools::endDeepCopy();
    Tools::popRegion();
  }

  void note(char const* space, char const* label, void const* address,
            std::size_t bytes) {
    std::lock_guard const lock(m_mutex);
    m_memories.insert_or_assign(address, Memory{space, label, bytes});
  }
  std::optional<Memory> forget(void const* address) {
    std::lock_guard const lock(m_mutex);
    auto const node = m_memories.extract(address);
    if (node.empty()) return std::nullopt;
    return node.mapped();
  }

 private:
  [[nodiscard]] bool is_told() const {
    return std::this_thread::get_id() == m_thread;
  }
  static bool moves(Operation const& operation) {
    return operation.symmetric != nullptr && operation.bytes != 0 &&
           operation.kind != OperationKind::atomic;
  }

  /// The labeled memory that holds `address`, if any.
  [[nodiscard]] std::optional<Memory> find(void const* address) {
    std::lock_guard const lock(m_mutex);
    auto next = m_memories.upper_bound(address);
    if (next == m_memories.begin()) return std::nullopt;
    auto const& [start, memory] = *--next;
    auto const offset           = reinterpret_cast<std::uintptr_t>(address) -
                        reinterpret_cast<std::uintptr_t>(start);
    if (offset >= memory.bytes) return std::nullopt;
    return memory;
  }

  void begin_copy(Operation const& operation) {
    auto const there =
        find(operation.symmetric)
            .value_or(Memory{"Symmetric", "symmetric memory", 0});
    auto const here =
        find(operation.local).value_or(Memory{"Host", "memory of this PE", 0});
    auto const peer = there.label + " of PE " + std::to_string(operation.pe);
    auto const peer_space = Tools::make_space_handle(there.space);
    auto const own_space  = Tools::make_space_handle(here.space);
    bool const is_get     = operation.kind == OperationKind::get;
    if (is_get) {
      Tools::beginDeepCopy(own_space, here.label, operation.local, peer_space,
                           peer, operation.symmetric, operation.bytes);
    } else {
      Tools::beginDeepCopy(peer_space, peer, operation.symmetric, own_space,
                           here.label, operation.local, operation.bytes);
    }
  }

  std::thread::id m_thread = std::this_thread::get_id();
  std::uint64_t m_fence    = 0;
  std::mutex m_mutex;
  std::map<void const*, Memory, std::less<>> m_memories;
};

std::unique_ptr<ToolsObserver> s_tools;

}  // namespace

void observe_for_tools() {
  if (s_tools != nullptr || !Tools::profileLibraryLoaded()) return;
  s_tools = std::make_unique<ToolsObserver>();
}

void end_observing_for_tools() noexcept { s_tools = nullptr; }

void note_label(char const* space, char const* label, void const* address,
                std::size_t bytes) noexcept {
  if (s_tools != nullptr) s_tools->note(space, label, address, bytes);
}

void forget_label(void const* address) noexcept {
  if (s_tools != nullptr) s_tools->forget(address);
}

void tell_tools_of_memory(char const* space, char const* label,
                          void const* address, std::size_t bytes) noexcept {
  if (s_tools == nullptr) return;
  s_tools->note(space, label, address, bytes);
  Tools::allocateData(Tools::make_space_handle(space), label, address, bytes);
}

void tell_tools_of_end(void const* address) noexcept {
  if (s_tools == nullptr) return;
  auto const memory = s_tools->forget(address);
  if (!memory) return;
  Tools::deallocateData(Tools::make_space_handle(memory->space), memory->label,
                        address, memory->bytes);
}

}  // namespace symm::Impl
