// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Transport.hpp"

#include "InCall.hpp"

// Objects of which a process has one. Defined in a header, a program or shared
// library whose symbols are hidden would get its own.
namespace symm::Impl {

constinit Transport* Transport::s_instance        = nullptr;
constinit thread_local char const* InCall::s_call = nullptr;

}  // namespace symm::Impl
