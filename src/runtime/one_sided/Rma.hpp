// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ONE_SIDED_RMA_HPP
#define SYMM_ONE_SIDED_RMA_HPP

#include <cstddef>
#include <type_traits>

#include "../access/Elements.hpp"
#include "../access/GroupOperations.hpp"
#include "../access/Operations.hpp"
#include "../access/PeOperations.hpp"
#include "../base/Check.hpp"
#include "../base/Function.hpp"
#include "../base/Types.hpp"
#include "../groups/GroupCopy.hpp"
#include "../memory/HeapMap.hpp"
#include "../memory/HostCopy.hpp"
#include "../memory/Words.hpp"
#include "../symm_contexts.hpp"
#include "../transport/HostCall.hpp"

namespace symm::Impl {

// Implementations of the forms of put and get in symm_rma.hpp. `call` is the
// call's name, for error messages.

// On the host.

/// Copies at least 1 byte, in any context, with or without a Request.
/// \tparam completion specifies when the call returns if the PE is far.
/// \tparam Call char const* for calls without a context, or HostCall.
template <Direction direction, Completion completion, class Call>
void copy_bytes_on_host(Call call, void* dest, void const* source,
                        std::size_t bytes, Pe pe);

/// put() or get(), on the host, with or without a context.
template <Direction direction, Completion completion, class Call, class T>
void copy_on_host(Call const& call, T* dest, T const* source, std::size_t count,
                  Pe pe) {
  check_element<T>();
  auto const bytes = bytes_of(sizeof(T), count);
  if (bytes == 0) return;
  // Observers are notified inside the library, which keeps programs smaller and
  // the arguments in registers.
  [[maybe_unused]] check::Call const its_call(name_of_call(call));
  CopyOperation<direction>{name_of_call(call), dest, source, bytes, pe,
                           completion}
      .report();
  copy_bytes_on_host<direction, completion>(call, dest, source, bytes, pe);
}

/// put_nbi() or get_nbi(), on the host, without a context.
template <Direction direction, class T>
void copy_on_host_nbi(char const* call, T* dest, T const* source,
                      std::size_t count, Pe pe, Request* request) {
  if (request != nullptr) [[unlikely]] {
    copy_on_host<direction, Completion::none>(call_of(call, nullptr, request),
                                              dest, source, count, pe);
    return;
  }
  copy_on_host<direction, Completion::none>(call, dest, source, count, pe);
}

/// put(), get(), put_nbi() or get_nbi(), on the host, in a context.
/// \param pe a PE number in the context.
template <Direction direction, Completion completion, class T>
void copy_in_context(Context const& context, char const* name, T* dest,
                     T const* source, std::size_t count, Pe pe,
                     Request* request = nullptr) {
  copy_on_host<direction, completion>(context.call(name, request), dest, source,
                                      count, context.world_pe(pe, name));
}

/// p(): stores one element, on the host.
/// \param call a name or a HostCall.
template <class Call, class T>
[[gnu::always_inline]] inline void store_on_host(Call call, T* dest,
                                                 T const& value, Pe pe) {
  check_element<T>();
  run_operation(CopyOperation<Direction::put, false>{name_of_call(call), dest,
                                                     &value, sizeof(T), pe},
                [=, &value] { store_element(dest, value, pe, call); });
}

/// g(): loads one element, on the host.
/// \param call a name or a HostCall.
template <class Call, class T>
[[nodiscard, gnu::always_inline]] inline T load_on_host(Call call,
                                                        T const* source,
                                                        Pe pe) {
  check_element<T>();
  return run_operation(
      CopyOperation<Direction::get, false>{name_of_call(call), nullptr, source,
                                           sizeof(T), pe},
      [=] { return load_element(source, pe, call); });
}

// In kernels, and on the host in calls with a heap map.

/// p(), called by one thread.
template <class T>
SYMM_INLINE_FUNCTION void store_in_heap(HeapMap const& heap, char const* call,
                                        T* dest, T const& value, Pe pe) {
  check_element<T>();
  GroupOperation const operation(
      OneThread(), heap,
      CopyOperation<Direction::put, false>{call, dest, &value, sizeof(T), pe,
                                           Completion::local, alignof(T)});
  store_element(heap, dest, value, pe, call);
}

/// g(), called by one thread.
template <class T>
[[nodiscard]] SYMM_INLINE_FUNCTION T load_in_heap(HeapMap const& heap,
                                                  char const* call,
                                                  T const* source, Pe pe) {
  check_element<T>();
  GroupOperation const operation(
      OneThread(), heap,
      CopyOperation<Direction::get, false>{call, nullptr, source, sizeof(T), pe,
                                           Completion::local, alignof(T)});
  return load_element(heap, source, pe, call);
}

/// put() or get(), called by a group of threads.
template <Direction direction, ThreadGroup Threads, class T>
SYMM_INLINE_FUNCTION void copy_elements_of_pe(
    Threads const& threads, HeapMap const& heap, T* dest, T const* source,
    std::size_t count, Pe pe, char const* call,
    Completion completion = Completion::local) {
  check_element<T>();
  auto const group        = group_of(threads);
  std::size_t const bytes = bytes_of(sizeof(T), count);
  if (bytes != 0) {
    GroupOperation const operation(
        group, heap,
        CopyOperation<direction>{call, dest, source, bytes, pe, completion});
    copy_elements<direction>(group, heap, dest, source, count, pe, call,
                             completion);
  }
  group.barrier();
}

}  // namespace symm::Impl

#endif
