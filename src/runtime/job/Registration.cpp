// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Registration.hpp"

#include <cstdio>
#include <string>

#include "../base/Failure.hpp"
#include "Runtime.hpp"

namespace symm {

namespace {

template <class Body>
Status status_of(Body const& body) noexcept {
  switch (run_noting_failure(body)) {
    case ErrorKind::none: return Status::success;
    case ErrorKind::usage: return Status::invalid_value;
    case ErrorKind::out_of_memory: return Status::out_of_memory;
    default: return Status::internal;
  }
}

/// Calls body(runtime); messages begin with the name of the call.
template <class Body>
void run_named(char const* name, Body const& body) {
  auto& runtime = Runtime::instance(name);
  if (auto const failure = failure_of([&] { body(runtime); })) {
    throw_failure({failure->kind, Text(name, ": ", failure->message)});
  }
}

}  // namespace

Status buffer_register(void* address, std::size_t bytes) noexcept {
  return status_of([&] {
    run_named("symm::buffer_register", [&](Runtime& runtime) {
      runtime.register_buffer(address, bytes);
    });
  });
}

Status buffer_unregister(void* address) noexcept {
  return status_of([&] {
    run_named("symm::buffer_unregister",
              [&](Runtime& runtime) { runtime.buffers().remove(address); });
  });
}

void buffer_unregister_all() noexcept {
  auto const status = status_of([&] {
    run_named("symm::buffer_unregister_all",
              [](Runtime& runtime) { runtime.buffers().clear(); });
  });
  if (status != Status::success) {
    std::fprintf(stderr, "symm: %s\n", last_error());
  }
}

void* buffer_register_symmetric(void* buffer, std::size_t bytes,
                                int flags) noexcept {
  void* address = nullptr;
  run_noting_failure([&] {
    address = Runtime::instance("symm::buffer_register_symmetric")
                  .heap_for(buffer)
                  .register_memory(buffer, bytes, flags);
  });
  return address;
}

Status buffer_unregister_symmetric(void* address, std::size_t bytes) noexcept {
  return status_of([&] {
    Runtime::instance("symm::buffer_unregister_symmetric")
        .heap_of(address)
        .unregister_memory(address, bytes);
  });
}

}  // namespace symm
