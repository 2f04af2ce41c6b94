// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
// Startup and shutdown of MessageEngine_Ucx.
#include <algorithm>
#include <cstring>
#include <utility>

#include "../base/Env.hpp"
#include "../symm_errors.hpp"
#include "MessageEngine_Ucx.hpp"

namespace symm::Impl {

namespace {

using namespace std::chrono_literals;

constexpr char const* what_starts = "starting UCX";

/// The maximum time that close() waits for connections to close.
constexpr auto closing_time = 10s;
/// The maximum time that the destructor waits for connections that it has
/// forced to close.
constexpr auto forced_closing_time = 1s;
constexpr unsigned forced          = UCP_EP_CLOSE_FLAG_FORCE;

}  // namespace

MessageEngine_Ucx::MessageEngine_Ucx(Bootstrap& bootstrap, FdExchange& exchange,
                                     Vmm& vmm,
                                     MessageEngineOptions const& options)
    : ServedEngine(bootstrap, options), m_n_near(exchange.nodes().n_near()) {
  try {
    std::vector<std::byte> address;
    all_or_none(agree_through(bootstrap), what_starts, [&] {
      start(exchange.nodes());
      address = my_address();
    });
    gather_addresses("UCX", m_ucp->major, m_ucp->minor, address, exchange, vmm);
    all_or_none(agree_through(bootstrap), what_starts, [&] { start_thread(); });
  } catch (...) {
    destroy();
    throw;
  }
}

void MessageEngine_Ucx::start(Nodes const& nodes) {
  m_ucp = &Ucp::instance();
  // UCX reads these variables when it creates the context and the worker. Do
  // not use ucp_config_modify() instead: the names depend on the version
  // ("CONN_NB" in 1.13, prefixed with "TCP_" in later versions), and the
  // function only warns about unknown names.
  TemporaryVariables variables;
  // Otherwise, the first message over a broken link would block in connect().
  variables.set("UCX_TCP_CONN_NB", "y");
  // With UCP_ERR_HANDLING_MODE_PEER, large messages arrive in fragments of this
  // size, which are copied. With the default size, 64 KiB, a transfer takes up
  // to 1.6 times as long.
  variables.set("UCX_TCP_RX_SEG_SIZE", "512k");
  // A network may need megabytes in flight. But if all nodes are on one
  // machine, data beyond this limit are evicted from the caches before they are
  // received. A transfer then takes 2.5 to 3 times as long.
  if (nodes.n_on_machine() == nodes.n_pes())
    variables.set("UCX_TCP_SNDBUF", "128k");
  start_context();
  start_worker();
  if (ucx_allows_process_memory()) m_process_memory.emplace();
}

void MessageEngine_Ucx::start_context() {
  ucp_config_t* config = nullptr;
  m_ucp->check(m_ucp->ucp_config_read(nullptr, nullptr, &config), what_starts,
               "ucp_config_read");
  std::unique_ptr<ucp_config_t, decltype(m_ucp->ucp_config_release)> const
      owner(config, m_ucp->ucp_config_release);
  auto const set = [&](char const* name, char const* value) {
    m_ucp->check(m_ucp->ucp_config_modify(config, name, value),
                 Text(what_starts, " with ", name, "=", value),
                 "ucp_config_modify");
  };
  // Otherwise, UCX would silently use shared memory between namespaces on the
  // same host.
  if (!setting_of(environment::ucx_transports)) set("TLS", "^sm");
  // UCX's own keepalive prevents TCP from noticing a broken link. The engine's
  // heartbeats detect both silent PEs and broken links.
  set("KEEPALIVE_INTERVAL", "inf");

  ucp_params_t params{};
  params.field_mask = UCP_PARAM_FIELD_FEATURES |
                      UCP_PARAM_FIELD_ESTIMATED_NUM_EPS |
                      UCP_PARAM_FIELD_ESTIMATED_NUM_PPN;
  params.features = UCP_FEATURE_AM | UCP_FEATURE_WAKEUP;
  params.estimated_num_eps =
      m_peers.size() - static_cast<std::size_t>(m_n_near);
  params.estimated_num_ppn = static_cast<std::size_t>(m_n_near);
  m_ucp->check(m_ucp->ucp_init_version(Ucp::oldest_major, Ucp::oldest_minor,
                                       &params, config, &m_context),
               what_starts, "ucp_init");
  auto const networks = ucx_networks_of(*m_ucp, *m_context);
  m_has_bulk          = std::all_of(
               networks.begin(), networks.end(),
               [](auto const& network) { return network.starts_with("tcp/"); });
}

void MessageEngine_Ucx::start_worker() {
  ucp_worker_params_t params{};
  params.field_mask  = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
  params.thread_mode = UCS_THREAD_MODE_SERIALIZED;
  m_ucp->check(m_ucp->ucp_worker_create(m_context, &params, &m_worker),
               what_starts, "ucp_worker_create");
  m_ucp->check(m_ucp->ucp_worker_get_efd(m_worker, &m_events), what_starts,
               "ucp_worker_get_efd");
  m_descriptors.start(*m_ucp, m_events);

  ucp_worker_attr_t attributes{};
  attributes.field_mask = UCP_WORKER_ATTR_FIELD_MAX_AM_HEADER;
  m_ucp->check(m_ucp->ucp_worker_query(m_worker, &attributes), what_starts,
               "ucp_worker_query");
  if (attributes.max_am_header < sizeof(Parcel::Head)) {
    throw SystemError(Text(what_starts, ": message headers are limited to ",
                           attributes.max_am_header, " bytes, but ",
                           sizeof(Parcel::Head),
                           " are needed; allow other transports in UCX_TLS"));
  }

  ucp_am_handler_param_t handler{};
  handler.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID |
                       UCP_AM_HANDLER_PARAM_FIELD_CB |
                       UCP_AM_HANDLER_PARAM_FIELD_ARG;
  handler.id  = message_id;
  handler.cb  = on_message;
  handler.arg = this;
  m_ucp->check(m_ucp->ucp_worker_set_am_recv_handler(m_worker, &handler),
               what_starts, "ucp_worker_set_am_recv_handler");
  m_is_open = true;
}

std::vector<std::byte> MessageEngine_Ucx::my_address() const {
  ucp_worker_attr_t attributes{};
  attributes.field_mask =
      UCP_WORKER_ATTR_FIELD_ADDRESS | UCP_WORKER_ATTR_FIELD_ADDRESS_FLAGS;
  attributes.address_flags = UCP_WORKER_ADDRESS_FLAG_NET_ONLY;
  m_ucp->check(m_ucp->ucp_worker_query(m_worker, &attributes), what_starts,
               "ucp_worker_query");
  auto const* const begin =
      reinterpret_cast<std::byte const*>(attributes.address);
  std::vector<std::byte> address(begin, begin + attributes.address_length);
  m_ucp->ucp_worker_release_address(m_worker, attributes.address);
  return address;
}

// --- Shutdown

void MessageEngine_Ucx::close_endpoint(Connection& peer,
                                       unsigned flags) noexcept {
  if (peer.endpoint == nullptr) return;
  peer.is_connected = false;
  ucp_request_param_t params{};
  params.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
  params.flags        = flags;
  auto const close    = [&](ucp_ep_h& endpoint) {
    auto* const request =
        m_ucp->ucp_ep_close_nbx(std::exchange(endpoint, nullptr), &params);
    // If closing fails, there is nothing more to do: the endpoint is closed as
    // far as possible.
    if (UCS_PTR_IS_PTR(request)) m_closing.push_back(request);
  };
  close(peer.endpoint);
  // UCX cannot force `bulk` to close. The endpoint is destroyed along with the
  // worker.
  if (peer.bulk != nullptr && flags != forced) close(peer.bulk);
}

void MessageEngine_Ucx::wait_for_closed_endpoints(
    Clock::duration at_most) noexcept {
  auto const deadline = Clock::now() + at_most;
  while (Clock::now() < deadline) {
    {
      Section const section(*this);
      m_ucp->ucp_worker_progress(m_worker);
      std::erase_if(m_closing, [this](void* request) {
        if (m_ucp->ucp_request_check_status(request) == UCS_INPROGRESS) {
          return false;
        }
        m_ucp->ucp_request_free(request);
        return true;
      });
      if (m_closing.empty()) return;
    }
    std::this_thread::yield();
  }
}

void MessageEngine_Ucx::close() {
  {
    // From here on, a closed connection is not a failure, because PEs are
    // shutting down.
    Section const section(*this);
    m_is_closing = true;
  }
  // During this barrier, the thread serves PEs that have not yet called
  // close().
  m_bootstrap.barrier();
  {
    Section const section(*this);
    m_is_over = true;
    for (auto* const peer : m_met) {
      close_endpoint(static_cast<Connection&>(*peer),
                     peer->has_failed ? forced : 0);
    }
  }
  wait_for_closed_endpoints(closing_time);
  // During this barrier, the thread answers PEs that are closing their
  // endpoints.
  m_bootstrap.barrier();
  destroy();
}

MessageEngine_Ucx::~MessageEngine_Ucx() { destroy(); }

void MessageEngine_Ucx::destroy() noexcept {
  stop_thread();
  m_descriptors.forget();
  if (m_worker != nullptr) {
    {
      Section const section(*this);
      m_is_closing = true;
      m_is_over    = true;
      for (auto* const peer : m_met) {
        close_endpoint(static_cast<Connection&>(*peer), forced);
      }
    }
    wait_for_closed_endpoints(forced_closing_time);
    Section const section(*this);
    m_is_open = false;
    m_ucp->ucp_worker_destroy(std::exchange(m_worker, nullptr));
  }
  if (m_context != nullptr) {
    m_ucp->ucp_cleanup(std::exchange(m_context, nullptr));
  }
}

}  // namespace symm::Impl
