// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include <algorithm>
#include <utility>
#include <vector>

#include "../access/Access.hpp"
#include "../base/Check.hpp"
#include "../base/Observer.hpp"
#include "../base/PeNumbers.hpp"
#include "../base/Text.hpp"
#include "../job/Runtime.hpp"
#include "../memory/WordAtomics.hpp"
#include "../symm_contexts.hpp"
#include "../symm_errors.hpp"
#include "../symm_teams.hpp"
#include "../transport/Transport.hpp"
#include "../waiting/HostWait.hpp"
#include "Aggregation.hpp"
#include "NodeBins.hpp"

namespace symm {

namespace {

/// Returns the current runtime's number, which changes with each initialize().
std::uint64_t life_of_runtime(char const* call) {
  return Impl::Runtime::instance(call).number();
}

/// Calls work(channel) and reports it to observers as an operation named
/// `call`. Does nothing if `channel` is null (no far PEs).
template <class Work>
void complete(char const* call, Impl::Channel* channel, Work const& work) {
  if (channel == nullptr) return;
  Impl::Observed const observed([call] {
    return Impl::Operation{Impl::OperationKind::quiet, call};
  });
  work(*channel);
}

/// Returns null if updates are to be sent to each PE directly.
std::unique_ptr<Impl::NodeBins> make_bins(UpdateRouting routing,
                                          char const* call) {
  auto const& runtime    = Impl::Runtime::instance(call);
  auto const& nodes      = runtime.nodes();
  bool const is_by_nodes = Impl::NodeBins::are_possible(nodes) &&
                           (routing == UpdateRouting::by_nodes ||
                            (routing == UpdateRouting::automatic &&
                             Impl::NodeBins::are_better(nodes)));
  if (!is_by_nodes) return nullptr;
  return std::make_unique<Impl::NodeBins>(nodes, runtime.my_pe());
}

void check_pe(Pe pe, char const* call) {
  Impl::expect_pe(pe, Impl::Runtime::instance(call).n_pes(), call);
}

}  // namespace

// Contexts.

Context::Context(ContextOptions options) : m_options(options) {
  open("symm::Context");
}

Context::Context(PeTeam const& team, ContextOptions options)
    : m_has_team(true), m_options(options), m_team(team) {
  Impl::check_team(team, "symm::Context");
  open("symm::Context");
}

Context::~Context() { close(); }

Context::Context(Context&& other) noexcept { take_from(other); }

Context& Context::operator=(Context&& other) noexcept {
  if (this == &other) return *this;
  close();
  take_from(other);
  return *this;
}

void Context::take_from(Context& other) noexcept {
  m_channel     = std::exchange(other.m_channel, nullptr);
  m_life        = std::exchange(other.m_life, 0);
  m_has_team    = other.m_has_team;
  m_options     = other.m_options;
  m_team        = other.m_team;
  m_aggregation = std::move(other.m_aggregation);
  Impl::check::operations_move(&other, this);
}

void Context::open(char const* name) {
  auto const life       = life_of_runtime(name);
  auto* const transport = Impl::Runtime::find_transport();
  std::unique_ptr<Impl::NodeBins> bins;
  if (m_options.aggregate) {
    m_aggregation = std::make_unique<Impl::Aggregation>(life);
    if (transport != nullptr) bins = make_bins(m_options.routing, name);
  }
  // Nothing may fail after open_channel(), because the channel would then never
  // be closed.
  if (transport != nullptr) {
    m_channel = transport->open_channel();
    if (m_channel == nullptr) {
      throw OutOfMemory(Impl::Text(
          name,
          ": this PE already has 255 contexts, the maximum; end some, or "
          "share them between threads"));
    }
  }
  if (m_aggregation && m_channel != nullptr)
    m_aggregation->set_channel(m_channel, std::move(bins));
  m_life = life;
}

void Context::close() noexcept {
  {
    [[maybe_unused]] Impl::check::Call const its_call("symm::Context");
    m_aggregation = nullptr;  // delivers the pending updates
  }
  Impl::check::complete(this, Impl::check::Stage::begun);
  auto* const channel   = std::exchange(m_channel, nullptr);
  auto const life       = std::exchange(m_life, 0);
  auto* const transport = Impl::Runtime::find_transport();
  if (channel == nullptr || transport == nullptr) return;
  if (!Impl::Runtime::is_initialized()) return;
  if (Impl::Runtime::instance("symm::Context").number() != life) return;
  transport->close_channel(*channel);
}

Impl::HostCall Context::call(char const* name, Request* request) const {
  if (m_life == 0) {
    throw UsageError(
        Impl::Text(name, ": the context has been moved from; use the new one"));
  }
  if (life_of_runtime(name) != m_life) {
    throw UsageError(Impl::Text(name,
                                ": the context was created before "
                                "symm::finalize(), which ended it; create a "
                                "new one"));
  }
  auto made = Impl::call_of(name, m_channel, request);
  Impl::check::in_context(this);
  made.aggregates = m_aggregation != nullptr;
  return made;
}

template <class Work>
void Context::complete_by(Impl::HostCall const& call, Work const& work) const {
  Impl::check::complete(this);
  if (m_aggregation) {
    [[maybe_unused]] Impl::check::Call const its_call(call.name);
    m_aggregation->deliver(call.name);
  }
  if (!m_options.nostore) Impl::fence_words();
  complete(call.name, call.channel, work);
}

Pe Context::world_pe_of_team(Pe pe, char const* name) const {
  Impl::check_team(m_team, name);
  Impl::expect_pe(pe, m_team.n_pes(), name, " in the PE team of the context");
  return m_team.world_pe(pe);
}

void Context::fence() const {
  auto const host_call = call("symm::Context::fence");
  bool const is_quiet  = m_aggregation && m_aggregation->is_by_nodes();
  complete_by(host_call, [&](auto& channel) {
    is_quiet ? channel.quiet(host_call.name) : channel.fence(host_call.name);
  });
}

void Context::quiet() const {
  auto const host_call = call("symm::Context::quiet");
  complete_by(host_call, [&](auto& channel) { channel.quiet(host_call.name); });
}

void Context::pe_quiet(std::span<Pe const> pes) const {
  auto const host_call = call("symm::Context::pe_quiet");
  std::vector<Pe> in_world(pes.begin(), pes.end());
  for (auto& pe : in_world) {
    pe = world_pe(pe, host_call.name);
    check_pe(pe, host_call.name);
  }
  bool const is_of_all = m_aggregation && m_aggregation->is_by_nodes();
  complete_by(host_call, [&](auto& channel) {
    is_of_all ? channel.quiet(host_call.name)
              : channel.quiet(in_world, host_call.name);
  });
}

PeTeam Context::team() const {
  static_cast<void>(call("symm::Context::team"));
  Impl::check::in_context(nullptr);
  return m_has_team ? m_team : team_world();
}

void pe_quiet(std::span<Pe const> pes) {
  constexpr char const* name = "symm::pe_quiet";
  for (Pe const pe : pes) check_pe(pe, name);
  Impl::check::quiet();
  Impl::fence_words();
  auto* const transport = Impl::Runtime::find_transport();
  if (transport == nullptr) return;
  transport->drain_kernels(name);
  complete(name, &transport->channel(),
           [&](auto& channel) { channel.quiet(pes, name); });
}

// Requests.

namespace Impl {

HostCall call_of(char const* name, Channel* channel, Request* request) {
  check::with_request(request);
  if (request == nullptr) return {name, channel};
  request->m_operation = {};
  request->m_life      = life_of_runtime(name);
  return {name, channel, &request->m_operation};
}

}  // namespace Impl

/// Also true for operations in an earlier runtime, which finalize() has
/// completed.
bool Request::has_ended() const {
  if (m_operation.channel == nullptr) return true;
  return !Impl::Runtime::is_initialized() ||
         Impl::Runtime::instance("symm::Request").number() != m_life;
}

bool Request::test_source() {
  return is_past(Impl::Stage::side, "symm::Request::test_source");
}
bool Request::test() {
  return is_past(Impl::Stage::operation, "symm::Request::test");
}
void Request::wait_source() {
  wait_for(Impl::Stage::side, "symm::Request::wait_source");
}
void Request::wait() {
  wait_for(Impl::Stage::operation, "symm::Request::wait");
}

bool Request::is_past(Impl::Stage stage, char const* name) {
  // The library may store incoming data during this check.
  [[maybe_unused]] Impl::check::Call const its_call(name);
  if (!has_ended() && !m_operation.channel->test(m_operation, stage, name))
    return false;
  pass(stage);
  return true;
}

void Request::wait_for(Impl::Stage stage, char const* name) {
  [[maybe_unused]] Impl::check::Call const its_call(name);
  if (!has_ended()) m_operation.channel->wait(m_operation, stage, name);
  pass(stage);
}

void Request::pass(Impl::Stage stage) {
  if (stage == Impl::Stage::side) {
    Impl::check::complete(this, Impl::check::Stage::done_here);
    return;
  }
  Impl::check::complete(this);
  m_operation = {};
  m_life      = 0;
}

void wait_all(std::span<Request> requests) {
  for (auto& request : requests) request.wait();
}

std::size_t test_any(std::span<Request> requests) {
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (requests[i].is_operation() && requests[i].test()) return i;
  }
  return SIZE_MAX;
}

std::size_t wait_any(std::span<Request> requests) {
  bool const has_any = std::any_of(
      requests.begin(), requests.end(),
      [](Request const& request) { return request.is_operation(); });
  if (!has_any) return SIZE_MAX;
  auto found = test_any(requests);
  if (found != SIZE_MAX) return found;
  constexpr char const* name = "symm::wait_any";
  [[maybe_unused]] Impl::check::Call const its_call(name);
  // HostWait monitors the far PEs: the job ends if one of them is lost.
  Impl::HostWait wait(name);
  while (found == SIZE_MAX) {
    static_cast<void>(wait.pause());
    found = test_any(requests);
  }
  return found;
}

}  // namespace symm
