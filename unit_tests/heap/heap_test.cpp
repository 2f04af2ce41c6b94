// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include <heap/heap_test.hpp>

namespace symm_test {

void expect_heap_is_usable() {
  constexpr std::size_t bytes = 1000;
  int const n_pes             = symm::n_pes();
  auto const me               = symm::my_pe();
  auto const all              = static_cast<std::size_t>(n_pes);
  auto* const block           = static_cast<char*>(symm::malloc(all * bytes));
  EXPECT_NE(block, nullptr) << symm::last_error();
  if (block == nullptr) return;  // on all PEs, or the next call says so
  for (symm::Pe pe = 0; pe < n_pes; ++pe) {
    fill_at(pe, block + static_cast<std::size_t>(me) * bytes, bytes, {me, pe});
  }
  symm::barrier_all();
  for (symm::Pe pe = 0; pe < n_pes; ++pe) {
    EXPECT_EQ(difference(block + static_cast<std::size_t>(pe) * bytes, bytes,
                         {pe, me}),
              no_difference);
  }
  symm::free(block);
  EXPECT_STREQ(symm::last_error(), "");
}

namespace {

void expect_words(std::string const& text, Words words) {
  for (auto const& word : words) EXPECT_THAT(text, testing::HasSubstr(word));
}

}  // namespace

void expect_failure(std::function<void*()> const& call, Words words) {
  auto const before = heap_state();
  EXPECT_EQ(call(), nullptr);
  expect_words(symm::last_error(), words);
  EXPECT_STRNE(symm::last_error(), "");
  EXPECT_EQ(heap_state(), before);
  expect_heap_is_usable();
}

void expect_free_fails(void* address, Words words) {
  testing::internal::CaptureStderr();
  expect_failure(
      [&] {
        symm::free(address);
        return nullptr;
      },
      words);
  expect_words(testing::internal::GetCapturedStderr(), words);
}

}  // namespace symm_test
