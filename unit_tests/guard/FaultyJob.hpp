// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_FAULTY_JOB_HPP
#define SYMM_TEST_FAULTY_JOB_HPP

#include <support/ForkedPes.hpp>

#include <array>
#include <cstddef>
#include <functional>
#include <guard/Faults.hpp>
#include <optional>
#include <string>
#include <vector>

#include <runtime/base/Failure.hpp>
#include <runtime/base/Types.hpp>
#include <runtime/heap/SymmetricHeap.hpp>
#include <runtime/symm_shared_buffers.hpp>

/// Jobs of forked PEs in which a function fails on one PE within one collective
/// call, and what is to come of it.
namespace symm_test {

/// What the PEs have at hand for the call that is attacked.
struct Belongings {
  void* block = nullptr;
  std::vector<void*> views;
  char* memory = nullptr;  // of the program, registrable
  std::optional<symm::SharedHostBuffer<long>> buffer;
};

/// A collective call, or a short sequence of them.
struct AttackedCall {
  char const* name;
  /// What the PEs do before it.
  std::function<void(Belongings&)> prepare;
  std::function<void(Belongings&)> call;
  /// Whether it starts the runtime.
  bool is_start = false;
  /// Whether it throws without a fault, too.
  bool is_wrong = false;
};

std::vector<AttackedCall> const& attacked_calls();

struct FaultyCase {
  AttackedCall const* call = nullptr;
  symm::Pe pe              = 0;  // on which the function fails
  Fault fault;
  bool is_interrupted = false;  // interrupt_calls() instead of the fault
};

/// What a PE has seen, in memory that outlives it.
struct PeReport {
  char const* phase = "nothing yet";  // of what it does
  FaultCount count;
  bool is_over     = false;  // the call that is attacked
  bool has_thrown  = false;
  bool has_changed = false;  // a call that threw has left blocks or taken some
  symm::Impl::ErrorKind kind{};
  std::array<char, 1024> message{};
  std::array<std::size_t, 3> new_offsets{};
  symm::HeapStats stats;  // at the end
};

constexpr int n_faulty_pes = 3;
using PeReports            = std::array<PeReport, n_faulty_pes>;

struct FaultyRun {
  FaultCount count;
  /// Why it must not be so; empty: the same error on all PEs and the heap is
  /// usable and equal, or the end of the job with a message that names the PE.
  std::optional<std::string> complaint;
  std::string error;  // that PE 0 has got; "": none
};

FaultyRun run_faulty(FaultyCase const& one);

/// The verdict alone.
std::optional<std::string> complaint_about(FaultyCase const& one,
                                           std::vector<PeResult> const& results,
                                           PeReports const& reports);

}  // namespace symm_test

#endif
