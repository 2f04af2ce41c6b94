// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Physical memory that symm::initialize takes, per PE.
//
// The program initializes MPI and Kokkos itself and lets MPI set up what it
// sets up at the first collective calls, as a program that uses MPI has done
// anyway. What the process has more after symm::initialize than before it is
// the price of this library: the kernel's own count of private pages, its part
// of shared pages (so that a page that two PEs share is counted once), the code
// that came in from disk, and page tables. Not in it: sockets and descriptors
// in the kernel, of which /proc says nothing.
//
// On GPUs, GPU memory as well, as the driver counts it: what is free on the GPU
// before and after, on all PEs together, so that PEs that share a GPU count
// their part. Other programs must not use the GPUs meanwhile. With NVSHMEM in
// the program, what its initialization takes is measured after ours.

#include <mpi.h>

#include <Kokkos_SymmetricSpace.hpp>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "baselines/Nvshmem.hpp"
#include "harness/DeviceWords.hpp"
#include "harness/Gpus.hpp"
#include "harness/MpiCheck.hpp"
#include "harness/OneSided.hpp"
#include "harness/Pattern.hpp"
#include "harness/ProcessMemory.hpp"
#include "harness/Session.hpp"

namespace perf::footprint_benchmark {
namespace {

ProcessMemory memory_now() {
  check_mpi(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
  auto const memory = process_memory();
  check_mpi(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
  return memory;
}

void use_mpi(int pes) {
  std::array<char, 64> const mine{};
  std::vector<char> all(mine.size() * static_cast<std::size_t>(pes));
  int const count = static_cast<int>(mine.size());
  check_mpi(MPI_Allgather(mine.data(), count, MPI_CHAR, all.data(), count,
                          MPI_CHAR, MPI_COMM_WORLD),
            "MPI_Allgather");
  check_mpi(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
}

/// Free GPU memory with all PEs at the same point, in KiB.
std::int64_t free_gpu_kib() {
  check_mpi(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
  auto const bytes = static_cast<std::int64_t>(free_gpu_bytes());
  check_mpi(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
  return bytes / 1024;
}

/// The PE's part of what all PEs of its GPU have taken since.
std::int64_t gpu_kib_taken_since(std::int64_t before, Gpus const& gpus) {
  return gpus.count == 0 ? 0 : (before - free_gpu_kib()) / gpus.max_pes;
}

double mean_over_pes(std::int64_t kib, int pes) {
  std::int64_t sum = 0;
  check_mpi(MPI_Allreduce(&kib, &sum, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD),
            "MPI_Allreduce");
  return static_cast<double>(sum) / pes;
}

/// The memory is not only there but works: PE to next PE, one word.
std::int64_t count_wrong_words(Session const& session) {
  int const me       = session.my_pe();
  int const next     = (me + 1) % session.n_pes();
  int const previous = (me + session.n_pes() - 1) % session.n_pes();
  Words const words("words", 1);
  symm::barrier_all();  // every PE has filled its copy with zeros
  write_word(symm::peer_view(words, next).data(), pattern(me, next, 0));
  symm::barrier_all(Kokkos::DefaultExecutionSpace{});
  return read_word(words.data()) != pattern(previous, me, 0) ? 1 : 0;
}

void measure(Session& session) {
  int const pes = session.n_pes();
  use_mpi(pes);
  static_cast<void>(memory_now());  // reads /proc for the first time
  auto const gpu_before = free_gpu_kib();
  auto const before     = memory_now();
  symm::initialize();
  auto const taken     = memory_now() - before;
  auto const gpu_taken = gpu_kib_taken_since(gpu_before, session.gpus());

  auto const report = [&](std::string const& what, std::int64_t kib) {
    session.report().value(what, "KiB", mean_over_pes(kib, pes));
  };
  report("physical memory taken at initialize, per PE", taken.physical());
  report("  of it private", taken.anonymous);
  report("  of it shared between PEs", taken.shared);
  report("  of it code and constants", taken.file);
  report("  of it page tables", taken.page_tables);
  report("address space reserved, per PE", taken.reserved);

  if (session.gpus().count > 0)
    report("GPU memory taken at initialize, per PE", gpu_taken);
  if (nvshmem::available()) {
    auto const nvshmem_before = free_gpu_kib();
    nvshmem::Job const job;
    report("GPU memory taken by NVSHMEM at initialize, per PE",
           gpu_kib_taken_since(nvshmem_before, session.gpus()));
  }

  std::int64_t const wrong = count_wrong_words(session);
  session.verify("words put", wrong);
  symm::finalize();
}

Registered const registered{"footprint", measure, Starts::kokkos};

}  // namespace
}  // namespace perf::footprint_benchmark
