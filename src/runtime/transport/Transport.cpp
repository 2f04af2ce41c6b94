// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Transport.hpp"

#include "FarPes.hpp"

// What a process has one of. Not in a header: a program or shared library whose
// symbols are hidden would get its own.
namespace symm::Impl {

constinit KernelRequests* KernelRequests::s_instance = nullptr;
constinit Transport* Transport::s_instance           = nullptr;
constinit FarPes* FarPes::s_instance                 = nullptr;
constinit thread_local char const* InCall::s_call    = nullptr;

}  // namespace symm::Impl
