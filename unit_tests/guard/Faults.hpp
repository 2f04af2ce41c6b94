// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_FAULTS_HPP
#define SYMM_TEST_FAULTS_HPP

#include <bitset>
#include <string>
#include <vector>

/// Failures of the system functions that the runtime calls, and of `new`. A
/// program that links Faults.cpp calls its definitions of them, which pass on
/// to the system's.
namespace symm_test {

struct Fault {
  std::string function;  // of faulty_functions(); "": none
  int call  = 1;         // which one, counted from 1
  int times = 1;         // so many calls in a row
};

/// Names of the functions; "new" is operator new.
std::vector<std::string> faulty_functions();

/// One bit for each of faulty_functions(), in that order.
using FunctionSet = std::bitset<64>;

struct FaultCount {
  int n_calls  = 0;  // of the function
  int n_failed = 0;
  FunctionSet called;  // of all
};

/// From now on the calls of the function are counted, and fail as `fault` says.
/// The calling thread's. \param count is kept up to date until disarm(): in
/// memory that outlives the process, it tells what has failed in one that
/// ended.
void arm(Fault const& fault, FaultCount& count);

/// From now on every second call of each function that signals can interrupt
/// does so (EINTR), from the first on: without effect, as the system's. The
/// calling thread's. \param count as arm()'s, of all these functions.
void interrupt_calls(FaultCount& count);

/// No call fails any more.
void disarm() noexcept;

}  // namespace symm_test

#endif
