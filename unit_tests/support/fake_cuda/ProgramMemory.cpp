// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "ProgramMemory.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>

namespace fake_cuda {

namespace {

/// Allocations do not start where pages do.
constexpr std::size_t start_in_file = 512;

/// Null if the system refuses.
void* map_file(Allocation const& memory) {
  void* const start = ::mmap(nullptr, memory.bytes, PROT_READ | PROT_WRITE,
                             MAP_SHARED, memory.file.get(), 0);
  return start == MAP_FAILED ? nullptr
                             : static_cast<char*>(start) + start_in_file;
}

void unmap_file(CUdeviceptr start, std::size_t file_bytes) {
  static_cast<void>(
      ::munmap(reinterpret_cast<void*>(start - start_in_file), file_bytes));
}

ino_t file_of(Allocation const& memory) {
  struct stat status {};
  static_cast<void>(::fstat(memory.file.get(), &status));
  return status.st_ino;
}

/// Whether this process may read and write all of it.
bool is_accessible(CUdeviceptr address, std::size_t bytes) {
  auto const end = address + bytes;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    CUdeviceptr first = 0;
    CUdeviceptr next  = 0;
    char dash         = 0;
    std::string rights;
    std::istringstream(line) >> std::hex >> first >> dash >> next >> rights;
    if (address < first) return false;
    if (address < next && rights.starts_with("rw")) address = next;
    if (address >= end) return true;
  }
  return false;
}

}  // namespace

void* ProgramMemory::allocate(std::string const& machine, FakeCudaMemory kind,
                              Place place, std::size_t bytes) {
  auto const memory =
      create_allocation(machine, place, bytes + start_in_file, 0);
  void* const start = memory == nullptr ? nullptr : map_file(*memory);
  if (start != nullptr) {
    m_ranges.emplace(reinterpret_cast<CUdeviceptr>(start),
                     Range{bytes, kind, memory});
  }
  return start;
}

void ProgramMemory::free(void* start) {
  auto const it = m_ranges.find(reinterpret_cast<CUdeviceptr>(start));
  unmap_file(it->first, it->second.memory->bytes);
  m_ranges.erase(it);
}

ProgramMemory::Found ProgramMemory::find(CUdeviceptr address) const {
  auto it = m_ranges.upper_bound(address);
  if (it == m_ranges.begin()) return {0, nullptr};
  --it;
  if (address - it->first >= it->second.bytes) return {0, nullptr};
  return {it->first, &it->second};
}

bool ProgramMemory::meets(CUdeviceptr address, std::size_t bytes) const {
  auto const next = m_ranges.lower_bound(address);
  return find(address).range != nullptr ||
         (next != m_ranges.end() && next->first < address + bytes);
}

CUresult ProgramMemory::register_host(CUdeviceptr address, std::size_t bytes) {
  for (auto const& [start, range] : m_ranges) {
    if (start >= address + bytes || address >= start + range.bytes) continue;
    return range.memory == nullptr ? CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED
                                   : CUDA_ERROR_INVALID_VALUE;
  }
  if (bytes == 0 || address + bytes < address ||
      !is_accessible(address, bytes)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  m_ranges.emplace(address, Range{bytes, fake_cuda_malloc_host, nullptr});
  return CUDA_SUCCESS;
}

CUresult ProgramMemory::unregister_host(CUdeviceptr address) {
  auto const found = find(address);
  if (found.range == nullptr) return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
  if (found.range->memory != nullptr || found.start != address) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  m_ranges.erase(address);
  return CUDA_SUCCESS;
}

CUresult ProgramMemory::open(CUdeviceptr& start, std::string const& machine,
                             CUipcMemHandle const& handle) {
  if (is_ipc_handle_of_this_process(handle)) return CUDA_ERROR_INVALID_CONTEXT;
  auto const memory = open_allocation(machine, open_ipc_handle(handle));
  if (memory == nullptr) return CUDA_ERROR_INVALID_VALUE;
  for (auto& [there, range] : m_ranges) {
    if (!range.is_opened || file_of(*range.memory) != file_of(*memory)) {
      continue;
    }
    ++range.n_references;
    start = there;
    return CUDA_SUCCESS;
  }
  void* const address = map_file(*memory);
  if (address == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  start = reinterpret_cast<CUdeviceptr>(address);
  m_ranges.emplace(start, Range{memory->bytes - start_in_file, fake_cuda_malloc,
                                memory, true});
  return CUDA_SUCCESS;
}

CUresult ProgramMemory::close(CUdeviceptr start) {
  auto const it = m_ranges.find(start);
  if (it == m_ranges.end() || !it->second.is_opened) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (--it->second.n_references > 0) return CUDA_SUCCESS;
  unmap_file(start, it->second.memory->bytes);
  m_ranges.erase(it);
  return CUDA_SUCCESS;
}

std::size_t ProgramMemory::n_registered() const {
  std::size_t count = 0;
  for (auto const& entry : m_ranges) count += entry.second.memory == nullptr;
  return count;
}

std::size_t ProgramMemory::n_opened() const {
  std::size_t count = 0;
  for (auto const& entry : m_ranges) {
    if (entry.second.is_opened) count += entry.second.n_references;
  }
  return count;
}

}  // namespace fake_cuda
