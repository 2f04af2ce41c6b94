// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// What registration needs of a provider: which memory is where, once more the
// same memory, memory of the program, and all of it on many threads.

#include <gmock/gmock.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <runtime/base/Failure.hpp>
#include "VmmContract.hpp"

namespace symm_test {
namespace {

using symm::UsageError;
using symm::Impl::Vmm;
using testing::AllOf;
using testing::HasSubstr;

/// The message of the UsageError that `call` throws.
std::string refusal(std::function<void()> const& call) {
  auto const failure = symm::Impl::failure_of(call);
  if (!failure) return "allowed";
  EXPECT_EQ(failure->kind, symm::Impl::ErrorKind::usage) << failure->message;
  return failure->message;
}

TEST_P(VmmContract, V41_a_mapping_is_found_at_any_address_inside_it) {
  // Neighbors on both sides.
  char* const address = m_vmm->reserve(8 * m_unit);
  struct Part {
    std::size_t first_unit, n_units;
    Vmm::Sharing sharing;
    Vmm::Handle handle;
  };
  std::vector<Part> parts = {{1, 2, Vmm::Sharing::by_descriptor, {}},
                             {3, 3, Vmm::Sharing::none, {}},
                             {6, 1, Vmm::Sharing::by_descriptor, {}}};
  for (auto& part : parts) {
    part.handle = m_vmm->create(part.n_units * m_unit, part.sharing);
    map(address + part.first_unit * m_unit, part.n_units * m_unit, part.handle);
  }
  for (auto const& part : parts) {
    char* const start = address + part.first_unit * m_unit;
    auto const bytes  = part.n_units * m_unit;
    for (std::size_t const offset :
         {std::size_t{0}, std::size_t{1}, m_unit - 1, bytes / 2, bytes - 1}) {
      auto const found = m_vmm->find_mapping(start + offset);
      ASSERT_TRUE(found) << offset;
      EXPECT_EQ(found->start, start) << offset;
      EXPECT_EQ(found->bytes, bytes);
      EXPECT_EQ(found->sharing, part.sharing);
    }
  }
  EXPECT_FALSE(m_vmm->find_mapping(address)) << "only reserved";
  EXPECT_FALSE(m_vmm->find_mapping(address + m_unit - 1));
  EXPECT_FALSE(m_vmm->find_mapping(address + 7 * m_unit)) << "behind the end";
  for (auto const& part : parts) {
    char* const start = address + part.first_unit * m_unit;
    m_vmm->unmap(start, part.n_units * m_unit);
    EXPECT_FALSE(m_vmm->find_mapping(start)) << "unmapped";
    m_vmm->release(part.handle);
  }
  m_vmm->address_free(address, 8 * m_unit);
  EXPECT_FALSE(m_vmm->find_mapping(address)) << "given back";
}

TEST_P(VmmContract, V41_other_memory_is_no_mapping_and_is_not_retained) {
  std::vector<char> ours(m_unit);
  int const on_stack = 0;
  for (void const* const address : {static_cast<void const*>(ours.data() + 1),
                                    static_cast<void const*>(&on_stack),
                                    static_cast<void const*>(nullptr)}) {
    EXPECT_FALSE(m_vmm->find_mapping(address));
    EXPECT_THROW(static_cast<void>(m_vmm->retain(address)), UsageError);
  }
}

TEST_P(VmmContract,
       V41_retained_memory_is_mapped_again_and_outlives_the_first) {
  auto const before = provider().in_use();
  auto const block  = new_block(3 * m_unit);
  provider().write(block.address, pattern(block.bytes, 1));
  auto const again   = m_vmm->retain(block.address + block.bytes - 1);
  char* const second = m_vmm->reserve(block.bytes);
  map(second, block.bytes, again);
  m_vmm->release(again);
  EXPECT_EQ(provider().read(second, block.bytes), pattern(block.bytes, 1));
  provider().write(second, pattern(block.bytes, 2));
  EXPECT_EQ(provider().read(block.address, block.bytes),
            pattern(block.bytes, 2))
      << "one memory";
  remove(block);
  EXPECT_EQ(provider().read(second, block.bytes), pattern(block.bytes, 2));
  auto const found = m_vmm->find_mapping(second + m_unit);
  EXPECT_TRUE(found && found->start == second && found->bytes == block.bytes);
  m_vmm->unmap(second, block.bytes);
  m_vmm->address_free(second, block.bytes);
  EXPECT_EQ(provider().in_use(), before);
}

TEST_P(VmmContract, memory_is_described_for_messages) {
  auto const block = new_block(m_unit);
  std::vector<char> const ours(m_unit);
  EXPECT_THAT(m_vmm->describe(ours.data() + 1), HasSubstr("malloc"));
  EXPECT_EQ(m_vmm->describe(nullptr), "no memory");
  EXPECT_THAT(m_vmm->describe(block.address),
              AllOf(HasSubstr("memory"), testing::Not(HasSubstr("malloc"))));
  m_vmm->unmap(block.address, m_unit);
  EXPECT_EQ(m_vmm->describe(block.address), "no memory") << "only reserved";
  m_vmm->release(block.handle);
  m_vmm->address_free(block.address, m_unit);
}

TEST_P(VmmContract, B02_memory_of_the_program_is_pinned_wherever_it_starts) {
  std::vector<char> ours(5 * 4096, 'x');
  for (std::size_t const offset : {0U, 1U, 77U, 4095U, 4096U}) {
    for (std::size_t const bytes : {1U, 3U, 4096U, 4097U, 3 * 4096U}) {
      bool const must_unpin = m_vmm->pin(ours.data() + offset, bytes);
      EXPECT_EQ(ours[offset], 'x');
      if (must_unpin) m_vmm->unpin(ours.data() + offset);
    }
  }
  EXPECT_FALSE(m_vmm->pin(ours.data(), 0)) << "nothing to undo";
}

TEST_P(VmmContract, B20_adjacent_ranges_are_pinned_even_in_one_page) {
  std::vector<char> ours(4 * 4096);
  bool const first  = m_vmm->pin(ours.data() + 1, 5000);
  bool const second = m_vmm->pin(ours.data() + 5001, 3000);
  if (first) m_vmm->unpin(ours.data() + 1);
  if (second) m_vmm->unpin(ours.data() + 5001);
}

TEST_P(VmmContract, B19_what_is_no_memory_is_not_pinned) {
  char* const reserved = m_vmm->reserve(m_unit);
  EXPECT_THAT(refusal([&] { static_cast<void>(m_vmm->pin(reserved, 64)); }),
              HasSubstr("memory of this process"));
  EXPECT_THAT(refusal([&] { static_cast<void>(m_vmm->pin(nullptr, 64)); }),
              HasSubstr("memory of this process"));
  std::vector<char> ours(4096);
  auto const more_than_there_is = SIZE_MAX - 4096;
  EXPECT_THAT(refusal([&] {
                static_cast<void>(m_vmm->pin(ours.data(), more_than_there_is));
              }),
              HasSubstr("exceeds the address space"));
  EXPECT_THAT(
      refusal([&] {
        static_cast<void>(m_vmm->pin(ours.data(), std::size_t{1} << 46U));
      }),
      HasSubstr("memory of this process"));
  m_vmm->address_free(reserved, m_unit);
}

TEST_P(VmmContract, all_of_it_works_on_many_threads_at_once) {
  auto const before       = provider().in_use();
  constexpr int n_threads = 8;
  constexpr int n_rounds  = 20;
  std::atomic<int> n_started{0};
  std::mutex mutex;
  std::vector<std::string> failures;
  auto const work = [&](int thread) {
    auto const bytes = (1 + static_cast<std::size_t>(thread) % 3) * m_unit;
    std::vector<char> ours(8192);
    ++n_started;
    while (n_started < n_threads) std::this_thread::yield();
    for (int round = 0; round < n_rounds; ++round) {
      auto const block = new_block(bytes);
      auto const found = m_vmm->find_mapping(block.address + bytes - 1);
      if (!found || found->start != block.address || found->bytes != bytes) {
        throw symm::SystemError("another mapping was found");
      }
      static_cast<void>(m_vmm->describe(block.address));
      auto const imported =
          m_vmm->import_handle(m_vmm->export_handle(block.handle), bytes);
      m_vmm->release(m_vmm->retain(block.address));
      m_vmm->release(imported);
      if (m_vmm->pin(ours.data(), ours.size())) m_vmm->unpin(ours.data());
      remove(block);
      // Much of what takes little time: only then do threads often meet.
      for (int i = 0; i < 100; ++i) {
        char* const reserved = m_vmm->reserve(m_unit);
        if (m_vmm->find_mapping(reserved)) {
          throw symm::SystemError("a mapping of nobody was found");
        }
        m_vmm->address_free(reserved, m_unit);
      }
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < n_threads; ++i) {
    threads.emplace_back([&, i] {
      if (auto const failure = symm::Impl::failure_of([&] { work(i); })) {
        std::lock_guard const lock(mutex);
        failures.push_back(failure->message);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_THAT(failures, testing::IsEmpty());
  EXPECT_EQ(provider().in_use(), before);
}

}  // namespace
}  // namespace symm_test
