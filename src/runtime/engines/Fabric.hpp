// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ENGINES_FABRIC_HPP
#define SYMM_ENGINES_FABRIC_HPP

#include <rdma/fabric.h>

#include <memory>
#include <string>
#include <vector>

#include "../base/Text.hpp"

// The libfabric functions that are looked up with dlsym(). All other calls go
// through the function tables in libfabric's objects.
#define SYMM_FOR_EACH_FABRIC_FUNCTION(X) \
  X(fi_dupinfo)                          \
  X(fi_fabric)                           \
  X(fi_freeinfo)                         \
  X(fi_getinfo)                          \
  X(fi_strerror)                         \
  X(fi_version)

namespace symm::Impl {

using FabricInfo = std::unique_ptr<fi_info, void (*)(fi_info*)>;

/// The libfabric library, which is loaded when a multi-node job starts.
/// Programs are not linked with it, and single-node jobs do not load it.
struct Fabric {
  /// Older versions have not been tested.
  static constexpr unsigned oldest_major = 1;
  static constexpr unsigned oldest_minor = 17;

#define SYMM_DECLARE_FABRIC_FUNCTION(name) decltype(&::name) name = nullptr;
  SYMM_FOR_EACH_FABRIC_FUNCTION(SYMM_DECLARE_FABRIC_FUNCTION)
#undef SYMM_DECLARE_FABRIC_FUNCTION

  unsigned major = 0;
  unsigned minor = 0;

  /// The libfabric installed on this machine. Local; callable from any thread.
  ///
  /// While libfabric is being loaded, and during networks(), this class sets
  /// environment variables that libfabric reads, except variables that the user
  /// has set.
  /// \throws SystemError if libfabric is missing or too old. The next call then
  ///         tries again.
  static Fabric const& instance();

  /// All networks that provide the features that the engine needs, in
  /// libfabric's order of preference.
  /// \throws SystemError if there are none.
  [[nodiscard]] FabricInfo networks() const;
  /// Whether the network is suitable for traffic between nodes. Always true if
  /// FI_PROVIDER lists providers to use, rather than providers to exclude
  /// ("^verbs").
  [[nodiscard]] static bool is_for_nodes(fi_info const& info);
  /// The network that a job uses: the first of `networks` for which
  /// is_for_nodes() is true. Null if there is none.
  [[nodiscard]] static fi_info* best_of(fi_info& networks);

  /// `network` with fi_write and fi_read enabled; null if the network lacks
  /// them.
  [[nodiscard]] FabricInfo one_sided_of(fi_info const& network) const;

  /// \throws SystemError "<what>: <call> failed: <text>" if `status` is
  ///         negative.
  void check(long status, Text const& what, char const* call) const;
};

// libfabric's implementations of MessageEngineKind's functions:
[[nodiscard]] std::string libfabric_of_this_machine();
[[nodiscard]] std::vector<std::string> libfabric_networks_of_this_machine();
[[nodiscard]] std::string libfabric_one_sided_of_this_machine();

}  // namespace symm::Impl

#endif
