// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "ProxyServer.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string_view>
#include <utility>

#include "../base/Backoff.hpp"
#include "../base/LibraryThread.hpp"

namespace symm::Impl {

namespace {

constexpr std::size_t request_bytes = ProxyQueue::size * sizeof(FarRequest);
constexpr std::size_t reply_bytes   = ProxyQueue::size * sizeof(FarReply);
constexpr std::size_t cache_line    = 64;

constexpr int n_spins          = 2000;
constexpr auto ring_watch_time = std::chrono::milliseconds(2);
constexpr std::size_t max_run  = 256;  // requests between checks for replies

FarCode code_of(FarRequest const& request) { return FarCode::of(request.code); }
Pe pe_of(FarRequest const& request) {
  return static_cast<Pe>(
      static_cast<std::uint32_t>(request.pe_and_bytes & 0xffff'ffffU));
}
std::size_t element_bytes_of(FarRequest const& request) {
  return request.pe_and_bytes >> 32U;
}
void* address_of(std::uint64_t number) {
  return reinterpret_cast<void*>(number);
}

std::uint64_t acquire_word(std::uint64_t const& word) {
  return __atomic_load_n(&word, __ATOMIC_ACQUIRE);
}
void release_word(std::uint64_t& word, std::uint64_t value) {
  __atomic_store_n(&word, value, __ATOMIC_RELEASE);
}

}  // namespace

ProxyServer::ProxyServer(Pe my_pe, int n_pes, Transport& transport,
                         MemoryProvider& provider, TransportTarget& memory,
                         Find find, EndJob end_job)
    : m_my_pe(my_pe),
      m_transport(transport),
      m_channel(transport.channel()),
      m_provider(provider),
      m_find(std::move(find)),
      m_end_job(std::move(end_job)),
      m_memory(provider, request_bytes + reply_bytes + cache_line),
      m_landing_memory(provider, n_landings * Channel::max_begun),
      m_requests(reinterpret_cast<FarRequest*>(m_memory.data())),
      m_replies(reinterpret_cast<FarReply*>(m_memory.data() + request_bytes)),
      m_freed_for_kernels(reinterpret_cast<std::uint64_t*>(
          m_memory.data() + request_bytes + reply_bytes)),
      m_staging(provider),
      m_queue(provider),
      m_updates(provider, m_channel, memory, n_pes,
                [this](void const* address, std::size_t bytes, Pe pe,
                       char const* what) {
                  return this->find(address, bytes, pe, what);
                }),
      m_states(size, State::done) {
  for (std::size_t i = 0; i < n_landings; ++i) {
    m_receive_buffers.push_back(m_landing_memory.data() +
                                i * Channel::max_begun);
  }
  ProxyQueue const ring{m_requests,
                        m_replies,
                        m_updates.words(),
                        memory.gpu()->board(),
                        {m_freed_for_kernels, 0, size},
                        {m_updates.freed(), 0, UpdateWords::size}};
  m_ring = static_cast<ProxyQueue*>(provider.allocate(sizeof ring));
  try {
    provider.copy(m_ring, &ring, sizeof ring);
    m_thread = make_library_thread(
        "starting the thread that serves kernels between nodes", "symm_kernels",
        [this] { run(); });
  } catch (...) {
    provider.deallocate(m_ring);
    throw;
  }
}

ProxyServer::~ProxyServer() {
  m_is_over = true;
  m_thread.join();
  m_provider.deallocate(m_ring);
}

void ProxyServer::end_job(Text const& why) noexcept {
  std::fprintf(
      stderr,
      "symm: PE %d: a kernel's operation on a PE of another node failed: "
      "%s. Ending the job.\n",
      m_my_pe, why.c_str());
  m_end_job();
  std::abort();
}

void ProxyServer::run() {
  try {
    Backoff backoff(n_spins);
    while (!m_is_over) {
      bool has_moved = m_updates.take(m_head);
      has_moved      = take_requests() || has_moved;
      if (!m_pending.empty() || !m_quiets.empty()) {
        static_cast<void>(m_transport.poll());
      }
      has_moved = finish_pending() || has_moved;
      advance();
      if (has_moved) {
        backoff = Backoff(n_spins);
        m_watch.reset();
      } else if (backoff.pause() >= ring_watch_time && !m_pending.empty() &&
                 !m_watch) {
        m_watch.emplace(m_transport, m_pending.front().pe);
      }
    }
  } catch (std::exception const& failure) {
    end_job(Text(std::string_view(failure.what())));
  }
}

bool ProxyServer::is_written(Number ticket) const {
  return acquire_word(m_requests[ticket % size].number) == ticket + 1;
}

bool ProxyServer::take_requests() {
  std::size_t n = 0;
  for (; n < max_run && m_pending.size() < max_pending && is_written(m_head);
       ++n) {
    auto const request  = m_requests[m_head % size];
    bool const is_quiet = code_of(request).op == FarOp::quiet;
    auto const update   = static_cast<std::uint32_t>(request.code >> 32U);
    if (!m_updates.may_begin(m_head, update)) {
      static_cast<void>(m_updates.take(m_head));
      if (!m_updates.may_begin(m_head, update)) break;
    }
    // Consecutive quiets are merged into one.
    if (!m_quiets.empty() && !is_quiet) quiet_all();
    carry_out(request);
    ++m_head;
    m_begun.store(m_head, std::memory_order_release);
  }
  if (!m_quiets.empty()) quiet_all();
  return n != 0;
}

/// Waits for all pending requests and for Channel::quiet(), then replies to the
/// kernels' quiets.
void ProxyServer::quiet_all() {
  while (!m_pending.empty()) {
    if (!m_transport.poll()) {
      m_channel.wait_for_begun(m_pending.front().pe, m_pending.front().left);
    }
    static_cast<void>(finish_pending());
  }
  m_channel.quiet();
  for (auto const ticket : std::exchange(m_quiets, {})) reply(ticket, 0);
}

void ProxyServer::reply(Number ticket, std::uint64_t value) {
  auto& reply = m_replies[ticket % size];
  __atomic_store_n(&reply.value, value, __ATOMIC_RELAXED);
  release_word(reply.number, ticket + 1);
  set_state(ticket, State::replied);
}

/// Finishes pending requests whose replies have arrived.
/// \returns whether there were any.
bool ProxyServer::finish_pending() {
  bool has_copied    = false;
  bool has_any       = false;
  auto const is_done = [](PendingRequest const& pending) {
    return pending.left.load(std::memory_order_acquire) == 0;
  };
  for (auto& pending : m_pending) {
    if (!is_done(pending) || pending.receive_buffer == nullptr) continue;
    m_queue.begin_copy({static_cast<char*>(pending.to),
                        reinterpret_cast<char const*>(pending.receive_buffer),
                        pending.bytes, pending.bytes, pending.bytes, 1});
    pending.value = 1;  // the copy has begun
    has_copied    = true;
  }
  if (has_copied) m_queue.finish();
  for (auto it = m_pending.begin(); it != m_pending.end();) {
    bool const is_block = it->receive_buffer != nullptr;
    if (is_block ? it->value == 0 : !is_done(*it)) {
      ++it;
      continue;
    }
    has_any = true;
    if (is_block) m_receive_buffers.push_back(it->receive_buffer);
    if (it->wants_reply) {
      reply(it->ticket, it->value);
    } else {
      set_state(it->ticket, State::done);
    }
    it = m_pending.erase(it);
  }
  return has_any;
}

/// Publishes the number of freed slots to kernels and the number of completed
/// requests to drain().
void ProxyServer::advance() {
  auto completed = m_completed.load(std::memory_order_relaxed);
  while (completed < m_head && m_states[completed % size] != State::pending) {
    ++completed;
  }
  m_completed.store(completed, std::memory_order_release);
  auto const freed = m_freed;
  while (m_freed < completed) {
    // A reply's slot stays in use until the kernel has read the reply.
    bool const is_replied = m_states[m_freed % size] == State::replied;
    if (is_replied && is_written(m_freed)) break;
    ++m_freed;
  }
  if (m_freed != freed) release_word(*m_freed_for_kernels, m_freed);
}

PeMemory ProxyServer::find(void const* address, std::size_t bytes, Pe pe,
                           char const* what) const {
  PeMemory found;
  if (m_find(address, bytes, pe, found)) return found;
  throw UsageError(Text(what, " of ", bytes, " bytes at ", address, " on PE ",
                        pe,
                        ": the PE does not exist, or the bytes are not in this "
                        "PE's part of the symmetric heap"));
}

bool ProxyServer::is_in_host_heap(void const* local, std::size_t bytes) const {
  PeMemory found;
  return bytes == 0 || (m_find(local, bytes, m_my_pe, found) &&
                        found.segment == Segment::host_heap);
}

ProxyServer::PendingRequest& ProxyServer::add_pending(
    FarRequest const& request) {
  auto& pending       = m_pending.emplace_back();
  pending.ticket      = m_head;
  pending.pe          = pe_of(request);
  pending.wants_reply = code_of(request).wants_reply;
  set_state(m_head, State::pending);
  return pending;
}

void ProxyServer::begin_load(FarRequest const& request, PeMemory const& from) {
  auto& pending = add_pending(request);
  m_channel.begin_get(&pending.value, from, element_bytes_of(request),
                      pending.left);
}

void ProxyServer::begin_atomic(FarRequest const& request, PeMemory const& at) {
  auto const [op, type] = code_of(request).word;
  auto& pending         = add_pending(request);
  m_channel.begin_atomic(at, op, type, request.local, request.count,
                         pending.value, pending.left);
}

void ProxyServer::begin_get(FarRequest const& request, PeMemory const& from) {
  auto* const to = address_of(request.local);
  if (request.count > Channel::max_begun || m_receive_buffers.empty()) {
    m_staging.get(m_channel, to, from, request.count, Completion::local);
    if (code_of(request).wants_reply) reply(m_head, 0);
    return;
  }
  auto& pending          = add_pending(request);
  pending.receive_buffer = m_receive_buffers.back();
  pending.to             = to;
  pending.bytes          = request.count;
  m_receive_buffers.pop_back();
  m_channel.begin_get(pending.receive_buffer, from, request.count,
                      pending.left);
}

void ProxyServer::put(FarRequest const& request) {
  auto const to =
      find(address_of(request.address), request.count, pe_of(request), "put");
  auto* const local = address_of(request.local);
  if (is_in_host_heap(local, request.count) && !is_of_gpu(to.segment)) {
    m_channel.put(to, local, request.count);
  } else {
    m_staging.put(m_channel, to, local, request.count, Completion::local);
  }
}

void ProxyServer::copy_strided(FarRequest const& request) {
  auto const element_bytes = element_bytes_of(request);
  bool const is_put        = code_of(request).op == FarOp::put_strided;
  Strides const strides{element_bytes, request.count, request.signal,
                        request.value};
  auto const there  = find(address_of(request.address),
                           (request.count - 1) * request.signal + element_bytes,
                           pe_of(request), is_put ? "iput" : "iget");
  auto* const local = address_of(request.local);
  if (is_put) {
    m_staging.put_strided(m_channel, there, local, strides);
  } else {
    m_staging.get_strided(m_channel, local, there, strides);
  }
}

void ProxyServer::put_signal(FarRequest const& request) {
  Pe const pe = pe_of(request);
  auto const signal =
      find(address_of(request.signal), 8, pe, "the signal of put_signal");
  auto const to     = request.count == 0 ? signal
                                         : find(address_of(request.address),
                                                request.count, pe, "put_signal");
  auto const op     = code_of(request).word.op;
  auto* const local = address_of(request.local);
  if (is_in_host_heap(local, request.count) && !is_of_gpu(to.segment)) {
    m_channel.put_signal(to, local, request.count, signal, request.value, op);
  } else {
    m_staging.put_signal(m_channel, to, local, request.count, signal,
                         request.value, op, Completion::local);
  }
}

void ProxyServer::carry_out(FarRequest const& request) {
  auto const code           = code_of(request);
  auto const* const address = address_of(request.address);
  auto const find_there     = [&](std::size_t bytes, char const* operation) {
    return find(address, bytes, pe_of(request), operation);
  };
  set_state(m_head, State::done);
  switch (code.op) {
    case FarOp::load:
      begin_load(request, find_there(element_bytes_of(request), "g or get"));
      return;
    case FarOp::get:
      begin_get(request, find_there(request.count, "get"));
      return;
    case FarOp::atomic:
      begin_atomic(request,
                   find_there(bytes_of(code.word.type), "an atomic operation"));
      return;
    case FarOp::quiet:
      set_state(m_head, State::pending);
      m_quiets.push_back(m_head);
      return;
    case FarOp::put: put(request); break;
    case FarOp::put_strided:
    case FarOp::get_strided: copy_strided(request); break;
    case FarOp::put_signal: put_signal(request); break;
  }
  if (code.wants_reply) reply(m_head, 0);
}

void ProxyServer::drain(char const* call) {
  auto last = m_begun.load(std::memory_order_acquire);
  while (is_written(last)) ++last;
  auto const last_update = m_updates.end_of_written();
  Backoff backoff(n_spins);
  while (m_completed.load(std::memory_order_acquire) < last ||
         !m_updates.is_carried_out(last_update)) {
    static_cast<void>(m_transport.poll(call));
    static_cast<void>(backoff.pause());
  }
}

}  // namespace symm::Impl
