// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <utility>

#include <runtime/base/UniqueFd.hpp>

namespace {

using symm::Impl::UniqueFd;

bool is_open(int fd) { return ::fcntl(fd, F_GETFD) != -1; }

int new_fd() { return ::dup(STDERR_FILENO); }

TEST(UniqueFd, closes_at_the_end) {
  int const fd = new_fd();
  {
    UniqueFd const owner(fd);
    EXPECT_TRUE(owner);
    EXPECT_EQ(owner.get(), fd);
    EXPECT_TRUE(is_open(fd));
  }
  EXPECT_FALSE(is_open(fd));
}

TEST(UniqueFd, empty_owns_nothing) {
  UniqueFd empty;
  EXPECT_FALSE(empty);
  EXPECT_EQ(empty.get(), -1);
  empty.reset();
  EXPECT_TRUE(UniqueFd(0)) << "0 is a descriptor, too";
  // ... which is closed now; give it back to the process.
  EXPECT_EQ(new_fd(), 0);
}

TEST(UniqueFd, a_move_leaves_one_owner) {
  int const fd = new_fd();
  UniqueFd first(fd);
  UniqueFd second(std::move(first));
  EXPECT_FALSE(first);  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(second.get(), fd);
  EXPECT_TRUE(is_open(fd));
}

TEST(UniqueFd, an_assignment_closes_what_was_owned_before) {
  int const old_fd = new_fd();
  int const fd     = new_fd();
  UniqueFd target(old_fd);
  target = UniqueFd(fd);
  EXPECT_FALSE(is_open(old_fd));
  EXPECT_TRUE(is_open(fd));
  auto& same = target;
  target     = std::move(same);
  EXPECT_EQ(target.get(), fd);
  EXPECT_TRUE(is_open(fd)) << "moved onto itself";
  target.reset();
  EXPECT_FALSE(is_open(fd));
}

}  // namespace
