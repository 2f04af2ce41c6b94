// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "MessageEngines.hpp"

#include <algorithm>
#include <array>

#include "../base/EnvironmentTable.hpp"
#include "../base/Text.hpp"
#include "../symm_errors.hpp"
#ifdef SYMM_HAS_UCX
#include "MessageEngine_Ucx.hpp"
#endif
#ifdef SYMM_HAS_LIBFABRIC
#include "MessageEngine_Libfabric.hpp"
#endif

namespace symm::Impl {

namespace {

template <class Engine>
[[maybe_unused]] std::unique_ptr<MessageEngine> make(
    Bootstrap& bootstrap, FdExchange& exchange, Vmm& vmm,
    MessageEngineOptions const& options) {
  return std::make_unique<Engine>(bootstrap, exchange, vmm, options);
}

#ifdef SYMM_HAS_UCX
constexpr MessageEngineKind ucx{
    "ucx", ucx_of_this_machine, ucx_networks_of_this_machine,
    make<MessageEngine_Ucx>, ucx_one_sided_of_this_machine};
#else
constexpr MessageEngineKind ucx{
    "ucx",
    []() -> std::string {
      throw SystemError(
          "this library was built without UCX: install the headers of UCX 1.13 "
          "or later (Debian's libucx-dev), configure it with "
          "SYMM_ENABLE_UCX=ON "
          "and build it again, or start all PEs on one node");
    },
    nullptr, nullptr};
#endif

#ifdef SYMM_HAS_LIBFABRIC
constexpr MessageEngineKind libfabric{
    "libfabric", libfabric_of_this_machine, libfabric_networks_of_this_machine,
    make<MessageEngine_Libfabric>, libfabric_one_sided_of_this_machine};
#else
constexpr MessageEngineKind libfabric{
    "libfabric",
    []() -> std::string {
      throw SystemError(
          "this library was built without libfabric: install the headers of "
          "libfabric 1.17 or later (Debian's libfabric-dev), configure it with "
          "SYMM_ENABLE_LIBFABRIC=ON and build it again");
    },
    nullptr, nullptr};
#endif

constexpr std::array all_kinds{ucx, libfabric};

/// Returns -1 for null.
int index_of(MessageEngineKinds kinds, MessageEngineKind const* kind) {
  return kind == nullptr ? -1 : static_cast<int>(kind - kinds.data());
}

std::string_view name_of(MessageEngineKinds kinds, int index) {
  return index < 0 ? "unset" : kinds[static_cast<std::size_t>(index)].name;
}

}  // namespace

MessageEngineKinds message_engines() { return all_kinds; }

MessageEngineKind const* message_engine_of_environment(
    MessageEngineKinds kinds) {
  auto const setting = setting_of(environment::network);
  if (!setting || setting->text.empty()) return nullptr;
  auto const found = std::find_if(
      kinds.begin(), kinds.end(),
      [&](auto const& kind) { return kind.name == setting->text; });
  if (found != kinds.end()) return &*found;
  Text message("SYMM_NETWORK=", setting->text,
               ": unknown network library; the choices are");
  char const* separator = " ";
  for (auto const& kind : kinds) {
    message.append(separator, kind.name);
    separator = ", ";
  }
  throw UsageError(message);
}

MessageEngineKind const& choose_message_engine(Bootstrap& bootstrap,
                                               int n_nodes,
                                               MessageEngineKinds kinds) {
  MessageEngineKind const* named = nullptr;
  auto const agree               = agree_through(bootstrap);
  all_or_none(agree, "choosing the network library",
              [&] { named = message_engine_of_environment(kinds); });
  if (auto const other = difference_of(bootstrap, index_of(kinds, named))) {
    throw UsageError(Text(
        "SYMM_NETWORK differs between PEs: ", name_of(kinds, other->of_first),
        " on PE 0, ", name_of(kinds, other->value), " on PE ", other->pe,
        "; start all PEs with the same value"));
  }
  if (named != nullptr) kinds = {named, 1};
  Text problems;
  for (auto const& kind : kinds) {
    auto const failed =
        agree(failure_of([&] { static_cast<void>(kind.library()); }));
    if (!failed) return kind;
    problems.append(problems.empty() ? ": " : "; ", kind.name,
                    " cannot run on PE ", failed->pe, ": ",
                    failed->failure.message);
  }
  throw SystemError(Text("there is no network for the ", n_nodes,
                         " nodes of this job", problems));
}

}  // namespace symm::Impl
