// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
// One-sided operations between processes, on memory of a child.
#include <gtest/gtest.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include <runtime/engines/ProcessMemory.hpp>
#include <runtime/symm_errors.hpp>

namespace {

using symm::Impl::OneSided;
using symm::Impl::ProcessMemory;

constexpr std::size_t bytes = std::size_t{3} << 20U;

/// A process that does nothing but keep its memory.
class Child {
 public:
  Child() {
    m_pid = ::fork();
    if (m_pid == 0) {
      for (;;) ::pause();
    }
  }
  Child(Child const&)            = delete;
  Child& operator=(Child const&) = delete;
  ~Child() { end(); }
  void end() {
    if (m_pid <= 0) return;
    ::kill(m_pid, SIGKILL);
    ::waitpid(m_pid, nullptr, 0);
    m_pid = 0;
  }
  [[nodiscard]] pid_t pid() const { return m_pid; }

 private:
  pid_t m_pid = 0;
};

/// This PE is its own parent's copy: both have `mine` at the same address.
struct ProcessMemoryTest : testing::Test {
  ProcessMemoryTest() {
    place.key    = *mine.open_chunk(memory.data(), bytes);
    place.key[0] = static_cast<std::uint64_t>(child.pid());
    if (!mine.reaches(1, place.key)) is_shielded = true;
  }

  ProcessMemory mine;
  std::vector<std::byte> memory = std::vector<std::byte>(bytes);
  Child child;
  OneSided::Place place{.pe = 1, .key = {}, .address = 0};
  bool is_shielded = false;
};

TEST_F(ProcessMemoryTest, what_was_put_can_be_got_and_is_not_here) {
  if (is_shielded) GTEST_SKIP() << "the system forbids process_vm_readv";
  std::vector<std::byte> block(bytes);
  for (std::size_t i = 0; i < bytes; ++i)
    block[i] = static_cast<std::byte>(i * 2'654'435'761U >> 16U);
  place.address = reinterpret_cast<std::uint64_t>(memory.data()) + 1;
  mine.put(place, block.data(), bytes - 1, 0);
  EXPECT_EQ(memory, std::vector<std::byte>(bytes));
  std::vector<std::byte> got(bytes);
  mine.get(got.data(), place, bytes - 1, 0);
  EXPECT_EQ(std::memcmp(got.data(), block.data(), bytes - 1), 0);
}

TEST_F(ProcessMemoryTest, a_process_without_the_secret_is_not_reached) {
  if (is_shielded) GTEST_SKIP() << "the system forbids process_vm_readv";
  auto key = place.key;
  ++key[1];
  EXPECT_FALSE(mine.reaches(1, key));
  child.end();
  EXPECT_FALSE(mine.reaches(1, place.key));
}

/// Another process, with the number of one that is gone; 0 if the system does
/// not let this one choose.
pid_t fork_with_number(pid_t number) {
  clone_args arguments{};
  arguments.exit_signal  = SIGCHLD;
  arguments.set_tid      = reinterpret_cast<std::uint64_t>(&number);
  arguments.set_tid_size = 1;
  auto const pid         = ::syscall(SYS_clone3, &arguments, sizeof arguments);
  if (pid == 0) {
    for (;;) ::pause();
  }
  return pid < 0 ? 0 : static_cast<pid_t>(pid);
}

TEST_F(ProcessMemoryTest,
       a_process_that_got_the_number_of_the_PE_is_left_alone) {
  if (is_shielded) GTEST_SKIP() << "the system forbids process_vm_readv";
  auto const number = child.pid();
  child.end();
  // It has this memory, and the secret.
  auto const other = fork_with_number(number);
  if (other == 0) GTEST_SKIP() << "needs leave to choose numbers of processes";
  auto const block = std::vector<std::byte>(bytes, std::byte{7});
  place.address    = reinterpret_cast<std::uint64_t>(memory.data());
  EXPECT_THROW(mine.put(place, block.data(), bytes, 0), symm::SystemError);
  std::vector<std::byte> got(bytes, std::byte{1});
  EXPECT_THROW(mine.get(got.data(), place, bytes, 0), symm::SystemError);
  ProcessMemory afresh;
  EXPECT_TRUE(afresh.reaches(1, place.key));
  afresh.get(got.data(), place, bytes, 0);
  EXPECT_EQ(got, memory) << "it has got no put";
  ::kill(other, SIGKILL);
  ::waitpid(other, nullptr, 0);
}

TEST_F(ProcessMemoryTest,
       the_secret_of_a_process_that_could_not_be_opened_is_read) {
  if (is_shielded) GTEST_SKIP() << "the system forbids process_vm_readv";
  place.address = reinterpret_cast<std::uint64_t>(memory.data());
  ProcessMemory afresh;  // has opened none
  auto of_other = place;
  ++of_other.key[1];
  std::byte word{7};
  EXPECT_THROW(afresh.put(of_other, &word, 1, 0), symm::SystemError);
  afresh.get(&word, place, 1, 0);
  EXPECT_EQ(word, std::byte{0});
}

TEST_F(ProcessMemoryTest, what_is_not_there_is_an_error) {
  if (is_shielded) GTEST_SKIP() << "the system forbids process_vm_readv";
  std::byte word{};
  place.address = 8;
  EXPECT_THROW(mine.put(place, &word, 1, 0), symm::SystemError);
  place.address = reinterpret_cast<std::uint64_t>(memory.data());
  child.end();
  EXPECT_THROW(mine.get(&word, place, 1, 0), symm::SystemError);
}

}  // namespace
