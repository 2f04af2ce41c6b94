// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// The members of Vmm_Gpu that differ between vendors.

#include <cstddef>
#include <cstdint>
#include <string>

#include "../gpu/Vmm_Gpu.hpp"
#include "WordChanges.hpp"

namespace symm::Impl {

// HIP has no contexts. Each thread has a current device.

void Vmm_Gpu::retain_context() {}

void Vmm_Gpu::release_context() noexcept {}

gpu::Result Vmm_Gpu::ContextGuard::enter() noexcept {
  auto const& driver = m_vmm.m_driver;
  if (auto const result = driver.get_device(&m_before);
      result != gpu::success) {
    return result;
  }
  return driver.set_device(m_vmm.m_device);
}

Vmm_Gpu::ContextGuard::~ContextGuard() {
  if (!*this) return;
  // This call fails only if the device is lost.
  static_cast<void>(m_vmm.m_driver.set_device(m_before));
}

/// Before HIP 7.1, the parameter for the descriptor is its address. (This is
/// from ROCm's sources. Nobody has tried it.)
gpu::Result Vmm_Gpu::import_memory(gpu::MemoryHandle& handle,
                                   UniqueFd const& descriptor) const {
  ContextGuard const context(*this, std::nothrow);
  if (!context) return gpu::invalid_context;
  constexpr int by_value_since = 70'100'000;
  int version                  = 0;
  if (auto const result = m_driver.driver_get_version(&version);
      result != gpu::success) {
    return result;
  }
  int value         = descriptor.get();
  auto* const given = version >= by_value_since
                          ? reinterpret_cast<void*>(std::intptr_t{value})
                          : static_cast<void*>(&value);
  return m_driver.mem_import_from_shareable_handle(&handle, given,
                                                   gpu::by_descriptor);
}

void Vmm_Gpu::check_pinned(void* address) const {
  void* on_gpu      = nullptr;
  auto const result = m_driver.host_get_device_pointer(&on_gpu, address, 0);
  if (result == gpu::success && on_gpu == address) return;
  static_cast<void>(m_driver.host_unregister(address));
  auto const what = "page-locking memory at " + address_text(address);
  check(result, m_driver.host_get_device_pointer.name, [&] { return what; });
  throw SystemError(what + ": kernels find it at " + address_text(on_gpu) +
                    "; this library needs the same address");
}

void const* Vmm_Gpu::word_changes_code() const { return word_changes_object(); }

void Vmm_Gpu::copy_contiguous(void* to, void const* from,
                              std::size_t bytes) const {
  run("copying memory of " + m_place, m_driver.copy, to, from, bytes,
      hipMemcpyDefault);
}

void Vmm_Gpu::enqueue_copy(void* to, void const* from, std::size_t bytes,
                           gpu::Stream stream) const {
  run("copying memory of " + m_place, m_driver.copy_async, to, from, bytes,
      hipMemcpyDefault, stream);
}

void Vmm_Gpu::enqueue_copy_2d(Strided const& all, gpu::Stream stream) const {
  run("copying memory of " + m_place, m_driver.copy_2d_async, all.to,
      all.to_stride, all.from, all.from_stride, all.element_bytes, all.count,
      hipMemcpyDefault, stream);
}

// Each call concerns one word: HIP 5.2.3 has no call for several. During the
// capture of a stream, such calls take effect at once (ROCm's sources).

void Vmm_Gpu::refuse_capture(void* queue) {
  if (!is_captured(queue)) return;
  throw UsageError(
      "HIP cannot record waits for words and stores of words in a graph; "
      "enqueue this operation outside the capture");
}

/// HIP compares words as unsigned numbers, which do not wrap around (ROCm's
/// sources; device-libs, amdblit.cl). A first wait therefore lets no negative
/// word pass.
void Vmm_Gpu::wait_for_words(void* queue, WordWait const* waits,
                             std::size_t n) {
  constexpr auto every_bit = ~std::uint64_t{0};
  auto const sign_of       = [](WordWait const& wait) {
    return std::uint64_t{1} << (8 * wait.bytes - 1);
  };
  refuse_capture(queue);
  for (std::size_t i = 0; i < n; ++i) {
    if (waits[i].is_equal || (waits[i].value & sign_of(waits[i])) == 0)
      continue;
    throw UsageError(
        "HIP compares words as unsigned numbers: a queue cannot wait until a "
        "word is at least " +
        std::to_string(waits[i].value) +
        ", whose highest bit is set; wait on the host or in a kernel");
  }
  ContextGuard const context(*this);
  auto* const stream = static_cast<gpu::Stream>(queue);
  auto const what    = "enqueuing a wait on " + m_place;
  for (std::size_t i = 0; i < n; ++i) {
    auto const& all = waits[i];
    auto const wait = [&](std::uint64_t value, unsigned flags,
                          std::uint64_t mask) {
      auto* const word = gpu::device_pointer(all.address);
      if (all.bytes == 8) {
        run(what, m_driver.wait_for_word_64, stream, word, value, flags, mask);
      } else {
        run(what, m_driver.wait_for_word_32, stream, word,
            static_cast<std::uint32_t>(value), flags,
            static_cast<std::uint32_t>(mask));
      }
    };
    if (all.is_equal) {
      wait(all.value, hipStreamWaitValueEq, every_bit);
      continue;
    }
    wait(0, hipStreamWaitValueEq, sign_of(all));
    if (all.value != 0) wait(all.value, hipStreamWaitValueGte, every_bit);
  }
}

void Vmm_Gpu::store_words(void* queue, WordStore const* stores, std::size_t n) {
  refuse_capture(queue);
  ContextGuard const context(*this);
  auto* const stream = static_cast<gpu::Stream>(queue);
  auto const what    = "storing to memory of " + m_place;
  for (std::size_t i = 0; i < n; ++i) {
    auto const& [address, value, bytes] = stores[i];
    auto* const word                    = gpu::device_pointer(address);
    if (bytes == 8) {
      run(what, m_driver.store_word_64, stream, word, value, 0);
    } else {
      run(what, m_driver.store_word_32, stream, word,
          static_cast<std::uint32_t>(value), 0);
    }
  }
}

}  // namespace symm::Impl
