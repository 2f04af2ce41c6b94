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

/// The shadow of 8 bytes of the heap: the latest write and the latest read.
struct alignas(16) Cell {
  Word<std::uint64_t> write;
  Word<std::uint64_t> read;

  /// Loads both words. On a GPU, this is a single access.
  SYMM_FUNCTION void load(Epoch& its_write, Epoch& its_read) const {
#ifdef SYMM_FOR_DEVICE
    std::uint64_t low  = 0;
    std::uint64_t high = 0;
    InKernel::load_pair(reinterpret_cast<std::uint64_t const*>(this), low,
                        high);
    its_write = Epoch(low);
    its_read  = Epoch(high);
#else
    its_write = Epoch(write.load(std::memory_order_relaxed));
    its_read  = Epoch(read.load(std::memory_order_relaxed));
#endif
  }
};

/// A call stack that identifies a place in the program. The frames are code
/// addresses, stored as offsets in modules, innermost first.
struct Site {
  static constexpr std::size_t n_frames = 6;
  Word<std::uint64_t> key;
  Word<std::uint32_t> is_ready;
  std::array<std::uint64_t, n_frames> frames;  // module << 48 | offset; or 0
  std::array<char, 48> call;    // such as "symm::put"; empty for plain accesses
  std::array<char, 64> kernel;  // label of the Kokkos kernel, or empty
};

/// A race, recorded by the PE that made the second access.
struct Race {
  static constexpr std::uint32_t unnamed = 1;  // its View is not yet known
  static constexpr std::uint32_t named   = 2;
  Word<std::uint64_t> key;
  Word<std::uint32_t> state;
  std::uint64_t first;   // Epoch
  std::uint64_t second;  // Epoch
  bool is_first_write;
  bool is_second_write;
  bool is_private;       // in the private buffer of an _nbi operation
  Pe pe;                 // PE that owns the memory
  std::uint64_t offset;  // offset in bytes in the View, or else in the heap
  std::uint32_t bytes;   // size of the second access
  std::array<char, 52> view;
};

/// The times that a PE team's members exchange in a Meeting.
struct Place {
  Word<std::uint64_t> key;
  // Each PE counts its own meetings, because concurrent additions by GPUs to
  // host memory can be lost.
  Word<std::uint32_t> n_meetings[max_pes];
  // Meetings use the two arrays alternately. By the time a PE begins the second
  // meeting after a given meeting, all PEs have read that meeting's times.
  Word<Time> known[2][max_pes * n_parts];
};

/// The tables and clocks that can become full. If one of them is full, the
/// detector may miss some races, and its report says so. A full table or clock
/// never causes false reports.
enum class Limit : std::uint32_t {
  time,        // this PE's clocks
  teams,       // PE teams whose members have met
  variables,   // variables that publish times
  reads,       // words that several PEs read
  registered,  // registered Views
  messages,    // MPI messages that were sent but not yet received
  races        // pairs of places in the program
};
inline constexpr std::uint32_t n_limits = 7;

/// Tables in memory that all PEs on a machine share and map. The memory is
/// sparse.
struct Tables {
  static constexpr std::size_t n_sites   = 1U << 15U;
  static constexpr std::size_t n_races   = 1U << 12U;
  static constexpr std::size_t n_places  = 1U << 10U;
  static constexpr std::size_t n_modules = 64;

  Word<std::uint64_t> n_found;  // number of races
  // The state of the report that is printed if the job ends early. 1: a PE is
  // writing the report; 2: the report is complete.
  Word<std::uint32_t> early_report;
  Word<std::uint32_t> n_modules_used;
  Word<std::uint32_t> has_unnamed[max_pes];  // whether a PE has unnamed races
  // For each PE, a bit mask of the limits that the PE has reached.
  Word<std::uint32_t> limits[max_pes];
  Word<std::uint32_t> said_limits;  // limits already reported by any PE
  // For each PE, whether that PE has fetched many elements from other nodes one
  // at a time.
  Word<std::uint32_t> gets_elements[max_pes];
  std::array<std::array<char, 512>, n_modules> modules;
  std::array<Site, n_sites> sites;
  Race races[n_races];
  Place places[n_places + 1];  // PE teams that find no entry share the last one
};

/// The maximum number of bytes that have a shadow, summed over all PEs' parts
/// of a heap.
inline constexpr std::size_t max_bytes = std::size_t{1} << 45U;

/// The maximum number of heaps: one in host memory and one in GPU memory.
inline constexpr std::size_t max_heaps = 2;

/// A byte in PE `pe`'s part of a heap. Offsets in the second heap begin at
/// `start_of_heap`.
struct Where {
  Pe pe;
  std::size_t offset;
};
inline constexpr std::size_t start_of_heap = std::size_t{1} << 46U;

/// This process's mapping of the memory that all PEs share.
class CheckMemory {
 public:
  /// Collective. \returns whether all PEs have mapped the same memory. Returns
  /// false if the PEs are on different machines, or if there are more than
  /// max_pes PEs.
  /// \param part_bytes the size of one PE's part of each heap.
  bool open(Bootstrap& bootstrap,
            std::array<std::size_t, max_heaps> const& part_bytes);
  /// Local: unmaps the memory.
  void close();

  [[nodiscard]] SYMM_FUNCTION Tables& tables() const { return *m_tables; }
  /// The shadow of the word at `where`. Precondition: is_covered(where.offset).
  [[nodiscard]] SYMM_FUNCTION Cell& cell(Where where) const {
    auto const& heap = m_cells[where.offset / start_of_heap];
    return heap.first[static_cast<std::size_t>(where.pe) * heap.n_of_pe +
                      where.offset % start_of_heap / 8];
  }
  /// The end of the range of offsets that have a shadow, in the heap that
  /// contains `offset`.
  [[nodiscard]] SYMM_FUNCTION std::size_t end_of(std::size_t offset) const {
    auto const heap = offset / start_of_heap;
    return heap < max_heaps ? heap * start_of_heap + m_cells[heap].n_used * 8
                            : 0;
  }
  /// Whether the cells for `offset` are in GPU memory, which the host cannot
  /// access.
  [[nodiscard]] bool is_on_gpu(std::size_t offset) const {
    return m_cells[offset / start_of_heap].is_on_gpu;
  }
  [[nodiscard]] SYMM_FUNCTION bool is_covered(std::size_t offset) const {
    return offset < end_of(offset);
  }
  /// Returns the times that the variable at `where` publishes to PEs that see
  /// its value; null if there are none. All variables without their own entry
  /// share one entry, for which is_of_many() is true.
  /// \param adds whether the caller will publish times.
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
  /// For a word that several PEs read concurrently, returns each PE's latest
  /// read, as an array of Epoch::bits() indexed by PE. Returns null if there is
  /// no room for an entry, or if there is no entry and `adds` is false.
  [[nodiscard]] SYMM_FUNCTION Word<std::uint64_t>* reads_of(Where where,
                                                            bool adds) const {
    auto* const found =
        find_entry(m_reads, m_n_reads, m_reads_bytes, where, 8, adds);
    return found == nullptr ? nullptr
                            : reinterpret_cast<Word<std::uint64_t>*>(found) + 1;
  }
  /// The times that a PE publishes to the receivers of a message sent by
  /// another library.
  struct Message {
    Word<std::uint64_t>* key;
    Word<std::uint32_t>* n_receivers;  // PEs that have not received it yet
    TimesOfPes known;                  // null if there is no entry or no room
  };
  /// Callable from any thread of any PE.
  /// \param adds whether to assign an empty entry to a message that has no
  /// entry.
  [[nodiscard]] Message message(std::uint64_t key, bool adds) const;
  /// The entry shared by all messages without their own entry.
  [[nodiscard]] Message message_of_many() const {
    return message_at(n_messages);
  }
  /// Clears the entry of a message that all PEs have received.
  void end_message(Message const& message) const;
  static constexpr std::size_t n_messages = std::size_t{1} << 16U;

  /// Clears the records of all accesses to `bytes` bytes at `where`.
  void clear(Where where, std::size_t bytes) const noexcept;

  /// A range of memory; `start` is null if the range is empty.
  struct Range {
    void* start;
    std::size_t bytes;
  };
  /// The memory that GPUs can access from the start: the tables, including the
  /// tables of variables and of concurrent reads.
  [[nodiscard]] Range common() const;
  /// The cells for `bytes` bytes of a PE's part of a heap.
  [[nodiscard]] Range cells(Where where, std::size_t bytes) const;
  /// From now on, clear() leaves the pages in place, because GPUs access the
  /// cells.
  void keep_pages() { m_keeps_pages = true; }
  /// From now on, a heap's cells are in GPU memory. Initially, there are none;
  /// extend_on_gpu() adds them.
  /// \param n_of_pe the distance, in cells, from one PE's first cell to the
  ///        next PE's first cell.
  void use_gpu(std::size_t heap, Cell* first, std::size_t n_of_pe) {
    m_cells[heap] = {first, n_of_pe, 0, true};
  }
  /// Extends the cells in GPU memory so that they cover the first `bytes` bytes
  /// of each PE's part.
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
  /// Returns a word's entry in a table whose entries begin with an 8-byte key;
  /// null if there is none.
  /// \param adds whether to assign an empty entry to a word that has no entry.
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
  // The table of variables that publish times. Each entry consists of a key and
  // the times. All variables that do not fit in the table share one extra
  // entry.
  char* m_words            = nullptr;
  std::size_t m_n_words    = 0;
  std::size_t m_word_bytes = 0;
  // The table of words that several PEs read concurrently. Each entry consists
  // of a key and one Epoch per PE.
  char* m_reads             = nullptr;
  std::size_t m_n_reads     = 0;
  std::size_t m_reads_bytes = 0;
  // The table of messages. Each entry consists of a key, the number of
  // receivers that have not received the message, and the times. GPUs cannot
  // access this table.
  char* m_messages            = nullptr;
  std::size_t m_message_bytes = 0;
  int m_file                  = -1;
  std::size_t m_bytes         = 0;  // size of the mapping
  bool m_keeps_pages          = false;
};

}  // namespace symm::Impl::check

#endif
