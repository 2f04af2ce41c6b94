// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "RegisteredView.hpp"

#include <algorithm>

#include "../../runtime/base/Failure.hpp"
#include "../../runtime/job/Runtime.hpp"
#include "../space/KokkosTools.hpp"

namespace symm::Impl {

namespace {

constexpr char const* too_large = "its extents are too large for any memory";

std::string call_text(char const* call, std::string const& label) {
  return std::string(call) + " of \"" + label + "\"";
}

}  // namespace

ViewBytes span_of_layout(Kokkos::LayoutStride const& layout, std::size_t rank) {
  std::size_t span = 1;
  for (std::size_t r = 0; r < rank; ++r) {
    if (layout.dimension[r] == 0) return 0;
    std::size_t last = 0;
    if (__builtin_mul_overflow(layout.dimension[r] - 1, layout.stride[r],
                               &last) ||
        __builtin_add_overflow(span, last, &span)) {
      return std::nullopt;
    }
  }
  return span;
}

void require_runtime(char const* call) {
  static_cast<void>(Runtime::instance(call));
}

void* allocate_registrable(MemoryKind kind, char const* space,
                           std::string const& label, ViewBytes bytes) {
  constexpr char const* call = "symm::make_registrable_view";
  auto& memory = Runtime::instance(call).private_memory(kind, call);
  if (!bytes) {
    throw OutOfMemory(call_text(call, label) + ": " + too_large);
  }
  auto* const address =
      memory.allocate(label, std::max(*bytes, std::size_t{1}));
  tell_tools_of_memory(space, label.c_str(), address, *bytes);
  return address;
}

void FreeRegistrable::destroy_shared_allocation() const noexcept {
  if (address == nullptr) return;
  Kokkos::fence("symm: destruction of a View that kernels may use");
  tell_tools_of_end(address);
  if (!Runtime::is_initialized()) return;  // finalize() has reported it
  constexpr char const* call = "destruction of a registrable View";
  auto const failure         = failure_of([&] {
    Runtime::instance(call).private_memory(kind, call).free(address);
  });
  static_cast<void>(failure);  // fails if a later runtime lacks such memory
}

void* register_symmetric(MemoryKind kind, std::string const& label,
                         void const* data, ViewBytes bytes,
                         std::exception_ptr const& error) {
  constexpr char const* call = "symm::register_symmetric_view";
  std::optional<Failure> failure;
  if (error) {
    failure = failure_of([&] { std::rethrow_exception(error); });
  } else if (!bytes) {
    failure = {ErrorKind::usage, "View \"" + label + "\": " + too_large};
  }
  auto* const address =
      Runtime::instance(call)
          .heap(kind, call)
          .register_view(label.c_str(), data, bytes.value_or(0), failure);
  note_label("Symmetric", label.c_str(), address, bytes.value_or(0));
  return address;
}

void RetireRegistered::destroy_shared_allocation() const noexcept {
  if (address == nullptr) return;
  Kokkos::fence("symm: destruction of a View that kernels may use");
  forget_label(address);
  if (!Runtime::is_initialized()) return;  // finalize() has reported it
  auto& heap = Runtime::instance("destruction of a View").heap_of(address);
  if (heap.contains(address)) heap.retire(address);
}

void register_local(std::string const& label, void const* data,
                    ViewBytes bytes) {
  if (bytes == std::size_t{0}) return;
  auto const call    = call_text("symm::register_view", label);
  auto& runtime      = Runtime::instance(call.c_str());
  auto const failure = failure_of([&] {
    if (!bytes) throw UsageError(too_large);
    runtime.register_buffer(const_cast<void*>(data), *bytes);
  });
  if (failure) throw_failure({failure->kind, call + ": " + failure->message});
}

void unregister_local(std::string const& label, void const* data,
                      ViewBytes bytes) {
  if (bytes == std::size_t{0}) return;
  auto const call = call_text("symm::unregister_view", label);
  auto& runtime   = Runtime::instance(call.c_str());
  auto const failure =
      failure_of([&] { runtime.buffers().remove(const_cast<void*>(data)); });
  if (failure) throw_failure({failure->kind, call + ": " + failure->message});
}

}  // namespace symm::Impl
