// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_VMM_HOST_MEMFD_HPP
#define SYMM_VMM_HOST_MEMFD_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "../base/Env.hpp"
#include "HostMemory.hpp"
#include "MemoryProvider.hpp"
#include "VmmLedger.hpp"

namespace symm::Impl {

/// Provides host memory from memfd_create() and mmap().
///
/// Pages are committed on first touch, on the NUMA node of the thread that
/// touches them. create() throws if the machine or its control group could not
/// commit the memory. Running out of memory therefore causes an error instead
/// of a later SIGBUS. Memory that was created earlier but has not been touched
/// yet counts as used. For reserved huge pages (hugetlb), the system does the
/// accounting, and create() reserves every page that the memory can ever need.
class Vmm_HostMemfd final : public MemoryProvider {
 public:
  using AvailableMemory = std::function<std::size_t()>;

  /// \param n_sharers number of PEs on this node, including this one, that each
  ///        create the same amount of memory.
  /// \throws UsageError if the system has no pages of the size that `pages`
  ///         specifies.
  explicit Vmm_HostMemfd(
      int n_sharers                    = 1,
      AvailableMemory available_memory = available_pageable_memory,
      HugePages pages                  = HugePages::never);
  ~Vmm_HostMemfd() override;

  Vmm_HostMemfd(Vmm_HostMemfd const&)            = delete;
  Vmm_HostMemfd& operator=(Vmm_HostMemfd const&) = delete;

  [[nodiscard]] std::string place() const override { return "host memory"; }
  [[nodiscard]] std::size_t granularity(Granularity kind) const override;
  [[nodiscard]] char* reserve(std::size_t bytes, std::size_t alignment = 0,
                              void* hint = nullptr) override;
  [[nodiscard]] bool creates_zeros() const override { return true; }
  [[nodiscard]] Handle create(std::size_t bytes, Sharing sharing) override;
  void map(char* address, std::size_t bytes, std::size_t offset,
           Handle handle) override;
  void set_access(char* address, std::size_t bytes, Access access) override;
  [[nodiscard]] UniqueFd export_handle(Handle handle) override;
  [[nodiscard]] Handle import_handle(UniqueFd descriptor,
                                     std::size_t bytes) override;
  [[nodiscard]] bool can_import(UniqueFd const& descriptor) const override;
  [[nodiscard]] std::optional<Access> access_from(MemoryKind user,
                                                  int device) const override;
  [[nodiscard]] Handle retain(void const* address) override;
  [[nodiscard]] std::optional<Mapping> find_mapping(
      void const* address) override;
  [[nodiscard]] bool is_same_memory(void const* a, void const* b) override;
  [[nodiscard]] std::string describe(void const* address) override;
  [[nodiscard]] bool pin(void* address, std::size_t bytes) override;
  void unpin(void* /*address*/) override {}
  void unmap(char* address, std::size_t bytes) override;
  void release(Handle handle) override;
  void address_free(char* address, std::size_t bytes) override;
  void zero(char* address, std::size_t bytes) override;
  void copy(void* to, void const* from, std::size_t bytes) override;
  void synchronize() override {}
  void abandon() noexcept override { m_is_abandoned = true; }

  /// Whether the process has mapped every page of the range, with any access
  /// rights. The range must be at least one byte long.
  [[nodiscard]] static bool is_mapped(void const* address, std::size_t bytes);

 private:
  struct Memory {
    UniqueFd descriptor;
    std::size_t bytes = 0;
    Sharing sharing   = Sharing::none;
    bool is_imported  = false;
  };

  void check_capacity(std::size_t bytes) const;
  void take_huge_pages(UniqueFd const& memory, std::size_t bytes) const;
  /// Like is_mapped(), but returns false if the first or last byte is in one of
  /// this provider's reservations and is not mapped.
  [[nodiscard]] bool is_memory(void const* address, std::size_t bytes) const;

  std::size_t m_page_bytes;
  HugePages m_pages;
  std::size_t m_unit;  // minimum granularity: ordinary or huge page size
  std::size_t m_n_sharers;
  AvailableMemory m_available_memory;
  std::mutex m_mutex;  // locked by every public function that uses the ledger
  VmmLedger<Memory> m_ledger;
  bool m_is_abandoned = false;
};

}  // namespace symm::Impl

#endif
