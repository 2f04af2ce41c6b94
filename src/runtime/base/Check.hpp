// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_BASE_CHECK_HPP
#define SYMM_BASE_CHECK_HPP

#include <cstddef>
#include <cstdint>

#include <symm_gpu/CheckCalls.hpp>
#include "Function.hpp"
#include "Types.hpp"

// The library's reports to the detector of races between PEs (check/,
// docs/races.md). Only the library of KokkosSymmetricSpace::Checked, where
// SYMM_CHECK is defined, tells anything: elsewhere all of this is empty.
//
// Addresses are symmetric: of this PE's copy. All may be called on any thread.

namespace symm::Impl::check {

/// For meetings of all PEs, in collective calls of the runtime.
inline constexpr std::uint64_t key_of_all = 3;

/// The loads and stores in a call, of headers and of functions of the program.
enum class Accesses : std::uint8_t {
  are_hidden,  // the library says itself what the call does
  are_seen,    // as the program's own
  are_its      // seen, and reported with the name of the call
};

enum class AtomicKind : int { reads, returns, posts, waits };
/// How far the operations of a context are, or that of a request.
enum class Stage { done, done_here, begun };

#ifdef SYMM_CHECK

/// The program is in a call of the library to the end of the scope: what this
/// thread loads and stores meanwhile are no accesses of the program. In kernels
/// it does nothing: what is not told is not seen.
class Call {
 public:
  /// \param name lives as long as the program.
  /// \param hides_threads the same holds for all threads of this PE.
  [[gnu::always_inline]] SYMM_FUNCTION explicit Call(
      char const* name, bool hides_threads = false,
      Accesses accesses = Accesses::are_hidden) noexcept
      : m_hides_threads(hides_threads), m_accesses(accesses) {
    static_cast<void>(name);
    SYMM_IF_ON_HOST((enter(name);))
  }
  Call(Call const&)            = delete;
  Call& operator=(Call const&) = delete;
  [[gnu::always_inline]] SYMM_FUNCTION ~Call() { SYMM_IF_ON_HOST((leave();)) }

 private:
  /// Its caller is the call's place in the program.
  [[gnu::noinline]] void enter(char const* name) noexcept;
  void leave() noexcept;

  bool m_hides_threads;
  Accesses m_accesses;
  char const* m_name_before = nullptr;
};

/// The program runs to the end of the scope, on this thread, although a call of
/// the library has not ended: a handler.
class Program {
 public:
  Program() noexcept;
  Program(Program const&)            = delete;
  Program& operator=(Program const&) = delete;
  ~Program();

 private:
  int m_n_calls;
  int m_n_hiding;
  char const* m_name_of_seen;
};

// For the host, in the library; for kernels, `OnGpu` of
// <symm_gpu/CheckCalls.hpp>.
namespace OnHost {
void access(void const* address, std::size_t bytes, bool is_write,
            bool is_atomic) noexcept;
void copy(void const* dest, void const* source, std::size_t bytes, Pe pe,
          bool is_put, bool is_later) noexcept;
void atomic(void const* address, std::size_t bytes, Pe pe, AtomicKind kind,
            void const* fetch) noexcept;
void put_signal(void const* dest, void const* source, std::size_t bytes,
                void const* signal, Pe pe, bool adds, bool is_later) noexcept;
void fence() noexcept;
void quiet() noexcept;
void seen(void const* variable) noexcept;
void use_blocks(void const* dest, std::size_t dest_bytes, void const* source,
                std::size_t source_bytes) noexcept;
[[nodiscard]] int begin_meeting(std::uint64_t key) noexcept;
void end_meeting(int place) noexcept;
}  // namespace OnHost

#define SYMM_TELL_CHECK(call)      \
  SYMM_IF_ON_HOST((OnHost::call;)) \
  SYMM_IF_ON_DEVICE((OnGpu::call;))

/// Marks the calling thread, of the library, as one that is in a call for ever.
void hide_thread() noexcept;

/// The program loads or stores, through a View that tells so.
SYMM_INLINE_FUNCTION void access(void const* address, std::size_t bytes,
                                 bool is_write,
                                 bool is_atomic = false) noexcept {
  SYMM_TELL_CHECK(access(address, bytes, is_write, is_atomic));
}
/// put() or get(), before it begins. \param is_later an _nbi form.
SYMM_INLINE_FUNCTION
void copy(void const* dest, void const* source, std::size_t bytes, Pe pe,
          bool is_put, bool is_later) noexcept {
  SYMM_TELL_CHECK(copy(dest, source, bytes, pe, is_put, is_later));
}
/// The same of a StridedCopy.
template <class Copy>
SYMM_FUNCTION void copy_strided(Copy const& copy, Pe pe, bool is_put) {
  auto const its = copy.in_bytes();
  if (its.count >> 44U != 0) return;  // no memory has so many: the call throws
  for (std::size_t i = 0; i < its.count; ++i) {
    check::copy(its.to + i * its.to_stride, its.from + i * its.from_stride,
                its.element_bytes, pe, is_put, false);
  }
}
/// put() or get() of a PE of another node, that is none of the calls above.
void copy_far(Pe pe, std::size_t offset, void const* local, std::size_t bytes,
              bool is_put, char const* call) noexcept;
/// This PE has got many_elements of other nodes one by one.
void gets_elements() noexcept;
/// An atomic operation, before it begins; AtomicKind::posts: it may not be done
/// when the call returns, and then changes `fetch`, unless that is null;
/// AtomicKind::waits: it does not begin before its context is complete.
SYMM_INLINE_FUNCTION void atomic(void const* address, std::size_t bytes, Pe pe,
                                 AtomicKind kind,
                                 void const* fetch = nullptr) noexcept {
  SYMM_TELL_CHECK(atomic(address, bytes, pe, kind, fetch));
}
/// put_signal(), before it begins; 0 bytes: signal_op().
SYMM_INLINE_FUNCTION void put_signal(void const* dest, void const* source,
                                     std::size_t bytes, void const* signal,
                                     Pe pe, bool adds, bool is_later) noexcept {
  SYMM_TELL_CHECK(put_signal(dest, source, bytes, signal, pe, adds, is_later));
}
/// The next operation is enqueued, and comes after what is before it in its
/// instance.
void in_stream() noexcept;
/// The next operation is in that context; has that request. Null: none.
void in_context(void const* context) noexcept;
void with_request(void const* request) noexcept;
void complete(void const* context_or_request,
              Stage stage = Stage::done) noexcept;
/// The operations of a context or request are those of another object now.
void operations_move(void const* from, void const* to) noexcept;
SYMM_INLINE_FUNCTION void fence() noexcept { SYMM_TELL_CHECK(fence()); }
SYMM_INLINE_FUNCTION
void quiet() noexcept { SYMM_TELL_CHECK(quiet()); }
/// This PE has seen what it waits for in the variable.
SYMM_INLINE_FUNCTION void seen(void const* variable) noexcept {
  SYMM_TELL_CHECK(seen(variable));
}
/// This PE is about to let go of the lock; has it.
void release_lock(void const* lock) noexcept;
void acquire_lock(void const* lock) noexcept;
/// A collective operation writes and reads this PE's blocks.
SYMM_INLINE_FUNCTION void use_blocks(void const* dest, std::size_t dest_bytes,
                                     void const* source,
                                     std::size_t source_bytes) noexcept {
  SYMM_TELL_CHECK(use_blocks(dest, dest_bytes, source, source_bytes));
}
/// A copy within the memory that this PE loads from and stores to.
void copy_here(void const* dest, void const* source,
               std::size_t bytes) noexcept;
/// The label of the kernel of Kokkos that begins; null: one has ended.
void in_kernel(char const* label) noexcept;
/// This PE's memory of the program is also in its part of the heap; is not any
/// more.
void registered(void const* in_heap, void const* memory,
                std::size_t bytes) noexcept;
void unregistered(void const* memory) noexcept;
/// This PE is about to end the job: the first one that does reports the races,
/// as nobody gets to finalize().
void job_ends() noexcept;
/// The heap has given out memory.
/// \param header_bytes of it are before the data of a View.
void allocated(void const* address, std::size_t bytes, char const* label,
               std::size_t header_bytes) noexcept;

/// All members of a PE team wait for each other in this scope.
class Meeting {
 public:
  /// \param key of the members, the same on all and no other's.
  SYMM_FUNCTION explicit Meeting(std::uint64_t key) noexcept {
    SYMM_IF_ON_HOST((m_place = OnHost::begin_meeting(key);))
    SYMM_IF_ON_DEVICE((m_place = OnGpu::begin_meeting(key);))
  }
  Meeting(Meeting const&)            = delete;
  Meeting& operator=(Meeting const&) = delete;
  SYMM_FUNCTION ~Meeting() { SYMM_TELL_CHECK(end_meeting(m_place)); }

 private:
  int m_place = -1;
};
#undef SYMM_TELL_CHECK

/// \param kind tells meetings of the same members apart.
template <class Team>
[[nodiscard]] SYMM_FUNCTION std::uint64_t key_of(Team const& team,
                                                 std::uint64_t kind = 1) {
  constexpr std::uint64_t factor = 0x9e37'79b9'7f4a'7c15U;
  // Teams of which one begins with the other, or with it but for a PE, differ.
  auto hash = (kind << 32U | static_cast<std::uint32_t>(team.n_pes())) * factor;
  for (Pe pe = 0; pe < team.n_pes(); ++pe) {
    hash ^= hash >> 29U;
    hash = (hash + static_cast<std::uint64_t>(team.world_pe(pe)) + 1) * factor;
  }
  hash ^= hash >> 29U;
  return hash | 1U;
}

#else

struct [[maybe_unused]] Call {
  SYMM_FUNCTION explicit constexpr Call(char const*, bool = false) noexcept {}
};
struct [[maybe_unused]] Program {};
SYMM_INLINE_FUNCTION void hide_thread() noexcept {}
SYMM_INLINE_FUNCTION void copy(void const*, void const*, std::size_t, Pe, bool,
                               bool) noexcept {}
template <class Copy>
SYMM_INLINE_FUNCTION void copy_strided(Copy const&, Pe, bool) noexcept {}
inline void copy_far(Pe, std::size_t, void const*, std::size_t, bool,
                     char const*) noexcept {}
SYMM_INLINE_FUNCTION void atomic(void const*, std::size_t, Pe, AtomicKind,
                                 void const* = nullptr) noexcept {}
inline void gets_elements() noexcept {}
inline void in_stream() noexcept {}
inline void in_context(void const*) noexcept {}
inline void with_request(void const*) noexcept {}
inline void complete(void const*, Stage = Stage::done) noexcept {}
inline void operations_move(void const*, void const*) noexcept {}
inline void registered(void const*, void const*, std::size_t) noexcept {}
inline void unregistered(void const*) noexcept {}
inline void job_ends() noexcept {}
SYMM_INLINE_FUNCTION void put_signal(void const*, void const*, std::size_t,
                                     void const*, Pe, bool, bool) noexcept {}
SYMM_INLINE_FUNCTION void fence() noexcept {}
SYMM_INLINE_FUNCTION void quiet() noexcept {}
SYMM_INLINE_FUNCTION void release_lock(void const*) noexcept {}
SYMM_INLINE_FUNCTION void acquire_lock(void const*) noexcept {}
SYMM_INLINE_FUNCTION void use_blocks(void const*, std::size_t, void const*,
                                     std::size_t) noexcept {}
SYMM_INLINE_FUNCTION void copy_here(void const*, void const*,
                                    std::size_t) noexcept {}
SYMM_INLINE_FUNCTION void allocated(void const*, std::size_t, char const*,
                                    std::size_t) noexcept {}
SYMM_INLINE_FUNCTION void seen(void const*) noexcept {}

struct [[maybe_unused]] Meeting {
  SYMM_FUNCTION explicit constexpr Meeting(std::uint64_t) noexcept {}
};
template <class Team>
SYMM_FUNCTION constexpr std::uint64_t key_of(Team const&, std::uint64_t = 1) {
  return 0;
}

#endif

}  // namespace symm::Impl::check

#endif
