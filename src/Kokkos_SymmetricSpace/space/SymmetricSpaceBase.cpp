// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "SymmetricSpaceBase.hpp"

#include <cstdio>
#include <limits>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "../../runtime/base/Failure.hpp"
#include "../../runtime/job/Runtime.hpp"
#include "../../runtime/pools/PoolCalls.hpp"
#include "KokkosTools.hpp"
#include "LiveViews.hpp"

namespace symm::Impl {

namespace {

/// Alignment of Views' elements in bytes: a multiple of the cache-line size and
/// of the SIMD vector size.
constexpr std::size_t data_alignment = 256;

/// Returns `bytes`. If adding the header overflowed, returns a number larger
/// than any heap's size.
std::size_t without_overflow(std::size_t bytes, std::size_t logical_bytes) {
  return bytes < logical_bytes ? std::numeric_limits<std::size_t>::max()
                               : bytes;
}

}  // namespace

void* SymmetricSpaceBase::allocate(char const* label, std::size_t bytes,
                                   std::size_t logical_bytes) const {
  if (m_has_headers_only) {
    if (logical_bytes > 0) {
      throw UsageError(
          "View \"" + std::string(label) +
          "\": a space made with HeadersOnly has no memory for elements");
    }
    return ::operator new (bytes, std::align_val_t{data_alignment});
  }
  std::size_t const header   = bytes - logical_bytes;
  bytes                      = without_overflow(bytes, logical_bytes);
  constexpr char const* call = "allocation of a View in a symmetric space";
  auto* const address =
      Runtime::instance(call)
          .heap(m_kind, call)
          .allocate_view(label, bytes, data_alignment, header);
  note_live_view(address, bytes);
  return tell_tools(label, address, bytes, logical_bytes);
}

void* SymmetricSpaceBase::allocate_in_pool(StreamName const& stream,
                                           char const* label, std::size_t bytes,
                                           std::size_t logical_bytes) const {
  std::size_t const header = bytes - logical_bytes;
  bytes                    = without_overflow(bytes, logical_bytes);
  auto* const address =
      Impl::allocate_in_pool(*m_pool, m_kind, bytes, header, stream, label);
  note_live_view(address, bytes);
  return tell_tools(label, address, bytes, logical_bytes);
}

void* SymmetricSpaceBase::tell_tools(char const* label, void* address,
                                     std::size_t bytes,
                                     std::size_t logical_bytes) const {
  if (Kokkos::Tools::profileLibraryLoaded()) {
    Kokkos::Tools::allocateData(Kokkos::Tools::make_space_handle(m_name), label,
                                address,
                                logical_bytes == 0 ? bytes : logical_bytes);
    note_label(m_name, label, address, bytes);
  }
  return address;
}

void SymmetricSpaceBase::finish_view(MemoryKind kind, char const* label,
                                     std::exception_ptr const& error) {
  constexpr char const* call = "construction of a View in a symmetric space";
  std::optional<Failure> failure;
  if (error) {
    failure          = failure_of([&] { std::rethrow_exception(error); });
    failure->message = Text("View \"", label, "\": ", failure->message);
  }
  Runtime::instance(call)
      .heap(kind, call)
      .finish_view(label, std::move(failure));
}

void SymmetricSpaceBase::throw_too_large(char const* label) {
  throw OutOfMemory(
      Text("View \"", label, "\": its extents are too large for any memory"));
}

void SymmetricSpaceBase::deallocate(char const* label, void* address,
                                    std::size_t bytes,
                                    std::size_t logical_bytes) const noexcept {
  if (address == nullptr) return;
  if (m_has_headers_only) {
    ::operator delete (address, std::align_val_t{data_alignment});
    return;
  }
  forget_live_view(address);
  if (!has_pool()) {
    Kokkos::fence("symm: destruction of a View that kernels may use");
  }
  if (Kokkos::Tools::profileLibraryLoaded()) {
    Kokkos::Tools::deallocateData(Kokkos::Tools::make_space_handle(m_name),
                                  label, address,
                                  logical_bytes == 0 ? bytes : logical_bytes);
    forget_label(address);
  }
  if (has_pool()) {
    free_in_pool(label, address);
    return;
  }
  if (!Runtime::is_initialized()) return;  // finalize() has reported it
  auto& heap = Runtime::instance("destruction of a View").heap_of(address);
  if (!heap.contains(address)) return;  // from a heap finalized earlier
  if (m_deallocate == Deallocate::retire) {
    heap.retire(address);
    return;
  }
  auto const failure = failure_of([&] { heap.free_view(address); });
  if (failure) {  // failed on all PEs; no PE has freed it
    std::fprintf(stderr,
                 "symm: View \"%s\" is not freed yet, but once all PEs have "
                 "destroyed it: %s\n",
                 label, failure->message.c_str());
    heap.retire(address);
  }
}

}  // namespace symm::Impl
