// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Where the bytes are, and how they are reached: neighbors in a word,
// functions that call functions, pointers, copies of the language and its
// library.

#include <algorithm>
#include <cstring>
#include <thread>

#include "cases.hpp"

namespace symm_test {
namespace {

using enum Expected;

char* bytes(Bed const& b) { return reinterpret_cast<char*>(b.w()); }

[[gnu::noinline]] void store_deep(Word* to, int depth) {
  if (depth == 0)
    *to = 1;
  else
    store_deep(to, depth - 1);
}
[[gnu::noinline]] Word* same(Word* address) { return address; }
[[gnu::noinline]] void store_first(Word* to) { to[0] = 1; }
[[gnu::noinline]] void store_second(Word* to) { to[1] = 1; }

struct Pair {
  Word first;
  Word second;
};
struct Block {
  Word words[16];
};

void get_one(Bed const& b) {
  if (b.me == 0) see(symm::g(b.w(), 1));
}

Case const cases[] = {
    // Bytes of one word.
    {"p_of_two_bytes_of_a_word", none,
     [](Bed const& b) {
       if (b.me == 0) symm::p(bytes(b), 'a', 1);
       if (b.me == 2) symm::p(bytes(b) + 1, 'b', 1);
       symm::barrier_all();
       if (b.me == 1) b.expect(bytes(b)[0] + bytes(b)[1], 'a' + 'b');
     },
     3},
    {"p_and_store_of_two_bytes_of_a_word", none,
     [](Bed const& b) {
       if (b.me == 0) symm::p(bytes(b) + 5, 'a', 1);
       if (b.me == 1) bytes(b)[4] = 'b';
     }},
    {"p_of_one_byte_twice", race,
     [](Bed const& b) {
       if (b.me == 0) symm::p(bytes(b) + 3, 'a', 1);
       if (b.me == 2) symm::p(bytes(b) + 3, 'b', 1);
     },
     3},
    {"p_of_a_byte_load_of_its_word", race,
     [](Bed const& b) {
       if (b.me == 0) symm::p(bytes(b) + 3, 'a', 1);
       if (b.me == 1) see(b.words(0));
     }},
    {"put_of_odd_bytes_that_meet", none,
     [](Bed const& b) {
       auto const* const mine = reinterpret_cast<char const*>(b.m());
       if (b.me == 0) symm::put(bytes(b) + 1, mine, 10, 1);
       if (b.me == 2) symm::put(bytes(b) + 11, mine, 10, 1);
     },
     3},
    {"put_of_odd_bytes_that_overlap", race,
     [](Bed const& b) {
       auto const* const mine = reinterpret_cast<char const*>(b.m());
       if (b.me == 0) symm::put(bytes(b) + 1, mine, 11, 1);
       if (b.me == 2) symm::put(bytes(b) + 11, mine, 10, 1);
     },
     3},
    {"halves_of_a_word", none,
     [](Bed const& b) {
       auto* const halves = reinterpret_cast<std::int32_t*>(b.w());
       if (b.me == 0) symm::p(halves, 1, 1);
       if (b.me == 1) halves[1] = 2;
     }},
    {"words_at_one_place_of_two_PEs", none,  // the same symmetric address
     [](Bed const& b) {
       if (b.me == 0) symm::p(b.w(), 1, 1);
       if (b.me == 0) b.words(0) = 2;
       if (b.me == 2) b.words(0) = 3;
       symm::barrier_all();
       if (b.me == 1) b.expect(b.words(0), 1);
     }},

    // Ways to access.
    {"get_and_store_in_nested_calls", race,
     [](Bed const& b) {
       get_one(b);
       if (b.me == 1) store_deep(b.w(), 6);
     }},
    {"get_and_store_by_another_pointer", race,
     [](Bed const& b) {
       get_one(b);
       if (b.me != 1) return;
       Word* const end = same(b.w() + Bed::n_words);
       end[-static_cast<std::ptrdiff_t>(Bed::n_words)] = 1;
     }},
    {"get_and_store_by_a_function_pointer", race,
     [](Bed const& b) {
       get_one(b);
       auto* const function = b.me == 1 ? store_first : store_second;
       if (b.me == 1) function(b.w());
     }},
    {"get_and_store_beside_by_a_function_pointer", none,
     [](Bed const& b) {
       get_one(b);
       auto* const function = b.me == 1 ? store_second : store_first;
       if (b.me == 1) function(b.w());
     }},
    {"get_and_copy_of_a_struct", race,
     [](Bed const& b) {
       get_one(b);
       if (b.me == 1) *reinterpret_cast<Block*>(b.w()) = Block{};
     }},
    {"get_and_store_to_a_member", race,
     [](Bed const& b) {
       if (b.me == 0) see(symm::g(b.w() + 3, 1));
       if (b.me == 1) reinterpret_cast<Pair*>(b.w())[1].second = 1;
     }},
    {"get_and_store_to_another_member", none,
     [](Bed const& b) {
       if (b.me == 0) see(symm::g(b.w() + 3, 1));
       if (b.me == 1) reinterpret_cast<Pair*>(b.w())[1].first = 1;
     }},
    {"get_and_memcpy", race,
     [](Bed const& b) {
       get_one(b);
       if (b.me == 1) std::memcpy(b.w(), b.m(), 8 * sizeof(Word));
     }},
    {"get_and_memset", race,
     [](Bed const& b) {
       get_one(b);
       if (b.me == 1) std::memset(b.w(), 1, 8 * sizeof(Word));
     }},
    {"put_and_memcmp", race,
     [](Bed const& b) {
       if (b.me == 0) symm::put(b.w(), b.m(), 8, 1);
       if (b.me == 1) see(std::memcmp(b.m(), b.w(), 8 * sizeof(Word)));
     }},
    {"put_and_memcpy_from", race,
     [](Bed const& b) {
       if (b.me == 0) symm::put(b.w(), b.m(), 4, 1);
       if (b.me == 1) std::memcpy(b.m(), b.w(), 8 * sizeof(Word));
     }},
    {"get_and_std_fill", race,
     [](Bed const& b) {
       get_one(b);
       if (b.me == 1) std::fill(b.w(), b.w() + 8, Word{1});
     }},
    {"get_and_std_copy", race,
     [](Bed const& b) {
       get_one(b);
       if (b.me == 1) std::copy(b.m(), b.m() + 8, b.w());
     }},
    {"put_and_std_count", race,
     [](Bed const& b) {
       if (b.me == 0) symm::put(b.w(), b.m(), 4, 1);
       if (b.me == 1) see(std::count(b.w(), b.w() + 8, Word{1}));
     }},
    {"get_and_increment", race,
     [](Bed const& b) {
       get_one(b);
       if (b.me == 1) ++b.words(0);
     }},

    // Registered memory has two addresses: the program's, and that in the heap.
    {"registered_store_elsewhere_load_by_the_programs_address", race,
     [](Bed const& b) {
       auto const own =
           symm::make_registrable_view<Word*, Kokkos::HostSpace>("own", 8);
       auto const both = symm::register_symmetric_view(own);
       if (b.me == 0) symm::p(both.data(), 7, 1);
       if (b.me == 1) see(own(0));
       symm::barrier_all();
     }},
    {"registered_store_elsewhere_barrier_load_by_the_programs_address", none,
     [](Bed const& b) {
       auto const own =
           symm::make_registrable_view<Word*, Kokkos::HostSpace>("own", 8);
       auto const both = symm::register_symmetric_view(own);
       if (b.me == 0) symm::p(both.data(), 7, 1);
       symm::barrier_all();
       if (b.me == 1) b.expect(own(0), 7);
     }},
    {"registered_store_by_the_programs_address_get", race,
     [](Bed const& b) {
       auto const own =
           symm::make_registrable_view<Word*, Kokkos::HostSpace>("own", 8);
       auto const both = symm::register_symmetric_view(own);
       if (b.me == 1) own(3) = 7;
       if (b.me == 0) see(symm::g(both.data() + 3, 1));
       symm::barrier_all();
     }},
    {"registered_put_nbi_from_the_programs_address_store", race,
     [](Bed const& b) {
       auto const own =
           symm::make_registrable_view<Word*, Kokkos::HostSpace>("own", 8);
       auto const both = symm::register_symmetric_view(own);
       if (b.me == 0) {
         symm::put_nbi(b.w(), own.data(), 8, 1);
         both(2) = 1;
       }
       symm::barrier_all();
     }},
    {"registered_again_after_its_end", none,
     [](Bed const& b) {
       for (int i = 0; i < 2; ++i) {
         auto const own =
             symm::make_registrable_view<Word*, Kokkos::HostSpace>("own", 8);
         auto const both = symm::register_symmetric_view(own);
         if (b.me == 0) symm::p(both.data(), i + 1, 1);
         symm::barrier_all();
         if (b.me == 1) b.expect(own(0), i + 1);
       }
     }},

    // Elements of a RemoteView.
    {"get_nbi_of_an_element_load", race,
     [](Bed const& b) {
       Word value = 0;
       if (b.me == 0) {
         symm::remote_view(b.words)(1, 0).get_nbi(&value);
         see(value);
       }
       symm::barrier_all();
     }},
    {"get_nbi_of_an_element_quiet_load", none,
     [](Bed const& b) {
       Word value = 1;
       if (b.me != 0) return;
       symm::remote_view(b.words)(1, 0).get_nbi(&value);
       symm::quiet();
       b.expect(value, 0);
     }},
    {"get_nbi_of_an_element_barrier_its_store", none,
     [](Bed const& b) {
       Word value = 1;
       if (b.me == 0) symm::remote_view(b.words)(1, 0).get_nbi(&value);
       symm::barrier_all();
       if (b.me == 0) b.expect(value, 0);
       if (b.me == 1) b.words(0) = 1;
     }},
    {"get_nbi_of_an_element_and_its_store", race,
     [](Bed const& b) {
       Word value = 1;
       if (b.me == 0) symm::remote_view(b.words)(1, 0).get_nbi(&value);
       if (b.me == 1) b.words(0) = 1;
       symm::barrier_all();
     }},

    // Threads of one PE.
    {"put_of_a_thread_barrier_load", none,
     [](Bed const& b) {
       if (b.me == 0)
         std::thread([&] { symm::put(b.w(), b.m(), 4, 1); }).join();
       symm::barrier_all();
       if (b.me == 1) b.expect(b.words(0), 0);
     }},
    {"put_of_a_thread_load", race,
     [](Bed const& b) {
       if (b.me == 0)
         std::thread([&] { symm::put(b.w(), b.m(), 4, 1); }).join();
       if (b.me == 1) see(b.words(0));
     }},
    {"get_nbi_quiet_of_a_thread_load", none,
     [](Bed const& b) {
       if (b.me != 0) return;
       std::thread([&] {
         symm::get_nbi(b.m(), b.w(), 4, 1);
         symm::quiet();
       }).join();
       b.expect(b.more(0), 0);
     }},
    {"get_and_store_of_a_thread", race,
     [](Bed const& b) {
       get_one(b);
       if (b.me == 1) std::thread([&] { b.words(0) = 1; }).join();
     }},
};

}  // namespace

std::span<Case const> placement_cases() { return cases; }

}  // namespace symm_test
