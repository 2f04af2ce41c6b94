// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
// Passes the library's calls to the detector (base/Check.hpp).
#include "../base/Check.hpp"

#include <array>
#include <utility>

#include "../symm_check.hpp"
#include "Checker.hpp"
#include "Detector.hpp"
#include "Sites.hpp"

namespace symm::check {

bool enabled() noexcept { return Impl::check::s_checker.is_on(); }

std::uint64_t races() noexcept { return Impl::check::s_checker.n_races(); }

}  // namespace symm::check

namespace symm::Impl::check {

void start_detector(Bootstrap& bootstrap,
                    std::array<HeapMap const*, max_heaps> const& heaps,
                    MemoryProvider* gpu, Agree const& agree) {
  s_checker.start(bootstrap, heaps, gpu, agree);
}

void finish_detector(Bootstrap& bootstrap) { s_checker.finish(bootstrap); }

namespace {

/// Whether the program itself makes this call, rather than another library
/// call.
bool is_outermost() { return s_checker.is_on() && s_thread.n_calls == 1; }

Access make_access(bool is_write, Part part, bool is_atomic = false) {
  auto const& thread = s_thread;
  return {is_write,
          part,
          s_checker.clocks.use(part),
          is_atomic,
          site_at(s_checker.tables(), thread.place, thread.call),
          Epoch::Kind::plain,
          thread.is_in_stream};
}

struct HostCaller {
  static Access make(bool is_write, Part part, bool is_atomic = false) {
    return make_access(is_write, part, is_atomic);
  }
  static void here(void const* address, std::size_t bytes,
                   Access const& access) {
    s_checker.note_here(address, bytes, access);
  }
  static void there(Where where, std::size_t bytes, Access const& access) {
    s_checker.note(where, bytes, access);
  }
};

}  // namespace

void Call::enter(char const* name) noexcept {
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
  if (!m_hides_threads) return;
  ++thread.n_hiding;
  s_checker.n_hiding.fetch_add(1);
}

void Call::leave() noexcept {
  if (m_accesses == Accesses::are_seen) return;
  auto& thread = s_thread;
  if (m_accesses == Accesses::are_its) {
    thread.name_of_seen = m_name_before;
    return;
  }
  if (--thread.n_calls == 0) {
    thread.context = thread.request = nullptr;
    thread.is_in_stream             = false;
  }
  if (!m_hides_threads) return;
  --thread.n_hiding;
  s_checker.n_hiding.fetch_sub(1);
}

Program::Program() noexcept
    : m_n_calls(std::exchange(s_thread.n_calls, 0)),
      m_n_hiding(std::exchange(s_thread.n_hiding, 0)),
      m_name_of_seen(std::exchange(s_thread.name_of_seen, nullptr)) {
  s_checker.n_hiding.fetch_sub(m_n_hiding);
}

Program::~Program() {
  s_thread.n_calls      = m_n_calls;
  s_thread.n_hiding     = m_n_hiding;
  s_thread.name_of_seen = m_name_of_seen;
  s_checker.n_hiding.fetch_add(m_n_hiding);
}

void hide_thread() noexcept { ++s_thread.n_calls; }

void OnHost::access(void const* address, std::size_t bytes, bool is_write,
                    bool is_atomic) noexcept {
  s_checker.access(address, bytes, is_write, is_atomic,
                   __builtin_return_address(0));
}

void OnHost::copy(void const* dest, void const* source, std::size_t bytes,
                  Pe pe, bool is_put, bool is_later) noexcept {
  if (!is_outermost()) return;
  s_checker.copy(HostCaller(), dest, source, bytes, pe, is_put, is_later);
}

void copy_far(Pe pe, std::size_t offset, void const* local, std::size_t bytes,
              bool is_put, char const* name) noexcept {
  // All other operations are reported by the calls that perform them.
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

void gets_elements() noexcept {
  if (!s_checker.is_on()) return;
  s_checker.tables().gets_elements[s_checker.me()].store(1);
}

void OnHost::atomic(void const* address, std::size_t bytes, Pe pe,
                    AtomicKind kind, void const* fetch) noexcept {
  if (!is_outermost()) return;
  s_checker.atomic(HostCaller(), address, bytes, pe, kind);
  if (fetch != nullptr) {
    s_checker.note_here(fetch, bytes, make_access(true, Part::network));
  }
}

void OnHost::put_signal(void const* dest, void const* source, std::size_t bytes,
                        void const* signal, Pe pe, bool adds,
                        bool is_later) noexcept {
  if (!s_checker.is_on()) return;
  s_checker.put_signal(HostCaller(), dest, source, bytes, signal, pe, adds,
                       is_later, is_outermost());
}

void in_stream() noexcept { s_thread.is_in_stream = true; }

void in_context(void const* context) noexcept { s_thread.context = context; }

void with_request(void const* request) noexcept {
  s_thread.request = request;
  if (request != nullptr && s_checker.is_on()) s_checker.let_go(request);
}

void complete(void const* context_or_request, Stage stage) noexcept {
  s_thread.context = nullptr;
  if (s_checker.is_on()) s_checker.complete(context_or_request, stage);
}

void operations_move(void const* from, void const* to) noexcept {
  if (s_checker.is_on()) s_checker.move_operations(from, to);
}

void OnHost::fence() noexcept {
  if (s_checker.is_on()) s_checker.clocks.fence();
}

void OnHost::quiet() noexcept {
  if (!s_checker.is_on()) return;
  s_checker.clocks.quiet();
  s_checker.end_begun();
}

void OnHost::seen(void const* variable) noexcept {
  if (s_checker.is_on()) s_checker.seen(s_checker.in_heap(variable));
}

// The detector treats a lock as the word at the lock's address on PE 0.

void release_lock(void const* lock) noexcept {
  if (!s_checker.is_on()) return;
  quiet();
  s_checker.tell(s_checker.copy_of(lock, 0), Tells::stores);
}

void acquire_lock(void const* lock) noexcept {
  if (s_checker.is_on()) s_checker.learn(s_checker.copy_of(lock, 0));
}

void OnHost::use_blocks(void const* dest, std::size_t dest_bytes,
                        void const* source, std::size_t source_bytes) noexcept {
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

void in_kernel(char const* label) noexcept { s_checker.set_kernel(label); }

void registered(void const* in_heap, void const* memory,
                std::size_t bytes) noexcept {
  if (s_checker.is_on()) s_checker.add_alias(in_heap, memory, bytes);
}

void unregistered(void const* memory) noexcept {
  if (s_checker.is_on()) s_checker.remove_alias(memory);
}

void job_ends() noexcept { s_checker.report_early(); }

void allocated(void const* address, std::size_t bytes, char const* label,
               std::size_t header_bytes) noexcept {
  s_checker.allocated(address, bytes, label, header_bytes);
}

int OnHost::begin_meeting(std::uint64_t key) noexcept {
  if (!s_checker.is_on()) return -1;
  s_checker.name_races();
  return s_checker.begin_meeting(key);
}

void OnHost::end_meeting(int place) noexcept {
  if (s_checker.is_on()) s_checker.end_meeting(place);
}

}  // namespace symm::Impl::check
