// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include <unistd.h>

#include <cstdio>
#include <string>

#include "../../runtime/base/Failure.hpp"
#include "../../runtime/engines/MessageEngines.hpp"
#include "../../runtime/symm_errors.hpp"
#include "Sections.hpp"

namespace symm_info {

namespace {

/// Describes a network library on this machine, or says why the library cannot
/// run.
Value description_of(symm::Impl::MessageEngineKind const& kind) {
  std::string library;
  try {
    library             = kind.library();
    auto const networks = texts(kind.networks());
    return object(with_remark(text(library), networks.text).text,
                  {{"library", text(library)}, {"networks", networks}});
  } catch (symm::Error const& error) {
    auto const entry = library.empty() ? nothing("no") : text(library);
    return object(with_remark(entry, error.what()).text,
                  {{"library", entry},
                   {"networks", nothing("none")},
                   {"why_not", text(error.what())}});
  }
}

/// The network library that a multi-node job would choose if all nodes were
/// like this machine.
Value choice() {
  try {
    auto const* const named = symm::Impl::message_engine_of_environment();
    for (auto const& kind : symm::Impl::message_engines()) {
      bool const is_asked_for = named == nullptr || named == &kind;
      if (is_asked_for && !symm::Impl::failure_of([&] { kind.library(); }))
        return text(kind.name);
    }
    return nothing("none");
  } catch (symm::UsageError const& error) {
    return with_remark(nothing("none"), error.what());
  }
}

/// Describes the operations that a network library performs without the
/// target's CPU.
Value one_sided_of(symm::Impl::MessageEngineKind const& kind) {
  if (kind.one_sided == nullptr)
    return with_remark(nothing("no"), "all operations are messages");
  try {
    return text(kind.one_sided());
  } catch (symm::Error const& error) {
    return with_remark(nothing("no"), error.what());
  }
}

/// Redirects standard output to standard error while this object exists so that
/// warnings from UCX do not end up in the JSON. (If MPI uses UCX, UCX reads
/// UCX_LOG_FILE before main(). Setting that variable here would be too late.)
/// Failures are ignored.
class ToStandardError {
 public:
  ToStandardError() : m_output(::dup(STDOUT_FILENO)) {
    if (m_output < 0) return;
    static_cast<void>(std::fflush(stdout));
    static_cast<void>(::dup2(STDERR_FILENO, STDOUT_FILENO));
  }
  ToStandardError(ToStandardError const&)            = delete;
  ToStandardError& operator=(ToStandardError const&) = delete;
  ~ToStandardError() {
    if (m_output < 0) return;
    static_cast<void>(std::fflush(stdout));
    static_cast<void>(::dup2(m_output, STDOUT_FILENO));
    static_cast<void>(::close(m_output));
  }

 private:
  int m_output;
};

}  // namespace

Section network() {
  ToStandardError const redirected;
  Facts facts;
  facts.emplace_back("within_a_node", text("shared memory"));
  auto const chosen = choice();
  facts.emplace_back("between_nodes", chosen);
  for (auto const& kind : symm::Impl::message_engines()) {
    if (chosen.text == kind.name)
      facts.emplace_back("one_sided", one_sided_of(kind));
  }
  for (auto const& kind : symm::Impl::message_engines()) {
    facts.emplace_back(kind.name, description_of(kind));
  }
  return {"network", false, {facts}};
}

}  // namespace symm_info
