// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TRANSPORT_HOST_CALL_HPP
#define SYMM_TRANSPORT_HOST_CALL_HPP

namespace symm::Impl {

class Channel;
struct OperationHandle;

/// The host call to which an operation belongs.
struct HostCall {
  constexpr HostCall() = default;
  // Converts a name to a call that has no context.
  constexpr HostCall(char const* its_name) : name(its_name) {}
  constexpr HostCall(char const* its_name, Channel* its_channel,
                     OperationHandle* its_request = nullptr)
      : name(its_name), channel(its_channel), request(its_request) {}

  // The call's name for error messages, such as "symm::put"; null if unknown.
  char const* name = nullptr;
  Channel* channel = nullptr;  // for far PEs; null for the default one
  // The handle that a Request waits for. If this is not null, an operation that
  // uses messages fills in the handle.
  OperationHandle* request = nullptr;
  // Whether small puts may be batched even with Completion::local. (The caller
  // may still reuse the source as soon as the call returns.)
  bool aggregates = false;
};

// Operations that take only a few instructions accept either a name or a
// HostCall. They create a HostCall from a name only if they have to send a
// message.
[[nodiscard]] constexpr char const* name_of_call(char const* call) {
  return call;
}
[[nodiscard]] constexpr char const* name_of_call(HostCall const& call) {
  return call.name;
}

}  // namespace symm::Impl

#endif
