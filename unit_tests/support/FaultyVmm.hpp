// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_FAULTY_VMM_HPP
#define SYMM_TEST_FAULTY_VMM_HPP

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include <runtime/memory/MemoryProvider.hpp>
#include <runtime/symm_errors.hpp>

namespace symm_test {

/// The steps of adding and removing memory that can be made to fail.
enum class VmmStep {
  none,
  reserve,
  create,
  map,
  set_access,
  export_handle,
  import_handle,
  retain,
  pin,
  unmap,
  zero,
  copy,
  synchronize,
};

/// Forwards everything to another provider, except for the steps that a test
/// makes fail.
class FaultyVmm final : public symm::Impl::MemoryProvider {
 public:
  explicit FaultyVmm(symm::Impl::MemoryProvider& vmm) : m_vmm(vmm) {}

  /// Starting with call number `first` of `step` (counted from 0, from now on),
  /// `times` calls run `action` before they do their work. The default action
  /// throws.
  void fail(VmmStep step, int first = 0, int times = 1'000'000,
            std::function<void()> action = throw_injected) {
    m_n_calls = 0;
    m_step    = step;
    m_first   = first;
    m_last    = first + times;
    m_action  = std::move(action);
  }

  void heal() { fail(VmmStep::none); }

  /// Makes one call of `step` fail, and also the undoing of what had been done
  /// by then: after the failure, nothing can be unmapped.
  void fail_with_undo(VmmStep step, int first = 0) {
    fail(step, first, 1, [this] {
      fail(VmmStep::unmap, 0, 1'000'000,
           [] { throw symm::SystemError("an injected failure of unmapping"); });
      throw_injected();
    });
  }

  /// From now on, this provider does not promise that new memory is zeroed.
  void create_anything() { m_creates_zeros = false; }

  static void throw_injected() {
    throw symm::OutOfMemory("an injected failure");
  }

  [[nodiscard]] std::string place() const override { return m_vmm.place(); }
  [[nodiscard]] std::size_t granularity(Granularity kind) const override {
    return m_vmm.granularity(kind);
  }
  [[nodiscard]] char* reserve(std::size_t bytes, std::size_t alignment = 0,
                              void* hint = nullptr) override {
    before(VmmStep::reserve);
    return m_vmm.reserve(bytes, alignment, hint);
  }
  [[nodiscard]] Handle create(std::size_t bytes, Sharing sharing) override {
    before(VmmStep::create);
    return m_vmm.create(bytes, sharing);
  }
  void map(char* address, std::size_t bytes, std::size_t offset,
           Handle handle) override {
    before(VmmStep::map);
    m_vmm.map(address, bytes, offset, handle);
  }
  void set_access(char* address, std::size_t bytes, Access access) override {
    before(VmmStep::set_access);
    m_vmm.set_access(address, bytes, access);
  }
  [[nodiscard]] symm::Impl::UniqueFd export_handle(Handle handle) override {
    before(VmmStep::export_handle);
    return m_vmm.export_handle(handle);
  }
  [[nodiscard]] Handle import_handle(symm::Impl::UniqueFd descriptor,
                                     std::size_t bytes) override {
    before(VmmStep::import_handle);
    return m_vmm.import_handle(std::move(descriptor), bytes);
  }
  [[nodiscard]] bool can_import(
      symm::Impl::UniqueFd const& descriptor) const override {
    return m_vmm.can_import(descriptor);
  }
  [[nodiscard]] std::optional<Access> access_from(symm::MemoryKind user,
                                                  int device) const override {
    return m_vmm.access_from(user, device);
  }
  [[nodiscard]] Handle retain(void const* address) override {
    before(VmmStep::retain);
    return m_vmm.retain(address);
  }
  [[nodiscard]] std::optional<Mapping> find_mapping(
      void const* address) override {
    return m_vmm.find_mapping(address);
  }
  [[nodiscard]] bool is_same_memory(void const* a, void const* b) override {
    return m_vmm.is_same_memory(a, b);
  }
  [[nodiscard]] bool creates_zeros() const override {
    return m_creates_zeros && m_vmm.creates_zeros();
  }
  [[nodiscard]] std::string describe(void const* address) override {
    return m_vmm.describe(address);
  }
  [[nodiscard]] bool pin(void* address, std::size_t bytes) override {
    before(VmmStep::pin);
    return m_vmm.pin(address, bytes);
  }
  void unpin(void* address) override { m_vmm.unpin(address); }
  [[nodiscard]] std::optional<ForeignHandle> export_foreign(
      void const* address, std::size_t bytes) override {
    return m_vmm.export_foreign(address, bytes);
  }
  [[nodiscard]] char* open_foreign(ForeignHandle const& handle) override {
    return m_vmm.open_foreign(handle);
  }
  void close_foreign(char* start) override { m_vmm.close_foreign(start); }
  void unmap(char* address, std::size_t bytes) override {
    before(VmmStep::unmap);
    m_vmm.unmap(address, bytes);
  }
  void release(Handle handle) override { m_vmm.release(handle); }
  void address_free(char* address, std::size_t bytes) override {
    m_vmm.address_free(address, bytes);
  }
  void zero(char* address, std::size_t bytes) override {
    before(VmmStep::zero);
    m_vmm.zero(address, bytes);
  }
  void copy(void* to, void const* from, std::size_t bytes) override {
    before(VmmStep::copy);
    m_vmm.copy(to, from, bytes);
  }
  void synchronize() override {
    before(VmmStep::synchronize);
    m_vmm.synchronize();
  }
  [[nodiscard]] std::optional<FabricHandle> export_fabric(
      Handle handle) override {
    return m_vmm.export_fabric(handle);
  }
  [[nodiscard]] std::optional<Handle> import_fabric(
      FabricHandle const& fabric, std::size_t bytes) override {
    return m_vmm.import_fabric(fabric, bytes);
  }
  void abandon() noexcept override { m_vmm.abandon(); }

 private:
  void before(VmmStep step) {
    if (step != m_step) return;
    int const call = m_n_calls++;
    if (call < m_first || call >= m_last) return;
    auto const action = m_action;  // which may set another one
    action();
  }

  symm::Impl::MemoryProvider& m_vmm;
  VmmStep m_step       = VmmStep::none;
  int m_n_calls        = 0;
  int m_first          = 0;
  int m_last           = 0;
  bool m_creates_zeros = true;
  std::function<void()> m_action;
};

}  // namespace symm_test

#endif
