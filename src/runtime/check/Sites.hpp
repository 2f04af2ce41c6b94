// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_CHECK_SITES_HPP
#define SYMM_CHECK_SITES_HPP

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "CheckMemory.hpp"

namespace symm::Impl::check {

/// The state of a thread: the calls that it is in.
struct ThreadState {
  static constexpr std::size_t max_frames = 256;
  static constexpr std::size_t n_cached   = 1024;

  int n_calls       = 0;        // of the library, nested in each other
  int n_hiding      = 0;        // those of them that hide all threads
  void const* place = nullptr;  // of the outermost one
  char const* call  = nullptr;  // its name
  // The call in which accesses are seen; null: none.
  char const* name_of_seen = nullptr;
  // Of the next operation.
  void const* context = nullptr;
  void const* request = nullptr;
  bool is_in_stream   = false;  // it is enqueued
  // Return addresses of the program's functions, outermost first.
  std::size_t n_frames = 0;
  std::array<void const*, max_frames> frames{};
  std::uint32_t random = 1;
  // The sites of the latest accesses.
  struct Cached {
    std::uint64_t key;
    std::uint16_t site;
  };
  std::array<Cached, n_cached> cached{};
};

[[gnu::tls_model("initial-exec")]] extern thread_local ThreadState s_thread;

/// The label of the Kokkos kernel that runs, or null; lives as long as the
/// program.
extern std::atomic<char const*> s_kernel;
/// A copy of a label, the same for equal ones.
[[nodiscard]] char const* kept_label(char const* label);

/// Threads find their sites again: those that they know are of other tables.
void forget_sites();
/// The number of the site of an access at `place`, a return address.
/// \param call null: a load or a store.
[[nodiscard]] std::uint16_t site_at(Tables& tables, void const* place,
                                    char const* call);

/// Whether loads of that site are the first guess of an atomic operation of
/// Kokkos, which compares it then.
[[nodiscard]] bool is_guess_of_atomics(Tables const& tables,
                                       std::uint16_t site);

/// The line of the program in each site, "heat.cpp:40 (main)".
[[nodiscard]] std::vector<std::string> lines_of(
    Tables const& tables, std::vector<std::uint16_t> const& sites);

}  // namespace symm::Impl::check

#endif
