// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_VMM_CONTRACT_HPP
#define SYMM_TEST_VMM_CONTRACT_HPP

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <runtime/Vmm.hpp>

namespace symm_test {

/// What the contract suite must know of a provider of Vmm. A new provider adds
/// an implementation and one INSTANTIATE_TEST_SUITE_P.
class VmmProvider {
 public:
  virtual ~VmmProvider() = default;

  [[nodiscard]] virtual std::string name() const                = 0;
  [[nodiscard]] virtual std::unique_ptr<symm::Vmm> make() const = 0;

  /// Copies between the memory behind a mapped address and this program.
  virtual void write(char* to, std::vector<char> const& from) const     = 0;
  [[nodiscard]] virtual std::vector<char> read(char const* from,
                                               std::size_t bytes) const = 0;

  /// Whether an access to the address works, rather than faults.
  [[nodiscard]] virtual bool can_read(char const* address) const = 0;
  [[nodiscard]] virtual bool can_write(char* address) const      = 0;

  /// Handles, descriptors and mappings of this process that keep physical
  /// memory of a Vmm from going back to the system.
  [[nodiscard]] virtual std::size_t n_references() const = 0;
  /// Of them, those that are mappings.
  [[nodiscard]] virtual std::size_t n_mappings() const = 0;
  /// Physical bytes behind a descriptor of export_handle().
  [[nodiscard]] virtual std::size_t bytes_behind(
      symm::UniqueFd const& descriptor) const = 0;
};

/// The rules V01-V47 that hold whatever the provider. Messages are the
/// provider's own; classes of errors are not.
class VmmContract : public testing::TestWithParam<VmmProvider const*> {
 protected:
  using Vmm    = symm::Vmm;
  using Handle = Vmm::Handle;

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

  void remove(Block const& block) {
    m_vmm->unmap(block.address, block.bytes);
    m_vmm->release(block.handle);
    m_vmm->address_free(block.address, block.bytes);
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

  std::unique_ptr<Vmm> m_vmm = GetParam()->make();
  std::size_t m_unit         = m_vmm->granularity(Vmm::Granularity::minimum);
};

}  // namespace symm_test

#endif
