// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "SharedPool.hpp"

#include <sys/stat.h>

#include <bit>

#include "../base/Text.hpp"
#include "../base/Types.hpp"
#include "../symm_errors.hpp"

namespace symm::Impl {

namespace {

/// FNV-1a over all bytes after `check`. If two sets of data differ in a single
/// byte, their checksums differ. The checksum of all zeros is not 0.
std::uint32_t check_of(MemPoolPtrExportData const& data) {
  std::uint32_t hash = 2'166'136'261U;
  for (auto i = sizeof(SharedPointer::check); i < data.bytes.size(); ++i) {
    hash = (hash ^ std::to_integer<std::uint32_t>(data.bytes[i])) * 16'777'619U;
  }
  return hash;
}

}  // namespace

SharedPoolName SharedPoolName::of(UniqueFd const& descriptor,
                                  char const* call) {
  struct stat status {};
  if (::fstat(descriptor.get(), &status) != 0) {
    throw UsageError(Text(call, ": ", descriptor.get(),
                          " is not an open file descriptor of this process"));
  }
  return {status.st_dev, status.st_ino};
}

MemPoolPtrExportData SharedPointer::pack() const {
  auto result  = *this;
  result.check = check_of(std::bit_cast<MemPoolPtrExportData>(result));
  return std::bit_cast<MemPoolPtrExportData>(result);
}

SharedPointer SharedPointer::unpack(MemPoolPtrExportData const& data,
                                    char const* call) {
  auto const result = std::bit_cast<SharedPointer>(data);
  if (result.check == check_of(data) && result.memory < n_memory_kinds &&
      result.offset < result.pool_bytes &&
      result.bytes <= result.pool_bytes - result.offset) {
    return result;
  }
  throw UsageError(
      Text(call,
           ": the export data are invalid or damaged; expected data "
           "from mem_pool_export_pointer"));
}

}  // namespace symm::Impl
