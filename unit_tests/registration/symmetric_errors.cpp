// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Memory of the program as symmetric memory: what is refused, on all PEs, with
// PE and reason, and a heap as it was.

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <registration/registration_test.hpp>
#include <runtime/symm_errors.hpp>

namespace {

using namespace symm_test;
using symm::buffer_register_symmetric;
using symm::buffer_unregister_symmetric;

/// Collective: registration of something else on one PE at a time, then on all.
void expect_refused(char* good, std::size_t bytes,
                    std::function<void*()> const& bad, Words words) {
  for (symm::Pe odd = 0; odd <= symm::n_pes(); ++odd) {
    bool const on_all = odd == symm::n_pes();
    SCOPED_TRACE(on_all ? "on all PEs" : "on " + pe_text(odd));
    expect_failure(
        [&] {
          return on_all || odd == symm::my_pe()
                     ? bad()
                     : buffer_register_symmetric(good, bytes, 0);
        },
        words);
  }
  // expect_failure() has used the heap since; nothing is registered.
  EXPECT_EQ(heap_state().registered_buffers, 0U);
}

class SymmetricErrors : public testing::Test {
 protected:
  static constexpr std::size_t bytes = 3 * granule;

  Registrable m_good = Registrable(bytes);
};

TEST_F(SymmetricErrors, R04_flags_other_than_0) {
  for (int const flags : {1, -1, 1 << 30}) {
    expect_failure(
        [&] { return buffer_register_symmetric(m_good.data(), bytes, flags); },
        {"symm::buffer_register_symmetric(",
         "flags " + std::to_string(flags) + ", which are reserved; pass 0"});
  }
  expect_refused(
      m_good.data(), bytes,
      [&] { return buffer_register_symmetric(m_good.data(), bytes, 5); },
      {"was passed with flags 5", "nothing was changed on any PE"});
}

TEST_F(SymmetricErrors, R08_a_PE_that_makes_another_call) {
  if (symm::n_pes() == 1) GTEST_SKIP() << "needs two PEs";
  for (symm::Pe odd = 0; odd < symm::n_pes(); ++odd) {
    expect_failure(
        [&] {
          return odd == symm::my_pe()
                     ? symm::malloc(64)
                     : buffer_register_symmetric(m_good.data(), bytes, 0);
        },
        {pe_text(odd) + " called symm::malloc(",
         "symm::buffer_register_symmetric("});
  }
}

TEST_F(SymmetricErrors, R09_sizes_that_differ) {
  if (symm::n_pes() == 1) GTEST_SKIP() << "needs two PEs";
  Registrable const other(2 * granule);
  for (symm::Pe odd = 0; odd < symm::n_pes(); ++odd) {
    bool const is_odd = odd == symm::my_pe();
    expect_failure(
        [&] {
          return is_odd
                     ? buffer_register_symmetric(other.data(), 2 * granule, 0)
                     : buffer_register_symmetric(m_good.data(), bytes, 0);
        },
        {pe_text(odd) + " called symm::buffer_register_symmetric(bytes = " +
             std::to_string(2 * granule),
         "bytes = " + std::to_string(bytes), "equal arguments"});
  }
}

TEST_F(SymmetricErrors, R10_memory_of_malloc) {
  std::vector<char> memory(2 * bytes);
  expect_refused(
      m_good.data(), bytes,
      [&] { return buffer_register_symmetric(memory.data(), bytes, 0); },
      {"cannot be mapped into the symmetric heap",
       "symm::make_registrable_view", "symm::share_view"});
  char on_stack = 0;
  expect_refused(m_good.data(), bytes,
                 [&] { return buffer_register_symmetric(&on_stack, bytes, 0); },
                 {"cannot be mapped into the symmetric heap"});
  expect_refused(m_good.data(), bytes,
                 [&] { return buffer_register_symmetric(nullptr, bytes, 0); },
                 {"must not be null"});
}

TEST_F(SymmetricErrors, R10_memory_that_was_freed) {
  Registrable gone(bytes);
  auto* const at = gone.data();
  gone.reset();
  expect_refused(m_good.data(), bytes,
                 [&] { return buffer_register_symmetric(at, bytes, 0); },
                 {"cannot be mapped into the symmetric heap"});
}

TEST_F(SymmetricErrors, R12_R15_sizes_that_are_not_the_memorys) {
  for (std::size_t const wrong :
       {std::size_t{1}, bytes - 1, bytes + 1, granule + 4096}) {
    SCOPED_TRACE(wrong);
    expect_failure(
        [&] { return buffer_register_symmetric(m_good.data(), wrong, 0); },
        {std::to_string(wrong) + " bytes", "not a multiple",
         std::to_string(granule)});
  }
  expect_failure([&] { return buffer_register_symmetric(m_good.data(), 0, 0); },
                 {"has 0 bytes"});
  for (std::size_t const wrong : {bytes - granule, bytes + granule}) {
    SCOPED_TRACE(wrong);
    expect_failure(
        [&] { return buffer_register_symmetric(m_good.data(), wrong, 0); },
        {"is the start of an allocation of " + std::to_string(bytes) + " bytes",
         "not " + std::to_string(wrong)});
  }
}

TEST_F(SymmetricErrors, R15_an_address_inside) {
  for (std::size_t const offset : {std::size_t{1}, granule, bytes - 1}) {
    SCOPED_TRACE(offset);
    expect_refused(m_good.data(), bytes,
                   [&] {
                     return buffer_register_symmetric(m_good.data() + offset,
                                                      bytes, 0);
                   },
                   {"is " + std::to_string(offset) + " bytes after the start",
                    "pass the start"});
  }
}

TEST_F(SymmetricErrors, R15_memory_of_the_heap) {
  auto* const block = static_cast<char*>(symm::align(granule, granule));
  for (symm::Pe pe = 0; pe < symm::n_pes(); ++pe) {
    expect_failure(
        [&] {
          return buffer_register_symmetric(symm::ptr(block, pe), granule, 0);
        },
        {"is already in the symmetric heap"});
  }
  symm::free(block);
}

TEST_F(SymmetricErrors, R15_what_is_registered_already) {
  auto* const address = registered(m_good);
  auto const before   = heap_state();
  for (char* again : {m_good.data(), address}) {
    EXPECT_EQ(buffer_register_symmetric(again, bytes, 0), nullptr);
    EXPECT_THAT(symm::last_error(), testing::HasSubstr("already"));
  }
  EXPECT_EQ(heap_state(), before);
  expect_all_reach_all(address, bytes);
  unregister(address, bytes);
}

TEST_F(SymmetricErrors, R13_R17_a_failure_of_one_PE_is_everybodys) {
  std::vector<char> memory(bytes);
  for (symm::Pe odd = 0; odd < symm::n_pes(); ++odd) {
    expect_failure(
        [&] {
          return buffer_register_symmetric(
              odd == symm::my_pe() ? memory.data() : m_good.data(), bytes, 0);
        },
        {"failed: on " + pe_text(odd) + ": ", "nothing was changed on any PE"});
    auto* const address = registered(m_good);  // it is not used up
    expect_all_reach_all(address, bytes);
    unregister(address, bytes);
  }
}

/// Collective: ending the registration fails on all PEs, and nothing changes.
void expect_not_unregistered(void* address, std::size_t bytes, Words words) {
  auto const before = heap_state();
  expect_invalid([&] { return buffer_unregister_symmetric(address, bytes); },
                 words);
  EXPECT_EQ(heap_state(), before);
}

TEST_F(SymmetricErrors, R19_addresses_that_are_not_registered) {
  auto* const address = registered(m_good);
  auto* const block   = malloc_bytes(granule);
  std::vector<char> memory(granule);
  for (char* wrong : {m_good.data(), block, memory.data()}) {
    expect_not_unregistered(
        wrong, bytes,
        {"symm::buffer_unregister_symmetric(",
         "is not a symmetric address of registered memory"});
  }
  expect_not_unregistered(nullptr, bytes, {"is not a symmetric address"});
  expect_not_unregistered(address + granule, bytes,
                          {"is " + std::to_string(granule) +
                           " bytes after the start; pass the start"});
  for (symm::Pe pe = 0; pe < symm::n_pes(); ++pe) {
    if (pe == symm::my_pe()) continue;
    expect_not_unregistered(symm::ptr(address, pe), bytes,
                            {"is not a symmetric address"});
  }
  for (symm::Pe odd = 0; odd < symm::n_pes(); ++odd) {
    bool const is_odd = odd == symm::my_pe();
    expect_not_unregistered(is_odd ? block : address, bytes,
                            {"failed: on " + pe_text(odd) + ": "});
  }
  symm::free(block);
  expect_all_reach_all(address, bytes);
  unregister(address, bytes);
  expect_not_unregistered(address, bytes, {"is not a symmetric address"});
}

TEST_F(SymmetricErrors, R19_two_buffers_in_another_order) {
  if (symm::n_pes() == 1) GTEST_SKIP() << "needs two PEs";
  Registrable const second(bytes);
  auto* const a   = registered(m_good);
  auto* const b   = registered(second);
  auto* const odd = symm::my_pe() == 0 ? a : b;
  expect_not_unregistered(odd, bytes, {"PE 0 called", "offset = "});
  unregister(a, bytes);
  unregister(b, bytes);
}

TEST_F(SymmetricErrors, R20_sizes_that_are_not_the_registered_one) {
  auto* const address = registered(m_good);
  for (std::size_t const wrong :
       {std::size_t{0}, std::size_t{1}, bytes - granule, bytes + granule}) {
    expect_not_unregistered(address, wrong,
                            {"was registered with " + std::to_string(bytes) +
                             " bytes, not " + std::to_string(wrong)});
    for (symm::Pe odd = 0; odd < symm::n_pes(); ++odd) {
      expect_not_unregistered(
          address, odd == symm::my_pe() ? wrong : bytes,
          {"failed: on " + pe_text(odd) + ": ", "was registered with"});
    }
  }
  expect_all_reach_all(address, bytes);
  unregister(address, bytes);
}

TEST_F(SymmetricErrors, R22_free_and_realloc_of_registered_memory) {
  auto* const address = registered(m_good);
  auto const before   = heap_state();
  testing::internal::CaptureStderr();
  for (char* wrong : {address, address + 16, address + bytes - 1}) {
    symm::free(wrong);
    EXPECT_THAT(symm::last_error(),
                testing::HasSubstr("symm::buffer_unregister_symmetric"));
    EXPECT_EQ(symm::realloc(wrong, 100), nullptr);
    EXPECT_THAT(symm::last_error(),
                testing::HasSubstr("is registered memory of the program"));
  }
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::HasSubstr("symm::free("));
  EXPECT_EQ(heap_state(), before);
  expect_all_reach_all(address, bytes);
  unregister(address, bytes);
}

TEST_F(SymmetricErrors, R18_heap_trim_leaves_registered_memory) {
  auto* const address = registered(m_good);
  symm::free(malloc_bytes(20 * mib));
  symm::heap_trim();
  expect_all_reach_all(address, bytes);
  EXPECT_EQ(heap_state().registered_bytes, bytes);
  unregister(address, bytes);
}

}  // namespace
