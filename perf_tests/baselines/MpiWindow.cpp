// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "baselines/MpiWindow.hpp"

#include <algorithm>
#include <cstdio>

#include "harness/MpiCheck.hpp"

namespace perf {

std::unique_ptr<MpiWindow> MpiWindow::create(std::size_t bytes) {
  MPI_Errhandler before = MPI_ERRHANDLER_NULL;
  check_mpi(MPI_Comm_get_errhandler(MPI_COMM_WORLD, &before),
            "MPI_Comm_get_errhandler");
  check_mpi(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN),
            "MPI_Comm_set_errhandler");
  std::unique_ptr<MpiWindow> window(new MpiWindow);
  window->m_count = bytes / sizeof(std::uint64_t);
  int const code =
      MPI_Win_allocate(static_cast<MPI_Aint>(bytes), 1, MPI_INFO_NULL,
                       MPI_COMM_WORLD, &window->m_data, &window->m_window);
  check_mpi(MPI_Comm_set_errhandler(MPI_COMM_WORLD, before),
            "MPI_Comm_set_errhandler");
  check_mpi(MPI_Errhandler_free(&before), "MPI_Errhandler_free");

  int const failed = code == MPI_SUCCESS ? 0 : 1;
  if (failed != 0) window->m_window = MPI_WIN_NULL;
  int any_failed = 0;
  check_mpi(
      MPI_Allreduce(&failed, &any_failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD),
      "MPI_Allreduce");
  if (any_failed != 0) return nullptr;

  check_mpi(MPI_Win_set_errhandler(window->m_window, MPI_ERRORS_RETURN),
            "MPI_Win_set_errhandler");
  check_mpi(MPI_Win_lock_all(MPI_MODE_NOCHECK, window->m_window),
            "MPI_Win_lock_all");
  window->m_locked = true;
  std::fill_n(window->m_data, window->m_count, std::uint64_t{0});
  check_mpi(MPI_Win_sync(window->m_window), "MPI_Win_sync");
  check_mpi(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
  return window;
}

MpiWindow::~MpiWindow() {
  int code = MPI_SUCCESS;
  if (m_locked) code = MPI_Win_unlock_all(m_window);
  if (code == MPI_SUCCESS && m_window != MPI_WIN_NULL)
    code = MPI_Win_free(&m_window);
  if (code != MPI_SUCCESS)
    static_cast<void>(
        std::fprintf(stderr, "MpiWindow: MPI failed with code %d\n", code));
}

void MpiWindow::put(void const* source, std::size_t bytes, int pe,
                    std::int64_t iterations) const {
  int const count = static_cast<int>(bytes);
  int code        = MPI_SUCCESS;
  for (std::int64_t i = 0; i < iterations; ++i) {
    code |= MPI_Put(source, count, MPI_BYTE, pe, 0, count, MPI_BYTE, m_window);
    code |= MPI_Win_flush(pe, m_window);
  }
  check_mpi(code, "MPI_Put and MPI_Win_flush");
}

void MpiWindow::get(void* target, std::size_t bytes, int pe,
                    std::int64_t iterations) const {
  int const count = static_cast<int>(bytes);
  int code        = MPI_SUCCESS;
  for (std::int64_t i = 0; i < iterations; ++i) {
    code |= MPI_Get(target, count, MPI_BYTE, pe, 0, count, MPI_BYTE, m_window);
    code |= MPI_Win_flush(pe, m_window);
  }
  check_mpi(code, "MPI_Get and MPI_Win_flush");
}

void MpiWindow::xor_words(std::span<std::uint64_t const> numbers,
                          Spread const& spread) const {
  int code = MPI_SUCCESS;
  for (std::uint64_t const& number : numbers) {
    code |= MPI_Accumulate(
        &number, 1, MPI_UINT64_T, spread.pe_of(number),
        static_cast<MPI_Aint>(spread.word_of(number) * sizeof(std::uint64_t)),
        1, MPI_UINT64_T, MPI_BXOR, m_window);
  }
  code |= MPI_Win_flush_all(m_window);
  check_mpi(code, "MPI_Accumulate and MPI_Win_flush_all");
}

void MpiWindow::add_ones(std::span<int const> pes,
                         std::span<std::uint32_t const> words) const {
  static constexpr std::uint64_t one = 1;

  int code = MPI_SUCCESS;
  for (std::size_t k = 0; k < pes.size(); ++k) {
    code |=
        MPI_Accumulate(&one, 1, MPI_UINT64_T, pes[k],
                       static_cast<MPI_Aint>(words[k] * sizeof(std::uint64_t)),
                       1, MPI_UINT64_T, MPI_SUM, m_window);
  }
  code |= MPI_Win_flush_all(m_window);
  check_mpi(code, "MPI_Accumulate and MPI_Win_flush_all");
}

}  // namespace perf
