// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_VMM_CUDA_HPP
#define SYMM_VMM_CUDA_HPP

#include <cuda.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../runtime/CudaDriver.hpp"
#include "../runtime/Types.hpp"
#include "../runtime/Vmm.hpp"
#include "../runtime/VmmLedger.hpp"

namespace symm {

/// Memory of the CUDA driver's virtual memory management: a GPU's own, or that
/// of the NUMA node next to it, which CPUs and GPUs reach.
///
/// Physical memory is taken when it is created, not when it is touched. Needs
/// of the device virtual memory management and descriptors, nothing else.
class Vmm_Cuda final : public Vmm {
 public:
  /// \param driver    outlives this.
  /// \param device    ordinal among the GPUs that this process sees.
  /// \param n_sharers PEs of this node that each create as much host memory.
  /// \throws SystemError if the device cannot do it.
  Vmm_Cuda(CudaDriver const& driver, MemoryKind kind, int device,
           int n_sharers = 1);
  ~Vmm_Cuda() override;

  Vmm_Cuda(Vmm_Cuda const&)            = delete;
  Vmm_Cuda& operator=(Vmm_Cuda const&) = delete;

  [[nodiscard]] std::string place() const override { return m_place; }
  [[nodiscard]] std::size_t granularity(Granularity kind) const override;
  [[nodiscard]] char* reserve(std::size_t bytes, std::size_t alignment = 0,
                              void* hint = nullptr) override;
  [[nodiscard]] Handle create(std::size_t bytes, Sharing sharing) override;
  void map(char* address, std::size_t bytes, std::size_t offset,
           Handle handle) override;
  void set_access(char* address, std::size_t bytes, Access access) override;
  [[nodiscard]] UniqueFd export_handle(Handle handle) override;
  [[nodiscard]] Handle import_handle(UniqueFd descriptor,
                                     std::size_t bytes) override;
  [[nodiscard]] std::optional<FabricHandle> export_fabric(
      Handle handle) override;
  [[nodiscard]] std::optional<Handle> import_fabric(FabricHandle const& fabric,
                                                    std::size_t bytes) override;
  [[nodiscard]] Handle retain(void const* address) override;
  void unmap(char* address, std::size_t bytes) override;
  void release(Handle handle) override;
  void address_free(char* address, std::size_t bytes) override;
  void zero(char* address, std::size_t bytes) override;
  void copy(void* to, void const* from, std::size_t bytes) override;
  void synchronize() override;
  void abandon() noexcept override { m_is_abandoned = true; }

 private:
  /// One reference to physical memory: the driver counts them.
  struct Memory {
    CUmemGenericAllocationHandle handle = 0;
    std::size_t bytes                   = 0;
    Sharing sharing                     = Sharing::none;
    bool has_fabric                     = false;
  };
  class ContextGuard;

  [[nodiscard]] int attribute(CUdevice_attribute which) const;
  void require(CUdevice_attribute which, char const* what) const;
  void choose_location();
  void choose_granularity();
  void check_host_memory(std::size_t bytes) const;
  Handle add_handle(std::shared_ptr<Memory> const& memory);
  CUresult create_memory(Memory& memory, int handle_types) const;
  [[noreturn]] void throw_no_memory(std::size_t bytes, CUresult result) const;
  void check(CUresult result, std::string const& what, char const* call) const {
    m_driver.check(result, what, call);
  }

  CudaDriver const& m_driver;
  MemoryKind m_kind;
  std::size_t m_n_sharers;
  CUdevice m_device   = 0;
  CUcontext m_context = nullptr;
  std::string m_place;
  CUmemAllocationProp m_properties{};
  std::vector<CUmemLocation> m_users;  // who gets access
  std::size_t m_minimum     = 0;
  std::size_t m_recommended = 0;
  bool m_may_have_fabric    = false;
  std::optional<VmmLedger<Memory>> m_ledger;
  bool m_is_abandoned = false;
};

}  // namespace symm

#endif
