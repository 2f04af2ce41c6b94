// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_BOOTSTRAP_HPP
#define SYMM_BOOTSTRAP_HPP

#include <cstddef>
#include <cstdlib>
#include <functional>
#include <optional>
#include <type_traits>
#include <vector>

#include "../base/Failure.hpp"
#include "../base/Types.hpp"

namespace symm::Impl {

/// Connects a job's processes (through MPI or TCP; in tests, after fork()).
/// Used only while the runtime starts and shuts down; calls in between use
/// Rendezvous.
///
/// Once a collective step has thrown, this PE performs no further steps. It
/// cannot know which step the other PEs have reached, so the PEs could wait for
/// each other forever. Later steps throw SystemError, and close() does not wait
/// for other PEs.
class Bootstrap {
 public:
  virtual ~Bootstrap() = default;

  [[nodiscard]] virtual Pe my_pe() const  = 0;
  [[nodiscard]] virtual int n_pes() const = 0;
  /// The number of this PE's node, at least 0. The number is the same on all
  /// PEs that the launcher has placed on that node.
  [[nodiscard]] virtual int node() const = 0;

  /// Collective: returns once all PEs have called it.
  /// \throws SystemError on this PE.
  virtual void barrier() = 0;

  /// Collective: gathers `bytes` bytes from every PE, in PE order, into `all`,
  /// which must have room for n_pes() * bytes bytes.
  /// \throws SystemError on this PE.
  virtual void allgather(void const* mine, void* all, std::size_t bytes) = 0;

  // The memory that min() and broadcast() need does not grow with the number of
  // PEs.

  /// Collective: \returns the lowest `mine` of all PEs.
  /// \throws SystemError on this PE.
  [[nodiscard]] virtual int min(int mine) = 0;
  /// Collective: copies `bytes` bytes from `data` on PE `from` to `data` on
  /// every PE.
  /// \throws SystemError on this PE.
  virtual void broadcast(void* data, std::size_t bytes, Pe from) = 0;

  /// Collective: releases the bootstrap's resources. No call may follow
  /// close(), even if close() throws. (Destructors do not communicate.)
  /// \throws SystemError on this PE.
  virtual void close() = 0;

  /// Ends the whole job without printing a message. Needed, for example, after
  /// a peer has died, because no collective call would return.
  /// \param status the exit status that the launcher should return.
  [[noreturn]] virtual void abort(int status) noexcept = 0;
  [[noreturn]] void abort() noexcept {
    abort(EXIT_FAILURE);
    std::abort();  // not reached; for compilers that cannot tell
  }
};

/// Runs a bootstrap's steps and refuses to run any more steps after one has
/// failed.
class StepGate {
 public:
  /// \throws SystemError on this PE if an earlier step has failed; otherwise,
  ///         whatever `step` throws.
  template <class Step>
  void run(Step const& step) {
    if (m_failure) {
      throw SystemError(
          Text("an earlier step of the start or end of the job "
               "has failed: ",
               m_failure->message));
    }
    try {
      step();
    } catch (...) {
      m_failure = current_failure();
      throw;
    }
  }
  [[nodiscard]] bool has_failed() const { return m_failure.has_value(); }

 private:
  std::optional<Failure> m_failure;
};

template <class T>
requires std::is_trivially_copyable_v<T> std::vector<T> allgather(
    Bootstrap& bootstrap, T const& mine) {
  std::vector<T> all(static_cast<std::size_t>(bootstrap.n_pes()));
  bootstrap.allgather(&mine, all.data(), sizeof(T));
  return all;
}

/// Collective. \returns the lowest-numbered PE whose `mine` is true, or nullopt
/// if there is none. The result is the same on every PE.
[[nodiscard]] inline std::optional<Pe> first_to_say(Bootstrap& bootstrap,
                                                    bool mine) {
  int const none = bootstrap.n_pes();
  Pe const first = bootstrap.min(mine ? bootstrap.my_pe() : none);
  return first == none ? std::nullopt : std::optional(first);
}

/// PE 0's value, the lowest-numbered PE whose value differs, and that PE's
/// value.
template <class T>
struct Difference {
  T of_first;
  Pe pe;
  T value;
};

/// Collective: compares all PEs' values. \returns nullopt if they are equal;
/// the result is the same on every PE.
template <class T>
requires std::is_trivially_copyable_v<T>
[[nodiscard]] std::optional<Difference<T>> difference_of(Bootstrap& bootstrap,
                                                         T const& mine) {
  T of_first = mine;
  bootstrap.broadcast(&of_first, sizeof(T), 0);
  auto const pe = first_to_say(bootstrap, mine != of_first);
  if (!pe) return std::nullopt;
  T of_pe = mine;
  bootstrap.broadcast(&of_pe, sizeof(T), *pe);
  return Difference<T>{of_first, *pe, of_pe};
}

/// A failure that was reported to all PEs, and the PE that failed.
struct PeFailure {
  Pe pe = 0;
  Failure failure;
};

/// Collective: every PE passes its own failure, or nullopt if it succeeded.
/// Returns the failure of the lowest-numbered PE that failed, or nullopt if
/// none did. The result is the same on every PE. The PEs agree through
/// Bootstrap while the runtime starts, and through Rendezvous after that.
using Agree = std::function<std::optional<PeFailure>(
    std::optional<Failure> const& my_failure)>;

/// Implements Agree with `bootstrap`. Truncates error messages to 511
/// characters.
std::optional<PeFailure> agree(Bootstrap& bootstrap,
                               std::optional<Failure> const& my_failure);

/// Returns agree() as a function object. `bootstrap` must outlive that object.
Agree agree_through(Bootstrap& bootstrap);

/// Collective: runs `step` on every PE. If `step` throws on any PE, every PE
/// throws the failure of the lowest-numbered such PE; the message names that
/// PE. Allocates no private memory.
template <class Step>
void all_or_none(Agree const& agree, Text const& what, Step const& step) {
  auto const failed = agree(failure_of(step));
  if (!failed) return;
  throw_failure(
      {failed->failure.kind,
       Text(what, ": PE ", failed->pe, " failed: ", failed->failure.message)});
}

/// Runs collective steps and returns the Error that they throw on all PEs, if
/// any. Any other exception occurs on this PE alone and propagates to
/// run_collective().
template <class Steps>
std::optional<Failure> error_of_all(Steps const& steps) {
  try {
    steps();
    return std::nullopt;
  } catch (Error const&) {
    return current_failure();
  }
}

/// Ends the job with an error message. Called if this PE has failed and cannot
/// notify the other PEs, which are waiting for it. The message gives the
/// exception being handled as the reason.
[[noreturn]] void end_job_alone(Bootstrap& bootstrap,
                                char const* call) noexcept;

/// Runs `body`, a collective call. If `body` throws an Error, it does so on
/// every PE, and the Error propagates. Any other exception (such as a bad_alloc
/// outside an agreement) ends the job with a message, because the other PEs
/// would wait forever.
template <class Body>
decltype(auto) run_collective(Bootstrap& bootstrap, char const* call,
                              Body const& body) {
  try {
    return body();
  } catch (Error const&) {
    throw;
  } catch (...) {
    end_job_alone(bootstrap, call);
  }
}

}  // namespace symm::Impl

#endif
