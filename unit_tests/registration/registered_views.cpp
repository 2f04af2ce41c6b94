// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Views of an application: as local operands, and as symmetric Views.

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <kokkos/view_helpers.hpp>
#include <string>
#include <thread>
#include <vector>

#include <registration/registration_test.hpp>

namespace {

using namespace symm_test;
using symm::make_registrable_view;
using symm::register_symmetric_view;
using testing::AllOf;
using testing::HasSubstr;

template <class... Properties>
using View1 = Kokkos::View<int*, Properties...>;

/// The text of the UsageError that the call throws.
template <class Call>
std::string refusal(Call const& call) {
  return message_of<symm::UsageError>(call);
}

std::size_t n_registered() { return symm::heap_stats().registered_buffers; }

/// Collective: lets the heap hear of Views that have ended.
void settle() { symm::free(malloc_bytes(8)); }

TEST(RegisteredViews, R03_are_the_same_memory_on_all_PEs) {
  auto const own = make_registrable_view<int**>("u", 50, 60);
  fill(own, symm::my_pe(), symm::my_pe());
  auto const view = register_symmetric_view(own);
  static_assert(
      std::is_same_v<decltype(view)::memory_space, symm::SymmetricSpace>);
  static_assert(std::is_same_v<decltype(view)::array_layout,
                               decltype(own)::array_layout>);
  EXPECT_EQ(view.label(), "u");
  EXPECT_EQ(view.extent(0), 50U);
  EXPECT_EQ(view.extent(1), 60U);
  EXPECT_NE(view.data(), own.data());
  EXPECT_EQ(count_wrong(view, symm::my_pe(), symm::my_pe()), 0U);
  // peer_view, global_view and the View of before, one after the other.
  EXPECT_EQ(count_wrong(symm::peer_view(view, right()), right(), right()), 0U);
  symm::barrier_all();
  fill(symm::peer_view(view, right()), symm::my_pe(), right());
  symm::barrier_all();
  EXPECT_EQ(count_wrong(own, left(), symm::my_pe()), 0U);
  EXPECT_EQ(count_wrong(symm::global_view(view).peer(symm::my_pe()), left(),
                        symm::my_pe()),
            0U);
  symm::barrier_all();
}

TEST(RegisteredViews, keep_layouts_and_strides) {
  auto const check = [](auto const& own) {
    auto const view = register_symmetric_view(own);
    for (unsigned r = 0; r < view.rank(); ++r) {
      EXPECT_EQ(view.extent(r), own.extent(r));
      EXPECT_EQ(view.stride(r), own.stride(r));
    }
    fill(symm::peer_view(view, right()), symm::my_pe(), right());
    symm::barrier_all();
    EXPECT_EQ(count_wrong(own, left(), symm::my_pe()), 0U);
    symm::barrier_all();
  };
  check(make_registrable_view<int***, Kokkos::LayoutLeft>("left", 3, 4, 5));
  check(make_registrable_view<int***, Kokkos::LayoutRight>("right", 3, 4, 5));
  check(make_registrable_view<int* [7]>("static", 11));
  check(make_registrable_view<int*, Kokkos::LayoutStride>(
      "strided", Kokkos::LayoutStride(10, 3)));
  auto const large = make_registrable_view<int*>("large", 700'000);
  check(large);
  // A subview, which does not begin where its memory begins.
  check(Kokkos::subview(large, Kokkos::make_pair(1000, 2000)));
}

TEST(RegisteredViews, are_Views_like_others) {
  auto const own  = make_registrable_view<int*>("u", 1000);
  auto const view = register_symmetric_view(own);
  Kokkos::View<int const*, symm::SymmetricSpace> const read_only = view;
  EXPECT_EQ(read_only.use_count(), 2);
  View1<Kokkos::DefaultExecutionSpace::memory_space> const ordinary = view;
  EXPECT_EQ(ordinary.data(), view.data());
  EXPECT_EQ(ordinary.label(), "u");
  auto const part = Kokkos::subview(view, Kokkos::make_pair(10, 20));
  EXPECT_EQ(view.use_count(), 4);
  auto const mirror =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, view);
  EXPECT_EQ(mirror(999), 0);
  Kokkos::deep_copy(part, 5);
  EXPECT_EQ(count_equal(own, 5), 10U);
}

TEST(RegisteredViews, keep_memory_traits_but_own_their_memory) {
  using Atomic = Kokkos::MemoryTraits<Kokkos::Atomic>;
  auto const own =
      make_registrable_view<int*, OrdinarySpace, Atomic>("u", 1000);
  auto const view = register_symmetric_view(own);
  using View      = std::remove_const_t<decltype(view)>;
  static_assert(View::memory_traits::is_atomic);
  EXPECT_EQ(view.use_count(), 1);
  Kokkos::View<int*, OrdinarySpace, Kokkos::MemoryUnmanaged> const part(
      own.data(), 100);
  using OfPart = symm::RegisteredView<std::remove_const_t<decltype(part)>>;
  static_assert(!OfPart::memory_traits::is_unmanaged);
}

TEST(RegisteredViews, end_with_the_last_copies_on_all_PEs) {
  auto const own = make_registrable_view<int*>("u", 1000);
  for (symm::Pe late = 0; late < symm::n_pes(); ++late) {
    fill(own, symm::my_pe(), symm::my_pe());
    auto view = register_symmetric_view(own);
    auto copy = view;
    view      = {};
    settle();
    EXPECT_EQ(n_registered(), 1U) << "a copy lives";
    auto const calls = symm::heap_stats().n_collective_calls;
    if (symm::my_pe() != late) copy = {};
    EXPECT_EQ(symm::heap_stats().n_collective_calls, calls);
    settle();
    EXPECT_EQ(n_registered(), 1U) << "one PE still has its View";
    if (symm::my_pe() == late) {
      for (symm::Pe pe = 0; pe < symm::n_pes(); ++pe) {
        EXPECT_EQ(count_wrong(symm::peer_view(copy, pe), pe, pe), 0U);
      }
    }
    copy = {};
    settle();
    EXPECT_EQ(n_registered(), 0U);
    EXPECT_EQ(count_wrong(own, symm::my_pe(), symm::my_pe()), 0U);
  }
}

TEST(RegisteredViews, end_in_any_order_before_or_after_the_Views_of_before) {
  constexpr int n = 5;
  std::vector<View1<OrdinarySpace>> own;
  std::vector<symm::RegisteredView<View1<OrdinarySpace>>> views;
  for (int i = 0; i < n; ++i) {
    own.push_back(make_registrable_view<int*, OrdinarySpace>(
        "u" + std::to_string(i), 1000 * (i + 1)));
    views.push_back(register_symmetric_view(own.back()));
    fill(views.back(), symm::my_pe(), i);
  }
  symm::barrier_all();
  for (int i = 0; i < n; ++i) {
    // Another order on each PE, and the application's View first on some.
    auto const at = static_cast<std::size_t>((i + symm::my_pe()) % n);
    if ((i + symm::my_pe()) % 2 == 0) own[at] = {};
    EXPECT_EQ(count_wrong(views[at], symm::my_pe(), static_cast<int>(at)), 0U);
    views[at] = {};
    if (i % 2 == 0) settle();
  }
  settle();
  EXPECT_EQ(n_registered(), 0U);
}

TEST(RegisteredViews, the_memory_of_an_ended_one_is_registered_again) {
  auto const own = make_registrable_view<int*>("u", 1000);
  for (int i = 0; i < 20; ++i) {
    auto const view = register_symmetric_view(own);
    EXPECT_LE(n_registered(), 2U);
  }
  for (int i = 0; i < 20; ++i) {
    // New memory, maybe where the last one was, whose View ends after it.
    auto const other = make_registrable_view<int*>("v", 1000);
    auto const view  = register_symmetric_view(other);
    EXPECT_EQ(count_equal(view, 0), view.size());
    symm::barrier_all();
    Kokkos::deep_copy(view, i + 1);
  }
  settle();
  EXPECT_EQ(n_registered(), 0U);
}

TEST(RegisteredViews, other_threads_may_end_them_and_make_memory) {
  auto const before         = n_registered();
  std::atomic<bool> is_over = false;
  auto views = std::vector<symm::RegisteredView<View1<OrdinarySpace>>>();
  for (int i = 0; i < 20; ++i) {
    views.push_back(register_symmetric_view(
        make_registrable_view<int*, OrdinarySpace>("u", 100)));
  }
  std::thread other([&] {
    for (auto& view : views) {
      view = {};
      auto const memory =
          make_registrable_view<int*, OrdinarySpace>("of a thread", 100);
    }
    is_over = true;
  });
  auto const is_over_everywhere = [&] {
    auto const all = gather(is_over ? 1 : 0);
    return std::count(all.begin(), all.end(), 1) == symm::n_pes();
  };
  while (!is_over_everywhere()) {
    symm::free(malloc_bytes(5 * mib));
    symm::heap_trim();
  }
  other.join();
  settle();
  EXPECT_EQ(n_registered(), before);
}

TEST(RegisteredViews, R10_ordinary_memory_is_refused_with_the_alternatives) {
  settle();
  View1<OrdinarySpace> const ordinary("mine", 1000);
  auto const good = make_registrable_view<int*, OrdinarySpace>("good", 1000);
  for (symm::Pe odd = 0; odd < symm::n_pes(); ++odd) {
    EXPECT_THAT(
        refusal([&] {
          return register_symmetric_view(odd == symm::my_pe() ? ordinary
                                                              : good);
        }),
        AllOf(HasSubstr("symm::register_symmetric_view("),
              HasSubstr("on PE " + std::to_string(odd) + ": View \"mine\""),
              HasSubstr("cannot be mapped into the symmetric heap"),
              HasSubstr("symm::make_registrable_view"),
              HasSubstr("symm::share_view")));
    EXPECT_EQ(n_registered(), 0U);
  }
  auto const view = register_symmetric_view(good);
  EXPECT_EQ(n_registered(), 1U);
}

TEST(RegisteredViews, R15_a_View_twice_and_an_empty_one_are_refused) {
  settle();
  auto const own  = make_registrable_view<int*>("u", 1000);
  auto const view = register_symmetric_view(own);
  EXPECT_THAT(refusal([&] { return register_symmetric_view(own); }),
              AllOf(HasSubstr("View \"u\""), HasSubstr("already")));
  EXPECT_THAT(refusal([&] {
                return register_symmetric_view(
                    Kokkos::subview(own, Kokkos::make_pair(1, 5)));
              }),
              HasSubstr("already"));
  EXPECT_THAT(
      refusal([&] { return register_symmetric_view(Kokkos::View<int*>()); }),
      HasSubstr("must not be null"));
  EXPECT_THAT(refusal([&] {
                return register_symmetric_view(
                    Kokkos::subview(own, Kokkos::make_pair(0, 0)));
              }),
              HasSubstr("has 0 bytes"));
  EXPECT_EQ(n_registered(), 1U);
}

TEST(RegisteredViews, R09_different_places_in_their_memories_are_a_mismatch) {
  if (symm::n_pes() == 1) GTEST_SKIP() << "needs two PEs";
  settle();
  auto const own  = make_registrable_view<int*>("u", 1000);
  int const first = symm::my_pe() == 0 ? 0 : 8;
  auto const text = refusal([&] {
    return register_symmetric_view(
        Kokkos::subview(own, Kokkos::make_pair(first, first + 100)));
  });
  EXPECT_THAT(text, AllOf(HasSubstr("PE 0 called"), HasSubstr("start = 0"),
                          HasSubstr("start = 32")));
  EXPECT_EQ(n_registered(), 0U);
}

TEST(RegisteredViews, R09_different_sizes_are_a_mismatch) {
  if (symm::n_pes() == 1) GTEST_SKIP() << "needs two PEs";
  settle();
  // In memories of one size.
  int const extent = symm::my_pe() == 0 ? 1000 : 999;
  auto const own   = make_registrable_view<int*>("u", extent);
  EXPECT_THAT(refusal([&] { return register_symmetric_view(own); }),
              AllOf(HasSubstr("PE 0 called symm::register_symmetric_view "
                              "\"u\"(bytes = 4000"),
                    HasSubstr("bytes = 3996")));
  EXPECT_EQ(n_registered(), 0U);
}

TEST(RegisteredViews, R19_R22_belong_to_their_Views) {
  settle();
  auto const own  = make_registrable_view<int*>("u", 1000);
  auto const view = register_symmetric_view(own);
  expect_invalid(
      [&] {
        return symm::buffer_unregister_symmetric(const_cast<int*>(view.data()),
                                                 granule);
      },
      {"belongs to View \"u\""});
  testing::internal::CaptureStderr();
  symm::free(view.data());
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("is registered memory"));
  EXPECT_EQ(n_registered(), 1U);
}

TEST(RegisteredViews, R15_a_View_beyond_the_end_of_its_memory_is_refused) {
  settle();
  auto const own = make_registrable_view<char*, OrdinarySpace>("u", granule);
  Kokkos::View<char*, OrdinarySpace, Kokkos::MemoryUnmanaged> const beyond(
      own.data() + 256, granule);
  EXPECT_THAT(refusal([&] { return register_symmetric_view(beyond); }),
              HasSubstr("extends 256 bytes beyond its allocation of 2097152"));
  EXPECT_EQ(n_registered(), 0U);
}

/// Doubles whose size in bytes does not fit into 64 bits.
constexpr std::size_t huge = std::size_t{1} << 61U;

TEST(RegisteredViews, R15_more_than_there_are_addresses_is_refused_by_all) {
  settle();
  auto const own = make_registrable_view<double*, OrdinarySpace>("u", 100);
  Kokkos::View<double*, OrdinarySpace, Kokkos::MemoryUnmanaged> const wrong(
      own.data(), huge);
  for (symm::Pe odd = 0; odd < symm::n_pes(); ++odd) {
    EXPECT_THAT(refusal([&] {
                  if (odd == symm::my_pe()) {
                    return register_symmetric_view(wrong);
                  } else {
                    return register_symmetric_view(own);
                  }
                }),
                HasSubstr("failed: on PE " + std::to_string(odd) + ": View"));
  }
  EXPECT_THAT(refusal([&] { symm::register_view(wrong); }),
              HasSubstr("too large for any memory"));
  EXPECT_EQ(n_registered(), 0U);
}

TEST(LocalViews, B01_B12_are_registered_and_unregistered) {
  Kokkos::View<int**, Kokkos::HostSpace> const view("operand", 100, 100);
  symm::register_view(view);
  EXPECT_THAT(refusal([&] { symm::register_view(view); }),
              AllOf(HasSubstr("symm::register_view of \"operand\""),
                    HasSubstr("overlaps")));
  symm::unregister_view(view);
  EXPECT_THAT(refusal([&] { symm::unregister_view(view); }),
              HasSubstr("is not the start of a registered buffer"));
  // An empty View is none, wherever it points.
  Kokkos::View<int*, Kokkos::HostSpace> const empty("empty", 0);
  symm::register_view(empty);
  symm::unregister_view(empty);
  symm::register_view(view);
  symm::unregister_view(Kokkos::subview(view, Kokkos::make_pair(0, 0), 0));
  symm::unregister_view(view);
}

TEST(LocalViews, B03_Views_of_the_symmetric_space_need_none) {
  Kokkos::View<int*, symm::SymmetricSpace> const view("symmetric", 100);
  EXPECT_THAT(refusal([&] { symm::register_view(view); }),
              HasSubstr("in the symmetric heap, which needs no registration"));
}

}  // namespace
