// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Buffers of the program as local operands: buffer_register and its siblings.

#include <sys/mman.h>

#include <cstddef>
#include <vector>

#include <registration/registration_test.hpp>
#include <runtime/symm_errors.hpp>
#include <support/kernels.hpp>

namespace {

using namespace symm_test;
using symm::buffer_register;
using symm::buffer_unregister;
using symm::buffer_unregister_all;
using symm::Status;

class LocalBuffers : public testing::Test {
 protected:
  void TearDown() override { buffer_unregister_all(); }

  static constexpr std::size_t bytes = 40'000;

  std::vector<char> m_memory = std::vector<char>(5 * bytes);
  char* m_at                 = m_memory.data() + 2 * bytes;
};

/// Pages of their own, given back at the end of the scope.
class Pages {
 public:
  explicit Pages(std::size_t bytes, void* where = nullptr)
      : m_bytes(bytes),
        m_start(::mmap(where, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
                           (where == nullptr ? 0 : MAP_FIXED_NOREPLACE),
                       -1, 0)) {
    EXPECT_NE(m_start, MAP_FAILED);
  }
  Pages(Pages const&)            = delete;
  Pages& operator=(Pages const&) = delete;
  ~Pages() { unmap(); }

  [[nodiscard]] char* data() const { return static_cast<char*>(m_start); }
  void unmap() {
    if (m_bytes == 0) return;
    EXPECT_EQ(::munmap(m_start, m_bytes), 0);
    m_bytes = 0;
  }

 private:
  std::size_t m_bytes;
  void* m_start;
};

TEST_F(LocalBuffers, B01_B12_register_and_unregister_return_0) {
  static_assert(static_cast<int>(Status::success) == 0);
  EXPECT_EQ(buffer_register(m_at, bytes), Status::success);
  EXPECT_STREQ(symm::last_error(), "");
  EXPECT_EQ(buffer_unregister(m_at), Status::success);
  EXPECT_EQ(buffer_register(m_at, 1), Status::success) << "one byte will do";
  EXPECT_EQ(buffer_unregister(m_at), Status::success);
}

TEST_F(LocalBuffers, B03_memory_of_the_heap_is_refused) {
  auto const expect_refused = [](void* address, std::size_t size) {
    expect_invalid([&] { return buffer_register(address, size); },
                   {"symm::buffer_register", "in the symmetric heap"});
  };
  auto* const from_malloc = malloc_bytes(1000);
  auto* const from_calloc = static_cast<char*>(symm::calloc(10, 100));
  auto* const from_align  = static_cast<char*>(symm::align(4096, 1000));
  Registrable const memory(granule);
  auto* const symmetric = registered(memory);
  for (char* block : {from_malloc, from_calloc, from_align, symmetric}) {
    expect_refused(block, 1000);
    expect_refused(block + 999, 1);
    for (symm::Pe pe = 0; pe < symm::n_pes(); ++pe) {
      expect_refused(symm::ptr(block, pe), 8);
    }
  }
  auto const map = symm::heap_map<symm::SymmetricSpace>();
  expect_refused(map.base - 100, 101);
  expect_refused(map.base, map.stride);
  unregister(symmetric, granule);
  for (char* block : {from_malloc, from_calloc, from_align}) symm::free(block);
}

/// Copies `count` words: a kernel that uses its operands where they are.
struct CopyWords {
  std::uint64_t* to;
  std::uint64_t const* from;
  std::size_t count;
  KOKKOS_FUNCTION void operator()() const {
    for (std::size_t i = 0; i < count; ++i) to[i] = from[i];
  }
};

/// Collective: kernels put the words at `source` to the next PE, and get them
/// back to `dest`.
void expect_local_operands(std::uint64_t* source, std::uint64_t* dest,
                           std::size_t count) {
  auto const me     = symm::my_pe();
  auto const to     = (me + 1) % symm::n_pes();
  auto* const block = reinterpret_cast<std::uint64_t*>(malloc_bytes(8 * count));
  auto* const theirs = symm::ptr(block, to);
  for (std::size_t i = 0; i < count; ++i) source[i] = pattern({me, to}, i);
  run(CopyWords{theirs, source, count});
  symm::barrier_all();
  run(CopyWords{dest, theirs, count});
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (dest[i] != pattern({me, to}, i)) ++wrong;
  }
  EXPECT_EQ(wrong, 0U);
  symm::free(block);
}

TEST_F(LocalBuffers, B04_a_buffer_is_a_local_operand_of_puts_and_gets) {
  constexpr std::size_t count = 1001;
  std::vector<std::uint64_t> source(count);
  std::vector<std::uint64_t> dest(count);
  EXPECT_EQ(buffer_register(source.data(), 8 * count), Status::success);
  EXPECT_EQ(buffer_register(dest.data(), 8 * count), Status::success);
  expect_local_operands(source.data(), dest.data(), count);
  EXPECT_EQ(buffer_unregister(source.data()), Status::success);
  EXPECT_EQ(buffer_unregister(dest.data()), Status::success);
}

TEST_F(LocalBuffers, B05_a_buffer_is_no_remote_operand) {
  auto* const block = malloc_bytes(100);
  EXPECT_EQ(buffer_register(m_at, bytes), Status::success);
  EXPECT_THROW(symm::putmem(m_at, block, 100, 0), symm::UsageError);
  EXPECT_THROW(symm::getmem(block, m_at, 100, 0), symm::UsageError);
  EXPECT_EQ(symm::ptr(m_at, 0), nullptr);
  symm::free(block);
}

TEST_F(LocalBuffers, B06_one_operation_may_go_over_several_registrations) {
  constexpr std::size_t count = 1000;
  std::vector<std::uint64_t> all(2 * count);
  auto* const source = all.data();
  auto* const dest   = source + count;
  // The cut is inside of both operands' page, and of a word.
  for (std::size_t part = 0; part < 4; ++part) {
    std::size_t const quarter = 16 * count / 4;
    EXPECT_EQ(buffer_register(reinterpret_cast<char*>(source) + part * quarter,
                              quarter),
              Status::success)
        << symm::last_error();
  }
  expect_local_operands(source, dest, count);
}

TEST_F(LocalBuffers, B08_freed_memory_is_detected_where_it_is_used_again) {
  Pages first(bytes);
  auto* const at = first.data();
  EXPECT_EQ(buffer_register(at, bytes), Status::success);
  first.unmap();  // a mistake
  Pages const second(bytes, at);
  expect_invalid(
      [&] { return buffer_register(at, bytes); },
      {"overlaps", "unregister that buffer first, and before freeing"});
  EXPECT_EQ(buffer_unregister(at), Status::success);
  EXPECT_EQ(buffer_register(at, bytes), Status::success);
  EXPECT_EQ(buffer_unregister(at), Status::success);
}

TEST_F(LocalBuffers, B08_memory_that_is_not_there_is_refused) {
  Pages pages(4 * bytes);
  auto* const at = pages.data();
  pages.unmap();
  expect_invalid([&] { return buffer_register(at, bytes); },
                 {"not all of ", "memory of this process"});
  expect_invalid([&] { return buffer_unregister(at); }, {});
}

TEST_F(LocalBuffers, B09_any_overlap_is_refused) {
  EXPECT_EQ(buffer_register(m_at, bytes), Status::success);
  struct Range {
    char const* name;
    char* start;
    std::size_t size;
  };
  for (auto const& [name, start, size] :
       {Range{"equal", m_at, bytes}, Range{"its start", m_at, 1},
        Range{"inside", m_at + 1, bytes - 2},
        Range{"its last byte", m_at + bytes - 1, 1},
        Range{"over its start", m_at - 1, 2},
        Range{"over its end", m_at + bytes - 1, 2},
        Range{"around it", m_at - 1, bytes + 2},
        Range{"from its start on", m_at, bytes + 1},
        Range{"up to its end", m_at - 1, bytes + 1}}) {
    SCOPED_TRACE(name);
    expect_invalid([at = start, n = size] { return buffer_register(at, n); },
                   {"overlaps the buffer of 40000 bytes"});
  }
  EXPECT_EQ(buffer_unregister(m_at), Status::success) << "it is still there";
  EXPECT_EQ(buffer_register(m_at - 1, bytes + 2), Status::success);
}

TEST_F(LocalBuffers, B13_an_address_in_the_middle_unregisters_nothing) {
  EXPECT_EQ(buffer_register(m_at, bytes), Status::success);
  for (std::size_t const offset : {std::size_t{1}, bytes / 2, bytes - 1}) {
    expect_invalid([&] { return buffer_unregister(m_at + offset); },
                   {"is not the start of a registered buffer"});
  }
  expect_invalid([&] { return buffer_register(m_at, bytes); }, {"overlaps"});
  EXPECT_EQ(buffer_unregister(m_at), Status::success);
}

TEST_F(LocalBuffers, B14_what_is_not_registered_is_not_found) {
  expect_invalid([&] { return buffer_unregister(m_at); },
                 {"symm::buffer_unregister", "not the start"});
  EXPECT_EQ(buffer_register(m_at, bytes), Status::success);
  EXPECT_EQ(buffer_unregister(m_at), Status::success);
  expect_invalid([&] { return buffer_unregister(m_at); }, {"not the start"});
  expect_invalid([&] { return buffer_unregister(nullptr); }, {});
}

TEST_F(LocalBuffers, B15_unregister_all_ends_all_registrations) {
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(buffer_register(m_memory.data() + i * bytes, bytes - i),
              Status::success);
  }
  buffer_unregister_all();
  EXPECT_STREQ(symm::last_error(), "");
  for (std::size_t i = 0; i < 5; ++i) {
    expect_invalid(
        [&] { return buffer_unregister(m_memory.data() + i * bytes); },
        {"not the start"});
  }
  EXPECT_EQ(buffer_register(m_memory.data(), m_memory.size()), Status::success);
}

TEST_F(LocalBuffers, B16_unregister_all_of_nothing_is_harmless) {
  buffer_unregister_all();
  buffer_unregister_all();
  EXPECT_STREQ(symm::last_error(), "");
}

TEST_F(LocalBuffers, B13_B17_more_than_2_GiB_are_one_buffer) {
  if (symm::my_pe() != 0) return;  // much memory to lock, for GPUs
  constexpr std::size_t large = 2 * gib + 3 * mib;
  Pages const pages(large);
  EXPECT_EQ(buffer_register(pages.data(), large), Status::success)
      << symm::last_error();
  for (std::size_t const offset : {gib, 2 * gib, large - 1}) {
    expect_invalid([&] { return buffer_unregister(pages.data() + offset); },
                   {"not the start"});
    expect_invalid([&] { return buffer_register(pages.data() + offset, 1); },
                   {"overlaps"});
  }
  EXPECT_EQ(buffer_unregister(pages.data()), Status::success);
}

TEST_F(LocalBuffers, B18_one_PE_alone_may_call) {
  auto const calls = symm::heap_stats().n_collective_calls;
  for (symm::Pe pe = 0; pe < symm::n_pes(); ++pe) {
    wait_for_all_pes();
    if (pe != symm::my_pe()) continue;
    EXPECT_EQ(buffer_register(m_at, bytes), Status::success);
    EXPECT_EQ(buffer_unregister(m_at), Status::success);
    buffer_unregister_all();
  }
  EXPECT_EQ(symm::heap_stats().n_collective_calls, calls);
}

TEST_F(LocalBuffers, B19_nothing_is_refused) {
  expect_invalid([&] { return buffer_register(nullptr, bytes); },
                 {"symm::buffer_register", "must not be null"});
  expect_invalid([&] { return buffer_register(m_at, 0); },
                 {"0 bytes", "size must not be 0"});
  expect_invalid([&] { return buffer_register(nullptr, 0); }, {});
  expect_invalid([&] { return buffer_register(m_at, ~std::size_t{0}); },
                 {"18446744073709551615 bytes"});
}

TEST_F(LocalBuffers, B20_adjacent_buffers_are_two) {
  EXPECT_EQ(buffer_register(m_at, bytes), Status::success);
  EXPECT_EQ(buffer_register(m_at + bytes, bytes), Status::success);
  EXPECT_EQ(buffer_register(m_at - 1, 1), Status::success);
  EXPECT_EQ(buffer_unregister(m_at), Status::success);
  EXPECT_EQ(buffer_register(m_at, bytes), Status::success);
  for (char* at : {m_at - 1, m_at, m_at + bytes}) {
    EXPECT_EQ(buffer_unregister(at), Status::success);
  }
}

}  // namespace
