// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_LIBRARY_THREAD_HPP
#define SYMM_LIBRARY_THREAD_HPP

#include <pthread.h>
#include <signal.h>

#include <string_view>
#include <system_error>
#include <thread>

#include "../symm_errors.hpp"
#include "Check.hpp"

namespace symm::Impl {

/// Starts a thread that runs `body` with all signals blocked so that signals
/// are delivered to the program's own threads.
/// \param what the start of the error message, such as "watching PEs".
/// \param name the thread's name in debuggers; at most 15 characters.
/// \throws SystemError on this PE.
template <class Body>
std::thread make_library_thread(std::string_view what, char const* name,
                                Body const& body) {
  sigset_t all;
  sigset_t before;
  static_cast<void>(sigfillset(&all));
  if (int const error = ::pthread_sigmask(SIG_SETMASK, &all, &before)) {
    throw SystemError(what, "pthread_sigmask", error);
  }
  std::thread thread;
  int error = 0;
  try {
    thread = std::thread([body] {
      check::hide_thread();
      body();
    });
  } catch (std::system_error const& failure) {
    error = failure.code().value();
  }
  // Cannot fail: the same call succeeded above, and `before` is a valid mask
  // because it was in effect earlier.
  static_cast<void>(::pthread_sigmask(SIG_SETMASK, &before, nullptr));
  if (error != 0) throw SystemError(what, "pthread_create", error);
  static_cast<void>(::pthread_setname_np(thread.native_handle(), name));
  return thread;
}

}  // namespace symm::Impl

#endif
