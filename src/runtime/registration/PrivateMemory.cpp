// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "PrivateMemory.hpp"

#include <cstdio>
#include <limits>

#include "../base/Failure.hpp"
#include "../base/Types.hpp"

namespace symm::Impl {

char* PrivateMemory::allocate(std::string const& label, std::size_t bytes) {
  auto const unit = m_vmm.granularity(Vmm::Granularity::recommended);
  if (bytes > std::numeric_limits<std::size_t>::max() - unit) {
    throw OutOfMemory("View \"" + label + "\": " + bytes_text(bytes) +
                      " exceeds the size of the address space");
  }
  auto const rounded = round_up(bytes, unit);
  std::lock_guard const lock(m_mutex);
  char* address      = nullptr;
  bool is_mapped     = false;
  auto const failure = failure_of([&] {
    address = m_vmm.reserve(rounded);
    m_blocks.emplace(address, Block{rounded, label});
    auto const handle = m_vmm.create(rounded, Vmm::Sharing::by_descriptor);
    auto const step =
        failure_of([&] { m_vmm.map(address, rounded, 0, handle); });
    is_mapped = !step;
    m_vmm.release(handle);  // the mapping keeps the memory alive
    if (step) throw_failure(*step);
    m_vmm.set_access(address, rounded, Vmm::Access::read_write);
    if (!m_vmm.creates_zeros()) m_queue.zero(address, rounded);
  });
  if (!failure) return address;
  if (address != nullptr) {
    m_blocks.erase(address);
    // Report only the first failure. The provider's destructor frees whatever
    // remains.
    static_cast<void>(failure_of([&] {
      if (is_mapped) m_vmm.unmap(address, rounded);
      m_vmm.address_free(address, rounded);
    }));
  }
  throw_failure(
      {failure->kind, Text("View \"", label, "\": ", failure->message)});
}

void PrivateMemory::free(void const* address) noexcept {
  auto const failure = failure_of([&] {
    std::lock_guard const lock(m_mutex);
    auto const block = m_blocks.find(address);
    if (block == m_blocks.end()) return;
    auto const bytes = block->second.bytes;
    m_blocks.erase(block);
    auto* const start = static_cast<char*>(const_cast<void*>(address));
    m_vmm.unmap(start, bytes);
    m_vmm.address_free(start, bytes);
  });
  if (failure) {
    std::fprintf(stderr, "symm: freeing registrable memory at %p failed: %s\n",
                 address, failure->message.c_str());
  }
}

std::vector<std::string> PrivateMemory::live() const {
  std::lock_guard const lock(m_mutex);
  std::vector<std::string> result;
  for (auto const& [address, block] : m_blocks) {
    result.push_back("\"" + block.label + "\" (registrable, " +
                     bytes_text(block.bytes) + ")");
  }
  return result;
}

}  // namespace symm::Impl
