// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ENGINES_PARCEL_HPP
#define SYMM_ENGINES_PARCEL_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "MessageEngine.hpp"

namespace symm::Impl {

/// The header that a ServedEngine prepends to a message's own header.
struct ParcelHead {
  enum class Kind : std::uint16_t {
    message,
    ping,  // answered with a pong
    pong,
    // Only for MessageEngine_Libfabric:
    offer,  // offers a payload that is ready to be sent
    answer  // answers an offer
  };

  std::uint64_t key          = 0;  // the job's key, known only to its PEs
  std::int32_t from          = 0;
  Kind kind                  = Kind::message;
  std::uint16_t header_bytes = 0;  // size of the message's own header
};
// Padding would leak uninitialized stack bytes.
static_assert(std::has_unique_object_representations_v<ParcelHead>);

/// An operation in progress in a network library.
struct InFlight {
  std::array<void*, 8> of_library{};  // scratch space for the library
  int kind = 0;                       // for the engine's use
};

/// A message in flight, and all data that must stay valid until the message has
/// been sent or received.
struct Parcel : InFlight {
  struct Head {  // sent as a unit
    ParcelHead engine;
    std::array<std::byte, MessageEngine::max_header> user;
  };
  static constexpr std::size_t small_bytes = 256;

  Head head;
  std::size_t header_bytes = 0;  // size of `head.user`
  void* owner              = nullptr;
  Pe peer                  = 0;
  std::size_t token        = 0;
  std::uint64_t number     = 0;  // for the engine's use
  std::uint64_t address    = 0;  // for the engine's use
  // The payload is either read in place or has been copied to `small` or
  // `large`.
  void const* payload = nullptr;
  void* place         = nullptr;
  std::size_t bytes   = 0;
  std::array<std::byte, small_bytes> small;
  std::unique_ptr<std::byte[]> large;
  std::size_t large_bytes = 0;        // size of `large`
  Parcel* before          = nullptr;  // previous one in a ParcelList
  Parcel* next            = nullptr;  // next one in a ParcelQueue

  /// The size in bytes that `large` needs for a copy of the payload; 0 if the
  /// payload fits into `small`.
  [[nodiscard]] static constexpr std::size_t large_bytes_for(
      std::size_t payload_bytes) {
    return payload_bytes <= small_bytes ? 0 : std::bit_ceil(payload_bytes);
  }
  /// The private memory, in bytes, that a message takes up until it is sent.
  /// \param copied_bytes The size of the payload's copy; 0 if the payload is
  ///        read in place.
  [[nodiscard]] static constexpr std::size_t bytes_for(
      std::size_t copied_bytes) {
    return sizeof(Parcel) + large_bytes_for(copied_bytes);
  }

  [[nodiscard]] std::size_t all_header_bytes() const {
    return sizeof(ParcelHead) + header_bytes;
  }
  [[nodiscard]] std::span<std::byte const> header() const {
    return {head.user.data(), header_bytes};
  }
  void set_header(std::span<std::byte const> header) {
    header_bytes             = header.size();
    head.engine.header_bytes = static_cast<std::uint16_t>(header_bytes);
    if (!header.empty()) {
      std::memcpy(head.user.data(), header.data(), header.size());
    }
  }
};

/// A queue that owns its parcels and never allocates memory.
class ParcelQueue {
 public:
  ParcelQueue()                              = default;
  ParcelQueue(ParcelQueue const&)            = delete;
  ParcelQueue& operator=(ParcelQueue const&) = delete;
  ~ParcelQueue() {
    while (auto* const parcel = pop()) delete parcel;
  }

  void push(Parcel* parcel) noexcept {
    parcel->next                                 = nullptr;
    (m_last == nullptr ? m_first : m_last->next) = parcel;
    m_last                                       = parcel;
  }
  [[nodiscard]] bool empty() const { return m_first == nullptr; }
  void push_front(Parcel* parcel) noexcept {
    parcel->next = m_first;
    m_first      = parcel;
    if (m_last == nullptr) m_last = parcel;
  }
  /// Removes and returns the oldest parcel; null if there is none.
  Parcel* pop() noexcept {
    auto* const parcel = m_first;
    if (parcel == nullptr) return nullptr;
    m_first = parcel->next;
    if (m_first == nullptr) m_last = nullptr;
    return parcel;
  }

 private:
  Parcel* m_first = nullptr;
  Parcel* m_last  = nullptr;
};

/// A list that owns its parcels, any of which can be removed.
class ParcelList {
 public:
  ParcelList()                             = default;
  ParcelList(ParcelList const&)            = delete;
  ParcelList& operator=(ParcelList const&) = delete;
  ~ParcelList() {
    while (m_last != nullptr) delete take(m_last);
  }

  void add(Parcel* parcel) noexcept {
    parcel->next   = nullptr;
    parcel->before = m_last;
    if (m_last != nullptr) m_last->next = parcel;
    m_last = parcel;
  }
  Parcel* take(Parcel* parcel) noexcept {
    if (parcel->before != nullptr) parcel->before->next = parcel->next;
    (parcel->next != nullptr ? parcel->next->before : m_last) = parcel->before;
    return parcel;
  }
  /// The parcel added most recently; null if there is none. Parcel::before
  /// links to the next older one.
  [[nodiscard]] Parcel* last() const { return m_last; }

 private:
  Parcel* m_last = nullptr;
};

/// A pool of parcels. Only one thread at a time may use it.
class Parcels {
 public:
  /// \throws std::bad_alloc.
  Parcel* take() { return take_from(0).release(); }

  /// Takes a parcel from the pool and copies `bytes`, at most max_eager bytes,
  /// into it.
  /// \throws std::bad_alloc.
  Parcel* take_copy(std::span<std::byte const> bytes) {
    auto parcel = take_from(Parcel::large_bytes_for(bytes.size()));
    auto* const copy =
        parcel->large ? parcel->large.get() : parcel->small.data();
    if (!bytes.empty()) std::memcpy(copy, bytes.data(), bytes.size());
    parcel->payload = copy;
    parcel->bytes   = bytes.size();
    return parcel.release();
  }

  void give_back(Parcel* parcel) noexcept {
    std::unique_ptr<Parcel> owner(parcel);
    auto& list = list_of(parcel->large_bytes);
    if (list.size() == list.capacity()) return;  // full: deletes the parcel
    list.push_back(std::move(owner));
  }

  Parcels() {
    for (auto& list : m_lists) list.reserve(32);
    m_lists[0].reserve(1024);
  }

 private:
  using List = std::vector<std::unique_ptr<Parcel>>;

  /// The list for parcels whose `large` has this size in bytes: small_bytes *
  /// 2^i, or 0 if there is no `large`.
  List& list_of(std::size_t large_bytes) {
    return m_lists[static_cast<std::size_t>(
        std::bit_width(large_bytes / Parcel::small_bytes / 2))];
  }

  std::unique_ptr<Parcel> take_from(std::size_t large_bytes) {
    auto& list = list_of(large_bytes);
    if (!list.empty()) {
      auto parcel = std::move(list.back());
      list.pop_back();
      return parcel;
    }
    // Not make_unique(), which would zero the parcel.
    std::unique_ptr<Parcel> parcel(new Parcel);
    if (large_bytes != 0) {
      parcel->large.reset(new std::byte[large_bytes]);
      parcel->large_bytes = large_bytes;
    }
    return parcel;
  }

  std::array<List, 1 + std::bit_width(
                           MessageEngine::max_eager / Parcel::small_bytes - 1)>
      m_lists;
};

}  // namespace symm::Impl

#endif
