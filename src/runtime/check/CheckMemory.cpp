// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "CheckMemory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "../bootstrap/Bootstrap.hpp"

namespace symm::Impl::check {

namespace {

constexpr std::size_t page         = 4096;
constexpr std::size_t tables_bytes = round_up(sizeof(Tables), page);

// Variables that tell something; one more is for all that find no room.
constexpr std::size_t n_words = std::size_t{1} << 21U;
// Words that several PEs read at one time.
constexpr std::size_t n_reads = std::size_t{1} << 20U;

std::uint64_t key_of_word(Pe pe, std::size_t offset) {
  return static_cast<std::uint64_t>(pe) << 48U | offset / 8 << 1U | 1U;
}

/// The entry of that key in a table, of which the first 8 bytes are the key;
/// null: none. \param adds whether an empty one becomes it.
char* find_entry(char* table, std::size_t n_entries, std::size_t entry_bytes,
                 std::uint64_t key, std::size_t n_tries, bool adds) {
  auto const hash = key * 0x9e37'79b9'7f4a'7c15U >> 20U;
  for (std::size_t i = 0; i < n_tries; ++i) {
    auto* const entry = table + (hash + i) % n_entries * entry_bytes;
    auto& its_key     = *reinterpret_cast<std::atomic<std::uint64_t>*>(entry);
    auto there        = its_key.load(std::memory_order_acquire);
    if (there == 0) {
      if (!adds) return nullptr;
      if (its_key.compare_exchange_strong(there, key)) return entry;
    }
    if (there == key) return entry;
  }
  return nullptr;
}

/// How another process of this machine opens the memory.
struct Address {
  std::int64_t process;
  int file;
};

}  // namespace

bool CheckMemory::open(Bootstrap& bootstrap, std::size_t part_bytes) {
  auto const n_pes = static_cast<std::size_t>(bootstrap.n_pes());
  if (n_pes > most_pes) return false;
  m_cells_of_pe    = std::min(part_bytes, most_bytes / n_pes) / 8;
  m_word_bytes     = sizeof(std::uint64_t) + n_pes * n_parts * sizeof(Time);
  m_reads_bytes    = (1 + n_pes) * sizeof(std::uint64_t);
  auto const words = round_up((n_words + 1) * m_word_bytes, page);
  auto const reads = round_up(n_reads * m_reads_bytes, page);
  auto const bytes =
      tables_bytes + words + reads + n_pes * m_cells_of_pe * sizeof(Cell);
  Address address{::getpid(), -1};
  if (bootstrap.my_pe() == 0) {
    address.file = ::memfd_create("symm_check", MFD_CLOEXEC);
    if (address.file >= 0 &&
        ::ftruncate(address.file, static_cast<off_t>(bytes)) != 0) {
      ::close(address.file);
      address.file = -1;
    }
    m_file = address.file;
  }
  bootstrap.broadcast(&address, sizeof address, 0);
  if (bootstrap.my_pe() != 0 && address.file >= 0) {
    std::array<char, 64> name{};
    std::snprintf(name.data(), name.size(), "/proc/%lld/fd/%d",
                  static_cast<long long>(address.process), address.file);
    m_file = ::open(name.data(), O_RDWR | O_CLOEXEC);
  }
  void* memory = MAP_FAILED;
  if (m_file >= 0) {
    memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_NORESERVE, m_file, 0);
  }
  bool has_failed = memory == MAP_FAILED;
  if (!has_failed) {
    m_bytes  = bytes;
    m_tables = static_cast<Tables*>(memory);
    m_words  = static_cast<char*>(memory) + tables_bytes;
    m_reads  = m_words + words;
    m_cells  = reinterpret_cast<Cell*>(m_reads + reads);
  }
  // Another machine may have a process of that number, too.
  std::uint64_t mark = 0;
  if (bootstrap.my_pe() == 0 && !has_failed) {
    mark = 0x5359'4d4d'0000'0000U ^ static_cast<std::uint64_t>(::getpid());
    m_tables->n_found.store(mark);
  }
  bootstrap.broadcast(&mark, sizeof mark, 0);
  has_failed         = has_failed || m_tables->n_found.load() != mark;
  bool const is_open = !first_to_say(bootstrap, has_failed);
  if (is_open && bootstrap.my_pe() == 0) m_tables->n_found.store(0);
  bootstrap.barrier();
  if (!is_open) close();
  return is_open;
}

void CheckMemory::close() {
  if (m_bytes == 0) return;
  if (::munmap(m_tables, std::exchange(m_bytes, 0)) != 0 ||
      ::close(std::exchange(m_file, -1)) != 0) {
    std::fprintf(stderr, "symm: the detector of races keeps its memory: %s\n",
                 std::strerror(errno));
  }
}

TimesOfPes CheckMemory::told_by(Pe pe, std::size_t offset, bool adds) const {
  auto const key    = key_of_word(pe, offset);
  auto* const found = find_entry(m_words, n_words, m_word_bytes, key, 32, adds);
  if (found == nullptr && !adds) return nullptr;
  auto* const word =
      found != nullptr ? found : m_words + n_words * m_word_bytes;
  return reinterpret_cast<TimesOfPes>(word + sizeof(std::uint64_t));
}

std::atomic<std::uint64_t>* CheckMemory::reads_of(Pe pe, std::size_t offset,
                                                  bool adds) const {
  auto* const found = find_entry(m_reads, n_reads, m_reads_bytes,
                                 key_of_word(pe, offset), 8, adds);
  return found == nullptr
             ? nullptr
             : reinterpret_cast<std::atomic<std::uint64_t>*>(found) + 1;
}

void CheckMemory::clear(Pe pe, std::size_t offset,
                        std::size_t bytes) const noexcept {
  if (offset >= covered() || bytes == 0) return;
  auto const first = offset / 8;
  auto const end   = std::min(offset + bytes + 7, covered()) / 8;
  auto* const from = &cell(pe, first * 8);
  auto const size  = (end - first) * sizeof(Cell);
  auto const start = static_cast<std::size_t>(
      reinterpret_cast<char*>(from) - reinterpret_cast<char*>(m_tables));
  auto const first_page = round_up(start, page);
  auto const end_page   = round_down(start + size, page);
  auto const clear_here = [&](std::size_t a, std::size_t b) {
    std::memset(reinterpret_cast<char*>(m_tables) + a, 0, b - a);
  };
  if (first_page < end_page &&
      ::fallocate(m_file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                  static_cast<off_t>(first_page),
                  static_cast<off_t>(end_page - first_page)) == 0) {
    clear_here(start, first_page);
    clear_here(end_page, start + size);
  } else {
    clear_here(start, start + size);
  }
}

}  // namespace symm::Impl::check
