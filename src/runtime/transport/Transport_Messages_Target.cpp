// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
// Executes other PEs' operations on this PE's memory.
#include <array>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <utility>

#include "../memory/GpuAccessQueue.hpp"
#include "../memory/HostCopy.hpp"
#include "AtomicRun.hpp"
#include "NodeUpdates.hpp"
#include "TargetMemory.hpp"
#include "Transport_Messages.hpp"

namespace symm::Impl {

void Transport_Messages::answer_get(Incoming& from,
                                    MessageHeader const& header) {
  auto const bytes = header.detail.get.bytes;
  MessageHeader reply{.kind    = MessageKind::get_reply,
                      .channel = from.channel,
                      .acked   = from.arrivals.done_up_to()};
  reply.detail.get = header.detail.get;
  if (is_of_gpu(header.segment)) {
    if (bytes > GpuAccessQueue::max_bytes) end_job_of_nonsense(from.pe);
    auto const [queue, place] =
        find_on_gpu(from.pe, "a get", header.segment, header.offset, bytes);
    send_message(from.pe, reply, queue.load(place, bytes));
    return;
  }
  auto const* const place = reinterpret_cast<std::byte const*>(
      find(from.pe, "a get", header.segment, header.offset, bytes));
  std::byte words[max_bytes_by_words];
  if (bytes <= sizeof words) {
    copy_host_memory(words, place, bytes);
    send_message(from.pe, reply, {words, bytes});
  } else {
    m_n_answers.fetch_add(1, std::memory_order_relaxed);
    send_message(from.pe, reply, {place, bytes}, &m_answers);
  }
}

void Transport_Messages::answer_get_strided(Incoming& from,
                                            MessageHeader const& header) {
  auto const* place       = find_strided(from.pe, "a get", header);
  std::size_t const size  = header.detail.strided.element_bytes;
  std::size_t const count = header.detail.strided.count;
  if (size * count > max_strided) end_job_of_nonsense(from.pe);
  MessageHeader reply{.kind    = MessageKind::get_reply,
                      .channel = from.channel,
                      .acked   = from.arrivals.done_up_to()};
  reply.detail.get = {size * count, header.detail.strided.token};
  if (is_of_gpu(header.segment)) {
    send_message(from.pe, reply,
                 m_target.gpu()->load_strided(
                     place, header.detail.strided.remote_bytes, size, count));
    return;
  }
  std::byte elements[max_strided];
  for (std::size_t i = 0; i < count; ++i) {
    // (A single element has no stride, so remote_bytes may be any number.)
    copy_host_memory(elements + i * size,
                     place + i * header.detail.strided.remote_bytes, size);
  }
  send_message(from.pe, reply, {elements, size * count});
}

void Transport_Messages::carry_out(Incoming& from, MessageHeader const& header,
                                   std::span<std::byte const> payload) {
  switch (header.kind) {
    case MessageKind::put: put(from, header, payload); break;
    case MessageKind::put_signal:
      put(from, header, payload);
      put_signal(from, header);
      break;
    case MessageKind::put_strided: put_strided(from, header, payload); break;
    case MessageKind::atomic: answer_atomic(from, header); return;
    case MessageKind::node_updates:
      carry_out_node_updates(from, header, payload);
      break;
    default:
      carry_out_batch(from, header, payload);
      if (header.detail.get.token == 0) break;
      MessageHeader reply{.kind = MessageKind::get_reply};
      reply.detail.get = header.detail.get;
      answer_numbered(from, header, reply, m_answer_bytes);
      return;
  }
  set_done(from, header);
  send_wanted_ack(from);
}

void Transport_Messages::answer_numbered(Incoming& from,
                                         MessageHeader const& header,
                                         MessageHeader& reply,
                                         std::span<std::byte const> payload) {
  set_done(from, header);
  from.ack_sent = from.arrivals.done_up_to();
  reply.channel = from.channel;
  reply.acked   = from.ack_sent;
  send_message(from.pe, reply, payload);
}

void Transport_Messages::put(Incoming const& from, MessageHeader const& header,
                             std::span<std::byte const> payload) {
  if (payload.empty()) return;
  if (is_of_gpu(header.segment)) {
    auto const [queue, place] = find_on_gpu(from.pe, "a put", header.segment,
                                            header.offset, payload.size());
    queue.store(place, payload.data(), payload.size());
    queue.finish();
    return;
  }
  store_block(
      find(from.pe, "a put", header.segment, header.offset, payload.size()),
      payload.data(), payload.size());
}

void Transport_Messages::put_strided(Incoming const& from,
                                     MessageHeader const& header,
                                     std::span<std::byte const> payload) {
  auto const& strides    = header.detail.strided;
  std::size_t const size = strides.element_bytes;
  if (size * strides.count != payload.size()) end_job_of_nonsense(from.pe);
  auto* place = find_strided(from.pe, "a put", header);
  if (is_of_gpu(header.segment)) {
    auto& queue = *m_target.gpu();
    queue.store_strided(place, strides.remote_bytes, payload.data(), size,
                        strides.count);
    queue.finish();
    return;
  }
  for (std::size_t i = 0; i * size < payload.size(); ++i)
    store_block(place + i * strides.remote_bytes, payload.data() + i * size,
                size);
}

void Transport_Messages::answer_atomic(Incoming& from,
                                       MessageHeader const& header) {
  auto* const word =
      find_word(from.pe, header.segment, header.offset, header.op, header.type);
  auto const& detail = header.detail.atomic;
  auto const was =
      is_of_gpu(header.segment)
          ? m_target.gpu()->fetch_and_change(word, header.op, header.type,
                                             detail.value, detail.compare)
          : change_word(word, header.op, header.type, detail.value,
                        detail.compare);
  MessageHeader reply{.kind = MessageKind::atomic_reply};
  reply.detail.atomic = {was, 0, detail.token};
  answer_numbered(from, header, reply);
}

void Transport_Messages::put_signal(Incoming& from,
                                    MessageHeader const& header) {
  auto* const signal =
      find_word(from.pe, header.signal_segment, header.detail.signal.offset,
                header.op, WordType::u64);
  if (!is_of_gpu(header.signal_segment)) {
    change_word(signal, header.op, WordType::u64, header.detail.signal.value);
    return;
  }
  auto& queue = *m_target.gpu();
  queue.change(signal, header.op, WordType::u64, header.detail.signal.value);
  queue.finish();
}

namespace {

/// A batch entry for host memory and the address that it accesses.
struct FoundEntry {
  BatchEntry entry = BatchEntry(0);
  char* place;
  std::byte const* data;
};

/// \param answer Where to store the answer, if there is one.
/// \returns false if the entry's kind is invalid.
inline bool carry_out_entry(FoundEntry const& found, std::byte* answer) {
  auto const value = [&](std::size_t which) {
    std::uint64_t word = 0;
    std::memcpy(&word, found.data + which * sizeof word, sizeof word);
    return word;
  };
  auto const& entry = found.entry;
  switch (entry.kind()) {
    case BatchEntry::Kind::put:
      store_block(found.place, found.data, entry.bytes());
      return true;
    case BatchEntry::Kind::atomic:
      change_word(found.place, entry.op(), entry.type(), value(0));
      return true;
    case BatchEntry::Kind::get:
      copy_host_memory(answer, found.place, entry.bytes());
      return true;
    case BatchEntry::Kind::fetch: {
      auto const was = change_word(found.place, entry.op(), entry.type(),
                                   value(0), value(1));
      std::memcpy(answer, &was, sizeof was);
      return true;
    }
    default: return false;
  }
}

}  // namespace

char* Transport_Messages::find_entry(Pe from, BatchEntry entry,
                                     KnownMemory& known) {
  if (!entry.is_block()) {
    return find_word(from, entry.segment(), entry.offset(), entry.op(),
                     entry.type(), &known);
  }
  bool const is_put = entry.kind() == BatchEntry::Kind::put;
  return find(from, is_put ? "a put" : "a get", entry.segment(), entry.offset(),
              entry.bytes(), &known);
}

void Transport_Messages::carry_out_batch(Incoming const& from,
                                         MessageHeader const& header,
                                         std::span<std::byte const> payload) {
  auto const n_answered = header.detail.get.bytes;
  if (n_answered > MessageEngine::max_eager) end_job_of_nonsense(from.pe);
  m_answer_bytes.resize(n_answered);
  std::span<std::byte> answers(m_answer_bytes);
  GpuAccessQueue* queue = nullptr;  // null: nothing has been added to it
  KnownMemory known;
  // Process several entries at once so that words not yet in cache are
  // prefetched while others are being changed.
  std::array<FoundEntry, 16> found;
  while (!payload.empty()) {
    std::size_t n = 0;
    while (n < found.size() && !payload.empty()) {
      if (payload.size() < BatchEntry::head_bytes) end_job_of_nonsense(from.pe);
      std::uint64_t word = 0;
      std::memcpy(&word, payload.data(), sizeof word);
      BatchEntry const entry(word);
      if (entry.is_run()) {
        if (n != 0) break;  // the entries before the run come first
        payload = payload.subspan(BatchEntry::head_bytes);
        payload = payload.subspan(carry_out_run(from, entry, payload, known));
        if (is_of_gpu(entry.segment())) queue = m_target.gpu();
        continue;
      }
      payload = payload.subspan(BatchEntry::head_bytes);
      if (payload.size() < entry.room()) end_job_of_nonsense(from.pe);
      auto const data = payload;
      payload         = payload.subspan(entry.room());
      if (is_of_gpu(entry.segment())) {
        if (entry.answer_room() != 0) end_job_of_nonsense(from.pe);
        queue = &put_on_gpu(from, entry, data);
        continue;
      }
      auto* const place = find_entry(from.pe, entry, known);
      __builtin_prefetch(place, 1);
      found[n++] = {entry, place, data.data()};
    }
    for (std::size_t i = 0; i < n; ++i) {
      auto const room = found[i].entry.answer_room();
      if (room > answers.size() || !carry_out_entry(found[i], answers.data()))
        end_job_of_nonsense(from.pe);
      answers = answers.subspan(room);
    }
  }
  if (!answers.empty()) end_job_of_nonsense(from.pe);
  if (queue != nullptr) queue->finish();
}

std::size_t Transport_Messages::carry_out_run(
    Incoming const& from, BatchEntry head, std::span<std::byte const> payload,
    KnownMemory& known) {
  auto const run  = AtomicRunReader::make(head, payload);
  auto const op   = head.op();
  auto const type = head.type();
  if (!run || !is_atomic(op, type)) end_job_of_nonsense(from.pe);
  auto const bytes = bytes_of(type);
  if (head.offset() % bytes != 0) end_job_of_nonsense(from.pe);
  auto const find = [&](std::size_t i) {
    auto const offset = head.offset() + run->offset(i);
    auto* const word  = known.find(head.segment(), offset, bytes);
    if (word != nullptr) [[likely]] {
      return word;
    }
    return find_word(from.pe, head.segment(), offset, op, type, &known);
  };
  if (is_of_gpu(head.segment())) {
    auto* const queue = m_target.gpu();  // not null if any word is found
    for (std::size_t i = 0; i < run->count(); ++i) {
      auto* const word = find(i);
      queue->change(word, op, type, run->value(i));
    }
    return run->bytes();
  }
  // Process several operations at once, as in carry_out_batch().
  WordChange changes[64];
  for (std::size_t i = 0; i < run->count();) {
    std::size_t n = 0;
    for (; n < std::size(changes) && i < run->count(); ++n, ++i) {
      changes[n] = {find(i), run->value(i)};
      __builtin_prefetch(changes[n].word, 1);
    }
    change_words({changes, n}, op, type);
  }
  return run->bytes();
}

void Transport_Messages::carry_out_node_updates(
    Incoming const& from, MessageHeader const& header,
    std::span<std::byte const> payload) {
  bool const has_values  = header.detail.atomic.compare != 0;
  std::size_t const each = has_values ? 16 : 8;
  if (payload.size() % each != 0) end_job_of_nonsense(from.pe);
  KnownMemory known;
  WordChange changes[64];  // all of one kind
  std::size_t n = 0;
  AtomicOp op{};
  WordType type{};
  for (; !payload.empty(); payload = payload.subspan(each)) {
    std::uint64_t words[2] = {0, header.detail.atomic.value};
    std::memcpy(words, payload.data(), each);
    auto const update     = NodeUpdate::of(words[0]);
    auto const bytes      = bytes_of(update.type);
    bool const is_of_kind = n != 0 && update.op == op && update.type == type;
    if (n == std::size(changes) || (n != 0 && !is_of_kind)) {
      change_words({changes, n}, op, type);
      n = 0;
    }
    op   = update.op;
    type = update.type;
    // Calling find_word() for every word would take 10 % longer.
    bool const is_aligned = (update.offset & (bytes - 1)) == 0;
    char* my_word         = nullptr;
    if (is_of_kind && is_aligned)
      my_word = known.find(Segment::host_heap, update.offset, bytes);
    if (my_word == nullptr)
      my_word = find_word(from.pe, Segment::host_heap, update.offset, op, type,
                          &known);
    auto const distance = m_target.distance_to_near(update.near);
    if (!distance) end_job_of_nonsense(from.pe);
    changes[n] = {my_word + *distance, words[1]};
    __builtin_prefetch(changes[n].word, 1);
    ++n;
  }
  if (n != 0) change_words({changes, n}, op, type);
}

GpuAccessQueue& Transport_Messages::put_on_gpu(
    Incoming const& from, BatchEntry entry, std::span<std::byte const> data) {
  if (entry.kind() == BatchEntry::Kind::put) {
    auto const [queue, place] = find_on_gpu(from.pe, "a put", entry.segment(),
                                            entry.offset(), entry.bytes());
    queue.store(place, data.data(), entry.bytes());
    return queue;
  }
  std::uint64_t value = 0;
  std::memcpy(&value, data.data(), sizeof value);
  auto& queue = *m_target.gpu();
  queue.change(find_word(from.pe, entry.segment(), entry.offset(), entry.op(),
                         entry.type()),
               entry.op(), entry.type(), value);
  return queue;
}

char* Transport_Messages::find(Pe from, std::string_view operation,
                               Segment segment, std::uint64_t offset,
                               std::uint64_t bytes, KnownMemory* known) {
  if (known != nullptr) {
    auto* const place = known->find(segment, offset, bytes);
    if (place != nullptr) return place;
  }
  auto* const place = m_target.find(segment, offset, bytes);
  if (place == nullptr || (is_of_gpu(segment) && m_target.gpu() == nullptr)) {
    end_job_of_failure(Text("PE ", from, " of another node requested ",
                            operation, " of ", bytes, " bytes at offset ",
                            offset, " of segment ", static_cast<int>(segment),
                            " of this PE, which has no memory there"));
  }
  if (known != nullptr)
    *known = {segment, m_target.find_around(segment, offset, bytes)};
  return place;
}

Transport_Messages::OnGpu Transport_Messages::find_on_gpu(
    Pe from, std::string_view operation, Segment segment, std::uint64_t offset,
    std::uint64_t bytes) {
  auto* const place = find(from, operation, segment, offset, bytes);
  return {*m_target.gpu(), place};
}

char* Transport_Messages::find_word(Pe from, Segment segment,
                                    std::uint64_t offset, AtomicOp op,
                                    WordType type, KnownMemory* known) {
  if (!is_atomic(op, type)) end_job_of_nonsense(from);
  auto const bytes = bytes_of(type);
  auto* const place =
      find(from, "an atomic operation", segment, offset, bytes, known);
  if (reinterpret_cast<std::uintptr_t>(place) % bytes != 0) {
    end_job_of_failure(
        Text("PE ", from, " of another node requested an atomic operation on ",
             bytes, " bytes at offset ", offset, " of segment ",
             static_cast<int>(segment),
             " of this PE, which is not a multiple of that size"));
  }
  return place;
}

char* Transport_Messages::find_strided(Pe from, std::string_view operation,
                                       MessageHeader const& header) {
  std::uint64_t const size  = header.detail.strided.element_bytes;
  std::uint64_t const count = header.detail.strided.count;
  if (size == 0 || count == 0) end_job_of_nonsense(from);
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(count - 1, header.detail.strided.remote_bytes,
                             &bytes) ||
      __builtin_add_overflow(bytes, size, &bytes)) {
    bytes = UINT64_MAX;
  }
  return find(from, operation, header.segment, header.offset, bytes);
}

}  // namespace symm::Impl
