// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include <sys/ioctl.h>
#include <unistd.h>

#include <common/progress.hpp>
#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>

namespace examples {
namespace {

/// Whether stdout goes to a terminal that a person reads. isatty() alone is not
/// enough: Open MPI gives every PE a pseudo-terminal (without a size), even
/// when mpiexec itself writes to a file. So check where mpiexec, our parent,
/// writes.
bool stdout_is_terminal() {
  if (isatty(STDOUT_FILENO) == 0) return false;
  winsize window{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0)
    return true;
  std::error_code error;
  auto const output = std::filesystem::read_symlink(
      "/proc/" + std::to_string(getppid()) + "/fd/1", error);
  return !error && (output.string().starts_with("/dev/pts/") ||
                    output.string().starts_with("/dev/tty"));
}

}  // namespace

Progress::Progress(int steps, double cells, bool speaks, char const* unit)
    : m_steps(steps), m_cells(cells), m_speaks(speaks), m_unit(unit) {
  if (m_speaks) m_on_terminal = stdout_is_terminal();
  m_start = m_last = Clock::now();
}

Progress::~Progress() {
  if (!m_line_is_open) return;
  std::printf("\r%78s\r", "");  // later output starts on an empty line
  std::fflush(stdout);
}

void Progress::look(int step) {
  bool due = m_on_terminal;
  if (int const quarter = static_cast<int>(4.0 * step / m_steps);
      quarter != m_quarter) {
    m_quarter = quarter;
    due       = true;
  }
  if (!due || step == m_steps) return;

  auto const now = Clock::now();
  if (now - m_last < std::chrono::milliseconds(500)) return;
  m_last = now;

  double const seconds = std::chrono::duration<double>(now - m_start).count();
  int const remaining =
      static_cast<int>(seconds / step * (m_steps - step) + 0.5);
  char line[128];
  std::snprintf(line, sizeof line,
                "step %d of %d (%.0f %%), %.0f million %s/s, %d:%02d left",
                step, m_steps, 100.0 * step / m_steps,
                m_cells * step / seconds * 1e-6, m_unit, remaining / 60,
                remaining % 60);
  if (m_on_terminal)
    std::printf("\r%-78s", line);
  else
    std::printf("%s\n", line);
  m_line_is_open = m_on_terminal;
  std::fflush(stdout);
}

}  // namespace examples
