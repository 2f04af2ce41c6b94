// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
// Moves blocks for MessageEngine_Libfabric without messages.
#include <rdma/fi_rma.h>

#include <cstdio>
#include <exception>
#include <utility>

#include "../symm_errors.hpp"
#include "MessageEngine_Libfabric.hpp"

namespace symm::Impl {

namespace {

// Indices of the words in a key.
constexpr std::size_t number = 0;
constexpr std::size_t origin = 1;  // subtracted from addresses

}  // namespace

std::size_t MessageEngine_Libfabric::least_bytes() const noexcept {
  // If sent as messages, larger blocks would have to be offered first. Smaller
  // blocks may share a message, and are copied, so a put need not wait.
  return max_eager + 1;
}

std::size_t MessageEngine_Libfabric::max_bytes() const noexcept {
  return m_max_bytes;
}

bool MessageEngine_Libfabric::reaches(Pe /*pe*/, Key const& /*key*/) noexcept {
  return true;  // all PEs are on the same network
}

// --- Chunks

MessageEngine_Libfabric::Owned<fid_mr> MessageEngine_Libfabric::register_chunk(
    void* start, std::size_t bytes) {
  constexpr char const* what = "registering memory with libfabric";
  fid_mr* made               = nullptr;
  m_library->check(
      fi_mr_reg(m_domain.get(), start, bytes, FI_REMOTE_READ | FI_REMOTE_WRITE,
                0, ++m_n_keys, 0, &made, nullptr),
      what, "fi_mr_reg");
  Owned<fid_mr> chunk(made);
  if ((m_key_mode & FI_MR_ENDPOINT) != 0) {
    m_library->check(fi_mr_bind(made, &m_endpoint->fid, 0), what, "fi_mr_bind");
    m_library->check(fi_mr_enable(made), what, "fi_mr_enable");
  }
  return chunk;
}

std::optional<OneSided::Key> MessageEngine_Libfabric::open_chunk(
    void* start, std::size_t bytes) noexcept {
  Section const section(*this);
  try {
    auto chunk = m_chunks.find(start);
    if (chunk == m_chunks.end()) {
      chunk = m_chunks.emplace(start, register_chunk(start, bytes)).first;
    }
    bool const has_addresses = (m_key_mode & FI_MR_VIRT_ADDR) != 0;
    Key key{};
    key[number] = fi_mr_key(chunk->second.get());
    key[origin] = has_addresses ? 0 : reinterpret_cast<std::uint64_t>(start);
    return key;
  } catch (std::exception const& failure) {
    if (!std::exchange(m_has_complained, true)) {
      static_cast<void>(
          std::fprintf(stderr,
                       "PE %d: blocks in %zu bytes of its heap are sent as "
                       "messages, which is slower: %s\n",
                       m_me, bytes, failure.what()));
    }
    return {};
  }
}

void MessageEngine_Libfabric::close_chunk(void* start) noexcept {
  Section const section(*this);
  m_chunks.erase(start);
}

// --- Blocks

void MessageEngine_Libfabric::put(Place const& to, void const* from,
                                  std::size_t bytes, std::size_t token) {
  // libfabric only reads `from`.
  begin_block(writes_block, to, const_cast<void*>(from), bytes, token);
}

void MessageEngine_Libfabric::get(void* to, Place const& from,
                                  std::size_t bytes, std::size_t token) {
  begin_block(reads_block, from, to, bytes, token);
}

void MessageEngine_Libfabric::begin_block(Kind kind, Place const& there,
                                          void* here, std::size_t bytes,
                                          std::size_t token) {
  Section const section(*this);
  auto& peer = connection_of(there.pe);
  // The peer was connected when it sent its key to this PE. If it is not
  // connected anymore, it is lost.
  if (peer.has_failed || !peer.is_connected) {
    throw SystemError(Text("PE ", there.pe, " is lost"));
  }
  auto* const block = m_parcels.take();
  block->owner      = this;
  block->peer       = there.pe;
  block->token      = token;
  block->kind       = kind;
  block->place      = here;
  block->bytes      = bytes;
  block->number     = there.key[number];
  block->address    = there.address - there.key[origin];
  add_pending(peer, *block);
  post_or_queue(peer, block);
}

long MessageEngine_Libfabric::post_block(Connection& peer,
                                         Parcel& block) noexcept {
  InFlight* const context = &block;
  if (block.kind == reads_block) {
    return fi_read(m_endpoint.get(), block.place, block.bytes, nullptr,
                   peer.address, block.address, block.number, context);
  }
  iovec const here{block.place, block.bytes};
  fi_rma_iov const there{block.address, block.bytes, block.number};
  fi_msg_rma message{};
  message.msg_iov       = &here;
  message.iov_count     = 1;
  message.addr          = peer.address;
  message.rma_iov       = &there;
  message.rma_iov_count = 1;
  message.context       = context;
  return fi_writemsg(m_endpoint.get(), &message,
                     FI_COMPLETION | FI_DELIVERY_COMPLETE);
}

}  // namespace symm::Impl
