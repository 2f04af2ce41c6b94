// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include "../runtime/Error.hpp"

#include <cerrno>
#include <new>
#include <sstream>
#include <system_error>

namespace symm {

SystemError::SystemError(std::string const& what, char const* call,
                         int error_number)
    : Error(what + ": " + call +
            " failed: " + std::generic_category().message(error_number) +
            (error_number == EMFILE
                 ? "; raise the limit of open files (ulimit -n)"
                 : "")) {}

void throw_failure(Failure const& failure) {
  switch (failure.kind) {
    case ErrorKind::usage: throw UsageError(failure.message);
    case ErrorKind::out_of_memory: throw OutOfMemory(failure.message);
    default: throw SystemError(failure.message);
  }
}

Failure current_failure() {
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

std::string address_text(void const* address) {
  std::ostringstream out;
  out << address;
  return out.str();
}

}  // namespace symm
