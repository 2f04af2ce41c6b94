// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "baselines/UcxPair.hpp"

#include <mpi.h>
#include <ucp/api/ucp.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/MpiCheck.hpp"
#include "harness/PrivateBuffer.hpp"

namespace perf {
namespace {

void check(ucs_status_t status, char const* call) {
  if (status != UCS_OK)
    throw std::runtime_error(std::string(call) + ": " +
                             ucs_status_string(status));
}

/// Each PE's bytes, on all of them.
std::vector<std::vector<char>> gather(std::vector<char> const& mine) {
  int n = 0;
  check_mpi(MPI_Comm_size(MPI_COMM_WORLD, &n), "MPI_Comm_size");
  auto const count = static_cast<int>(mine.size());
  int most         = 0;
  check_mpi(MPI_Allreduce(&count, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD),
            "MPI_Allreduce");
  auto const room = static_cast<std::size_t>(most);
  auto padded     = mine;
  padded.resize(room);
  std::vector<char> all(room * static_cast<std::size_t>(n));
  check_mpi(MPI_Allgather(padded.data(), most, MPI_CHAR, all.data(), most,
                          MPI_CHAR, MPI_COMM_WORLD),
            "MPI_Allgather");
  std::vector<std::vector<char>> parts;
  for (std::size_t at = 0; at < all.size(); at += room) {
    auto const* const begin = all.data() + at;
    parts.emplace_back(begin, begin + room);
  }
  return parts;
}

}  // namespace

struct UcxPair::Impl {
  Impl(int its_active, int its_target, std::size_t its_bytes)
      : active(its_active),
        target(its_target),
        bytes(its_bytes),
        memory(its_bytes + sizeof(std::uint64_t)) {
    check_mpi(MPI_Comm_rank(MPI_COMM_WORLD, &me), "MPI_Comm_rank");
    start();
    map();
    exchange();
  }

  ~Impl() {
    // What the target's worker has to answer, it answers in here.
    if (rkey != nullptr) ucp_rkey_destroy(rkey);
    if (endpoint != nullptr) {
      ucp_request_param_t params{};
      wait(ucp_ep_close_nbx(endpoint, &params));
    }
    MPI_Request request = MPI_REQUEST_NULL;
    if (MPI_Ibarrier(MPI_COMM_WORLD, &request) == MPI_SUCCESS) {
      for (int is_done = 0; is_done == 0;) {
        ucp_worker_progress(worker);
        if (MPI_Test(&request, &is_done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
          break;
      }
    }
    if (mapped != nullptr) static_cast<void>(ucp_mem_unmap(context, mapped));
    if (worker != nullptr) ucp_worker_destroy(worker);
    if (context != nullptr) ucp_cleanup(context);
  }
  Impl(Impl const&)            = delete;
  Impl& operator=(Impl const&) = delete;

  void start() {
    // This project's library sets them for itself; UCX has its own defaults.
    for (char const* const name : {"UCX_TCP_CONN_NB", "UCX_TCP_RX_SEG_SIZE"})
      if (unsetenv(name) != 0) throw std::runtime_error("unsetenv failed");
    ucp_config_t* config = nullptr;
    check(ucp_config_read(nullptr, nullptr, &config), "ucp_config_read");
    // As this project's library does: not the memory that simulated nodes
    // share.
    if (std::getenv("UCX_TLS") == nullptr)
      check(ucp_config_modify(config, "TLS", "^sm"), "ucp_config_modify");
    ucp_params_t params{};
    params.field_mask = UCP_PARAM_FIELD_FEATURES;
    params.features   = UCP_FEATURE_RMA | UCP_FEATURE_AMO64;
    auto const status = ucp_init(&params, config, &context);
    ucp_config_release(config);
    check(status, "ucp_init");
    ucp_worker_params_t of_worker{};
    of_worker.field_mask  = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
    of_worker.thread_mode = UCS_THREAD_MODE_SINGLE;
    check(ucp_worker_create(context, &of_worker, &worker), "ucp_worker_create");
  }

  void map() {
    ucp_mem_map_params_t params{};
    params.field_mask =
        UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH;
    params.address = memory.data();
    params.length  = bytes + sizeof(std::uint64_t);
    check(ucp_mem_map(context, &params, &mapped), "ucp_mem_map");
  }

  void exchange() {
    ucp_address_t* address = nullptr;
    std::size_t length     = 0;
    check(ucp_worker_get_address(worker, &address, &length),
          "ucp_worker_get_address");
    auto const* const begin = reinterpret_cast<char const*>(address);
    auto const addresses    = gather({begin, begin + length});
    ucp_worker_release_address(worker, address);

    void* packed = nullptr;
    check(ucp_rkey_pack(context, mapped, &packed, &length), "ucp_rkey_pack");
    auto const* const key = static_cast<char const*>(packed);
    auto const keys       = gather({key, key + length});
    ucp_rkey_buffer_release(packed);

    auto base = reinterpret_cast<std::uint64_t>(memory.data());
    check_mpi(MPI_Bcast(&base, 1, MPI_UINT64_T, target, MPI_COMM_WORLD),
              "MPI_Bcast");
    remote = base;
    if (me != active) return;
    auto const at = static_cast<std::size_t>(target);
    ucp_ep_params_t params{};
    params.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS;
    params.address =
        reinterpret_cast<ucp_address_t const*>(addresses[at].data());
    check(ucp_ep_create(worker, &params, &endpoint), "ucp_ep_create");
    check(ucp_ep_rkey_unpack(endpoint, keys[at].data(), &rkey),
          "ucp_ep_rkey_unpack");
  }

  void wait(ucs_status_ptr_t request) {
    if (UCS_PTR_IS_ERR(request)) check(UCS_PTR_STATUS(request), "UCX");
    if (!UCS_PTR_IS_PTR(request)) return;
    auto status = UCS_INPROGRESS;
    while (status == UCS_INPROGRESS) {
      ucp_worker_progress(worker);
      status = ucp_request_check_status(request);
    }
    ucp_request_free(request);
    check(status, "UCX");
  }

  void leave(ucs_status_ptr_t request) {
    if (UCS_PTR_IS_ERR(request)) check(UCS_PTR_STATUS(request), "UCX");
    if (UCS_PTR_IS_PTR(request)) ucp_request_free(request);
    if (++n_posted % 64 == 0) ucp_worker_progress(worker);
  }

  ucs_status_ptr_t add(std::uint64_t const& value, std::size_t offset,
                       std::uint64_t* old) {
    ucp_request_param_t params{};
    params.op_attr_mask = UCP_OP_ATTR_FIELD_DATATYPE;
    params.datatype     = ucp_dt_make_contig(sizeof value);
    if (old != nullptr) {
      params.op_attr_mask |= UCP_OP_ATTR_FIELD_REPLY_BUFFER;
      params.reply_buffer = old;
    }
    return ucp_atomic_op_nbx(endpoint, UCP_ATOMIC_OP_ADD, &value, 1,
                             remote + offset, rkey, &params);
  }

  int me = 0;
  int active;
  int target;
  std::size_t bytes;
  PrivateBuffer memory;  // and a word that says how many samples have ended
  ucp_context_h context  = nullptr;
  ucp_worker_h worker    = nullptr;
  ucp_mem_h mapped       = nullptr;
  ucp_ep_h endpoint      = nullptr;
  ucp_rkey_h rkey        = nullptr;
  std::uint64_t remote   = 0;
  std::uint64_t n_ended  = 0;
  std::uint64_t n_posted = 0;
  ucp_request_param_t none{};
};

bool UcxPair::available() { return true; }

UcxPair::UcxPair(int active, int target, std::size_t bytes)
    : m_impl(std::make_unique<Impl>(active, target, bytes)) {}

UcxPair::~UcxPair() = default;

std::uint64_t* UcxPair::words() const { return m_impl->memory.data(); }

void UcxPair::put(void const* source, std::size_t bytes) {
  m_impl->wait(ucp_put_nbx(m_impl->endpoint, source, bytes, m_impl->remote,
                           m_impl->rkey, &m_impl->none));
}

void UcxPair::post(void const* source, std::size_t bytes) {
  m_impl->leave(ucp_put_nbx(m_impl->endpoint, source, bytes, m_impl->remote,
                            m_impl->rkey, &m_impl->none));
}

void UcxPair::flush() {
  m_impl->wait(ucp_ep_flush_nbx(m_impl->endpoint, &m_impl->none));
}

void UcxPair::get(void* target, std::size_t bytes) {
  m_impl->wait(ucp_get_nbx(m_impl->endpoint, target, bytes, m_impl->remote,
                           m_impl->rkey, &m_impl->none));
}

std::uint64_t UcxPair::fetch_add(std::uint64_t value) {
  std::uint64_t old = 0;
  m_impl->wait(m_impl->add(value, 0, &old));
  return old;
}

void UcxPair::post_add(std::uint64_t value) {
  m_impl->leave(m_impl->add(value, 0, nullptr));
}

void UcxPair::end() {
  std::uint64_t old = 0;
  m_impl->wait(m_impl->add(1, m_impl->bytes, &old));
}

void UcxPair::serve() {
  ++m_impl->n_ended;
  std::atomic_ref<std::uint64_t> const ended(
      words()[m_impl->bytes / sizeof(std::uint64_t)]);
  while (ended.load(std::memory_order_acquire) < m_impl->n_ended)
    ucp_worker_progress(m_impl->worker);
}

}  // namespace perf
