// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "SharedBuffer.hpp"

#include <sys/uio.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <limits>
#include <optional>
#include <string>

#include "../base/Address.hpp"
#include "../base/Failure.hpp"
#include "../base/Interrupted.hpp"
#include "../base/PeNumbers.hpp"
#include "../base/Types.hpp"
#include "../bootstrap/FdExchange.hpp"
#include "../job/Runtime.hpp"
#include "../memory/MemoryProvider.hpp"
#include "../pes/Rendezvous.hpp"

namespace symm::Impl {

/// The data that other PEs need to access a PE's shared memory.
struct SharedBuffer::PartNote {
  std::uint64_t address = 0;  // in the PE's process
  std::uint64_t count   = 0;
  ForeignMemory::ForeignHandle handle;  // for MemoryKind::device only
  std::array<char, 40> place{};
};

namespace {

char const* type_name_of(MemoryKind kind) {
  return kind == MemoryKind::host ? "symm::SharedHostBuffer"
                                  : "symm::SharedDeviceBuffer";
}

std::string elements_text(std::size_t index, std::size_t count) {
  return std::to_string(count) + " elements starting at element " +
         std::to_string(index);
}

/// \throws UsageError unless [data, data + count * element_bytes) is a valid
///         address range.
void check_memory(void const* data, std::size_t count,
                  std::size_t element_bytes) {
  if (count == 0) return;
  if (data == nullptr) {
    throw UsageError("the address is null, but the count is " +
                     std::to_string(count) +
                     "; pass a count of 0 for no elements");
  }
  auto const room = std::numeric_limits<std::uintptr_t>::max() -
                    reinterpret_cast<std::uintptr_t>(data);
  if (count <= room / element_bytes) return;
  throw UsageError(std::to_string(count) + " elements of " +
                   bytes_text(element_bytes) + " at " + address_text(data) +
                   " do not fit into the address space");
}

/// Reads the first and last bytes of a memory range in another process. Returns
/// 0 on success, and errno on failure.
int try_to_read(pid_t process, char* start, std::size_t bytes) {
  std::array<char, 2> ends{};
  iovec const here{ends.data(), ends.size()};
  std::array<iovec, 2> const there{iovec{start, 1},
                                   iovec{moved(start, bytes - 1), 1}};
  auto const read = uninterrupted([&] {
    return ::process_vm_readv(process, &here, 1, there.data(), there.size(), 0);
  });
  if (read == 2) return 0;
  return read < 0 ? errno : EFAULT;
}

/// Returns advice on a system error, for the end of an error message.
char const* remedy_for(int error) {
  if (error == EPERM) {
    return "; processes of one user may access each other's memory if "
           "/proc/sys/kernel/yama/ptrace_scope is 0, or if each of them is "
           "dumpable and has called prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY)";
  }
  if (error == EFAULT) {
    return "; both sides must be valid memory until all PEs have closed the "
           "buffer";
  }
  if (error == ESRCH) {
    return "; its process is gone, or is in a PID namespace that is not "
           "visible to this process";
  }
  if (error == ENOSYS) {
    return "; this system or container does not support process_vm_readv; use "
           "a View in SymmetricHostSpace";
  }
  return "";
}

/// Copies between this process's memory and another process's memory.
void move_bytes(bool is_put, pid_t process, char* mine, char* theirs,
                std::size_t bytes, std::string const& what) {
  std::size_t done = 0;
  while (done < bytes) {
    iovec const here{mine + done, bytes - done};
    iovec const there{moved(theirs, done), bytes - done};
    // One call copies at most 2 GiB, or less if the memory ends earlier.
    auto const moved = uninterrupted([&] {
      return is_put ? ::process_vm_writev(process, &here, 1, &there, 1, 0)
                    : ::process_vm_readv(process, &here, 1, &there, 1, 0);
    });
    if (moved > 0) {
      done += static_cast<std::size_t>(moved);
      continue;
    }
    int const error       = moved < 0 ? errno : EIO;
    std::string const all = what + ", of which " + std::to_string(done) +
                            " of " + bytes_text(bytes) + " were copied";
    char const* const call = is_put ? "process_vm_writev" : "process_vm_readv";
    throw SystemError(
        Text(SystemError(all, call, error).what(), remedy_for(error)));
  }
}

}  // namespace

SharedBuffer::SharedBuffer(MemoryKind kind, void const* data, std::size_t count,
                           std::size_t element_bytes,
                           std::exception_ptr const& failure)
    : SharedBuffer(kind) {
  auto& runtime   = Runtime::instance(type_name_of(kind));
  m_my_pe         = runtime.my_pe();
  m_element_bytes = element_bytes;
  m_runtime       = runtime.life();
  runtime.rendezvous().run(RuntimeCall::share_buffer,
                           [&] { share(data, count, failure); });
}

void SharedBuffer::share(void const* data, std::size_t count,
                         std::exception_ptr const& failure) {
  char const* const what = type_name_of(m_kind);
  auto& runtime          = Runtime::instance(what);
  auto& rendezvous       = runtime.rendezvous();
  auto const step        = failure_of([&] { prepare(data, count, failure); });
  rendezvous.meet({.operation = RuntimeCall::share_buffer,
                   .memory    = m_kind,
                   .arguments = {m_element_bytes},
                   .failure   = step});
  m_number = rendezvous.n_calls();

  auto const agree = [&](std::optional<Failure> const& mine) {
    return rendezvous.agree(mine);
  };
  FdExchange::Attachment mine{};
  all_or_none(agree, what, [&] {
    static_assert(sizeof(PartNote) == sizeof(FdExchange::Attachment));
    mine = std::bit_cast<FdExchange::Attachment>(note_of(data, count));
  });
  auto const opened = failure_of([&] {
    all_or_none(agree, what, [&] {
      auto const parcels = runtime.exchange().exchange(-1, mine);
      auto const& nodes  = runtime.nodes();
      for (Pe const pe : nodes.near_pes()) {
        if (pe == m_my_pe) continue;
        auto const& parcel =
            parcels[static_cast<std::size_t>(pe - nodes.first_near())];
        open_part(pe, std::bit_cast<PartNote>(parcel.note));
      }
    });
  });
  if (!opened) return;
  // Once this function has thrown, a PE may free its memory. Therefore, all PEs
  // first close their imports. A failure to close matters less than the failure
  // to open.
  static_cast<void>(rendezvous.agree(failure_of([&] { close_imports(); })));
  throw_failure(*opened);
}

SharedBuffer::~SharedBuffer() {
  // No caller could act on a failure. When the process ends, the system frees
  // what remains.
  if (!m_runtime.expired()) {
    static_cast<void>(failure_of([&] { close_imports(); }));
  }
}

void SharedBuffer::swap(SharedBuffer& other) noexcept {
  std::swap(m_kind, other.m_kind);
  std::swap(m_element_bytes, other.m_element_bytes);
  std::swap(m_number, other.m_number);
  std::swap(m_my_pe, other.m_my_pe);
  m_parts.swap(other.m_parts);
  m_runtime.swap(other.m_runtime);
}

/// Performs all steps that can fail on this PE alone, before the other PEs
/// learn of the call.
void SharedBuffer::prepare(void const* data, std::size_t count,
                           std::exception_ptr const& failure) {
  if (failure) std::rethrow_exception(failure);
  auto& runtime = Runtime::instance(type_name_of(m_kind));
  m_parts.resize(static_cast<std::size_t>(runtime.n_pes()));
  check_memory(data, count, m_element_bytes);
  auto& own = m_parts[static_cast<std::size_t>(m_my_pe)];
  if (count > 0) own.start = static_cast<char*>(const_cast<void*>(data));
  own.count = count;
  if (m_kind == MemoryKind::device) {
    CopyQueue* const queue = runtime.provider(m_kind);
    if (queue == nullptr) {
      throw UsageError("the runtime was initialized without a GPU");
    }
    queue->synchronize();
    return;
  }
  for (Pe pe = 0; pe < runtime.n_pes(); ++pe) {
    m_parts[index_of(pe)].process = runtime.exchange().process_of(pe);
  }
  if (count > 0) try_host_part(m_my_pe);
}

SharedBuffer::PartNote SharedBuffer::note_of(void const* data,
                                             std::size_t count) const {
  PartNote note;
  note.count   = count;
  note.address = reinterpret_cast<std::uintptr_t>(data);
  if (m_kind == MemoryKind::host || count == 0) return note;
  auto& provider    = *Runtime::instance(type_name_of(m_kind)).provider(m_kind);
  auto const place  = provider.place();
  auto const handle = provider.export_foreign(data, count * m_element_bytes);
  if (!handle) {
    throw SystemError(address_text(data) + " in " + place +
                      " cannot be shared between processes");
  }
  note.handle = *handle;
  place.copy(note.place.data(), note.place.size() - 1);
  return note;
}

void SharedBuffer::open_part(Pe pe, PartNote const& note) {
  auto& part = m_parts[index_of(pe)];
  part.count = note.count;
  if (note.count == 0) return;
  if (m_kind == MemoryKind::device) {
    open_device_part(pe, note);
    return;
  }
  part.start = std::bit_cast<char*>(note.address);
  try_host_part(pe);
}

void SharedBuffer::open_device_part(Pe pe, PartNote const& note) {
  auto& part     = m_parts[index_of(pe)];
  auto& provider = *Runtime::instance(type_name_of(m_kind)).provider(m_kind);
  auto const failure = failure_of([&] {
    part.import_start = provider.open_foreign(note.handle);
    part.start        = moved(part.import_start, note.handle.offset);
  });
  if (!failure) return;
  throw_failure(
      {failure->kind, Text("PE ", m_my_pe, " (", provider.place(),
                           ") cannot map memory of PE ", pe, " (",
                           note.place.data(), "): ", failure->message)});
}

/// Tests access with an actual read, because nothing else shows whether the
/// system allows access (Yama, containers, set-user-id).
void SharedBuffer::try_host_part(Pe pe) const {
  auto const& part = m_parts[index_of(pe)];
  auto const bytes = part.count * m_element_bytes;
  std::string const text =
      bytes_text(bytes) + " at " + address_text(part.start);
  int const error = try_to_read(part.process, part.start, bytes);
  if (error == 0) return;
  if (error == EFAULT) {
    throw UsageError(text + " of PE " + std::to_string(pe) +
                     " are not memory that the host can read (use "
                     "symm::SharedDeviceBuffer for GPU memory)");
  }
  Text const what("PE ", m_my_pe, " cannot read ", text, " of PE ", pe,
                  " (process ", part.process, ")");
  throw SystemError(Text(SystemError(what, "process_vm_readv", error).what(),
                         remedy_for(error)));
}

void SharedBuffer::close_imports() {
  auto const parts = std::exchange(m_parts, {});
  if (m_kind == MemoryKind::host || parts.empty()) return;
  auto* const provider =
      Runtime::instance(type_name_of(m_kind)).provider(m_kind);
  if (provider == nullptr) return;  // nothing was opened
  // If a step fails, continue with the remaining steps, and throw the first
  // failure at the end.
  auto first = failure_of([&] { provider->synchronize(); });
  for (auto const& part : parts) {
    if (part.import_start == nullptr) continue;
    auto const step =
        failure_of([&] { provider->close_foreign(part.import_start); });
    if (!first) first = step;
  }
  if (first) throw_failure(*first);
}

void SharedBuffer::close() {
  Text const call(type_name_of(m_kind), "::close");
  auto& rendezvous = Runtime::instance(call.c_str()).rendezvous();
  rendezvous.run(RuntimeCall::close_shared_buffer, [&] {
    auto const step = failure_of([&] {
      if (m_runtime.expired() || m_parts.empty()) {
        throw UsageError("the buffer is already closed");
      }
    });
    rendezvous.meet({.operation = RuntimeCall::close_shared_buffer,
                     .memory    = m_kind,
                     .arguments = {m_element_bytes, m_number},
                     .failure   = step});
    all_or_none(
        [&](std::optional<Failure> const& mine) {
          return rendezvous.agree(mine);
        },
        call, [&] { close_imports(); });
  });
}

SharedBuffer::Part const& SharedBuffer::part(Pe pe, char const* call) const {
  auto const name = [&] {
    return std::string(type_name_of(m_kind)) + "::" + call + ": ";
  };
  if (m_parts.empty()) throw UsageError(name() + "the buffer is closed");
  if (m_runtime.expired()) {
    throw UsageError(name() + "called after symm::finalize()");
  }
  auto const n_pes = static_cast<Pe>(m_parts.size());
  if (pe >= 0 && pe < n_pes) {
    if (Runtime::instance(call).nodes().is_near(pe)) {
      return m_parts[index_of(pe)];
    }
    throw UsageError(name() + "PE " + std::to_string(pe) +
                     " is on another node; only symmetric memory can be "
                     "accessed there (symm::put, symm::get)");
  }
  throw UsageError(name() + std::string(text_of_no_pe(pe, n_pes)));
}

std::size_t SharedBuffer::count(Pe pe) const { return part(pe, "count").count; }

void* SharedBuffer::peer(Pe pe) const { return part(pe, "peer").start; }

char* SharedBuffer::range(Pe pe, void const* local, std::size_t index,
                          std::size_t count, char const* call) const {
  auto const& shared = part(pe, call);
  if (index > shared.count || count > shared.count - index) {
    throw UsageError(std::string(type_name_of(m_kind)) + "::" + call + ": " +
                     elements_text(index, count) + " of PE " +
                     std::to_string(pe) + ", which shares only " +
                     std::to_string(shared.count));
  }
  if (count == 0) return nullptr;
  if (local == nullptr) {
    throw UsageError(std::string(type_name_of(m_kind)) + "::" + call + ": " +
                     elements_text(index, count) + " of PE " +
                     std::to_string(pe) + ": the address on this PE is null");
  }
  // By now, the PID may belong to another process.
  if (pe != m_my_pe &&
      Runtime::instance(type_name_of(m_kind)).exchange().is_gone(pe)) {
    throw SystemError(std::string(type_name_of(m_kind)) + "::" + call + ": " +
                      elements_text(index, count) + " of PE " +
                      std::to_string(pe) + ": its process is gone");
  }
  return moved(shared.start, index * m_element_bytes);
}

void SharedBuffer::put(std::size_t dest_index, void const* source,
                       std::size_t count, Pe pe) const {
  auto* const there = range(pe, source, dest_index, count, "put");
  if (there == nullptr) return;
  if (pe == m_my_pe) {
    std::memmove(there, source, count * m_element_bytes);
    return;
  }
  move_bytes(true, part(pe, "put").process,
             static_cast<char*>(const_cast<void*>(source)), there,
             count * m_element_bytes,
             std::string(type_name_of(m_kind)) + "::put of " +
                 elements_text(dest_index, count) + " of PE " +
                 std::to_string(pe));
}

void SharedBuffer::get(void* dest, std::size_t source_index, std::size_t count,
                       Pe pe) const {
  auto* const there = range(pe, dest, source_index, count, "get");
  if (there == nullptr) return;
  if (pe == m_my_pe) {
    std::memmove(dest, there, count * m_element_bytes);
    return;
  }
  move_bytes(false, part(pe, "get").process, static_cast<char*>(dest), there,
             count * m_element_bytes,
             std::string(type_name_of(m_kind)) + "::get of " +
                 elements_text(source_index, count) + " of PE " +
                 std::to_string(pe));
}

}  // namespace symm::Impl
