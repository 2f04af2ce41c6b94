// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_SHARED_BUFFER_HPP
#define SYMM_SHARED_BUFFER_HPP

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include "../base/Types.hpp"

namespace symm::Impl {

/// The part of SharedHostBuffer and SharedDeviceBuffer
/// (symm_shared_buffers.hpp) that does not depend on the element type: the
/// addresses of all PEs' memory, and the functions with which this PE accesses
/// that memory.
class SharedBuffer {
 public:
  /// Collective. The arguments and exceptions are documented at SharedElements
  /// in symm_shared_buffers.hpp.
  SharedBuffer(MemoryKind kind, void const* data, std::size_t count,
               std::size_t element_bytes, std::exception_ptr const& failure);
  SharedBuffer(SharedBuffer&& other) noexcept : SharedBuffer(other.m_kind) {
    swap(other);
  }
  SharedBuffer& operator=(SharedBuffer&& other) noexcept {
    SharedBuffer(std::move(other)).swap(*this);
    return *this;
  }
  SharedBuffer(SharedBuffer const&)            = delete;
  SharedBuffer& operator=(SharedBuffer const&) = delete;
  ~SharedBuffer();

  void close();
  [[nodiscard]] std::size_t count(Pe pe) const;
  [[nodiscard]] void* peer(Pe pe) const;
  void put(std::size_t dest_index, void const* source, std::size_t count,
           Pe pe) const;
  void get(void* dest, std::size_t source_index, std::size_t count,
           Pe pe) const;

 private:
  /// The memory that a PE has shared.
  struct Part {
    // For GPU memory, an address in this process; for host memory, an address
    // in the PE's process.
    char* start       = nullptr;
    std::size_t count = 0;  // in elements
    pid_t process     = 0;  // the PE's process; only for host memory
    // The start of the mapped GPU memory in this process; null if there is
    // none.
    char* import_start = nullptr;
  };
  struct PartNote;

  explicit SharedBuffer(MemoryKind kind) : m_kind(kind) {}
  void swap(SharedBuffer& other) noexcept;
  void share(void const* data, std::size_t count,
             std::exception_ptr const& failure);
  void prepare(void const* data, std::size_t count,
               std::exception_ptr const& failure);
  [[nodiscard]] PartNote note_of(void const* data, std::size_t count) const;
  void open_part(Pe pe, PartNote const& note);
  void open_device_part(Pe pe, PartNote const& note);
  void try_host_part(Pe pe) const;
  void close_imports();
  [[nodiscard]] Part const& part(Pe pe, char const* call) const;
  /// Returns the address of the elements to copy on `pe`; null if there are
  /// none.
  [[nodiscard]] char* range(Pe pe, void const* local, std::size_t index,
                            std::size_t count, char const* call) const;

  MemoryKind m_kind;
  std::size_t m_element_bytes = 1;
  std::uint64_t m_number      = 0;  // the same on all PEs
  Pe m_my_pe                  = 0;
  std::vector<Part> m_parts;            // empty once closed
  std::weak_ptr<void const> m_runtime;  // the runtime that created this object
};

}  // namespace symm::Impl

#endif
