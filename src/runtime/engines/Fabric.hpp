// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ENGINES_FABRIC_HPP
#define SYMM_ENGINES_FABRIC_HPP

#include <rdma/fabric.h>

#include <memory>
#include <string>
#include <vector>

#include "../base/Text.hpp"

// The entry points in use; all other calls go through function tables in
// libfabric's objects.
#define SYMM_FOR_EACH_FABRIC_FUNCTION(X) \
  X(fi_dupinfo)                          \
  X(fi_fabric)                           \
  X(fi_freeinfo)                         \
  X(fi_getinfo)                          \
  X(fi_strerror)                         \
  X(fi_version)

namespace symm::Impl {

using FabricInfo = std::unique_ptr<fi_info, void (*)(fi_info*)>;

/// libfabric, loaded when a job of several nodes starts. Programs are not
/// linked with it, and jobs of one node do not load it.
struct Fabric {
  /// Older versions have not been tried.
  static constexpr unsigned oldest_major = 1;
  static constexpr unsigned oldest_minor = 17;

#define SYMM_DECLARE_FABRIC_FUNCTION(name) decltype(&::name) name = nullptr;
  SYMM_FOR_EACH_FABRIC_FUNCTION(SYMM_DECLARE_FABRIC_FUNCTION)
#undef SYMM_DECLARE_FABRIC_FUNCTION

  unsigned major = 0;
  unsigned minor = 0;

  /// The library of this machine. Local, any thread.
  ///
  /// While libfabric is being loaded, and in networks(), sets environment
  /// variables that libfabric reads then, unless the user has set them.
  /// \throws SystemError if there is none, or it is too old; the next call
  ///         tries again.
  static Fabric const& instance();

  /// All networks with the features that the engine needs, in libfabric's order
  /// of preference.
  /// \throws SystemError if there is none.
  [[nodiscard]] FabricInfo networks() const;
  /// Whether the network is suitable between nodes. All are, if FI_PROVIDER
  /// names providers; it may also exclude some: "^verbs".
  [[nodiscard]] static bool is_for_nodes(fi_info const& info);
  /// The one of `networks` that a job uses; null if none is_for_nodes().
  [[nodiscard]] static fi_info* best_of(fi_info& networks);

  /// The same network with fi_write and fi_read; null if it has none.
  [[nodiscard]] FabricInfo one_sided_of(fi_info const& network) const;

  /// \throws SystemError "<what>: <call> failed: <text>", if status is < 0.
  void check(long status, Text const& what, char const* call) const;
};

// For MessageEngineKind:
[[nodiscard]] std::string libfabric_of_this_machine();
[[nodiscard]] std::vector<std::string> libfabric_networks_of_this_machine();
[[nodiscard]] std::string libfabric_one_sided_of_this_machine();

}  // namespace symm::Impl

#endif
