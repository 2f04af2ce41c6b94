// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Remote memory access by PEs that know nothing of Kokkos.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <support/ForkedPes.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include <runtime/job/Runtime.hpp>
#include <runtime/symm_errors.hpp>
#include <runtime/symm_memory.hpp>

#include "GroupOfThreads.hpp"
#include "RmaForms.hpp"

namespace symm_test::rma {
namespace {

using symm::Pe;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// Runs the body on PEs with a block of 5 * count elements each.
void on_pes(std::function<void(int* block)> const& body) {
  for (int const n_pes : {1, 2, 3}) {
    expect_on_pes(n_pes, [&](ForkedBootstrap& bootstrap) {
      symm::Impl::Runtime::initialize(
          std::make_unique<ForkedBootstrap>(bootstrap));
      body(static_cast<int*>(symm::calloc(5 * count, sizeof(int))));
      symm::Impl::Runtime::finalize();
    });
  }
}

TEST(RuntimeRma, forms_of_the_host) { on_pes(use_forms_of_the_host); }

TEST(RuntimeRma, forms_of_a_group_of_threads) {
  on_pes([](int* block) {
    auto const heap   = symm::heap_map(symm::MemoryKind::host);
    auto const source = values(heap.my_pe, next());
    auto const bytes  = count * sizeof(int);
    for (std::size_t const size : {1U, 2U, 5U}) {
      auto const expect_put = [&](int* dest, std::size_t stride,
                                  auto const& put) {
        symm::putmem(block, std::vector<int>(5 * count).data(), 5 * bytes,
                     heap.my_pe);
        symm::barrier_all();
        on_threads(size, put);
        expect_from_previous(dest, stride);
      };
      expect_put(block + 1, 1, [&](auto const& group) {
        symm::put(group, heap, block + 1, source.data(), count, next());
      });
      expect_put(block + 2, 1, [&](auto const& group) {
        symm::put_nbi(group, heap, block + 2, source.data(), count, next());
      });
      expect_put(block + 3, 1, [&](auto const& group) {
        symm::putmem(group, heap, block + 3, source.data(), bytes, next());
      });
      expect_put(block, 1, [&](auto const& group) {
        symm::putmem_nbi(group, heap, block, source.data(), bytes, next());
      });
      expect_put(block, 5, [&](auto const& group) {
        symm::iput(group, heap, block, source.data(), 5, 1, count, next());
      });

      symm::put(block, source.data(), count, heap.my_pe);
      symm::barrier_all();
      std::vector<int> dest;
      auto const expect_got = [&](auto const& get) {
        dest.assign(count, 0);
        on_threads(size, get);
        EXPECT_EQ(dest, values(previous(), heap.my_pe));
      };
      expect_got([&](auto const& group) {
        symm::get(group, heap, dest.data(), block, count, previous());
      });
      expect_got([&](auto const& group) {
        symm::get_nbi(group, heap, dest.data(), block, count, previous());
      });
      expect_got([&](auto const& group) {
        symm::getmem(group, heap, dest.data(), block, bytes, previous());
      });
      expect_got([&](auto const& group) {
        symm::getmem_nbi(group, heap, dest.data(), block, bytes, previous());
      });
      expect_got([&](auto const& group) {
        symm::iget(group, heap, dest.data(), block, 1, 1, count, previous());
      });
      symm::barrier_all();
    }
  });
}

TEST(RuntimeRma, forms_of_one_thread) {
  on_pes([](int* block) {
    auto const heap   = symm::heap_map(symm::MemoryKind::host);
    auto const source = values(heap.my_pe, next());
    symm::put(heap, block, source.data(), count, next());
    expect_from_previous(block);
    symm::iput(heap, block, source.data(), 3, 1, count, next());
    expect_from_previous(block, 3);
    symm::p(heap, block, source[1], next());
    symm::barrier_all();
    EXPECT_EQ(symm::g(heap, block, next()), source[1]);
    symm::barrier_all();
  });
}

TEST(RuntimeRma, refuses_what_is_no_symmetric_address_and_no_PE) {
  on_pes([](int* block) {
    int mine = 1;
    EXPECT_THAT(
        [&] { symm::put(&mine, block, 1, 0); },
        ThrowsMessage<symm::UsageError>(HasSubstr("symm::put: 4 byte")));
    EXPECT_THAT([&] { symm::get(&mine, block, 1, symm::n_pes()); },
                ThrowsMessage<symm::UsageError>(HasSubstr("invalid PE")));
    EXPECT_THAT([&] { symm::iput(block, &mine, 0, 1, 1, 0); },
                ThrowsMessage<symm::UsageError>(HasSubstr("strides")));
    EXPECT_THAT([&] { symm::p<int>(nullptr, 1, 0); },
                ThrowsMessage<symm::UsageError>(HasSubstr("symm::p")));
    symm::barrier_all();
  });
}

}  // namespace
}  // namespace symm_test::rma
