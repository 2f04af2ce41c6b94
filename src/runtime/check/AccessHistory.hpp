// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_CHECK_ACCESSHISTORY_HPP
#define SYMM_CHECK_ACCESSHISTORY_HPP

#include <cstddef>
#include <cstdint>

#include "../base/Function.hpp"
#include "../base/Types.hpp"
#include "../memory/HeapMap.hpp"
#include "CheckMemory.hpp"
#include "Clocks.hpp"
#include "Epoch.hpp"

namespace symm::Impl::check {

/// An access, without the bytes that it covers.
struct Access {
  bool is_write;
  Part part;
  Time time;
  bool is_atomic     = false;
  std::uint16_t site = 0;
  /// For writes: whether the access is a plain write, a signal, or a store of a
  /// whole word.
  Epoch::Kind kind = Epoch::Kind::plain;
  /// Whether the access is enqueued. An enqueued access is ordered after
  /// earlier work on its execution space instance. (Every GPU kernel waits for
  /// the previous one.)
  bool is_in_stream = false;
};

/// Assigns a new part and time to those recorded accesses of a network
/// operation that match `epoch`.
struct LaterAccess {
  Epoch epoch;
  std::size_t bytes;
  bool is_write;
  std::size_t part;
  Time time;
};

/// Records accesses and checks them against earlier ones. The host and kernels
/// share this part of the race detector.
class AccessHistory {
 public:
  [[nodiscard]] SYMM_FUNCTION bool is_on() const { return m_is_on; }
  [[nodiscard]] SYMM_FUNCTION Tables& tables() const {
    return m_memory.tables();
  }
  [[nodiscard]] SYMM_FUNCTION Pe me() const { return m_me; }

  [[nodiscard]] SYMM_FUNCTION bool is_in_heap(void const* address) const {
    return heap_of(address) < m_n_heaps;
  }
  /// Returns the near PE whose part contains `address`, and the offset in that
  /// part. For any other address, the PE is -1.
  [[nodiscard]] SYMM_FUNCTION Where where(void const* address) const {
    auto const i = heap_of(address);
    if (i == m_n_heaps) return {-1, 0};
    auto const& heap = m_heaps[i];
    auto const at    = reinterpret_cast<std::uintptr_t>(address) - heap.start;
    auto const pe = heap.shift != 0 ? at >> heap.shift : at / heap.map.stride;
    return {heap.map.first_near + static_cast<Pe>(pe),
            i * start_of_heap + (at - pe * heap.map.stride)};
  }
  /// Like where(), but for PE `pe`'s copy of the object at the symmetric
  /// address `address`. If the address is not in any heap, the PE is -1.
  [[nodiscard]] SYMM_FUNCTION Where copy_of(void const* address, Pe pe) const {
    for (std::size_t i = 0; i < m_n_heaps; ++i) {
      auto const offset = m_heaps[i].map.offset_of(address);
      if (offset < m_heaps[i].map.stride) {
        return {pe, i * start_of_heap + offset};
      }
    }
    return {-1, 0};
  }

  /// Checks and records an access. Covers every `step`-th word of the access,
  /// starting with word `first`.
  SYMM_FUNCTION void note(Where where, std::size_t bytes, Access const& access,
                          std::size_t first = 0, std::size_t step = 1) {
    if (!is_seen(where) || bytes == 0) return;
    if (clocks.has_ended()) return note_limit(Limit::time);
    auto const limit = end_of(where.offset);
    auto const end =
        where.offset + bytes < limit ? where.offset + bytes : limit;
    for (auto word = where.offset / 8 + first; word * 8 < end; word += step) {
      auto const at   = word * 8 < where.offset ? where.offset : word * 8;
      auto const next = word * 8 + 8 < end ? word * 8 + 8 : end;
      auto const mask = mask_of(at % 8, next - at);
      note_word({where.pe, at}, mask, bytes, epoch_of(access, mask), access);
    }
  }
  /// For an operation that this PE has begun, changes the recorded part and
  /// time of its accesses. `first` and `step` are as in note().
  SYMM_FUNCTION void change(Where where, LaterAccess const& later,
                            std::size_t first = 0, std::size_t step = 1) {
    auto const end = where.offset + later.bytes;
    for (auto word = where.offset / 8 + first; word * 8 < end; word += step) {
      auto& cell = m_memory.cell({where.pe, word * 8});
      change(later.is_write ? cell.write : cell.read, later);
      if (later.is_write) continue;
      auto* const reads = m_memory.reads_of({where.pe, word * 8}, false);
      if (reads != nullptr) change(reads[m_me], later);
    }
  }
  /// Returns a mask with one bit for each byte of a word that an access covers.
  /// \param in_word the offset within the word of the first such byte.
  [[nodiscard]] SYMM_FUNCTION static constexpr unsigned mask_of(
      std::size_t in_word, std::size_t bytes) {
    return (0xffU >> (8 - bytes)) << in_word;
  }
  [[nodiscard]] SYMM_FUNCTION Epoch epoch_of(Access const& access,
                                             unsigned mask) const {
    return Epoch(part_of(m_me, access.part), access.time, mask, access.site,
                 access.is_atomic)
        .of(access.kind);
  }
  /// Whether the memory at `where` exists and has a shadow. If the memory does
  /// not exist, the operation throws when it accesses the memory.
  [[nodiscard]] SYMM_FUNCTION bool is_seen(Where where) const {
    return 0 <= where.pe && where.pe < m_n_pes &&
           where.offset < end_of(where.offset);
  }

  /// Records that this PE has reached `limit`. From now on, the detector may
  /// miss some races.
  SYMM_FUNCTION void note_limit(Limit limit) const {
    auto& my_limits = tables().limits[m_me];
    auto const bit  = std::uint32_t{1} << static_cast<std::uint32_t>(limit);
    if ((my_limits.load(std::memory_order_relaxed) & bit) != 0) return;
    my_limits.fetch_or(bit);
    tables().has_unnamed[m_me].store(1, std::memory_order_release);
  }

  /// Clears the record of the latest write to a word, because this PE has
  /// waited for the value written.
  SYMM_FUNCTION void forget_write(Where where) {
    if (!is_seen(where)) return;
    SYMM_IF_ON_HOST((forget_write_on_host(where);))
    SYMM_IF_ON_DEVICE(
        (m_memory.cell(where).write.store(0, std::memory_order_relaxed);))
  }

  Clocks clocks;

 protected:
  struct Heap {
    std::uintptr_t start = 0;  // start of the near PEs' parts
    std::size_t bytes    = 0;
    HeapMap map;
    unsigned shift = 0;  // log2 of the stride if a power of two; otherwise 0
    // GPUs can access the shadow of this many bytes at the start of each part.
    std::size_t reached = 0;
  };

  [[nodiscard]] SYMM_FUNCTION std::size_t heap_of(void const* address) const {
    auto const at = reinterpret_cast<std::uintptr_t>(address);
    std::size_t i = 0;
    while (i < m_n_heaps && at - m_heaps[i].start >= m_heaps[i].bytes) ++i;
    return i;
  }
  [[nodiscard]] SYMM_FUNCTION std::size_t end_of(std::size_t offset) const {
#ifdef SYMM_FOR_DEVICE
    auto const heap = offset / start_of_heap;
    return heap < max_heaps ? heap * start_of_heap + m_heaps[heap].reached : 0;
#else
    return m_memory.end_of(offset);
#endif
  }

  /// Whether the recorded access `epoch` is done and no concurrent reads are
  /// recorded in addition.
  [[nodiscard, gnu::always_inline]] bool is_past(Epoch epoch,
                                                 bool is_read) const {
    return clocks.is_done(epoch, false) && !(is_read && epoch.has_more());
  }
  /// Fast path of note_word() for a load or store on the host, taken if all
  /// earlier accesses to the word are done. \returns whether this call has
  /// recorded the access.
  bool note_after_all(Cell& cell, Epoch epoch, bool is_write) {
    auto& same_kind        = is_write ? cell.write : cell.read;
    auto const& other_kind = is_write ? cell.read : cell.write;
    auto before            = same_kind.load(std::memory_order_relaxed);
    auto const other       = other_kind.load(std::memory_order_relaxed);
    return !Epoch(before).is_like(epoch) && is_past(Epoch(before), !is_write) &&
           is_past(Epoch(other), is_write) &&
           same_kind.compare_exchange_strong(before, epoch.bits()) &&
           other_kind.load() == other;
  }

  // An access is recorded before it is checked against other PEs' accesses.
  // Therefore, on the host, at least one of two concurrent accesses sees the
  // other.
  SYMM_FUNCTION void note_word(Where where, unsigned mask, std::size_t bytes,
                               Epoch epoch, Access const& access) {
    auto& cell            = m_memory.cell(where);
    bool const is_write   = access.is_write;
    bool const is_network = epoch.kind() >= Part::network;
    Epoch last_write;
    Epoch last_read;
    cell.load(last_write, last_read);
    auto& same_kind    = is_write ? cell.write : cell.read;
    auto const before  = is_write ? last_write : last_read;
    auto const between = is_write ? last_read : last_write;
    // Fast path: most accesses are already recorded and conflict with no other
    // access.
    if (before.has(epoch) && (!is_network || before.is_atomic_with(epoch)) &&
        !(is_write && last_read.has_more()) &&
        (!between.is_access() ||
         clocks.is_done(between, is_network && !is_write))) {
      return;
    }
    // Do not merge network operations, because concurrent ones are not ordered
    // with respect to each other. Do not merge the masks of atomic accesses,
    // because two atomic accesses to parts of a word are not equivalent to one
    // atomic access to both parts.
    if (!is_network && before.is_like(epoch) &&
        (!epoch.is_atomic() || (before.mask() & mask) == mask)) {
      if ((before.mask() & mask) != mask) {
        same_kind.exchange(before.with(mask).bits());
      }
    } else if (!is_write) {
      remember_read(where, cell, before, epoch);
    } else {
      look_at(Epoch(same_kind.exchange(epoch.bits())), true, where, bytes,
              epoch, access);
    }
    if (!is_write) {
      look_at(Epoch(cell.write.load()), true, where, bytes, epoch, access);
      return;
    }
    Epoch const read(cell.read.load());
    look_at(read.with_more(false), false, where, bytes, epoch, access);
    if (!read.has_more()) return;
    auto* const reads = m_memory.reads_of(where, false);
    for (Pe pe = 0; reads != nullptr && pe < m_n_pes; ++pe) {
      look_at(Epoch(reads[pe].load()), false, where, bytes, epoch, access);
    }
    cell.read.fetch_and(Epoch(~std::uint64_t{0}).with_more(false).bits());
  }

  /// Records a race. name_races() later adds the View's label.
  SYMM_FUNCTION void found(Where where, std::size_t bytes, Epoch first,
                           bool is_first_write, Epoch second,
                           bool is_second_write, bool is_private) {
    auto const a    = first.site();
    auto const b    = second.site();
    auto const low  = a < b ? a : b;
    auto const high = a < b ? b : a;
    auto const key = std::uint64_t{low} << 20U | std::uint64_t{high} << 4U | 1U;
    auto* const races = tables().races;
    for (std::size_t i = 0; i < Tables::n_races; ++i) {
      auto& race =
          races[((key * 0x9e37'79b9'7f4a'7c15U >> 40U) + i) % Tables::n_races];
      std::uint64_t there = race.key.load(std::memory_order_relaxed);
      if (there == key) return;
      if (there != 0 || !race.key.compare_exchange_strong(there, key)) {
        if (there == key) return;
        continue;
      }
      race.first           = first.bits();
      race.second          = second.bits();
      race.is_first_write  = is_first_write;
      race.is_second_write = is_second_write;
      race.is_private      = is_private;
      race.pe              = where.pe;
      race.offset          = where.offset;
      race.bytes           = static_cast<std::uint32_t>(bytes);
      race.state.store(Race::unnamed, std::memory_order_release);
      tables().has_unnamed[m_me].store(1, std::memory_order_release);
      return;
    }
    note_limit(Limit::races);
  }

  bool m_is_on          = false;
  Pe m_me               = 0;
  int m_n_pes           = 0;
  std::size_t m_n_heaps = 0;
  Heap m_heaps[max_heaps];
  CheckMemory m_memory;

 private:
  SYMM_FUNCTION void look_at(Epoch other, bool is_write_before, Where where,
                             std::size_t bytes, Epoch epoch,
                             Access const& access) {
    bool const is_write   = access.is_write;
    bool const is_network = epoch.kind() >= Part::network;
    if (!other.is_access() || (other.mask() & epoch.mask()) == 0 ||
        other.is_atomic_with(epoch) ||
        // fence() does not order the reads of get_nbi().
        clocks.is_done(other, is_network && is_write_before) ||
        (is_write_before && !is_write && other.is_whole_for(epoch)) ||
        (is_write && !is_write_before && epoch.is_whole_for(other)) ||
        (other.pe() == m_me && access.is_in_stream)) {
      return;
    }
    found(where, bytes, other, is_write_before, epoch, is_write, false);
  }

  static void forget_write_on_host(Where where);
  SYMM_FUNCTION static void change(Word<std::uint64_t>& entry,
                                   LaterAccess const& later) {
    Epoch const epoch(entry.load(std::memory_order_relaxed));
    if (!epoch.is_like(later.epoch)) return;
    entry.store(epoch.at(later.part, later.time).bits(),
                std::memory_order_relaxed);
  }

  /// Records a read. If the read in the cell is done, the new read replaces it.
  /// Otherwise, both are recorded.
  SYMM_FUNCTION void remember_read(Where where, Cell& cell, Epoch before,
                                   Epoch epoch) const {
    bool const is_network = epoch.kind() >= Part::network;
    if (!before.is_access() ||
        clocks.is_done(before.with_more(false), is_network)) {
      cell.read.exchange(epoch.with_more(before.has_more()).bits());
      return;
    }
    auto* const reads = m_memory.reads_of(where, true);
    if (reads == nullptr) {  // no room: keep one of the two reads at random
      note_limit(Limit::reads);
      if (random() % 4 == 0) cell.read.exchange(epoch.bits());
      return;
    }
    if (!before.has_more()) {
      // Any existing entries are older, or describe memory that has since been
      // freed.
      for (Pe pe = 0; pe < m_n_pes; ++pe) reads[pe].store(0);
    }
    auto& my_read = reads[m_me];
    Epoch const last(my_read.load(std::memory_order_relaxed));
    my_read.store(last.is_like(epoch) ? last.with(epoch.mask()).bits()
                                      : epoch.bits());
    auto expected = before.bits();
    if (!before.has_more()) {
      cell.read.compare_exchange_strong(expected, before.with_more().bits());
    }
  }
  SYMM_FUNCTION static std::uint32_t random() {
    SYMM_IF_ON_HOST((return random_on_host();))
    SYMM_IF_ON_DEVICE(
        (return static_cast<std::uint32_t>(
                    std::uint64_t(clock64()) * 0x9e37'79b9'7f4a'7c15U >> 32U);))
  }
  static std::uint32_t random_on_host();
};

}  // namespace symm::Impl::check

#endif
