// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_VMM_CUDA_HPP
#define SYMM_VMM_CUDA_HPP

#include <cuda.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "../base/Types.hpp"
#include "../memory/MemoryProvider.hpp"
#include "../memory/VmmLedger.hpp"
#include "CudaDriver.hpp"

namespace symm::Impl {

/// Memory from the CUDA driver's virtual memory management: GPU memory, or host
/// memory on the NUMA node next to the GPU, which both CPUs and GPUs can
/// access.
///
/// Physical memory is allocated on creation, not on first touch. The GPU must
/// support virtual memory management, and memory that can be shared through
/// file descriptors. For host memory, the GPU must also support virtual memory
/// management of host memory.
class Vmm_Cuda final : public MemoryProvider {
 public:
  /// \param driver    must outlive this object.
  /// \param device    the GPU's ordinal among the GPUs that this process sees.
  /// \param n_sharers number of PEs on this node that each create the same
  ///        amount of host memory.
  /// \throws SystemError if the GPU lacks this support.
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
  [[nodiscard]] bool can_import(UniqueFd const& descriptor) const override;
  [[nodiscard]] std::optional<Access> access_from(MemoryKind user,
                                                  int device) const override;
  [[nodiscard]] std::optional<FabricHandle> export_fabric(
      Handle handle) override;
  [[nodiscard]] std::optional<Handle> import_fabric(FabricHandle const& fabric,
                                                    std::size_t bytes) override;
  [[nodiscard]] Handle retain(void const* address) override;
  [[nodiscard]] std::optional<Mapping> find_mapping(
      void const* address) override;
  [[nodiscard]] bool is_same_memory(void const* a, void const* b) override;
  [[nodiscard]] std::string describe(void const* address) override;
  [[nodiscard]] bool pin(void* address, std::size_t bytes) override;
  void unpin(void* address) override;
  [[nodiscard]] std::optional<ForeignHandle> export_foreign(
      void const* address, std::size_t bytes) override;
  [[nodiscard]] char* open_foreign(ForeignHandle const& handle) override;
  void close_foreign(char* start) override;
  void unmap(char* address, std::size_t bytes) override;
  void release(Handle handle) override;
  void address_free(char* address, std::size_t bytes) override;
  void zero(char* address, std::size_t bytes) override;
  void copy(void* to, void const* from, std::size_t bytes) override;
  /// Makes a single call to the driver, unless a stride exceeds the driver's
  /// limit of 2 GiB.
  void copy_strided(Strided const& all, void* queue) override;
  void synchronize() override;
  [[nodiscard]] bool is_idle(void* queue) override;
  void wait(void* queue) override;
  void make_wait(void* later, void* earlier) override;
  [[nodiscard]] bool is_captured(void* queue) override;
  void wait_for_words(void* queue, WordWait const* waits,
                      std::size_t n) override;
  [[nodiscard]] void* make_queue() override;
  void free_queue(void* queue) noexcept override;
  void store_words(void* queue, WordStore const* stores,
                   std::size_t n) override;
  void begin_changes(void* queue, AtomicBoard* board,
                     std::uint64_t run) override;
  [[nodiscard]] void* allocate(std::size_t bytes) override;
  void deallocate(void* memory) noexcept override;
  void run_in_context(std::function<void()> const& body) override;
  [[nodiscard]] bool is_on_gpu(void const* address) override;
  void abandon() noexcept override { m_is_abandoned = true; }

 private:
  /// One reference to physical memory; the driver counts references.
  struct Memory {
    CUmemGenericAllocationHandle handle = 0;
    std::size_t bytes                   = 0;
    Sharing sharing                     = Sharing::none;
    bool has_fabric                     = false;
  };
  class ContextGuard;
  class Reference;

  [[nodiscard]] CUfunction word_changes();
  [[nodiscard]] int attribute(CUdevice_attribute which) const;
  void require(CUdevice_attribute which, char const* what) const;
  void choose_location();
  void choose_granularity();
  void check_host_memory(std::size_t bytes) const;
  Handle add_handle(std::shared_ptr<Memory> const& memory);
  /// Like find_mapping() and describe(), but for callers that hold m_mutex.
  [[nodiscard]] std::optional<Mapping> mapping_around(
      void const* address) const;
  [[nodiscard]] std::string text_about(void const* address) const;
  [[nodiscard]] CUdeviceptr start_around(CUdeviceptr address, std::size_t bytes,
                                         Reference const& memory) const;
  [[nodiscard]] std::string text_about_vmm(void const* address,
                                           Reference const& memory) const;
  /// An attribute of the memory at `address`; nullopt if CUDA has no record of
  /// that memory.
  [[nodiscard]] std::optional<int> attribute_of(
      void const* address, CUpointer_attribute which) const;
  [[nodiscard]] bool is_known(void const* address) const;
  [[nodiscard]] bool is_managed(void const* address) const;
  [[nodiscard]] bool is_only_reserved(void const* address) const;
  CUresult create_memory(Memory& memory, int handle_types) const;
  CUresult import_memory(CUmemGenericAllocationHandle& handle,
                         UniqueFd const& descriptor) const;
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
  std::vector<CUmemLocation> m_users;  // the GPU and CPUs that get access
  std::size_t m_minimum     = 0;
  std::size_t m_recommended = 0;
  bool m_may_have_fabric    = false;
  std::mutex m_mutex;  // locked by every public function that uses the ledger
  std::optional<VmmLedger<Memory>> m_ledger;
  std::mutex m_event_mutex;
  CUevent m_event = nullptr;  // created by the first make_wait()
  // Loaded by the first begin_changes().
  CUmodule m_module         = nullptr;
  CUfunction m_word_changes = nullptr;
  bool m_is_abandoned       = false;
};

/// Makes the device's primary context, which Kokkos and the CUDA runtime also
/// use, the current context of this thread.
class Vmm_Cuda::ContextGuard {
 public:
  explicit ContextGuard(Vmm_Cuda const& vmm) : m_driver(vmm.m_driver) {
    vmm.check(m_driver.cuCtxPushCurrent(vmm.m_context), "using " + vmm.m_place,
              "cuCtxPushCurrent");
  }
  ~ContextGuard() {
    CUcontext ours = nullptr;
    // This call fails only if other code has popped the context.
    static_cast<void>(m_driver.cuCtxPopCurrent(&ours));
  }
  ContextGuard(ContextGuard const&)            = delete;
  ContextGuard& operator=(ContextGuard const&) = delete;

 private:
  CudaDriver const& m_driver;
};

}  // namespace symm::Impl

#endif
