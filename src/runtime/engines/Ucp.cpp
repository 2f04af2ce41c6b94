// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Ucp.hpp"

#include <dlfcn.h>

#include <tuple>

#include "../base/Env.hpp"
#include "../symm_errors.hpp"

namespace symm::Impl {

namespace {

constexpr char const* remedy =
    "; a job on several nodes needs UCX 1.13 or later (Debian's libucx0) on "
    "each node";

template <class Function>
void find_in_ucx(void* library, char const* symbol, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, symbol));
  if (function == nullptr) {
    throw SystemError(Text("the UCX on this machine lacks ", symbol, remedy));
  }
}

Ucp load_ucx() {
  constexpr char const* name = "libucp.so.0";
  TemporaryVariables variables;
  variables.set("UCX_ERROR_SIGNALS", "");
  // Never close the library: MPI may also be using it, and UCX's hooks stay
  // installed.
  void* const library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    char const* const reason = ::dlerror();
    throw SystemError(Text(
        "no UCX on this machine: ", reason != nullptr ? reason : name, remedy));
  }
  Ucp ucp;
  find_in_ucx(library, "ucp_get_version", ucp.ucp_get_version);
  ucp.ucp_get_version(&ucp.major, &ucp.minor, &ucp.patch);
  if (std::tie(ucp.major, ucp.minor) <
      std::tie(Ucp::oldest_major, Ucp::oldest_minor)) {
    throw SystemError(Text("the UCX on this machine is version ", ucp.major,
                           ".", ucp.minor, ".", ucp.patch, remedy));
  }
#define SYMM_FIND_UCP_FUNCTION(name) find_in_ucx(library, #name, ucp.name);
  SYMM_FOR_EACH_UCP_FUNCTION(SYMM_FIND_UCP_FUNCTION)
#undef SYMM_FIND_UCP_FUNCTION
  return ucp;
}

}  // namespace

Ucp const& Ucp::instance() {
  static Ucp const ucp = load_ucx();
  return ucp;
}

std::string ucx_of_this_machine() {
  auto const& ucp = Ucp::instance();
  return "UCX " + std::to_string(ucp.major) + "." + std::to_string(ucp.minor) +
         "." + std::to_string(ucp.patch);
}

void Ucp::check(ucs_status_t status, Text const& what, char const* call) const {
  if (status == UCS_OK) return;
  throw SystemError(
      Text(what, ": ", call, " failed: ", ucs_status_string(status)));
}

}  // namespace symm::Impl
