// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_CHECK_SHADOW_HPP
#define SYMM_CHECK_SHADOW_HPP

#include <cstddef>
#include <cstdint>

#include "../base/Check.hpp"
#include "../base/Function.hpp"
#include "../base/Types.hpp"
#include "AccessHistory.hpp"
#include "CheckMemory.hpp"
#include "Clocks.hpp"
#include "Epoch.hpp"

namespace symm::Impl::check {

/// The kinds of kernel accesses that reports distinguish.
enum class KernelDeed : std::uint8_t { access, put, get, atomic, put_signal };
inline constexpr std::size_t n_kernel_deeds = 5;

/// Handles the library calls that are reported to the detector, on the host and
/// in kernels. The object is in host memory that GPUs can access.
class alignas(4096) Shadow : public AccessHistory {
 public:
  /// Like CheckMemory::told_by(), but also returns null if `where` is not in
  /// any heap.
  [[nodiscard]] SYMM_FUNCTION TimesOfPes told_by(Where where, bool adds) const {
    if (where.pe < 0 || where.pe >= m_n_pes) return nullptr;  // the call throws
    auto* const told = m_memory.told_by(where, adds);
    if (adds && m_memory.is_of_many(told)) note_limit(Limit::variables);
    return told;
  }
  SYMM_FUNCTION void learn(Where where, bool later = false) {
    auto* const told = told_by(where, false);
    if (told != nullptr) clocks.learn(told, later);
  }
  SYMM_FUNCTION void tell(Where where, Tells what, Time signaled = 0) {
    auto* const told = told_by(where, true);
    if (told != nullptr) clocks.tell(told, what, signaled);
  }

  // The functions below implement the functions in base/Check.hpp. A `caller`
  // represents the host or a kernel. caller.make(is_write, part, is_atomic)
  // creates an access. caller.here(address, bytes, access) records an access on
  // this PE's side. caller.there(where, bytes, access) records an access on any
  // PE.

  SYMM_CALLS_ANYTHING
  template <class Caller>
  SYMM_FUNCTION void copy(Caller const& caller, void const* dest,
                          void const* source, std::size_t bytes, Pe pe,
                          bool is_put, bool is_later) {
    if (bytes == 0) return;
    if (is_put && source == nullptr) return;  // the call throws
    // A copy within this PE's own memory is complete immediately.
    bool const is_mine = pe == m_me;
    auto const side    = is_later && !is_mine ? Part::network : Part::loads;
    if (is_put) {
      caller.here(source, bytes, caller.make(false, side));
      auto const where = copy_of(dest, pe);
      auto access = caller.make(true, is_mine ? Part::stores : Part::network);
      if (bytes == 4 || bytes == 8) access.kind = Epoch::Kind::whole;
      caller.there(where, bytes, access);
      if (bytes > max_bytes_of_words) return;
      for (std::size_t at = 0; at < bytes; at += 8) {
        tell({where.pe, where.offset + at}, Tells::fenced);
      }
    } else {
      caller.there(copy_of(source, pe), bytes, caller.make(false, side));
      caller.here(dest, bytes,
                  caller.make(true, side == Part::loads ? Part::stores : side));
    }
  }

  SYMM_CALLS_ANYTHING
  template <class Caller>
  SYMM_FUNCTION void atomic(Caller const& caller, void const* address,
                            std::size_t bytes, Pe pe, AtomicKind kind) {
    auto const where = copy_of(address, pe);
    bool const is_done =
        kind == AtomicKind::reads || kind == AtomicKind::returns;
    auto access = caller.make(kind != AtomicKind::reads,
                              is_done ? Part::loads : Part::network, true);
    if (kind == AtomicKind::waits) access.time = Epoch::latest;
    caller.there(where, bytes, access);
    if (kind != AtomicKind::reads) tell(where, Tells::fenced);
    if (is_done) learn(where, true);
  }

  /// \param is_noted whether to record the accesses. Pass false if the
  ///        put_signal() is part of another call.
  SYMM_CALLS_ANYTHING
  template <class Caller>
  SYMM_FUNCTION void put_signal(Caller const& caller, void const* dest,
                                void const* source, std::size_t bytes,
                                void const* signal, Pe pe, bool adds,
                                bool is_later, bool is_noted) {
    auto const where = copy_of(signal, pe);
    // If `dest` or `signal` is not in a heap, the put_signal() itself throws.
    if (bytes != 0 && !is_seen(copy_of(dest, pe))) return;
    if (told_by(where, true) == nullptr) return;
    auto const part = bytes != 0 ? Part::signals : Part::network;
    Time const time = bytes != 0 ? clocks.begin_signal() : 0;
    if (is_noted) {
      if (bytes != 0) {
        bool const waits = !is_later || pe == m_me;
        caller.here(source, bytes,
                    caller.make(false, waits ? Part::loads : Part::network));
        auto access = caller.make(true, part);
        access.time = time;
        caller.there(copy_of(dest, pe), bytes, access);
      }
      auto access = caller.make(true, part, true);
      access.kind = adds ? Epoch::Kind::added : Epoch::Kind::set;
      if (bytes != 0) access.time = time;
      caller.there(where, sizeof(std::uint64_t), access);
    }
    tell(where, Tells::fenced, time);
  }

  SYMM_FUNCTION void seen(void const* variable) {
    auto const place = where(variable);
    if (place.pe < 0) return;
    learn(place);
    forget_write(place);
  }

  /// Whether the running kernel belongs to the library. If so, the library call
  /// that launched the kernel reports the kernel's accesses.
  [[nodiscard]] SYMM_FUNCTION bool hides_kernel() const {
    return m_hides_kernel;
  }
  [[nodiscard]] SYMM_FUNCTION std::uint16_t kernel_site(KernelDeed deed) const {
    return m_kernel_sites[static_cast<std::size_t>(deed)];
  }

  /// Called when the members of a PE team begin to wait for each other.
  /// \returns the argument for end_meeting().
  SYMM_FUNCTION int begin_meeting(std::uint64_t key) {
    auto& places = tables().places;
    for (std::size_t i = 0; i < Tables::n_places; ++i) {
      auto const at       = (key + i) % Tables::n_places;
      std::uint64_t there = 0;
      if (!places[at].key.compare_exchange_strong(there, key) && there != key) {
        continue;
      }
      auto& place     = places[at];
      auto const turn = place.n_meetings[m_me].fetch_add(1) % 2;
      clocks.tell(place.known[turn], Tells::done);
      return static_cast<int>(at * 2 + turn);
    }
    note_limit(Limit::teams);
    clocks.tell(places[Tables::n_places].known[0], Tells::done);
    return static_cast<int>(Tables::n_places * 2);
  }
  SYMM_FUNCTION void end_meeting(int place) {
    if (place < 0) return;
    auto const at = static_cast<std::size_t>(place);
    clocks.learn(tables().places[at / 2].known[at % 2]);
  }

  /// In copies of at most this many bytes, each word arrives in one piece, so a
  /// PE may wait for any of these words.
  static constexpr std::size_t max_bytes_of_words = 64;

 protected:
  // The running Kokkos kernel's sites, indexed by the kind of access. They
  // change only while no kernel is running.
  std::uint16_t m_kernel_sites[n_kernel_deeds]{};
  bool m_hides_kernel = false;
};

/// Functions that enqueue kernels on `queue`. With these kernels, the host
/// updates and checks the shadow of GPU memory. `shadow` is the kernels' copy
/// of the Shadow.
struct ShadowKernels {
  void (*note)(void* queue, Shadow* shadow, Where where, std::size_t bytes,
               Access const& access);
  void (*change)(void* queue, Shadow* shadow, Where where,
                 LaterAccess const& later);
};
/// Sets the kernels that update and check the shadow of GPU memory. Without
/// them, the host's operations on GPU memory are not recorded.
void set_shadow_kernels(ShadowKernels const& kernels);

}  // namespace symm::Impl::check

#endif
