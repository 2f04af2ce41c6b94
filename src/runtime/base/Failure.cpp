// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include "Failure.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <new>

namespace symm::Impl {

namespace {

using Description = std::array<char, 128>;

// The GNU version of strerror_r() returns the text. The POSIX version writes
// the text to the buffer and returns 0 on success.
[[maybe_unused]] char const* description_of(char const* text,
                                            Description const& /*buffer*/) {
  return text;
}
[[maybe_unused]] char const* description_of(int error,
                                            Description const& buffer) {
  return error == 0 ? buffer.data() : "unknown error";
}

Text system_text(std::string_view what, char const* call, int error_number) {
  Description buffer{};
  return Text(
      what, ": ", call, " failed: ",
      description_of(::strerror_r(error_number, buffer.data(), buffer.size()),
                     buffer),
      error_number == EMFILE ? "; raise the limit of open files (ulimit -n)"
                             : "");
}

}  // namespace

void throw_failure(Failure const& failure) {
  switch (failure.kind) {
    case ErrorKind::usage: throw UsageError(failure.message);
    case ErrorKind::out_of_memory: throw OutOfMemory(failure.message);
    default: throw SystemError(failure.message);
  }
}

Failure current_failure() noexcept {
  try {
    throw;
  } catch (UsageError const& error) {
    return {ErrorKind::usage, error.what()};
  } catch (OutOfMemory const& error) {
    return {ErrorKind::out_of_memory, error.what()};
  } catch (std::bad_alloc const&) {
    return {ErrorKind::out_of_memory, "no private memory left (bad_alloc)"};
  } catch (std::exception const& error) {
    return {ErrorKind::system, error.what()};
  } catch (...) {
    return {ErrorKind::system, "an exception of unknown type"};
  }
}

std::string address_text(void const* address) { return Text("", address); }

}  // namespace symm::Impl

namespace symm {

Error::Error(std::string_view text) : std::runtime_error("") {
  m_text[text.copy(m_text, sizeof m_text - 1)] = '\0';
}

SystemError::SystemError(std::string_view what, char const* call,
                         int error_number)
    : Error(Impl::system_text(what, call, error_number)) {}

}  // namespace symm
