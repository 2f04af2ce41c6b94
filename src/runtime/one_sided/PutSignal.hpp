// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ONE_SIDED_PUT_SIGNAL_HPP
#define SYMM_ONE_SIDED_PUT_SIGNAL_HPP

#include <cstddef>
#include <type_traits>

#include <symm_gpu/Launch.hpp>

#include "../access/Access.hpp"
#include "../access/Elements.hpp"
#include "../access/GroupOperations.hpp"
#include "../access/PeOperations.hpp"
#include "../access/Signal.hpp"
#include "../base/Check.hpp"
#include "../base/Function.hpp"
#include "../base/Observer.hpp"
#include "../base/Types.hpp"
#include "../groups/Group.hpp"
#include "../memory/HeapMap.hpp"
#include "../transport/HostCall.hpp"

namespace symm::Impl {

/// put_signal() on the host.
/// \param until what it waits for, if `pe` is a far PE.
template <class T>
void put_signal_on_host(T* dest, std::type_identity_t<T> const* source,
                        std::size_t count, Signal* signal_address,
                        Signal signal, SignalOp op, Pe pe,
                        Completion completion, HostCall const& call) {
  check_element<T>();
  auto const bytes = bytes_of(sizeof(T), count);
  observe(
      OperationKind::signal, call.name, pe, bytes, dest, source, [=, &call] {
        check::put_signal(dest, source, bytes, signal_address, pe,
                          op == SignalOp::add, completion == Completion::none);
        put_with_signal(dest, source, bytes, signal_address, signal, op, pe,
                        completion, call, [&](DeliverSignal const& deliver) {
                          run_one_thread_on_gpu(call.name, deliver);
                        });
      });
}

/// put_signal() by a group of threads.
template <ThreadGroup Threads, class T>
SYMM_INLINE_FUNCTION void put_signal_of_group(
    Threads const& threads, HeapMap const& heap, T* dest,
    std::type_identity_t<T> const* source, std::size_t count,
    Signal* signal_address, Signal signal, SignalOp op, Pe pe,
    Completion completion, char const* call) {
  check_element<T>();
  auto const bytes = bytes_of(sizeof(T), count);
  expect_access(heap, signal_address, sizeof(Signal), pe, call, sizeof(Signal));
  if (bytes != 0) expect_access(heap, dest, bytes, pe, call);
  [[maybe_unused]] check::Call const its_call(call);
  auto const group = group_of(threads);
  if (group.rank() == 0) {
    check::put_signal(dest, source, bytes, signal_address, pe,
                      op == SignalOp::add, completion == Completion::none);
  }
  put_with_signal(group, heap, dest, source, count, signal_address, signal, op,
                  pe, call, completion);
}

}  // namespace symm::Impl

#endif
