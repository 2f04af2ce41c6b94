// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "AddressSpace.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <iterator>

namespace fake_cuda {

namespace {

void* pointer(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

bool is_multiple(std::size_t value, std::size_t unit) {
  return value % unit == 0;
}

std::size_t page_bytes() {
  return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

/// The entry of a map of ranges that holds the address.
template <class Ranges, class BytesOf>
auto around(Ranges& ranges, CUdeviceptr address, BytesOf const& bytes_of) {
  auto it = ranges.upper_bound(address);
  if (it == ranges.begin()) return ranges.end();
  --it;
  return address - it->first < bytes_of(it->second) ? it : ranges.end();
}

std::size_t bytes_of_mapping(AddressSpace::Mapping const& mapping) {
  return mapping.bytes;
}

std::size_t bytes_of_reservation(std::size_t bytes) { return bytes; }

/// CPUs go through the page table of the process; a GPU's memory has one of its
/// own on a real GPU, but here it is whoever has any right.
int protection_of(AddressSpace::Mapping const& mapping) {
  int protection = PROT_NONE;
  for (auto const& [place, rights] : mapping.rights) {
    if (!mapping.memory->place.is_gpu && place != "cpu") continue;
    if (rights == CU_MEM_ACCESS_FLAGS_PROT_READ) protection |= PROT_READ;
    if (rights == CU_MEM_ACCESS_FLAGS_PROT_READWRITE) {
      protection |= PROT_READ | PROT_WRITE;
    }
  }
  return protection;
}

}  // namespace

bool AddressSpace::Mapping::has_access() const {
  return std::any_of(rights.begin(), rights.end(), [](auto const& entry) {
    return entry.second != CU_MEM_ACCESS_FLAGS_PROT_NONE;
  });
}

CUresult AddressSpace::reserve(CUdeviceptr& address, std::size_t bytes,
                               std::size_t alignment, CUdeviceptr hint) {
  if (bytes == 0 || !is_multiple(bytes, page_bytes()) ||
      !is_multiple(hint, page_bytes()) ||
      (alignment != 0 && !std::has_single_bit(alignment))) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  auto const unit = std::max(alignment, granularity);
  if (bytes + unit < bytes) return CUDA_ERROR_INVALID_VALUE;
  void* const start =
      ::mmap(pointer(hint), bytes + unit, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED) return CUDA_ERROR_OUT_OF_MEMORY;
  auto const first = reinterpret_cast<CUdeviceptr>(start);
  address          = (first + unit - 1) / unit * unit;
  if (address > first) static_cast<void>(::munmap(start, address - first));
  auto const rest = first + unit - address;
  if (rest > 0) static_cast<void>(::munmap(pointer(address + bytes), rest));
  m_reservations.emplace(address, bytes);
  return CUDA_SUCCESS;
}

CUresult AddressSpace::free(CUdeviceptr address, std::size_t bytes) {
  auto const it = m_reservations.find(address);
  if (it == m_reservations.end() || it->second != bytes) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  auto const mapping = m_mappings.lower_bound(address);
  if (mapping != m_mappings.end() && mapping->first < address + bytes) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  static_cast<void>(::munmap(pointer(address), bytes));
  m_reservations.erase(it);
  return CUDA_SUCCESS;
}

CUresult AddressSpace::map(CUdeviceptr address, std::size_t bytes,
                           std::shared_ptr<Allocation> const& memory) {
  if (bytes == 0 || !is_multiple(bytes, granularity) ||
      !is_multiple(address, granularity)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (bytes != memory->bytes) return CUDA_ERROR_NOT_SUPPORTED;
  auto const reservation =
      around(m_reservations, address, bytes_of_reservation);
  if (reservation == m_reservations.end() ||
      bytes > reservation->second - (address - reservation->first)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  auto const next = m_mappings.lower_bound(address);
  if ((next != m_mappings.end() && next->first < address + bytes) ||
      around(m_mappings, address, bytes_of_mapping) != m_mappings.end()) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (::mmap(pointer(address), bytes, PROT_NONE, MAP_SHARED | MAP_FIXED,
             memory->file.get(), 0) == MAP_FAILED) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  m_mappings.emplace(address, Mapping{bytes, memory, {}});
  return CUDA_SUCCESS;
}

AddressSpace::Mapping* AddressSpace::mapping_at(CUdeviceptr address,
                                                std::size_t bytes) {
  auto const it       = m_mappings.find(address);
  bool const is_exact = it != m_mappings.end() && it->second.bytes == bytes;
  return is_exact ? &it->second : nullptr;
}

AddressSpace::Mapping const* AddressSpace::mapping_around(
    CUdeviceptr address, CUdeviceptr* start) const {
  auto const it = around(m_mappings, address, bytes_of_mapping);
  if (it == m_mappings.end()) return nullptr;
  if (start != nullptr) *start = it->first;
  return &it->second;
}

bool AddressSpace::is_reserved(CUdeviceptr address) const {
  return around(m_reservations, address, bytes_of_reservation) !=
         m_reservations.end();
}

CUresult AddressSpace::unmap(CUdeviceptr address, std::size_t bytes) {
  if (mapping_at(address, bytes) == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (::mmap(pointer(address), bytes, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
             0) == MAP_FAILED) {
    return CUDA_ERROR_UNKNOWN;
  }
  m_mappings.erase(address);
  return CUDA_SUCCESS;
}

CUresult AddressSpace::set_access(CUdeviceptr address, std::size_t bytes,
                                  Rights const& rights) {
  auto* const mapping = mapping_at(address, bytes);
  if (mapping == nullptr) return CUDA_ERROR_INVALID_VALUE;
  for (auto const& [place, right] : rights) mapping->rights[place] = right;
  return ::mprotect(pointer(address), bytes, protection_of(*mapping)) == 0
             ? CUDA_SUCCESS
             : CUDA_ERROR_UNKNOWN;
}

bool AddressSpace::may_access(CUdeviceptr address, std::size_t bytes,
                              std::string const& place, bool is_write) const {
  auto const end = address + bytes;
  while (address < end) {
    auto const it = around(m_mappings, address, bytes_of_mapping);
    if (it == m_mappings.end()) return !is_reserved(address);
    auto const rights = it->second.rights.find(place);
    if (rights == it->second.rights.end() ||
        rights->second == CU_MEM_ACCESS_FLAGS_PROT_NONE ||
        (is_write && rights->second != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)) {
      return false;
    }
    address = it->first + it->second.bytes;
  }
  return true;
}

}  // namespace fake_cuda
