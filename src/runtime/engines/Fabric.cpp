// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Fabric.hpp"

#include <dlfcn.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <tuple>
#include <utility>

#include "../base/Env.hpp"
#include "../base/EnvironmentTable.hpp"
#include "../symm_errors.hpp"

namespace symm::Impl {

namespace {

constexpr char const* fabric_remedy =
    "; SYMM_NETWORK=libfabric needs libfabric 1.17 or later (Debian's "
    "libfabric1) on each node";

constexpr char const* no_network =
    "libfabric has found no network between nodes; set FI_PROVIDER to one of "
    "the providers that `fi_info` lists";

/// Settings for libfabric's tcp;ofi_rxm provider. libfabric reads them when it
/// is loaded or during the first call to fi_getinfo().
constexpr std::array<std::pair<char const*, char const*>, 2> fabric_defaults{{
    // The maximum size in bytes of a message that the provider sends without a
    // rendezvous. Larger payloads wait for the receiver anyway, because this
    // library offers them first.
    {"FI_OFI_RXM_EAGER_LIMIT", "66560"},
    // The interval, in microseconds, at which the provider checks for new
    // connections.
    {"FI_OFI_RXM_CM_PROGRESS_INTERVAL", "1000"},
}};

/// Providers that cannot reach other machines, that lose messages, or that are
/// slow when PEs share cores (`net` in 1.17).
constexpr std::array<std::string_view, 5> not_for_nodes{"shm", "udp", "sockets",
                                                        "net", "sm2"};

void set_fabric_defaults(TemporaryVariables& variables) {
  for (auto const& [name, value] : fabric_defaults) variables.set(name, value);
}

template <class Function>
void find_in_fabric(void* library, char const* symbol, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, symbol));
  if (function == nullptr) {
    throw SystemError(
        Text("the libfabric on this machine lacks ", symbol, fabric_remedy));
  }
}

Fabric load_fabric() {
  constexpr char const* name = "libfabric.so.1";
  TemporaryVariables variables;
  set_fabric_defaults(variables);
  // Never close the library, because MPI may also be using it.
  void* const library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    char const* const reason = ::dlerror();
    throw SystemError(Text("no libfabric on this machine: ",
                           reason != nullptr ? reason : name, fabric_remedy));
  }
  Fabric fabric;
  find_in_fabric(library, "fi_version", fabric.fi_version);
  auto const version = fabric.fi_version();
  fabric.major       = FI_MAJOR(version);
  fabric.minor       = FI_MINOR(version);
  if (std::tie(fabric.major, fabric.minor) <
      std::tie(Fabric::oldest_major, Fabric::oldest_minor)) {
    throw SystemError(Text("the libfabric on this machine is version ",
                           fabric.major, ".", fabric.minor, fabric_remedy));
  }
#define SYMM_FIND_FABRIC_FUNCTION(name) \
  find_in_fabric(library, #name, fabric.name);
  SYMM_FOR_EACH_FABRIC_FUNCTION(SYMM_FIND_FABRIC_FUNCTION)
#undef SYMM_FIND_FABRIC_FUNCTION
  return fabric;
}

}  // namespace

Fabric const& Fabric::instance() {
  static Fabric const fabric = load_fabric();
  return fabric;
}

void Fabric::check(long status, Text const& what, char const* call) const {
  if (status >= 0) return;
  throw SystemError(Text(what, ": ", call,
                         " failed: ", fi_strerror(static_cast<int>(-status))));
}

bool Fabric::is_for_nodes(fi_info const& info) {
  // Accept any provider that the user has named. (A leading ^ marks a list of
  // exclusions.)
  auto const chosen = setting_of(environment::fabric_provider);
  if (chosen && !chosen->text.starts_with('^')) return true;
  std::string_view const provider = info.fabric_attr->prov_name;
  auto const first                = provider.substr(0, provider.find(';'));
  return std::find(not_for_nodes.begin(), not_for_nodes.end(), first) ==
         not_for_nodes.end();
}

fi_info* Fabric::best_of(fi_info& networks) {
  auto* best = &networks;
  while (best != nullptr && !is_for_nodes(*best)) best = best->next;
  return best;
}

FabricInfo Fabric::networks() const {
  constexpr char const* what = "querying the networks of libfabric";
  FabricInfo const hints(fi_dupinfo(nullptr), fi_freeinfo);
  if (!hints) throw SystemError(what, "fi_dupinfo", ENOMEM);
  hints->caps                   = FI_MSG | FI_TAGGED;
  hints->mode                   = FI_CONTEXT | FI_CONTEXT2;
  hints->ep_attr->type          = FI_EP_RDM;
  hints->tx_attr->iov_limit     = 2;                 // a header and a payload
  hints->domain_attr->threading = FI_THREAD_DOMAIN;  // the engine has one
                                                     // lock
  hints->domain_attr->resource_mgmt = FI_RM_ENABLED;
  fi_info* found                    = nullptr;
  TemporaryVariables variables;
  set_fabric_defaults(variables);
  check(fi_getinfo(FI_VERSION(oldest_major, oldest_minor), nullptr, nullptr, 0,
                   hints.get(), &found),
        what, "fi_getinfo");
  return {found, fi_freeinfo};
}

FabricInfo Fabric::one_sided_of(fi_info const& network) const {
  FabricInfo hints(fi_dupinfo(&network), fi_freeinfo);
  if (!hints) return hints;
  hints->caps |= FI_RMA;
  // Accept all modes except FI_MR_LOCAL, which would require local sources and
  // destinations to be registered.
  hints->domain_attr->mr_mode =
      FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
  // fi_write must be able to complete on delivery. The other operations need
  // not, so the flag is cleared below.
  hints->tx_attr->op_flags = FI_DELIVERY_COMPLETE;
  fi_info* found           = nullptr;
  auto const status        = fi_getinfo(FI_VERSION(oldest_major, oldest_minor),
                                        nullptr, nullptr, 0, hints.get(), &found);
  if (status != 0) found = nullptr;
  if (found != nullptr) found->tx_attr->op_flags = 0;
  return {found, fi_freeinfo};
}

std::string libfabric_of_this_machine() {
  auto const& fabric  = Fabric::instance();
  auto const networks = fabric.networks();
  if (Fabric::best_of(*networks) != nullptr) {
    return "libfabric " + std::to_string(fabric.major) + "." +
           std::to_string(fabric.minor);
  }
  throw SystemError(no_network);
}

std::string libfabric_one_sided_of_this_machine() {
  auto const& fabric     = Fabric::instance();
  auto const networks    = fabric.networks();
  auto const* const best = Fabric::best_of(*networks);
  if (best == nullptr) throw SystemError(no_network);
  std::string const provider = best->fabric_attr->prov_name;
  if (fabric.one_sided_of(*best) != nullptr)
    return "large blocks (fi_write and fi_read of " + provider + ")";
  throw SystemError("libfabric's provider " + provider +
                    " supports fi_write and fi_read only with registered local "
                    "buffers, or not at all; all operations use messages");
}

std::vector<std::string> libfabric_networks_of_this_machine() {
  auto const found   = Fabric::instance().networks();
  auto const name_of = [](fi_info const& info) {
    return std::string(info.fabric_attr->prov_name) + "/" +
           info.domain_attr->name;
  };
  std::vector<std::string> networks;
  for (auto const* info = found.get(); info != nullptr; info = info->next) {
    if (!Fabric::is_for_nodes(*info)) continue;
    auto name = name_of(*info);
    if (std::find(networks.begin(), networks.end(), name) == networks.end()) {
      networks.push_back(std::move(name));
    }
  }
  return networks;
}

}  // namespace symm::Impl
