// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
// Startup and shutdown of MessageEngine_Libfabric.
#include <rdma/fi_cm.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <string_view>
#include <utility>

#include "../symm_errors.hpp"
#include "Descriptors.hpp"
#include "MessageEngine_Libfabric.hpp"

namespace symm::Impl {

namespace {

using namespace std::chrono_literals;

constexpr char const* what_starts_fabric = "starting libfabric";

/// The number of messages that can arrive between two polls.
constexpr std::size_t n_buffers = 64;

/// libfabric notices that a process has died only if a message to that process
/// cannot be delivered, so pings are needed.
constexpr auto ping_at_least_every = 200ms;

}  // namespace

MessageEngine_Libfabric::MessageEngine_Libfabric(
    Bootstrap& bootstrap, FdExchange& exchange, Vmm& vmm,
    MessageEngineOptions const& options)
    : ServedEngine(bootstrap, options) {
  m_ping_time = m_peer_timeout == 0s ? ping_at_least_every
                                     : std::min<Clock::duration>(
                                           m_ping_time, ping_at_least_every);
  try {
    std::vector<std::byte> address;
    all_or_none(agree_through(bootstrap), what_starts_fabric, [&] {
      auto const before = inheritable_descriptors();
      start();
      for (int const fd : inheritable_descriptors()) {
        if (!before.contains(fd)) close_on_exec(fd);
      }
      address = my_address();
    });
    if (auto const other = difference_of(bootstrap, m_provider)) {
      throw SystemError(Text("PE ", other->pe, " uses libfabric's provider ",
                             other->value.data(), ", but PE 0 uses ",
                             other->of_first.data(),
                             "; set FI_PROVIDER to one that all nodes have"));
    }
    gather_addresses("libfabric", m_library->major, m_library->minor, address,
                     exchange, vmm);
    all_or_none(agree_through(bootstrap), what_starts_fabric,
                [&] { start_thread(); });
  } catch (...) {
    destroy();
    throw;
  }
}

void MessageEngine_Libfabric::start() {
  m_library = &Fabric::instance();
  m_wake    = UniqueFd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!m_wake) throw SystemError(what_starts_fabric, "eventfd", errno);
  auto const networks = m_library->networks();
  auto* const info    = Fabric::best_of(*networks);
  if (info == nullptr) {
    throw SystemError(Text(what_starts_fabric, ": no network between nodes"));
  }
  std::string_view const provider = info->fabric_attr->prov_name;
  provider.copy(m_provider.data(), m_provider.size() - 1);
  auto const one_sided = m_library->one_sided_of(*info);
  m_is_one_sided       = one_sided != nullptr;
  start_endpoint(m_is_one_sided ? *one_sided : *info);
}

void MessageEngine_Libfabric::start_endpoint(fi_info& info) {
  auto const check = [this](long status, char const* call) {
    m_library->check(status, what_starts_fabric, call);
  };
  fid_fabric* fabric = nullptr;
  check(m_library->fi_fabric(info.fabric_attr, &fabric, nullptr), "fi_fabric");
  m_fabric.reset(fabric);
  fid_domain* domain = nullptr;
  check(fi_domain(fabric, &info, &domain, nullptr), "fi_domain");
  m_domain.reset(domain);
  m_max_bytes = info.ep_attr->max_msg_size;
  m_key_mode  = info.domain_attr->mr_mode;

  fi_av_attr table_attributes{};
  table_attributes.type = FI_AV_MAP;
  fid_av* table         = nullptr;
  check(fi_av_open(domain, &table_attributes, &table, nullptr), "fi_av_open");
  m_table.reset(table);

  fi_cq_attr queue_attributes{};
  queue_attributes.size     = info.tx_attr->size + info.rx_attr->size;
  queue_attributes.format   = FI_CQ_FORMAT_MSG;
  queue_attributes.wait_obj = FI_WAIT_FD;
  fid_cq* queue             = nullptr;
  check(fi_cq_open(domain, &queue_attributes, &queue, nullptr), "fi_cq_open");
  m_queue.reset(queue);
  check(fi_control(&queue->fid, FI_GETWAIT, &m_events), "FI_GETWAIT");

  fid_ep* endpoint = nullptr;
  check(fi_endpoint(domain, &info, &endpoint, nullptr), "fi_endpoint");
  m_endpoint.reset(endpoint);
  check(fi_ep_bind(endpoint, &table->fid, 0), "fi_ep_bind");
  check(fi_ep_bind(endpoint, &queue->fid, FI_SEND | FI_RECV), "fi_ep_bind");
  check(fi_enable(endpoint), "fi_enable");

  // Not make_unique(), which would zero the buffers.
  m_buffers.reset(new Buffer[n_buffers]);
  for (std::size_t i = 0; i < n_buffers; ++i) repost(m_buffers[i]);
  m_is_open = true;
}

std::vector<std::byte> MessageEngine_Libfabric::my_address() const {
  std::size_t bytes = 0;
  static_cast<void>(fi_getname(&m_endpoint->fid, nullptr, &bytes));
  std::vector<std::byte> address(bytes);
  m_library->check(fi_getname(&m_endpoint->fid, address.data(), &bytes),
                   what_starts_fabric, "fi_getname");
  return address;
}

void MessageEngine_Libfabric::look_after() noexcept {
  auto const address_at = [&](Pe pe) {
    sockaddr_storage address{};
    std::memcpy(&address, address_of(pe),
                std::min(m_address_bytes, sizeof address));
    return address;
  };
  try {
    close_sockets_on_exec([&](sockaddr_storage const& end) {
      if (end.ss_family != AF_INET && end.ss_family != AF_INET6) return false;
      auto const n_pes = static_cast<Pe>(m_peers.size());
      for (Pe pe = 0; pe < n_pes; ++pe)
        if (is_same_address(end, address_at(pe))) return true;
      return false;
    });
  } catch (std::bad_alloc const&) {
    return;  // the next call tries again
  }
}

void MessageEngine_Libfabric::close() {
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
  }
  m_bootstrap.barrier();
  destroy();
}

MessageEngine_Libfabric::~MessageEngine_Libfabric() { destroy(); }

void MessageEngine_Libfabric::destroy() noexcept {
  stop_thread();
  Section const section(*this);
  m_is_closing = true;
  m_is_over    = true;
  m_is_open    = false;
  m_chunks.clear();
  m_endpoint.reset();
  m_table.reset();
  m_queue.reset();
  m_domain.reset();
  m_fabric.reset();
}

}  // namespace symm::Impl
