// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_VMM_GPU_HPP
#define SYMM_VMM_GPU_HPP

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "../base/Types.hpp"
#include "../memory/MemoryProvider.hpp"
#include "../memory/VmmLedger.hpp"
#include "Driver.hpp"

namespace symm::Impl {

/// Memory from the virtual memory management of a GPU's driver: GPU memory, or
/// host memory on the NUMA node next to the GPU, which both CPUs and GPUs can
/// access. <symm_gpu/DriverNames.hpp> says whose driver it is.
///
/// Physical memory is allocated on creation, not on first touch. The GPU must
/// support virtual memory management, and memory that can be shared through
/// file descriptors. For host memory, the GPU must also support virtual memory
/// management of host memory.
class Vmm_Gpu final : public MemoryProvider {
 public:
  /// \param driver    must outlive this object.
  /// \param device    the GPU's ordinal among the GPUs that this process sees.
  /// \param n_sharers number of PEs on this node that each create the same
  ///        amount of host memory.
  /// \throws SystemError if the GPU lacks this support.
  Vmm_Gpu(gpu::Driver const& driver, MemoryKind kind, int device,
          int n_sharers = 1);
  ~Vmm_Gpu() override;

  Vmm_Gpu(Vmm_Gpu const&)            = delete;
  Vmm_Gpu& operator=(Vmm_Gpu const&) = delete;

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
  /// Physical memory. The driver's handle is kept until the last mapping and
  /// the last of this class's handles are gone, so that retain() need not ask
  /// the driver for it.
  struct Memory {
    gpu::MemoryHandle handle = {};
    std::size_t bytes        = 0;
    Sharing sharing          = Sharing::none;
    bool has_fabric          = false;
  };
  class ContextGuard;
  class Reference;
  /// Addresses that the driver has reserved.
  struct Reserved {
    gpu::Pointer start = {};
    std::size_t bytes  = 0;
  };

  // Each vendor defines these, wait_for_words(), store_words() and the guard.

  /// Keeps the device's context, which Kokkos and the vendor's runtime also
  /// use, until release_context().
  void retain_context();
  void release_context() noexcept;
  gpu::Result import_memory(gpu::MemoryHandle& handle,
                            UniqueFd const& descriptor) const;
  /// (HIP's wait_for_words() and store_words() call this.)
  void refuse_capture(void* queue);
  /// Checks that kernels find page-locked memory at the host's address.
  /// Otherwise, unlocks it.
  /// \throws SystemError
  void check_pinned(void* address) const;
  /// The code of symm_change_words() (WordChanges.cu), for this GPU.
  [[nodiscard]] void const* word_changes_code() const;
  void copy_contiguous(void* to, void const* from, std::size_t bytes) const;
  void enqueue_copy(void* to, void const* from, std::size_t bytes,
                    gpu::Stream stream) const;
  /// Strides are at most `gpu::max_pitch`.
  void enqueue_copy_2d(Strided const& all, gpu::Stream stream) const;

  /// The driver's reservation around a range that reserve() has returned. It is
  /// larger than the range if the driver does not align.
  [[nodiscard]] Reserved reserved_around(char const* start,
                                         std::size_t bytes) const;
  /// For the driver's calls about memory. With HIP, they concern the thread's
  /// current device; with CUDA, the memory's, and there is nothing to guard.
  [[nodiscard]] std::optional<ContextGuard> guard_device() const;
  [[nodiscard]] gpu::Kernel word_changes();
  [[nodiscard]] int attribute(gpu::DeviceAttribute which) const;
  void require(gpu::DeviceAttribute which, char const* what) const;
  void choose_location();
  void choose_granularity();
  void check_host_memory(std::size_t bytes) const;
  Handle add_handle(std::shared_ptr<Memory> const& memory);
  /// Releases the driver's handle if only one handle or mapping in the ledger,
  /// and the caller, refer to the memory.
  void release_last(std::shared_ptr<Memory> const& memory);
  /// Like find_mapping() and describe(), but for callers that hold m_mutex.
  [[nodiscard]] std::optional<Mapping> mapping_around(
      void const* address) const;
  [[nodiscard]] std::string text_about(void const* address) const;
  [[nodiscard]] char* start_around(void const* address, std::size_t bytes,
                                   Reference const& memory) const;
  [[nodiscard]] std::string text_about_vmm(void const* address,
                                           Reference const& memory) const;
  /// An attribute of the memory at `address`; nullopt if the driver has
  /// no record of that memory.
  [[nodiscard]] std::optional<int> attribute_of(
      void const* address, gpu::PointerAttribute which) const;
  [[nodiscard]] bool is_known(void const* address) const;
  [[nodiscard]] bool is_managed(void const* address) const;
  [[nodiscard]] bool is_only_reserved(void const* address) const;
  gpu::Result create_memory(Memory& memory, int handle_types) const;
  [[noreturn]] void throw_no_memory(std::size_t bytes,
                                    gpu::Result result) const;
  template <class What>
  void check(gpu::Result result, char const* call, What const& what) const {
    m_driver.check(result, call, what);
  }
  /// Calls a function of the driver and checks its result.
  template <class... Parameters>
  void run(std::string const& what,
           gpu::DriverFunction<gpu::Result (*)(Parameters...)> const& function,
           std::type_identity_t<Parameters>... arguments) const {
    m_driver.run(what, function, arguments...);
  }

  gpu::Driver const& m_driver;
  MemoryKind m_kind;
  std::size_t m_n_sharers;
  gpu::Device m_device   = 0;
  gpu::Context m_context = {};
  std::string m_place;
  gpu::MemoryProperties m_properties{};
  std::vector<gpu::Location> m_users;  // the GPU and CPUs that get access
  std::size_t m_minimum     = 0;
  std::size_t m_recommended = 0;
  bool m_may_have_fabric    = false;
  std::mutex m_mutex;  // locked by every public function that uses the ledger
  std::optional<VmmLedger<Memory>> m_ledger;
  // Reservations that are larger than the range in the ledger, by its start.
  std::map<char const*, Reserved> m_padded;
  std::mutex m_event_mutex;
  gpu::Event m_event = nullptr;  // created by the first make_wait()
  // Loaded by the first begin_changes().
  gpu::Module m_module       = nullptr;
  gpu::Kernel m_word_changes = nullptr;
  bool m_is_abandoned        = false;
};

/// Makes the device's context the current context of this thread.
class Vmm_Gpu::ContextGuard {
 public:
  /// \throws SystemError if the context is lost.
  explicit ContextGuard(Vmm_Gpu const& vmm) : ContextGuard(vmm, std::nothrow) {
    vmm.check(m_result, gpu::text::enter,
              [&] { return "using " + vmm.m_place; });
  }
  /// Converts to false if the context is lost.
  ContextGuard(Vmm_Gpu const& vmm, std::nothrow_t) noexcept
      : m_vmm(vmm), m_result(enter()) {}
  ~ContextGuard();
  ContextGuard(ContextGuard const&)            = delete;
  ContextGuard& operator=(ContextGuard const&) = delete;

  explicit operator bool() const { return m_result == gpu::success; }

 private:
  gpu::Result enter() noexcept;

  Vmm_Gpu const& m_vmm;
  gpu::Context m_before = {};  // unless the driver keeps it
  gpu::Result m_result;
};

}  // namespace symm::Impl

#endif
