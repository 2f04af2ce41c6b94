// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_BASE_CHECK_HPP
#define SYMM_BASE_CHECK_HPP

#include <cstddef>
#include <cstdint>

#include <symm_gpu/CheckCalls.hpp>
#include "Function.hpp"
#include "Types.hpp"

// The library's reports to the race detector, which finds races between PEs
// (check/, docs/races.md). Only the library of the CMake target
// KokkosSymmetricSpace::Checked, which is built with SYMM_CHECK, makes these
// reports. In other builds, the functions are empty.
//
// A symmetric address is always the address of this PE's copy. All functions
// may be called from any thread.

namespace symm::Impl::check {

/// The key for a Meeting of all PEs in a collective runtime call.
inline constexpr std::uint64_t key_of_all = 3;

/// How the detector treats loads and stores during a library call. They are
/// made by the library's headers, or by program functions that the library
/// calls.
enum class Accesses : std::uint8_t {
  are_hidden,  // ignored: the library reports the call's accesses
  are_seen,    // treated as the program's own
  are_its      // treated as the program's own, with the name of the call
};

enum class AtomicKind : int { reads, returns, posts, waits };
/// How far a context's operations, or a request's operation, have progressed.
enum class Stage { done, done_here, begun };

#ifdef SYMM_CHECK

inline constexpr bool has_detector = true;

/// Marks this thread as inside a library call until the end of the scope. Loads
/// and stores within the scope do not count as the program's accesses. Does
/// nothing in kernels, where the detector sees only what is reported to it.
class Call {
 public:
  /// \param name Must live as long as the program.
  /// \param hides_threads Whether to ignore the accesses of this PE's other
  ///        threads, too.
  [[gnu::always_inline]] SYMM_FUNCTION explicit Call(
      char const* name, bool hides_threads = false,
      Accesses accesses = Accesses::are_hidden) noexcept
      : m_hides_threads(hides_threads), m_accesses(accesses) {
    static_cast<void>(name);
    SYMM_IF_ON_HOST((enter(name);))
  }
  /// Like the constructor above, but for an operation that observers may see.
  /// \param make A function that returns the Operation.
  template <class MakeOperation>
  Call(MakeOperation const& make, Accesses accesses) noexcept
      : Call(make().call, is_of_all_threads(make().kind), accesses) {}
  Call(Call const&)            = delete;
  Call& operator=(Call const&) = delete;
  [[gnu::always_inline]] SYMM_FUNCTION ~Call() { SYMM_IF_ON_HOST((leave();)) }

 private:
  /// Not inlined, because its return address identifies the place in the
  /// program that made the library call.
  [[gnu::noinline]] void enter(char const* name) noexcept;
  void leave() noexcept;

  bool m_hides_threads;
  Accesses m_accesses;
  char const* m_name_before = nullptr;
};

/// Marks this thread as running the program's own code until the end of the
/// scope, even though the thread is inside a library call. Used around message
/// handlers.
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

// The functions for host code, which are defined in the library. Kernels call
// the functions with the same names in `OnGpu` (<symm_gpu/CheckCalls.hpp>).
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

/// Marks the calling thread as one of the library's own threads. The detector
/// ignores all accesses by such threads.
void hide_thread() noexcept;

/// Reports that the program loads or stores an element through a View whose
/// accessor calls this function.
SYMM_INLINE_FUNCTION void access(void const* address, std::size_t bytes,
                                 bool is_write,
                                 bool is_atomic = false) noexcept {
  SYMM_TELL_CHECK(access(address, bytes, is_write, is_atomic));
}
/// Reports a put() or get(). Must be called before the operation begins.
/// \param is_later Whether the operation is nonblocking (an _nbi form).
SYMM_INLINE_FUNCTION
void copy(void const* dest, void const* source, std::size_t bytes, Pe pe,
          bool is_put, bool is_later) noexcept {
  SYMM_TELL_CHECK(copy(dest, source, bytes, pe, is_put, is_later));
}
/// Calls copy() for each block of a StridedCopy.
template <class Copy>
SYMM_FUNCTION void copy_strided(Copy const& copy, Pe pe, bool is_put) {
  auto const blocks = copy.in_bytes();
  if (blocks.count >> 44U != 0) return;  // too large: the copy throws
  for (std::size_t i = 0; i < blocks.count; ++i) {
    check::copy(blocks.to + i * blocks.to_stride,
                blocks.from + i * blocks.from_stride, blocks.element_bytes, pe,
                is_put, false);
  }
}
/// Reports a put() or get() on a PE on another node. Does nothing inside a
/// library call, because that call reports its own operations.
void copy_far(Pe pe, std::size_t offset, void const* local, std::size_t bytes,
              bool is_put, char const* call) noexcept;
/// Reports that this PE has fetched `many_elements` elements from other nodes
/// one at a time.
void gets_elements() noexcept;
/// Reports an atomic operation. Must be called before the operation begins. An
/// operation of kind AtomicKind::posts may complete after the library call
/// returns; when it completes, it writes its result to `fetch`, unless `fetch`
/// is null. An operation of kind AtomicKind::waits does not begin until its
/// context is complete.
SYMM_INLINE_FUNCTION void atomic(void const* address, std::size_t bytes, Pe pe,
                                 AtomicKind kind,
                                 void const* fetch = nullptr) noexcept {
  SYMM_TELL_CHECK(atomic(address, bytes, pe, kind, fetch));
}
/// Reports a put_signal() or, if `bytes` is 0, a signal_op(). Must be called
/// before the operation begins.
SYMM_INLINE_FUNCTION void put_signal(void const* dest, void const* source,
                                     std::size_t bytes, void const* signal,
                                     Pe pe, bool adds, bool is_later) noexcept {
  SYMM_TELL_CHECK(put_signal(dest, source, bytes, signal, pe, adds, is_later));
}
/// Announces that this thread's next operation is enqueued, and is therefore
/// ordered after earlier work on the same execution space instance.
void in_stream() noexcept;
/// The next two functions announce the context and the request for this
/// thread's next operation; null means none.
void in_context(void const* context) noexcept;
void with_request(void const* request) noexcept;
void complete(void const* context_or_request,
              Stage stage = Stage::done) noexcept;
/// Transfers the operations of `from`, a context or request, to `to`.
void operations_move(void const* from, void const* to) noexcept;
SYMM_INLINE_FUNCTION void fence() noexcept { SYMM_TELL_CHECK(fence()); }
SYMM_INLINE_FUNCTION
void quiet() noexcept { SYMM_TELL_CHECK(quiet()); }
/// Reports that `variable` has the value that this PE was waiting for.
SYMM_INLINE_FUNCTION void seen(void const* variable) noexcept {
  SYMM_TELL_CHECK(seen(variable));
}
/// release_lock() reports that this PE is about to release the lock.
/// acquire_lock() reports that this PE has acquired the lock.
void release_lock(void const* lock) noexcept;
void acquire_lock(void const* lock) noexcept;
/// Reports that a collective operation writes this PE's `dest` and reads its
/// `source`.
SYMM_INLINE_FUNCTION void use_blocks(void const* dest, std::size_t dest_bytes,
                                     void const* source,
                                     std::size_t source_bytes) noexcept {
  SYMM_TELL_CHECK(use_blocks(dest, dest_bytes, source, source_bytes));
}
/// Reports a copy between two blocks that this PE can access with loads and
/// stores.
void copy_here(void const* dest, void const* source,
               std::size_t bytes) noexcept;
/// Reports that a Kokkos kernel with this label begins or, if `label` is null,
/// that a kernel has ended.
void in_kernel(char const* label) noexcept;
/// registered() reports that the program's memory is now also mapped at
/// `in_heap`, in this PE's part of the heap. unregistered() reports that this
/// mapping has been removed.
void registered(void const* in_heap, void const* memory,
                std::size_t bytes) noexcept;
void unregistered(void const* memory) noexcept;
/// Must be called before this PE ends the job. The first PE that calls this
/// function prints the race report, because no PE will reach finalize().
void job_ends() noexcept;
/// Reports that the heap has allocated memory.
/// \param header_bytes The number of bytes before a View's data.
void allocated(void const* address, std::size_t bytes, char const* label,
               std::size_t header_bytes) noexcept;

/// Reports that, within this scope, all members of a PE team wait for each
/// other.
class Meeting {
 public:
  /// \param key The same on all members, and different from the key of every
  ///        other set of PEs.
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

/// Returns the key for a Meeting of a PE team's members.
/// \param kind Distinguishes meetings that have the same members but different
///        purposes.
template <class Team>
[[nodiscard]] SYMM_FUNCTION std::uint64_t key_of(Team const& team,
                                                 std::uint64_t kind = 1) {
  constexpr std::uint64_t factor = 0x9e37'79b9'7f4a'7c15U;
  // Including the number of PEs in the hash distinguishes a PE team from a
  // larger one that begins with the same PEs.
  auto hash = (kind << 32U | static_cast<std::uint32_t>(team.n_pes())) * factor;
  for (Pe pe = 0; pe < team.n_pes(); ++pe) {
    hash ^= hash >> 29U;
    hash = (hash + static_cast<std::uint64_t>(team.world_pe(pe)) + 1) * factor;
  }
  hash ^= hash >> 29U;
  return hash | 1U;
}

/// Calls body(group), in which the PE team's members wait for each other. In a
/// kernel, thread 0 of `group` reports the meeting to the detector.
SYMM_CALLS_ANYTHING
template <class Threads, class Team, class Body>
SYMM_INLINE_FUNCTION void meet_in_kernel(Threads const& group,
                                         [[maybe_unused]] Team const& team,
                                         Body const& body) {
#ifdef SYMM_FOR_DEVICE
  group.barrier();
  int place = -1;
  if (group.rank() == 0) place = OnGpu::begin_meeting(key_of(team));
  body(group);
  if (group.rank() == 0) OnGpu::end_meeting(place);
  group.barrier();
#else
  body(group);
#endif
}

#else

inline constexpr bool has_detector = false;

struct [[maybe_unused]] Call {
  SYMM_FUNCTION explicit constexpr Call(char const*, bool = false) noexcept {}
  template <class MakeOperation>
  constexpr Call(MakeOperation const&, Accesses) noexcept {}
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
SYMM_CALLS_ANYTHING
template <class Threads, class Team, class Body>
SYMM_INLINE_FUNCTION void meet_in_kernel(Threads const& group, Team const&,
                                         Body const& body) {
  body(group);
}

#endif

}  // namespace symm::Impl::check

#endif
