// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_FAULTS_HPP
#define SYMM_TEST_FAULTS_HPP

#include <string>
#include <vector>

/// Failures of the system functions that the runtime calls, and of `new`. A
/// program that links Faults.cpp calls its definitions of them, which pass on
/// to the system's.
namespace symm_test {

struct Fault {
  std::string function;  // of faulty_functions()
  int call  = 1;         // which one, counted from 1
  int times = 1;         // so many calls in a row
};

/// How often a function was called, and how often it was made to fail.
struct FaultCount {
  int n_calls  = 0;
  int n_failed = 0;
};

/// Names of the functions; "new" is operator new.
std::vector<std::string> faulty_functions();

/// From now on the calls of the function are counted, and fail as `fault` says.
/// One thread.
void arm(Fault const& fault);

/// No call fails any more.
FaultCount disarm() noexcept;

}  // namespace symm_test

#endif
