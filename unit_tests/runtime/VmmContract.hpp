// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_VMM_CONTRACT_HPP
#define SYMM_TEST_VMM_CONTRACT_HPP

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <runtime/memory/MemoryProvider.hpp>
#include <runtime/symm_errors.hpp>

namespace symm_test {

/// What the contract suite must know of a provider. A new provider adds
/// an implementation and instantiates both suites.
class VmmProvider {
 public:
  virtual ~VmmProvider() = default;

  [[nodiscard]] virtual std::string name() const = 0;
  /// Why this machine cannot run the tests; nothing, if it can.
  [[nodiscard]] virtual std::string reason_to_skip() const { return {}; }
  [[nodiscard]] virtual std::unique_ptr<symm::Impl::MemoryProvider> make()
      const = 0;

  /// Copies between the memory behind a mapped address and this program.
  virtual void write(char* to, std::vector<char> const& from) const     = 0;
  [[nodiscard]] virtual std::vector<char> read(char const* from,
                                               std::size_t bytes) const = 0;

  /// Whether an access to the address works, rather than faults.
  [[nodiscard]] virtual bool can_read(char const* address) const = 0;
  [[nodiscard]] virtual bool can_write(char* address) const      = 0;

  /// How much physical memory of Vmms is in use, in a unit of the provider's
  /// own; nothing if it cannot say.
  [[nodiscard]] virtual std::optional<std::size_t> in_use() const = 0;
  /// Whether in_use() counts the handles, descriptors and mappings of this
  /// process that keep memory, rather than the memory that any process keeps.
  [[nodiscard]] virtual bool counts_references() const = 0;
  /// Mappings of this process; nothing if the provider cannot say.
  [[nodiscard]] virtual std::optional<std::size_t> n_mappings() const = 0;
  /// Physical bytes behind a descriptor of export_handle(), likewise.
  [[nodiscard]] virtual std::optional<std::size_t> bytes_behind(
      symm::Impl::UniqueFd const& descriptor) const = 0;

  /// Whether import_handle() finds out if the size is another one. If not,
  /// mapping more than there is fails.
  [[nodiscard]] virtual bool knows_size_of_imports() const { return true; }
  /// Whether the system may refuse Access::read.
  [[nodiscard]] virtual bool may_refuse_read_only() const { return false; }
};

/// The rules V01-V47 that hold whatever the provider. Messages are the
/// provider's own; classes of errors are not.
class VmmContractBase : public testing::TestWithParam<VmmProvider const*> {
 protected:
  using Vmm    = symm::Impl::Vmm;
  using Handle = Vmm::Handle;

  void SetUp() override {
    auto const reason = provider().reason_to_skip();
    if (!reason.empty()) GTEST_SKIP() << reason;
  }

  /// Bytes that differ along a block and between seeds.
  static std::vector<char> pattern(std::size_t bytes, int seed) {
    std::vector<char> result(bytes);
    for (std::size_t i = 0; i < bytes; ++i) {
      result[i] = static_cast<char>((i % 251 + i / 4096) * 7 +
                                    static_cast<std::size_t>(seed));
    }
    return result;
  }

  static VmmProvider const& provider() { return *GetParam(); }

  /// True if the provider cannot say.
  static bool is_more_in_use_than(std::optional<std::size_t> before) {
    auto const now = provider().in_use();
    return !before || !now || *now > *before;
  }

  /// \returns false where the system refuses, as some may; rights have not
  ///          changed then.
  static bool set_read_only(Vmm& vmm, char* address, std::size_t bytes) {
    if (!provider().may_refuse_read_only()) {
      vmm.set_access(address, bytes, Vmm::Access::read);
      return true;
    }
    try {
      vmm.set_access(address, bytes, Vmm::Access::read);
      return true;
    } catch (symm::SystemError const&) {
      return false;
    }
  }
};

/// Tests in processes that they fork. This process itself makes no Vmm: the
/// CUDA driver does not survive a fork.
class VmmContractOfPes : public VmmContractBase {};

/// Tests in this process.
class VmmContract : public VmmContractBase {
 protected:
  /// Memory that is created, mapped and accessible.
  struct Block {
    char* address;
    std::size_t bytes;
    Handle handle;
  };

  Block new_block(std::size_t bytes,
                  Vmm::Sharing sharing = Vmm::Sharing::by_descriptor) {
    Block const block{m_vmm->reserve(bytes), bytes,
                      m_vmm->create(bytes, sharing)};
    map(block.address, bytes, block.handle);
    return block;
  }

  void map(char* address, std::size_t bytes, Handle handle) {
    m_vmm->map(address, bytes, 0, handle);
    m_vmm->set_access(address, bytes, Vmm::Access::read_write);
  }

  void remove(Block const& block) { remove(block, block.bytes); }
  void remove(Block const& block, std::size_t reserved_bytes) {
    m_vmm->unmap(block.address, block.bytes);
    m_vmm->release(block.handle);
    m_vmm->address_free(block.address, reserved_bytes);
  }

  std::unique_ptr<symm::Impl::MemoryProvider> m_vmm = GetParam()->make();
  std::size_t m_unit = m_vmm->granularity(Vmm::Granularity::minimum);
};

}  // namespace symm_test

#endif
