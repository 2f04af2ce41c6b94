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

/// A thread's state: the library calls that the thread is currently in.
struct ThreadState {
  static constexpr std::size_t max_frames = 256;
  static constexpr std::size_t n_cached   = 1024;

  int n_calls       = 0;        // number of nested library calls
  int n_hiding      = 0;        // number of nested calls that hide all threads
  void const* place = nullptr;  // return address of the outermost call
  char const* call  = nullptr;  // name of the outermost call
  // The name of the library call under which this thread's accesses are
  // recorded; null if there is none.
  char const* name_of_seen = nullptr;
  // Properties of the thread's next operation.
  void const* context = nullptr;
  void const* request = nullptr;
  bool is_in_stream   = false;  // whether it is enqueued
  // Return addresses of the program's active functions, outermost first.
  std::size_t n_frames = 0;
  std::array<void const*, max_frames> frames{};
  std::uint32_t random = 1;
  // The sites of recent accesses.
  struct Cached {
    std::uint64_t key;
    std::uint16_t site;
  };
  std::array<Cached, n_cached> cached{};
};

[[gnu::tls_model("initial-exec")]] extern thread_local ThreadState s_thread;

/// The running Kokkos kernel's label, or null. A label is valid until the
/// program ends.
extern std::atomic<char const*> s_kernel;
/// Returns a copy of a label. The copy is valid until the program ends. Equal
/// labels share one copy.
[[nodiscard]] char const* kept_label(char const* label);

/// Invalidates the sites that threads have cached, because those sites refer to
/// earlier tables.
void forget_sites();
/// Returns the index of the site for an access at the return address `place`.
/// \param call the name of the library call; null for a load or a store.
[[nodiscard]] std::uint16_t site_at(Tables& tables, void const* place,
                                    char const* call);

/// Whether loads at this site read the initial guess of one of Kokkos' atomic
/// operations. Such an operation compares the value afterward.
[[nodiscard]] bool is_guess_of_atomics(Tables const& tables,
                                       std::uint16_t site);

/// The program's source line for each site, such as "heat.cpp:40 (main)".
[[nodiscard]] std::vector<std::string> lines_of(
    Tables const& tables, std::vector<std::uint16_t> const& sites);

}  // namespace symm::Impl::check

#endif
