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

#include "../base/Interrupted.hpp"
#include "../bootstrap/Bootstrap.hpp"

namespace symm::Impl::check {

namespace {

constexpr std::size_t page         = 4096;
constexpr std::size_t tables_bytes = round_up(sizeof(Tables), page);

/// Contains the information that another process on this machine needs to open
/// the memory file.
struct Address {
  std::int64_t process;
  int file;
};

/// Creates a zero-filled file in memory. \returns -1 on failure.
int make_file(std::size_t bytes) {
  int const file = ::memfd_create("symm_check", MFD_CLOEXEC);
  if (file < 0) return -1;
  auto const resized = uninterrupted(
      [&] { return ::ftruncate(file, static_cast<off_t>(bytes)); });
  if (resized == 0) return file;
  ::close(file);
  return -1;
}

/// Collective. Opens the file that PE 0 creates. \returns -1 if this PE cannot
/// open the file.
int open_file_of_all(Bootstrap& bootstrap, std::size_t bytes) {
  Address address{::getpid(), -1};
  bool const is_maker = bootstrap.my_pe() == 0;
  if (is_maker) address.file = make_file(bytes);
  bootstrap.broadcast(&address, sizeof address, 0);
  if (is_maker || address.file < 0) return address.file;
  std::array<char, 64> name{};
  std::snprintf(name.data(), name.size(), "/proc/%lld/fd/%d",
                static_cast<long long>(address.process), address.file);
  return uninterrupted([&] { return ::open(name.data(), O_RDWR | O_CLOEXEC); });
}

}  // namespace

bool CheckMemory::open(Bootstrap& bootstrap,
                       std::array<std::size_t, max_heaps> const& part_bytes) {
  auto const n_pes = static_cast<std::size_t>(bootstrap.n_pes());
  if (n_pes > max_pes) return false;
  // With a GPU, the tables are smaller, because making them accessible to GPUs
  // page-locks all of their memory.
  bool const has_gpu = part_bytes[1] != 0;
  m_n_words          = std::size_t{1} << (has_gpu ? 18U : 21U);
  m_n_reads          = std::size_t{1} << (has_gpu ? 18U : 20U);
  m_word_bytes       = sizeof(std::uint64_t) + n_pes * n_parts * sizeof(Time);
  m_reads_bytes      = (1 + n_pes) * sizeof(std::uint64_t);
  auto const words   = round_up((m_n_words + 1) * m_word_bytes, page);
  auto const reads   = round_up(m_n_reads * m_reads_bytes, page);
  m_message_bytes = 2 * sizeof(std::uint64_t) + n_pes * n_parts * sizeof(Time);
  auto const messages = round_up((n_messages + 1) * m_message_bytes, page);
  auto bytes          = tables_bytes + words + reads + messages;
  std::array<std::size_t, max_heaps> start{};
  for (std::size_t heap = 0; heap < max_heaps; ++heap) {
    start[heap]   = bytes;
    auto const n  = std::min(part_bytes[heap], max_bytes / n_pes) / 8;
    m_cells[heap] = {nullptr, n, n, false};
    bytes += round_up(n_pes * n * sizeof(Cell), page);
  }
  m_file       = open_file_of_all(bootstrap, bytes);
  void* memory = MAP_FAILED;
  if (m_file >= 0) {
    memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_NORESERVE, m_file, 0);
  }
  bool has_failed = memory == MAP_FAILED;
  if (!has_failed) {
    m_tables   = static_cast<Tables*>(memory);
    m_words    = static_cast<char*>(memory) + tables_bytes;
    m_reads    = m_words + words;
    m_messages = m_reads + reads;
    m_bytes    = bytes;
    for (std::size_t heap = 0; heap < max_heaps; ++heap) {
      m_cells[heap].first =
          reinterpret_cast<Cell*>(static_cast<char*>(memory) + start[heap]);
    }
  }
  // Another machine may have a different process with the same process id.
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
  m_keeps_pages = false;
  if (m_bytes == 0) return;
  bool const is_unmapped = ::munmap(m_tables, std::exchange(m_bytes, 0)) == 0;
  if (::close(std::exchange(m_file, -1)) != 0 || !is_unmapped) {
    std::fprintf(stderr, "symm: the race detector cannot free its memory: %s\n",
                 std::strerror(errno));
  }
}

CheckMemory::Range CheckMemory::common() const {
  auto* const end = m_reads + round_up(m_n_reads * m_reads_bytes, page);
  return {m_tables, static_cast<std::size_t>(
                        end - reinterpret_cast<char const*>(m_tables))};
}

CheckMemory::Range CheckMemory::cells(Where where, std::size_t bytes) const {
  if (!is_covered(where.offset) || bytes == 0) return {nullptr, 0};
  auto const first = where.offset / 8;
  auto const end = std::min(where.offset + bytes + 7, end_of(where.offset)) / 8;
  return {&cell(where), (end - first) * sizeof(Cell)};
}

CheckMemory::Message CheckMemory::message_at(std::size_t i) const {
  auto* const entry = m_messages + i * m_message_bytes;
  return {reinterpret_cast<Word<std::uint64_t>*>(entry),
          reinterpret_cast<Word<std::uint32_t>*>(entry + sizeof(std::uint64_t)),
          reinterpret_cast<TimesOfPes>(entry + 2 * sizeof(std::uint64_t))};
}

namespace {

// Keys of entries that are not in use. The keys of messages are odd. A search
// for a key continues past an `ended` entry.
constexpr std::uint64_t unused = 0;
constexpr std::uint64_t ended  = 2;
constexpr std::size_t n_tries  = 32;

}  // namespace

CheckMemory::Message CheckMemory::message(std::uint64_t key, bool adds) const {
  for (std::size_t i = 0; i < n_tries; ++i) {
    auto const message = message_at((key + i) % n_messages);
    auto there         = message.key->load(std::memory_order_acquire);
    if (!adds && there == key) return message;
    if (!adds && there == unused) break;
    if (adds && there % 2 == 0 &&
        message.key->compare_exchange_strong(there, key)) {
      return message;
    }
  }
  return {};
}

void CheckMemory::end_message(Message const& message) const {
  auto const n_times =
      (m_message_bytes - 2 * sizeof(std::uint64_t)) / sizeof(Time);
  for (std::size_t i = 0; i < n_times; ++i) message.known[i].store(0);
  message.key->store(ended, std::memory_order_release);
}

void CheckMemory::clear(Where where, std::size_t bytes) const noexcept {
  auto const [from, size] = cells(where, bytes);
  if (size == 0) return;
  auto const start = static_cast<std::size_t>(
      static_cast<char*>(from) - reinterpret_cast<char*>(m_tables));
  auto const first_page = round_up(start, page);
  auto const end_page   = round_down(start + size, page);
  auto const clear_here = [&](std::size_t a, std::size_t b) {
    std::memset(reinterpret_cast<char*>(m_tables) + a, 0, b - a);
  };
  // Pages that GPUs access must remain in place.
  if (first_page < end_page && !m_keeps_pages &&
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
