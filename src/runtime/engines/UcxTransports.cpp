// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "../base/EnvironmentTable.hpp"
#include "../symm_errors.hpp"
#include "Ucp.hpp"

namespace symm::Impl {

namespace {

constexpr char const* what_asks = "querying the transports of UCX";

template <class T>
using OwnedByUcx = std::unique_ptr<T, void (*)(T*)>;

OwnedByUcx<ucp_context> make_context(Ucp const& ucp) {
  ucp_config_t* read = nullptr;
  ucp.check(ucp.ucp_config_read(nullptr, nullptr, &read), what_asks,
            "ucp_config_read");
  OwnedByUcx<ucp_config_t> const config(read, ucp.ucp_config_release);
  if (!setting_of(environment::ucx_transports)) {  // as the engine does
    ucp.check(ucp.ucp_config_modify(config.get(), "TLS", "^sm"), what_asks,
              "ucp_config_modify");
  }
  ucp_params_t params{};
  params.field_mask     = UCP_PARAM_FIELD_FEATURES;
  params.features       = UCP_FEATURE_AM | UCP_FEATURE_WAKEUP;
  ucp_context_h context = nullptr;
  ucp.check(ucp.ucp_init_version(Ucp::oldest_major, Ucp::oldest_minor, &params,
                                 config.get(), &context),
            what_asks, "ucp_init");
  return {context, ucp.ucp_cleanup};
}

/// Returns the text that UCX prints about a context.
std::string text_of(Ucp const& ucp, ucp_context& context) {
  char* text        = nullptr;
  std::size_t bytes = 0;
  auto* const file  = ::open_memstream(&text, &bytes);
  if (file == nullptr) {
    throw SystemError(what_asks, "open_memstream", errno);
  }
  ucp.ucp_context_print_info(&context, file);
  bool const is_written = std::fclose(file) == 0;
  std::unique_ptr<char, void (*)(void*)> const owner(text, std::free);
  if (!is_written) throw SystemError(what_asks, "fclose", errno);
  return {text, bytes};
}

constexpr std::array<std::string_view, 4> names_of_cma{"cma", "sm", "shm",
                                                       "all"};

}  // namespace

bool ucx_allows_process_memory() {
  auto const setting = setting_of(environment::ucx_transports);
  if (!setting) return false;
  std::string_view rest  = setting->text;
  bool const is_excluded = rest.starts_with('^');
  if (is_excluded) rest.remove_prefix(1);
  bool is_named = false;
  while (!rest.empty()) {
    auto const name = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), name.size() + 1));
    is_named = is_named || std::find(names_of_cma.begin(), names_of_cma.end(),
                                     name) != names_of_cma.end();
  }
  return is_named != is_excluded;
}

std::string ucx_one_sided_of_this_machine() {
  if (ucx_allows_process_memory())
    return "blocks between PEs of one machine (cma)";
  throw SystemError(
      "UCX_TLS does not allow cma, with which PEs on one machine copy blocks; "
      "between machines, all operations use messages");
}

std::vector<std::string> ucx_networks_of_this_machine() {
  auto const& ucp    = Ucp::instance();
  auto const context = make_context(ucp);
  return ucx_networks_of(ucp, *context);
}

std::vector<std::string> ucx_networks_of(Ucp const& ucp, ucp_context& context) {
  std::string const s = text_of(ucp, context);

  // UCX provides this list only as text, with one line per transport: "#
  // resource 2 : md 1 dev 2 flags -- tcp/eth0".
  std::vector<std::string> transports;
  std::string_view rest = s;
  while (!rest.empty()) {
    auto line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    auto const begin = line.find("-- ");
    if (line.find("resource") == std::string_view::npos ||
        begin == std::string_view::npos) {
      continue;
    }
    line.remove_prefix(begin + 3);
    line = line.substr(0, line.find(' '));
    if (line.starts_with("self/")) continue;  // reaches only this process
    transports.emplace_back(line);
  }
  return transports;
}

}  // namespace symm::Impl
