// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_CUDA_PROVIDER_HPP
#define SYMM_TEST_CUDA_PROVIDER_HPP

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <runtime/base/Types.hpp>
#include <runtime/gpu/Driver.hpp>
#include "VmmContract.hpp"

namespace symm_test {

/// The primary context of GPU 0 as the current one of this thread, while it
/// lives.
class CurrentContext {
 public:
  CurrentContext();
  ~CurrentContext();
  CurrentContext(CurrentContext const&)            = delete;
  CurrentContext& operator=(CurrentContext const&) = delete;
};

/// Memory of GPU 0 or of the host next to it, with the machine's driver or the
/// fake one. All access is by the driver: the host cannot reach a real
/// GPU's memory. Nothing is initialized before the first call.
class CudaProvider final : public VmmProvider {
 public:
  explicit CudaProvider(symm::MemoryKind kind) : m_kind(kind) {}

  [[nodiscard]] std::string name() const override;
  [[nodiscard]] std::unique_ptr<symm::Impl::MemoryProvider> make()
      const override;
  void write(char* to, std::vector<char> const& from) const override;
  [[nodiscard]] std::vector<char> read(char const* from,
                                       std::size_t bytes) const override;
  [[nodiscard]] bool can_read(char const* address) const override;
  [[nodiscard]] bool can_write(char* address) const override;
  /// Of the whole GPU. Nobody says how much of the host's is the driver's.
  [[nodiscard]] std::optional<std::size_t> in_use() const override;
  [[nodiscard]] bool counts_references() const override { return false; }
  [[nodiscard]] std::optional<std::size_t> n_mappings() const override;
  [[nodiscard]] std::optional<std::size_t> bytes_behind(
      symm::Impl::UniqueFd const&) const override {
    return std::nullopt;
  }
  [[nodiscard]] bool knows_size_of_imports() const override { return false; }
  [[nodiscard]] bool may_refuse_read_only() const override;

 private:
  /// What the driver says of every location that is to have access: 0 none, 1
  /// read, 3 read and write.
  [[nodiscard]] unsigned long long rights(char const* address) const;

  symm::MemoryKind m_kind;
};

extern CudaProvider const cuda_device_memory;
extern CudaProvider const cuda_host_memory;

}  // namespace symm_test

#endif
