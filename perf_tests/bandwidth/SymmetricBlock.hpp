// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PERF_SYMMETRIC_BLOCK_HPP
#define SYMM_PERF_SYMMETRIC_BLOCK_HPP

#include <Kokkos_SymmetricSpace.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace perf {

/// Symmetric memory, page-aligned like PrivateBuffer: the distance between
/// source and target modulo the page size affects the speed of memcpy, and must
/// be the same for all contestants. Construction and destruction are
/// collective.
class SymmetricBlock {
 public:
  explicit SymmetricBlock(std::size_t bytes)
      : m_words(static_cast<std::uint64_t*>(symm::align(4096, bytes))) {
    if (m_words == nullptr) throw std::bad_alloc();
  }

  [[nodiscard]] std::uint64_t* data() const { return m_words.get(); }

 private:
  struct Free {
    void operator()(void* p) const { symm::free(p); }
  };

  std::unique_ptr<std::uint64_t, Free> m_words;
};

}  // namespace perf

#endif
