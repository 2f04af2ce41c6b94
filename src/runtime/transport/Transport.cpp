// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Transport.hpp"

// Objects of which a process has one. Defined in a header, a program or shared
// library whose symbols are hidden would get its own.
namespace symm::Impl {

constinit Transport* Transport::s_instance = nullptr;

}  // namespace symm::Impl
