// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_CHECK_CASES_HPP
#define SYMM_TEST_CHECK_CASES_HPP

#include <Kokkos_Core.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <thread>

#include <Kokkos_SymmetricSpace.hpp>
#include <runtime/symm.hpp>

/// Small programs, each with a race between PEs or without one. The
/// expected answer follows from docs/memory_model.md, not from a machine: most
/// races here never show.
///
/// PE 0 is the origin of operations, PE 1 their target, PE 2 a third one; the
/// other PEs only take part in collective calls.
namespace symm_test {

using Word    = std::int64_t;
using Space   = symm::SymmetricHostSpace;
using Exec    = Kokkos::DefaultHostExecutionSpace;
using Words   = Kokkos::View<Word*, Space>;
using Signals = Kokkos::View<symm::Signal*, Space>;
using Locks   = Kokkos::View<symm::Lock*, Space>;

/// The name of the case that runs.
inline std::string s_case;

/// Views for one case, which are zero on all PEs.
class Bed {
 public:
  explicit Bed(std::string const& name)
      : words(name + " words", n_words),
        more(name + " more", n_words),
        flags(name + " flags", 8),
        locks(name + " locks", 2) {
    s_case = name;
  }

  static constexpr std::size_t n_words = 64;
  Words words;
  Words more;
  Signals flags;
  Locks locks;
  symm::Pe me = symm::my_pe();

  [[nodiscard]] Word* w() const { return words.data(); }
  [[nodiscard]] Word* m() const { return more.data(); }
  [[nodiscard]] symm::Signal* f(std::size_t i = 0) const { return &flags(i); }

  /// Loads a word, and remembers whether it is as it has to be: only where a
  /// case has no race.
  void expect(Word const& word, Word wanted) const {
    if (word != wanted) m_is_wrong = true;
  }
  [[nodiscard]] bool is_wrong() const { return m_is_wrong; }

 private:
  mutable bool m_is_wrong = false;
};

/// Uses a value, so that the compiler leaves its load where it is.
inline void see(Word value) { asm volatile("" : : "r"(value) : "memory"); }

/// Lets the other PEs get ahead. This is no order.
inline void a_moment(
    std::chrono::milliseconds time = std::chrono::milliseconds(1)) {
  std::this_thread::sleep_for(time);
}
/// Long enough for a PE that has been woken up, also where PEs share a core.
inline constexpr std::chrono::milliseconds long_time{30};

enum class Expected { none, race };

struct Case {
  char const* name;
  Expected expected;
  void (*body)(Bed const&);  // by all PEs
  int n_pes    = 2;          // it needs
  bool is_near = false;      // it needs PEs that loads and stores reach
};

// The cases, by what they are about.
std::span<Case const> local_cases();      // buffers of the PE that calls
std::span<Case const> conflict_cases();   // pairs without an order
std::span<Case const> order_cases();      // barriers, quiet, fence
std::span<Case const> context_cases();    // contexts and requests
std::span<Case const> signal_cases();     // signals and waits
std::span<Case const> lock_cases();       // locks, collective operations
std::span<Case const> kernel_cases();     // stores of kernels, streams
std::span<Case const> placement_cases();  // neighboring bytes, ways to access
std::span<Case const> exchange_cases();   // plans, sorts, mailboxes
std::span<Case const> mpi_message_cases();
std::span<Case const> mpi_request_cases();
std::span<Case const> mpi_collective_cases();
std::span<Case const> view_cases();  // lives of Views, steps in turn

}  // namespace symm_test

#endif
