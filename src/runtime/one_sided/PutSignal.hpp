// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ONE_SIDED_PUT_SIGNAL_HPP
#define SYMM_ONE_SIDED_PUT_SIGNAL_HPP

#include <cstddef>
#include <type_traits>

#include <symm_gpu/Launch.hpp>

#include "../access/Elements.hpp"
#include "../access/GroupOperations.hpp"
#include "../access/Operations.hpp"
#include "../access/PeOperations.hpp"
#include "../access/Signal.hpp"
#include "../base/Function.hpp"
#include "../base/Types.hpp"
#include "../groups/Group.hpp"
#include "../memory/HeapMap.hpp"
#include "../transport/HostCall.hpp"

namespace symm::Impl {

/// put_signal() on the host.
/// \param completion specifies when the call returns if `pe` is far.
template <class T>
void put_signal_on_host(T* dest, std::type_identity_t<T> const* source,
                        std::size_t count, Signal* signal_address,
                        Signal signal, SignalOp op, Pe pe,
                        Completion completion, HostCall const& call) {
  check_element<T>();
  auto const bytes = bytes_of(sizeof(T), count);
  SignaledPut const put{dest, source, bytes, signal_address, signal, op, pe};
  run_operation(SignalOperation{call.name, put, completion}, [=, &call] {
    put_with_signal(put, completion, call, [&](DeliverSignal const& deliver) {
      run_one_thread_on_gpu(call.name, deliver);
    });
  });
}

/// put_signal(), called by a group of threads.
template <ThreadGroup Threads, class T>
SYMM_INLINE_FUNCTION void put_signal_of_group(
    Threads const& threads, HeapMap const& heap, T* dest,
    std::type_identity_t<T> const* source, std::size_t count,
    Signal* signal_address, Signal signal, SignalOp op, Pe pe,
    Completion completion, char const* call) {
  check_element<T>();
  auto const bytes = bytes_of(sizeof(T), count);
  auto const group = group_of(threads);
  GroupOperation const operation(
      group, heap,
      SignalOperation{call,
                      {dest, source, bytes, signal_address, signal, op, pe},
                      completion});
  put_with_signal(group, heap, dest, source, count, signal_address, signal, op,
                  pe, call, completion);
}

}  // namespace symm::Impl

#endif
