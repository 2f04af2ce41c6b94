// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ENGINES_UCP_HPP
#define SYMM_ENGINES_UCP_HPP

#include <ucp/api/ucp.h>
#include <ucs/async/async_fwd.h>

#include <string>
#include <vector>

#include "../base/Text.hpp"

// The UCX functions that are looked up with dlsym().
#define SYMM_FOR_EACH_UCP_FUNCTION(X) \
  X(ucp_am_recv_data_nbx)             \
  X(ucp_am_send_nbx)                  \
  X(ucp_cleanup)                      \
  X(ucp_config_modify)                \
  X(ucp_config_read)                  \
  X(ucp_config_release)               \
  X(ucp_context_print_info)           \
  X(ucp_ep_close_nbx)                 \
  X(ucp_ep_create)                    \
  X(ucp_get_version)                  \
  X(ucp_init_version)                 \
  X(ucp_request_check_status)         \
  X(ucp_request_free)                 \
  X(ucp_worker_arm)                   \
  X(ucp_worker_create)                \
  X(ucp_worker_destroy)               \
  X(ucp_worker_get_efd)               \
  X(ucp_worker_progress)              \
  X(ucp_worker_query)                 \
  X(ucp_worker_release_address)       \
  X(ucp_worker_set_am_recv_handler)   \
  X(ucp_worker_signal)                \
  X(ucs_async_remove_handler)         \
  X(ucs_async_set_event_handler)      \
  X(ucs_status_string)

namespace symm::Impl {

/// The UCX library, which is loaded when a multi-node job starts. Programs are
/// not linked with it, and single-node jobs do not load it.
struct Ucp {
  /// Older versions lack required features or have not been tested.
  static constexpr unsigned oldest_major = 1;
  static constexpr unsigned oldest_minor = 13;

#define SYMM_DECLARE_UCP_FUNCTION(name) decltype(&::name) name = nullptr;
  SYMM_FOR_EACH_UCP_FUNCTION(SYMM_DECLARE_UCP_FUNCTION)
#undef SYMM_DECLARE_UCP_FUNCTION

  unsigned major = 0;
  unsigned minor = 0;
  unsigned patch = 0;

  /// The UCX installed on this machine. Local; callable from any thread.
  ///
  /// While UCX is being loaded, UCX_ERROR_SIGNALS is set to an empty value
  /// unless the user has set it. Otherwise, UCX would install handlers for
  /// SIGSEGV and other signals.
  /// \throws SystemError if UCX is missing or too old. The next call then tries
  ///         again.
  static Ucp const& instance();

  /// \throws SystemError "<what>: <call> failed: <text>" unless `status` is
  ///         UCS_OK.
  void check(ucs_status_t status, Text const& what, char const* call) const;
};

// UCX's implementations of MessageEngineKind's functions:
[[nodiscard]] std::string ucx_of_this_machine();
[[nodiscard]] std::vector<std::string> ucx_networks_of_this_machine();
/// The networks that `context` uses, such as "tcp/eth0".
[[nodiscard]] std::vector<std::string> ucx_networks_of(Ucp const& ucp,
                                                       ucp_context& context);
[[nodiscard]] std::string ucx_one_sided_of_this_machine();
/// Whether UCX_TLS allows processes on one machine to copy each other's memory:
/// it names cma or all shared-memory transports, or it is a list of exclusions
/// that contains neither.
[[nodiscard]] bool ucx_allows_process_memory();

}  // namespace symm::Impl

#endif
