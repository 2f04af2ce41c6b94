// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
// The library says in its calls (base/Check.hpp) what the detector notes here.
#include "../base/Check.hpp"

#include <string_view>
#include <utility>

#include "../symm_check.hpp"
#include "Checker.hpp"
#include "Sites.hpp"

namespace symm::check {

bool enabled() noexcept { return Impl::check::s_checker.is_on(); }

std::uint64_t races() noexcept { return Impl::check::s_checker.n_races(); }

}  // namespace symm::check

namespace symm::Impl::check {

namespace {

/// Whether the call is the program's own, and not made by another one.
bool is_outermost() { return s_checker.is_on() && s_thread.n_calls == 1; }

Access make_access(bool is_write, Part part, bool is_atomic = false) {
  auto const& thread = s_thread;
  return {is_write, part, s_checker.clocks.now(part), is_atomic,
          site_at(s_checker.tables(), thread.place, thread.call)};
}

void learn(Checker::Where where, bool later = false) {
  auto* const told = s_checker.told_by(where, false);
  if (told != nullptr) s_checker.clocks.learn(told, later);
}

void tell(Checker::Where where, Tells what, Time signalled = 0) {
  auto* const told = s_checker.told_by(where, true);
  if (told != nullptr) s_checker.clocks.tell(told, what, signalled);
}

/// Copies of so many bytes arrive whole, and may be waited for.
constexpr std::size_t most_bytes_of_words = 64;

}  // namespace

Call::Call(char const* name, bool hides_threads, Accesses accesses) noexcept
    : m_hides_threads(hides_threads), m_accesses(accesses) {
  if (m_accesses == Accesses::are_seen) return;
  auto& thread = s_thread;
  if (m_accesses == Accesses::are_its) {
    m_name_before = std::exchange(thread.name_of_seen, name);
    return;
  }
  if (thread.n_calls++ == 0) {
    thread.place = __builtin_return_address(0);
    thread.call  = name;
  }
  if (m_hides_threads) s_checker.n_hiding.fetch_add(1);
}

Call::~Call() {
  if (m_accesses == Accesses::are_seen) return;
  auto& thread = s_thread;
  if (m_accesses == Accesses::are_its) {
    thread.name_of_seen = m_name_before;
    return;
  }
  if (--thread.n_calls == 0) thread.context = thread.request = nullptr;
  if (m_hides_threads) s_checker.n_hiding.fetch_sub(1);
}

void hide_thread() noexcept { ++s_thread.n_calls; }

void copy(void const* dest, void const* source, std::size_t bytes, Pe pe,
          bool is_put, bool is_later) noexcept {
  if (!is_outermost() || bytes == 0) return;
  // This PE's own memory is reached by a copy that is done at once.
  bool const is_mine = pe == s_checker.me();
  auto const side    = is_later && !is_mine ? Part::network : Part::loads;
  if (is_put) {
    s_checker.note_here(source, bytes, make_access(false, side));
    auto const there = s_checker.copy_of(dest, pe);
    s_checker.note(there, bytes,
                   make_access(true, is_mine ? Part::stores : Part::network));
    if (bytes > most_bytes_of_words) return;
    for (std::size_t at = 0; at < bytes; at += 8) {
      tell({pe, there.offset + at}, Tells::fenced);
    }
  } else {
    s_checker.note(s_checker.copy_of(source, pe), bytes,
                   make_access(false, side));
    s_checker.note_here(
        dest, bytes,
        make_access(true, side == Part::loads ? Part::stores : side));
  }
}

void copy_far(Pe pe, std::size_t offset, void const* local, std::size_t bytes,
              bool is_put, char const* name) noexcept {
  // In all other calls the call itself has told.
  if (!s_checker.is_on() || s_thread.n_calls != 0 ||
      s_checker.n_hiding.load(std::memory_order_relaxed) > 0) {
    return;
  }
  Call const call(name);
  s_thread.place = __builtin_return_address(0);
  s_checker.note_here(
      local, bytes, make_access(!is_put, is_put ? Part::loads : Part::stores));
  s_checker.note({pe, offset}, bytes,
                 make_access(is_put, is_put ? Part::network : Part::loads));
}

void atomic(void const* address, std::size_t bytes, Pe pe, AtomicKind kind,
            void const* fetch) noexcept {
  if (!is_outermost()) return;
  auto const where   = s_checker.copy_of(address, pe);
  bool const is_done = kind == AtomicKind::reads || kind == AtomicKind::returns;
  auto access        = make_access(kind != AtomicKind::reads,
                            is_done ? Part::loads : Part::network, true);
  if (kind == AtomicKind::waits) access.time = Epoch::latest;
  s_checker.note(where, bytes, access);
  if (fetch != nullptr) {
    s_checker.note_here(fetch, bytes, make_access(true, Part::network));
  }
  if (kind != AtomicKind::reads) tell(where, Tells::fenced);
  if (is_done) learn(where, true);
}

void put_signal(void const* dest, void const* source, std::size_t bytes,
                void const* signal, Pe pe, bool adds, bool is_later) noexcept {
  if (!s_checker.is_on()) return;
  auto const there = s_checker.copy_of(signal, pe);
  if (s_checker.told_by(there, true) == nullptr) return;  // the call throws
  auto part = Part::network;
  Time time = 0;
  if (bytes != 0) {
    part = Part::signals;
    time = s_checker.clocks.begin_signal();
  }
  if (is_outermost()) {
    if (bytes != 0) {
      bool const waits = !is_later || pe == s_checker.me();
      s_checker.note_here(
          source, bytes,
          make_access(false, waits ? Part::loads : Part::network));
      auto access = make_access(true, part);
      access.time = time;
      s_checker.note(s_checker.copy_of(dest, pe), bytes, access);
    }
    auto access   = make_access(true, part, true);
    access.signal = adds ? Access::Signal::add : Access::Signal::set;
    if (bytes != 0) access.time = time;
    s_checker.note(there, sizeof(std::uint64_t), access);
  }
  tell(there, Tells::fenced, time);
}

void in_context(void const* context) noexcept { s_thread.context = context; }

void with_request(void const* request) noexcept { s_thread.request = request; }

void complete(void const* context_or_request, Stage stage) noexcept {
  s_thread.context = nullptr;
  if (s_checker.is_on()) s_checker.complete(context_or_request, stage);
}

void context_moves(void const* from, void const* to) noexcept {
  if (s_checker.is_on()) s_checker.context_moves(from, to);
}

void fence() noexcept {
  if (s_checker.is_on()) s_checker.clocks.fence();
}

void quiet() noexcept {
  if (!s_checker.is_on()) return;
  s_checker.clocks.quiet();
  s_checker.end_begun();
}

void seen(void const* variable) noexcept {
  if (!s_checker.is_on()) return;
  variable = s_checker.in_heap(variable);
  if (!s_checker.is_in_heap(variable)) return;
  auto const where = s_checker.where(variable);
  learn(where);
  s_checker.forget_write(where);
}

// A lock has one word for all PEs: that of PE 0.

void release_lock(void const* lock) noexcept {
  if (!s_checker.is_on()) return;
  quiet();
  tell(s_checker.copy_of(lock, 0), Tells::stores);
}

void acquire_lock(void const* lock) noexcept {
  if (s_checker.is_on()) learn(s_checker.copy_of(lock, 0));
}

void use_blocks(void const* dest, std::size_t dest_bytes, void const* source,
                std::size_t source_bytes) noexcept {
  if (!s_checker.is_on()) return;
  if (source_bytes != 0) {
    s_checker.note_here(source, source_bytes, make_access(false, Part::loads));
  }
  if (dest_bytes != 0) {
    s_checker.note_here(dest, dest_bytes, make_access(true, Part::stores));
  }
}

void copy_here(void const* dest, void const* source,
               std::size_t bytes) noexcept {
  if (!is_outermost() || bytes == 0) return;
  s_checker.note_here(source, bytes, make_access(false, Part::loads));
  s_checker.note_here(dest, bytes, make_access(true, Part::stores));
}

void in_kernel(char const* label) noexcept {
  s_kernel.store(label == nullptr ? nullptr : kept_label(label),
                 std::memory_order_relaxed);
}

void registered(void const* in_heap, void const* memory,
                std::size_t bytes) noexcept {
  if (s_checker.is_on()) s_checker.add_alias(in_heap, memory, bytes);
}

void unregistered(void const* memory) noexcept {
  if (s_checker.is_on()) s_checker.remove_alias(memory);
}

void allocated(void const* address, std::size_t bytes, char const* label,
               std::size_t header_bytes) noexcept {
  s_checker.allocated(address, bytes, label, header_bytes);
}

Meeting::Meeting(std::uint64_t key, int n_members) noexcept : m_place(-1) {
  if (!s_checker.is_on()) return;
  auto& places = s_checker.tables().places;
  for (std::size_t i = 0; i < Tables::n_places; ++i) {
    auto const at       = (key + i) % Tables::n_places;
    std::uint64_t there = 0;
    if (!places[at].key.compare_exchange_strong(there, key) && there != key) {
      continue;
    }
    auto& place        = places[at];
    auto const n       = static_cast<std::uint64_t>(n_members);
    auto const arrival = place.n_arrivals.fetch_add(1);
    auto const turn    = arrival / n % 3;
    s_checker.clocks.tell(place.known[turn].data(), Tells::done);
    if (arrival % n == n - 1) {
      // All have come to this meeting, so none reads the one before it.
      for (auto& time : place.known[(turn + 1) % 3]) time.store(0);
    }
    m_place = static_cast<int>(at * 3 + turn);
    return;
  }
}

Meeting::~Meeting() {
  if (m_place < 0 || !s_checker.is_on()) return;
  auto const at = static_cast<std::size_t>(m_place);
  s_checker.clocks.learn(
      s_checker.tables().places[at / 3].known[at % 3].data());
}

}  // namespace symm::Impl::check
