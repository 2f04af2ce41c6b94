// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_FAKE_CUDA_ADDRESS_SPACE_HPP
#define SYMM_TEST_FAKE_CUDA_ADDRESS_SPACE_HPP

#include <cuda.h>

#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "Allocation.hpp"

namespace fake_cuda {

/// The unit of memory and mappings, as on current GPUs.
constexpr std::size_t granularity = std::size_t{2} << 20U;

/// Reservations and mappings of this process, as strict as the real driver.
class AddressSpace {
 public:
  struct Mapping {
    std::size_t bytes = 0;
    std::shared_ptr<Allocation> memory;
    /// Rights, keyed by place ("gpu0" with the physical number, or "cpu").
    std::map<std::string, CUmemAccess_flags> rights;

    [[nodiscard]] bool has_access() const;
  };
  /// The rights that set_access() is to grant.
  using Rights = std::map<std::string, CUmemAccess_flags>;

  CUresult reserve(CUdeviceptr& address, std::size_t bytes,
                   std::size_t alignment, CUdeviceptr hint);
  CUresult free(CUdeviceptr address, std::size_t bytes);
  CUresult map(CUdeviceptr address, std::size_t bytes,
               std::shared_ptr<Allocation> const& memory);
  CUresult unmap(CUdeviceptr address, std::size_t bytes);

  /// The mapping that is exactly this range, or null.
  Mapping* mapping_at(CUdeviceptr address, std::size_t bytes);
  /// The mapping that contains an address, and its start; null if there is
  /// none.
  [[nodiscard]] Mapping const* mapping_around(
      CUdeviceptr address, CUdeviceptr* start = nullptr) const;
  [[nodiscard]] bool is_reserved(CUdeviceptr address) const;
  CUresult set_access(CUdeviceptr address, std::size_t bytes,
                      Rights const& rights);

  /// Whether `place` may access the whole range. True for addresses that do not
  /// belong to the driver (ordinary host memory).
  [[nodiscard]] bool may_access(CUdeviceptr address, std::size_t bytes,
                                std::string const& place, bool is_write) const;

  [[nodiscard]] std::size_t n_reservations() const {
    return m_reservations.size();
  }
  [[nodiscard]] std::size_t n_mappings() const { return m_mappings.size(); }

 private:
  std::map<CUdeviceptr, std::size_t> m_reservations;
  std::map<CUdeviceptr, Mapping> m_mappings;
};

}  // namespace fake_cuda

#endif
