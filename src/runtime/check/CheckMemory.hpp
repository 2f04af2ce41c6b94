// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_CHECK_CHECKMEMORY_HPP
#define SYMM_CHECK_CHECKMEMORY_HPP

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "../base/Types.hpp"
#include "Epoch.hpp"

namespace symm::Impl {
class Bootstrap;
}

namespace symm::Impl::check {

/// The latest accesses of 8 bytes of the heap.
struct Cell {
  std::atomic<std::uint64_t> write;
  std::atomic<std::uint64_t> read;
};

/// The times of all parts that somebody knows of, those of PE 0 first.
using Times = std::array<std::atomic<Time>, most_pes * n_parts>;
/// The first of as many as there are parts of PEs.
using TimesOfPes = std::atomic<Time>*;

/// A place in the program: code addresses, innermost first, as offsets in
/// modules.
struct Site {
  static constexpr std::size_t n_frames = 6;
  std::atomic<std::uint64_t> key;
  std::atomic<std::uint32_t> is_ready;
  std::array<std::uint64_t, n_frames> frames;  // module << 48 | offset; 0: none
  std::array<char, 48> call;    // "symm::put"; empty: loads and stores
  std::array<char, 64> kernel;  // Kokkos' label; empty: none
};

/// A race, as the PE has found it that made the second access.
struct Race {
  std::atomic<std::uint64_t> key;
  std::atomic<std::uint32_t> is_ready;
  std::uint64_t first;   // Epoch
  std::uint64_t second;  // Epoch
  bool is_first_write;
  bool is_second_write;
  bool is_private;  // memory of the program, the source or target of an _nbi
  Pe pe;            // whose memory it is
  std::uint64_t offset;  // in bytes, in the View; without one, in the heap
  std::uint32_t bytes;   // of the second access
  std::array<char, 52> view;
};

/// The knowledge of the members of a PE team that meet.
struct Place {
  std::atomic<std::uint64_t> key;
  std::atomic<std::uint64_t> n_arrivals;
  std::array<Times, 3> known;  // of three meetings in turn
};

/// Shared by all PEs of a machine: mapped by each, sparse.
struct Tables {
  static constexpr std::size_t n_sites   = 1U << 15U;
  static constexpr std::size_t n_races   = 1U << 12U;
  static constexpr std::size_t n_places  = 1U << 10U;
  static constexpr std::size_t n_modules = 64;

  std::atomic<std::uint64_t> n_found;  // races
  std::atomic<std::uint32_t> n_modules_used;
  std::array<std::array<char, 512>, n_modules> modules;
  std::array<Site, n_sites> sites;
  std::array<Race, n_races> races;
  std::array<Place, n_places> places;
};

/// Bytes of all PEs' parts of the heap that have a shadow.
inline constexpr std::size_t most_bytes = std::size_t{1} << 45U;

/// The mapping. One for the process.
class CheckMemory {
 public:
  /// Collective. \returns whether all PEs have mapped the same memory: not so
  /// on several machines, or with more than most_pes PEs.
  bool open(Bootstrap& bootstrap, std::size_t part_bytes);

  /// Local: lets go of it.
  void close();

  [[nodiscard]] Tables& tables() const { return *m_tables; }
  /// The shadow of a word. Precondition: offset < covered().
  [[nodiscard]] Cell& cell(Pe pe, std::size_t offset) const {
    return m_cells[static_cast<std::size_t>(pe) * m_cells_of_pe + offset / 8];
  }
  /// The times that a variable at the offset tells a PE that sees its value;
  /// null: none. \param adds whether it is going to tell something.
  [[nodiscard]] TimesOfPes told_by(Pe pe, std::size_t offset, bool adds) const;
  /// The latest reads of a word by each PE, if several read it at one time, as
  /// Epochs. Null: no room, or nobody has added them.
  [[nodiscard]] std::atomic<std::uint64_t>* reads_of(Pe pe, std::size_t offset,
                                                     bool adds) const;
  [[nodiscard]] std::size_t covered() const { return m_cells_of_pe * 8; }
  /// Forgets the accesses to those bytes.
  void clear(Pe pe, std::size_t offset, std::size_t bytes) const noexcept;

 private:
  Tables* m_tables          = nullptr;
  Cell* m_cells             = nullptr;
  char* m_words             = nullptr;  // of variables: a key, and the times
  std::size_t m_word_bytes  = 0;
  char* m_reads             = nullptr;  // of words: a key, and the Epochs
  std::size_t m_reads_bytes = 0;
  std::size_t m_cells_of_pe = 0;
  int m_file                = -1;
  std::size_t m_bytes       = 0;  // mapped
};

}  // namespace symm::Impl::check

#endif
