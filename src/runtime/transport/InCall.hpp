// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TRANSPORT_IN_CALL_HPP
#define SYMM_TRANSPORT_IN_CALL_HPP

namespace symm::Impl {

/// The call of the user that this thread is in, for messages: the outermost.
class InCall {
 public:
  explicit InCall(char const* call) noexcept : m_is_outermost(!s_call) {
    if (m_is_outermost) s_call = call;
  }
  InCall(InCall const&)            = delete;
  InCall& operator=(InCall const&) = delete;
  ~InCall() {
    if (m_is_outermost) s_call = nullptr;
  }
  /// Null, if it is not known.
  [[nodiscard]] static char const* name() noexcept { return s_call; }

 private:
  static constinit thread_local char const* s_call;
  bool m_is_outermost;
};

}  // namespace symm::Impl

#endif
