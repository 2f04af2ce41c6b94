// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Vmm_HostMemfd.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "../base/Failure.hpp"
#include "../base/Interrupted.hpp"
#include "../base/Types.hpp"
#include "HostCopy.hpp"
#include "ReservedPages.hpp"

namespace symm::Impl {

namespace {

constexpr std::size_t recommended_granularity = std::size_t{2} << 20U;
constexpr int no_access                       = PROT_NONE;
/// The size must not change: if the file shrank, accessing memory past its new
/// end would kill a PE.
constexpr int size_seals = F_SEAL_SHRINK | F_SEAL_GROW;

/// Throws if the file would grow past the limit, because the system would kill
/// the process with a signal instead of returning an error.
void check_file_size(std::size_t bytes) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) != 0) {
    throw SystemError("querying the file size limit", "getrlimit", errno);
  }
  if (limit.rlim_cur != RLIM_INFINITY && bytes > limit.rlim_cur) {
    throw OutOfMemory("no memory for " + bytes_text(bytes) +
                      ": shared memory counts as a file, and the file size "
                      "limit of this process is " +
                      bytes_text(limit.rlim_cur) + "; raise it (ulimit -f)");
  }
}

}  // namespace

Vmm_HostMemfd::Vmm_HostMemfd(int n_sharers, AvailableMemory available_memory,
                             HugePages pages)
    : m_page_bytes(static_cast<std::size_t>(::sysconf(_SC_PAGESIZE))),
      m_pages(pages),
      m_unit(std::max(m_page_bytes, bytes_of(pages))),
      m_n_sharers(static_cast<std::size_t>(n_sharers)),
      m_available_memory(std::move(available_memory)),
      m_ledger("Vmm_HostMemfd", m_page_bytes, m_unit) {
  if (bytes_of(pages) != 0) {
    static_cast<void>(ReservedPages::of_size(bytes_of(pages)));
  }
}

Vmm_HostMemfd::~Vmm_HostMemfd() {
  if (m_is_abandoned) return;
  // Unmapping a reservation also removes the mappings in it. munmap() fails
  // only for arguments that reserve() never records.
  for (auto const& [address, bytes] : m_ledger.reservations()) {
    static_cast<void>(::munmap(const_cast<char*>(address), bytes));
  }
}

std::size_t Vmm_HostMemfd::granularity(Granularity kind) const {
  return kind == Granularity::minimum
             ? m_unit
             : std::max(m_unit, recommended_granularity);
}

char* Vmm_HostMemfd::reserve(std::size_t bytes, std::size_t alignment,
                             void* hint) {
  std::lock_guard const lock(m_mutex);
  m_ledger.check_reserve(bytes, alignment, hint);
  // mmap() aligns only to ordinary pages, so reserve extra space and unmap both
  // ends.
  alignment =
      std::max(alignment,
               m_pages == HugePages::advise ? recommended_granularity : m_unit);
  std::size_t const slack = alignment > m_page_bytes ? alignment : 0;
  if (bytes > std::numeric_limits<std::size_t>::max() - slack) {
    throw OutOfMemory("Vmm_HostMemfd::reserve: " + bytes_text(bytes) +
                      " exceed the address space");
  }
  std::size_t const total = bytes + slack;
  void* const start =
      ::mmap(hint, total, no_access,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED) {
    int const error = errno;
    if (error != ENOMEM) {
      throw SystemError("reserving " + bytes_text(total) + " of addresses",
                        "mmap", error);
    }
    throw OutOfMemory("Vmm_HostMemfd::reserve: cannot reserve " +
                      bytes_text(total) +
                      " of addresses; raise the limit of the address space "
                      "(ulimit -v), or lower SYMM_HEAP_LIMIT");
  }
  auto* const first = static_cast<char*>(start);
  char* const result =
      slack == 0
          ? first
          : first + (round_up(reinterpret_cast<std::size_t>(first), alignment) -
                     reinterpret_cast<std::size_t>(first));
  auto const head = static_cast<std::size_t>(result - first);
  // With valid arguments, munmap() fails only if the process reaches its limit
  // on the number of mappings. Unmapping an end does not add a mapping.
  if (head > 0) static_cast<void>(::munmap(first, head));
  if (slack > head) static_cast<void>(::munmap(result + bytes, slack - head));
  m_ledger.add_reservation(result, bytes);
  return result;
}

void Vmm_HostMemfd::check_capacity(std::size_t bytes) const {
  std::size_t promised = 0;  // created by this PE, but not yet touched
  // Count each memory object once, because it may have several handles and
  // mappings.
  std::set<Memory const*> counted;
  auto const count = [&](Memory const& memory) {
    if (memory.is_imported || !counted.insert(&memory).second) return;
    struct stat status {};
    if (::fstat(memory.descriptor.get(), &status) != 0) {
      throw SystemError("querying memory of this PE", "fstat", errno);
    }
    // The system counts st_blocks in units of this size.
    constexpr std::size_t block_bytes = 512;
    auto const touched =
        static_cast<std::size_t>(status.st_blocks) * block_bytes;
    promised += memory.bytes - std::min(memory.bytes, touched);
  };
  for (auto const& entry : m_ledger.handles()) count(*entry.second);
  for (auto const& entry : m_ledger.mappings()) count(*entry.second.memory);
  std::size_t const available = m_available_memory() / m_n_sharers;
  std::size_t const left      = available - std::min(available, promised);
  if (bytes > left) {
    throw OutOfMemory("no memory for " + bytes_text(bytes) + ": " +
                      bytes_text(left) + " left for each of the " +
                      std::to_string(m_n_sharers) + " PEs of this node (" +
                      bytes_text(promised) + " reserved but not touched yet)");
  }
}

/// Mapping the memory, even for a moment, makes the system reserve all of its
/// huge pages for as long as the memory exists. Without this reservation, the
/// first access to a missing page would raise SIGBUS.
void Vmm_HostMemfd::take_huge_pages(UniqueFd const& memory,
                                    std::size_t bytes) const {
  void* const mapping =
      ::mmap(nullptr, bytes, no_access, MAP_SHARED, memory.get(), 0);
  if (mapping != MAP_FAILED) {
    static_cast<void>(::munmap(mapping, bytes));
    return;
  }
  int const error = errno;
  if (error != ENOMEM) {
    throw SystemError("reserving large pages for " + bytes_text(bytes), "mmap",
                      error);
  }
  throw OutOfMemory(ReservedPages::of_size(m_unit).refusal(bytes, m_n_sharers));
}

Vmm::Handle Vmm_HostMemfd::create(std::size_t bytes, Sharing sharing) {
  std::lock_guard const lock(m_mutex);
  m_ledger.check_create(bytes);
  auto const huge_bytes = bytes_of(m_pages);
  if (huge_bytes == 0) check_capacity(bytes);
  check_file_size(bytes);
  auto memory    = std::make_shared<Memory>();
  unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  if (huge_bytes != 0) {
    flags |= MFD_HUGETLB | static_cast<unsigned>(std::countr_zero(huge_bytes))
                               << 26U;
  }
  memory->descriptor = UniqueFd(::memfd_create("symm", flags));
  std::string const what =
      "creating " + bytes_text(bytes) + " of shareable memory";
  if (!memory->descriptor) throw SystemError(what, "memfd_create", errno);
  if (uninterrupted([&] {
        return ::ftruncate(memory->descriptor.get(), static_cast<off_t>(bytes));
      }) != 0) {
    throw SystemError(what, "ftruncate", errno);
  }
  if (::fcntl(memory->descriptor.get(), F_ADD_SEALS,
              size_seals | F_SEAL_SEAL) != 0) {
    throw SystemError(what, "fcntl(F_ADD_SEALS)", errno);
  }
  if (huge_bytes != 0) take_huge_pages(memory->descriptor, bytes);
  memory->bytes   = bytes;
  memory->sharing = sharing;
  return m_ledger.add_handle(std::move(memory));
}

void Vmm_HostMemfd::map(char* address, std::size_t bytes, std::size_t offset,
                        Handle handle) {
  std::lock_guard const lock(m_mutex);
  auto const& memory = m_ledger.add_mapping(address, bytes, offset, handle);
  if (::mmap(address, bytes, no_access, MAP_SHARED | MAP_FIXED,
             memory.descriptor.get(), 0) == MAP_FAILED) {
    int const error = errno;
    m_ledger.forget_mapping(address);
    throw SystemError("mapping " + bytes_text(bytes), "mmap", error);
  }
  // EINVAL: the system has no transparent huge pages and rejects the advice.
  if (m_pages == HugePages::advise &&
      ::madvise(address, bytes, MADV_HUGEPAGE) != 0 && errno != EINVAL) {
    int const error = errno;
    m_ledger.forget_mapping(address);
    static_cast<void>(
        ::mmap(address, bytes, no_access,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0));
    throw SystemError("advising large pages for " + bytes_text(bytes),
                      "madvise", error);
  }
}

void Vmm_HostMemfd::set_access(char* address, std::size_t bytes,
                               Access access) {
  std::lock_guard const lock(m_mutex);
  static_cast<void>(m_ledger.check_mapping(address, bytes, "set_access"));
  int const rights = access == Access::none   ? PROT_NONE
                     : access == Access::read ? PROT_READ
                                              : PROT_READ | PROT_WRITE;
  if (::mprotect(address, bytes, rights) != 0) {
    throw SystemError("setting access rights of " + bytes_text(bytes),
                      "mprotect", errno);
  }
}

UniqueFd Vmm_HostMemfd::export_handle(Handle handle) {
  std::lock_guard const lock(m_mutex);
  auto const& memory = m_ledger.memory_to_export(handle);
  UniqueFd result(::fcntl(memory->descriptor.get(), F_DUPFD_CLOEXEC, 0));
  if (!result) {
    throw SystemError("exporting memory", "fcntl(F_DUPFD_CLOEXEC)", errno);
  }
  return result;
}

Vmm::Handle Vmm_HostMemfd::import_handle(UniqueFd descriptor,
                                         std::size_t bytes) {
  std::lock_guard const lock(m_mutex);
  m_ledger.check_import(bytes);
  struct stat status {};
  if (::fstat(descriptor.get(), &status) != 0) {
    throw SystemError("importing memory", "fstat", errno);
  }
  if (static_cast<std::size_t>(status.st_size) != bytes) {
    m_ledger.throw_usage(
        "import_handle",
        "the memory has " +
            bytes_text(static_cast<std::size_t>(status.st_size)) +
            ", expected " + std::to_string(bytes));
  }
  int const seals = ::fcntl(descriptor.get(), F_GET_SEALS);
  if (seals < 0) {
    throw SystemError("importing memory", "fcntl(F_GET_SEALS)", errno);
  }
  if ((seals & F_SEAL_SHRINK) == 0) {
    m_ledger.throw_usage("import_handle",
                         "the memory is not sealed against shrinking");
  }
  return m_ledger.add_handle(std::make_shared<Memory>(
      Memory{std::move(descriptor), bytes, Sharing::by_descriptor, true}));
}

bool Vmm_HostMemfd::can_import(UniqueFd const& descriptor) const {
  int const seals = ::fcntl(descriptor.get(), F_GET_SEALS);
  return seals >= 0 && (seals & F_SEAL_SHRINK) != 0;
}

std::optional<Vmm::Access> Vmm_HostMemfd::access_from(MemoryKind user,
                                                      int /*device*/) const {
  if (user == MemoryKind::host) return Access::read_write;
  return std::nullopt;
}

Vmm::Handle Vmm_HostMemfd::retain(void const* address) {
  std::lock_guard const lock(m_mutex);
  auto const& memory = m_ledger.memory_at(address, "retain");
  if (!memory->descriptor) {
    m_ledger.throw_usage(
        "retain", address_text(address) +
                      " is in imported memory whose handle was released");
  }
  return m_ledger.add_handle(memory);
}

std::optional<ForeignMemory::Mapping> Vmm_HostMemfd::find_mapping(
    void const* address) {
  std::lock_guard const lock(m_mutex);
  return m_ledger.find_mapping(address);
}

bool Vmm_HostMemfd::is_same_memory(void const* a, void const* b) {
  std::lock_guard const lock(m_mutex);
  return m_ledger.memory_at(a, "is_same_memory") ==
         m_ledger.memory_at(b, "is_same_memory");
}

std::string Vmm_HostMemfd::describe(void const* address) {
  std::lock_guard const lock(m_mutex);
  if (m_ledger.find_mapping(address)) {
    return "memory that the runtime has mapped";
  }
  return is_memory(address, 1)
             ? "memory of this process that the runtime has not mapped "
               "(malloc, new, mmap, the stack)"
             : "no memory";
}

bool Vmm_HostMemfd::is_mapped(void const* address, std::size_t bytes) {
  auto const page_bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  auto const first      = reinterpret_cast<std::size_t>(address);
  auto const n_end      = (first + (bytes - 1)) / page_bytes + 1;
  // Limits the number of pages per call, because mincore() needs one byte per
  // page.
  constexpr std::size_t n_most = std::size_t{1} << 18U;
  // Unused: only the error code matters.
  std::vector<unsigned char> is_resident;
  for (auto page = first / page_bytes; page < n_end;) {
    auto const n_pages = std::min(n_end - page, n_most);
    is_resident.resize(n_pages);
    if (::mincore(reinterpret_cast<void*>(page * page_bytes),
                  n_pages * page_bytes, is_resident.data()) == 0) {
      page += n_pages;
    } else if (errno == ENOMEM) {
      return false;
    } else if (errno != EAGAIN) {
      throw SystemError("querying the memory at " + address_text(address),
                        "mincore", errno);
    }
  }
  return true;
}

bool Vmm_HostMemfd::is_memory(void const* address, std::size_t bytes) const {
  auto const is_only_reserved = [&](char const* where) {
    return m_ledger.is_reserved(where) && !m_ledger.find_mapping(where);
  };
  auto const* const first = static_cast<char const*>(address);
  return !is_only_reserved(first) && !is_only_reserved(first + (bytes - 1)) &&
         is_mapped(address, bytes);
}

bool Vmm_HostMemfd::pin(void* address, std::size_t bytes) {
  if (bytes == 0) return false;
  std::lock_guard const lock(m_mutex);
  m_ledger.check_range(address, bytes, "pin");
  if (!is_memory(address, bytes)) {
    m_ledger.throw_usage("pin", "not all of the " + bytes_text(bytes) + " at " +
                                    address_text(address) +
                                    " are memory of this process");
  }
  return false;  // nothing to undo, because CPUs can access the memory anyway
}

void Vmm_HostMemfd::unmap(char* address, std::size_t bytes) {
  std::lock_guard const lock(m_mutex);
  static_cast<void>(m_ledger.check_mapping(address, bytes, "unmap"));
  // Replace the mapping with a reservation in a single call so that another
  // thread's mmap() cannot take the addresses in between.
  if (::mmap(address, bytes, no_access,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
             0) == MAP_FAILED) {
    throw SystemError("unmapping " + bytes_text(bytes), "mmap", errno);
  }
  m_ledger.forget_mapping(address);
}

void Vmm_HostMemfd::release(Handle handle) {
  std::lock_guard const lock(m_mutex);
  auto const memory = m_ledger.memory_of(handle, "release");
  m_ledger.remove_handle(handle);
  // A PE's own memory keeps its descriptor while it is mapped, because retain()
  // needs it. Imported memory must not keep its descriptor, because every PE
  // and chunk would then need one.
  auto const& handles = m_ledger.handles();
  bool const has_other_handle =
      std::any_of(handles.begin(), handles.end(),
                  [&](auto const& entry) { return entry.second == memory; });
  if (memory->is_imported && !has_other_handle) memory->descriptor.reset();
}

void Vmm_HostMemfd::address_free(char* address, std::size_t bytes) {
  std::lock_guard const lock(m_mutex);
  m_ledger.check_address_free(address, bytes);
  if (::munmap(address, bytes) != 0) {
    throw SystemError("releasing addresses", "munmap", errno);
  }
  m_ledger.forget_reservation(address);
}

void Vmm_HostMemfd::zero(char* address, std::size_t bytes) {
  std::memset(address, 0, bytes);
}

void Vmm_HostMemfd::copy(void* to, void const* from, std::size_t bytes) {
  if (bytes != 0) copy_host_memory(to, from, bytes);
}

}  // namespace symm::Impl
