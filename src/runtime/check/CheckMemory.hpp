// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_CHECK_CHECKMEMORY_HPP
#define SYMM_CHECK_CHECKMEMORY_HPP

#include <array>
#include <cstddef>
#include <cstdint>

#include "../base/Function.hpp"
#include "../base/Types.hpp"
#include "../memory/HeapMap.hpp"
#include "Clocks.hpp"
#include "Epoch.hpp"
#include "Word.hpp"

namespace symm::Impl {
class Bootstrap;
}

namespace symm::Impl::check {

/// The latest accesses of 8 bytes of the heap.
struct alignas(16) Cell {
  Word<std::uint64_t> write;
  Word<std::uint64_t> read;

  /// One access of a GPU loads both.
  SYMM_FUNCTION void load(Epoch& its_write, Epoch& its_read) const {
    SYMM_IF_ON_HOST((its_write = Epoch(write.load(std::memory_order_relaxed));
                     its_read  = Epoch(read.load(std::memory_order_relaxed));))
    SYMM_IF_ON_DEVICE(
        (std::uint64_t low = 0; std::uint64_t high = 0; InKernel::load_pair(
             reinterpret_cast<std::uint64_t const*>(this), low, high);
         its_write = Epoch(low); its_read = Epoch(high);))
  }
};

/// A place in the program: code addresses, innermost first, as offsets in
/// modules.
struct Site {
  static constexpr std::size_t n_frames = 6;
  Word<std::uint64_t> key;
  Word<std::uint32_t> is_ready;
  std::array<std::uint64_t, n_frames> frames;  // module << 48 | offset; 0: none
  std::array<char, 48> call;    // "symm::put"; empty: loads and stores
  std::array<char, 64> kernel;  // Kokkos' label; empty: none
};

/// A race, as the PE has found it that made the second access.
struct Race {
  static constexpr std::uint32_t unnamed = 1;  // without the View yet
  static constexpr std::uint32_t named   = 2;
  Word<std::uint64_t> key;
  Word<std::uint32_t> state;
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
  Word<std::uint64_t> key;
  // Each PE counts its own: GPUs lose what they add to host memory together.
  Word<std::uint32_t> n_meetings[max_pes];
  // Of two meetings in turn. A PE that begins the next but one knows that all
  // have read those of this one.
  Word<Time> known[2][max_pes * n_parts];
};

/// A table or a clock that is full: from then on some races are not found, and
/// the report says so. No limit makes the detector report what is no race.
enum class Limit : std::uint32_t {
  time,        // of this PE
  teams,       // whose members have met
  variables,   // that tell something
  reads,       // by several PEs, of one word
  registered,  // Views
  messages,    // of MPI, on their way
  races        // pairs of places
};
inline constexpr std::uint32_t n_limits = 7;

/// Shared by all PEs of a machine: mapped by each, sparse.
struct Tables {
  static constexpr std::size_t n_sites   = 1U << 15U;
  static constexpr std::size_t n_races   = 1U << 12U;
  static constexpr std::size_t n_places  = 1U << 10U;
  static constexpr std::size_t n_modules = 64;

  Word<std::uint64_t> n_found;       // races
  Word<std::uint32_t> early_report;  // 1: a PE makes it, 2: it is there
  Word<std::uint32_t> n_modules_used;
  Word<std::uint32_t> has_unnamed[max_pes];  // whether a PE has to name some
  Word<std::uint32_t> limits[max_pes];  // a bit for each that a PE has reached
  Word<std::uint32_t> said_limits;      // of any PE
  Word<std::uint32_t> gets_elements[max_pes];  // whether it has got many of
                                               // other nodes one by one
  std::array<std::array<char, 512>, n_modules> modules;
  std::array<Site, n_sites> sites;
  Race races[n_races];
  Place places[n_places + 1];  // the last one is for all that find no room
};

/// Bytes of all PEs' parts of a heap that have a shadow.
inline constexpr std::size_t max_bytes = std::size_t{1} << 45U;

/// In host memory, and in GPU memory.
inline constexpr std::size_t max_heaps = 2;

/// A byte of PE `pe`'s parts. Offsets in the second heap begin at
/// `start_of_heap`.
struct Where {
  Pe pe;
  std::size_t offset;
};
inline constexpr std::size_t start_of_heap = std::size_t{1} << 46U;

/// The mapping. One for the process.
class CheckMemory {
 public:
  /// Collective. \returns whether all PEs have mapped the same memory: not so
  /// on several machines, or with more than max_pes PEs.
  /// \param part_bytes of one PE in each heap.
  bool open(Bootstrap& bootstrap,
            std::array<std::size_t, max_heaps> const& part_bytes);
  /// Local: lets go of it.
  void close();

  [[nodiscard]] SYMM_FUNCTION Tables& tables() const { return *m_tables; }
  /// The shadow of a word. Precondition: is_covered(offset).
  [[nodiscard]] SYMM_FUNCTION Cell& cell(Where where) const {
    auto const& its = m_cells[where.offset / start_of_heap];
    return its.first[static_cast<std::size_t>(where.pe) * its.n_of_pe +
                     where.offset % start_of_heap / 8];
  }
  /// The end of what is covered of the heap of an offset.
  [[nodiscard]] SYMM_FUNCTION std::size_t end_of(std::size_t offset) const {
    auto const heap = offset / start_of_heap;
    return heap < max_heaps ? heap * start_of_heap + m_cells[heap].n_used * 8
                            : 0;
  }
  /// Whether the cells are in memory of GPUs, which the host does not reach.
  [[nodiscard]] bool is_on_gpu(std::size_t offset) const {
    return m_cells[offset / start_of_heap].is_on_gpu;
  }
  [[nodiscard]] SYMM_FUNCTION bool is_covered(std::size_t offset) const {
    return offset < end_of(offset);
  }
  /// The times that a variable tells a PE that sees its value; null: none.
  /// All variables without room have one place: is_of_many().
  /// \param adds whether it is going to tell something.
  [[nodiscard]] SYMM_FUNCTION TimesOfPes told_by(Where where, bool adds) const {
    auto* const found =
        find_entry(m_words, m_n_words, m_word_bytes, where, 32, adds);
    if (found == nullptr && !adds) return nullptr;
    return times_of(found != nullptr ? found
                                     : m_words + m_n_words * m_word_bytes);
  }
  [[nodiscard]] SYMM_FUNCTION bool is_of_many(TimesOfPes told) const {
    return told == times_of(m_words + m_n_words * m_word_bytes);
  }
  /// The latest reads of a word by each PE, if several read it at one time, as
  /// Epochs. Null: no room, or nobody has added them.
  [[nodiscard]] SYMM_FUNCTION Word<std::uint64_t>* reads_of(Where where,
                                                            bool adds) const {
    auto* const found =
        find_entry(m_reads, m_n_reads, m_reads_bytes, where, 8, adds);
    return found == nullptr ? nullptr
                            : reinterpret_cast<Word<std::uint64_t>*>(found) + 1;
  }
  /// What a PE tells those that receive a message of another library.
  struct Message {
    Word<std::uint64_t>* key;
    Word<std::uint32_t>* n_receivers;  // that have not received it
    TimesOfPes known;                  // null: there is none, or no room for it
  };
  /// \param adds whether an empty one becomes it. Any thread of any PE.
  [[nodiscard]] Message message(std::uint64_t key, bool adds) const;
  /// The message of all that find no room.
  [[nodiscard]] Message message_of_many() const {
    return message_at(n_messages);
  }
  /// All PEs have received it: its place is empty.
  void end_message(Message const& message) const;
  static constexpr std::size_t n_messages = std::size_t{1} << 16U;

  /// Forgets the accesses to those bytes.
  void clear(Where where, std::size_t bytes) const noexcept;

  /// What GPUs reach from the start: tables and words.
  struct Range {
    void* start;
    std::size_t bytes;
  };
  [[nodiscard]] Range common() const;
  /// The cells of so many bytes of a PE's part of a heap.
  [[nodiscard]] Range cells(Where where, std::size_t bytes) const;
  /// From now on GPUs reach cells.
  void keep_pages() { m_keeps_pages = true; }
  /// The cells of a heap are in memory of GPUs from now on, so far none.
  /// \param n_of_pe from one PE's first to the next one's.
  void use_gpu(std::size_t heap, Cell* first, std::size_t n_of_pe) {
    m_cells[heap] = {first, n_of_pe, 0, true};
  }
  /// Now they are those of so many bytes.
  void extend_on_gpu(std::size_t heap, std::size_t bytes) {
    m_cells[heap].n_used = bytes / 8;
  }

 private:
  struct Cells {
    Cell* first         = nullptr;
    std::size_t n_of_pe = 0;
    std::size_t n_used  = 0;
    bool is_on_gpu      = false;
  };
  /// The entry of a word in a table, of which the first 8 bytes are a key;
  /// null: none. \param adds whether an empty one becomes it.
  SYMM_FUNCTION static char* find_entry(char* table, std::size_t n_entries,
                                        std::size_t entry_bytes, Where where,
                                        std::size_t n_tries, bool adds) {
    auto const key = static_cast<std::uint64_t>(where.pe) << 48U |
                     where.offset / 8 << 1U | 1U;
    auto const hash = key * 0x9e37'79b9'7f4a'7c15U >> 20U;
    for (std::size_t i = 0; i < n_tries; ++i) {
      auto* const entry = table + (hash + i) % n_entries * entry_bytes;
      auto& its_key     = *reinterpret_cast<Word<std::uint64_t>*>(entry);
      auto there        = its_key.load(std::memory_order_acquire);
      if (there == 0) {
        if (!adds) return nullptr;
        if (its_key.compare_exchange_strong(there, key)) return entry;
      }
      if (there == key) return entry;
    }
    return nullptr;
  }
  SYMM_FUNCTION static TimesOfPes times_of(char* word) {
    return reinterpret_cast<TimesOfPes>(word + sizeof(std::uint64_t));
  }

  [[nodiscard]] Message message_at(std::size_t i) const;

  Tables* m_tables = nullptr;
  Cells m_cells[max_heaps];
  // Of variables that tell something: a key, and the times. One more is for all
  // that find no room.
  char* m_words            = nullptr;
  std::size_t m_n_words    = 0;
  std::size_t m_word_bytes = 0;
  // Of words that several PEs read at one time: a key, and the Epochs.
  char* m_reads             = nullptr;
  std::size_t m_n_reads     = 0;
  std::size_t m_reads_bytes = 0;
  // Of messages: key, number of receivers and times. GPUs do not reach them.
  char* m_messages            = nullptr;
  std::size_t m_message_bytes = 0;
  int m_file                  = -1;
  std::size_t m_bytes         = 0;  // mapped
  bool m_keeps_pages          = false;
};

}  // namespace symm::Impl::check

#endif
