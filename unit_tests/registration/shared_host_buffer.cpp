// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Host memory of the program that peers copy to and from.

#include <memory>
#include <optional>
#include <utility>

#include <support/ProcessResources.hpp>
#include <support/Sanitizers.hpp>
#include <support/gpu.hpp>

#include "shared_buffers.hpp"

namespace {

using namespace symm_test;

class SharedHostBuffers : public SharedBuffers {};

constexpr std::size_t odd_counts[] = {0, 1, 2, 3, 511, 512, 513, 8191, 100'003};

TEST_F(SharedHostBuffers, put_reaches_every_element_of_every_pe) {
  auto const me = symm::my_pe();
  for (std::size_t const count : odd_counts) {
    // One region for each sender, and an element between two of them.
    auto const region = [&](Pe from) {
      return static_cast<std::size_t>(from) * (count + 1);
    };
    GuardedWords own(region(symm::n_pes()));
    SharedHostBuffer<Word> const buffer(own.data(), own.count());
    for (Pe to = 0; to < symm::n_pes(); ++to) {
      GuardedWords source(count);
      source.fill({me, to});
      buffer.put(region(me), source.data(), count, to);
      source.fill({me, to, 1});  // done: it can be used again
    }
    symm::barrier_all();
    std::size_t touched = 0;
    for (Pe from = 0; from < symm::n_pes(); ++from) {
      EXPECT_EQ(own.n_wrong({from, me}, region(from), count), 0U)
          << count << " from PE " << from;
      touched += own[region(from) + count] != GuardedWords(1)[0] ? 1U : 0U;
    }
    EXPECT_EQ(touched, 0U) << "elements between two regions";
    EXPECT_EQ(own.n_touched_outside(0, own.count()), 0U);
    symm::barrier_all();
  }
}

TEST_F(SharedHostBuffers, get_fetches_every_element_of_every_pe) {
  auto const me = symm::my_pe();
  for (std::size_t const count : odd_counts) {
    GuardedWords own(count);
    own.fill({me, me});
    SharedHostBuffer<Word> const buffer(own.data(), own.count());
    for (Pe from = 0; from < symm::n_pes(); ++from) {
      GuardedWords dest(count + 2);
      buffer.get(dest.data() + 1, 0, count, from);
      EXPECT_EQ(dest.n_wrong({from, from}, 1, count), 0U)
          << count << " from PE " << from;
      EXPECT_EQ(dest.n_touched_outside(1, 1 + count), 0U);
    }
    symm::barrier_all();
    EXPECT_EQ(own.n_wrong({me, me}, 0, count), 0U);
  }
}

TEST_F(SharedHostBuffers, a_part_is_put_and_fetched_at_an_odd_offset) {
  auto const me               = symm::my_pe();
  constexpr std::size_t at    = 3;
  constexpr std::size_t count = 1001;
  GuardedWords own(2 * count);
  SharedHostBuffer<Word> const buffer(own.data(), own.count());
  GuardedWords source(count);
  source.fill({me, right()});
  buffer.put(at, source.data(), count, right());
  symm::barrier_all();
  EXPECT_EQ(own.n_wrong({left(), me}, at, count), 0U);
  EXPECT_EQ(own.n_touched_outside(at, at + count), 0U);
  GuardedWords dest(2);
  buffer.get(dest.data(), at + count - 1, 2, right());
  EXPECT_EQ(dest[0], pattern({me, right()}, count - 1));
  EXPECT_EQ(dest[1], GuardedWords(1)[0]) << "the element behind it";
  symm::barrier_all();
}

TEST_F(SharedHostBuffers, counts_differ_between_pes_and_may_be_0) {
  auto const me       = symm::my_pe();
  auto const count_of = [](Pe pe) {
    return static_cast<std::size_t>(pe) * static_cast<std::size_t>(pe) * 1003;
  };
  GuardedWords own(count_of(me));
  own.fill({me, me});
  SharedHostBuffer<Word> const buffer(me == 0 ? nullptr : own.data(),
                                      count_of(me));
  for (Pe pe = 0; pe < symm::n_pes(); ++pe) {
    EXPECT_EQ(buffer.count(pe), count_of(pe));
    GuardedWords dest(count_of(pe));
    buffer.get(dest.data(), 0, count_of(pe), pe);
    EXPECT_EQ(dest.n_wrong({pe, pe}, 0, count_of(pe)), 0U);
    buffer.get(nullptr, count_of(pe), 0, pe);
    buffer.put(count_of(pe), nullptr, 0, pe);
  }
  symm::barrier_all();
}

TEST_F(SharedHostBuffers, no_pe_needs_to_have_elements) {
  SharedHostBuffer<Word> buffer(nullptr, 0);
  for (Pe pe = 0; pe < symm::n_pes(); ++pe) EXPECT_EQ(buffer.count(pe), 0U);
  buffer.close();
}

TEST_F(SharedHostBuffers, blocks_of_64_MiB_arrive) {
  constexpr std::size_t count = (std::size_t{1} << 23U) + 1;
  auto const me               = symm::my_pe();
  Pe const last               = symm::n_pes() - 1;
  GuardedWords own(me == last ? count : 0);
  SharedHostBuffer<Word> const buffer(own.data(), own.count());
  GuardedWords mine(me == 0 ? count : 0);
  if (me == 0) {
    mine.fill({0, last});
    buffer.put(0, mine.data(), count, last);
  }
  symm::barrier_all();
  if (me == last) {
    EXPECT_EQ(own.n_wrong({0, last}, 0, count), 0U);
    EXPECT_EQ(own.n_touched_outside(0, count), 0U);
    own.fill({last, 0, 1});
  }
  symm::barrier_all();
  if (me == 0) {
    buffer.get(mine.data(), 0, count, last);
    EXPECT_EQ(mine.n_wrong({last, 0, 1}, 0, count), 0U);
    EXPECT_EQ(mine.n_touched_outside(0, count), 0U);
  }
  symm::barrier_all();
}

/// More bytes than the system moves in a call (2 GiB less a page), in a few
/// pages of memory that are mapped again and again.
class ManyPages {
 public:
  static constexpr std::size_t block = std::size_t{1} << 22U;
  static constexpr std::size_t bytes = 513 * block + 1;

  ManyPages() {
    int const file = ::memfd_create("many_pages", MFD_CLOEXEC);
    EXPECT_EQ(::ftruncate(file, static_cast<off_t>(block)), 0);
    m_start = static_cast<char*>(::mmap(nullptr, bytes + block,
                                        PROT_READ | PROT_WRITE,
                                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    EXPECT_NE(m_start, MAP_FAILED);
    for (std::size_t at = 0; at + block < bytes; at += block) {
      EXPECT_NE(::mmap(m_start + at, block, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_FIXED, file, 0),
                MAP_FAILED);
    }
    EXPECT_EQ(::close(file), 0);
  }
  ManyPages(ManyPages const&)            = delete;
  ManyPages& operator=(ManyPages const&) = delete;
  ~ManyPages() { EXPECT_EQ(::munmap(m_start, bytes + block), 0); }

  [[nodiscard]] char* data() const { return m_start; }
  /// The byte behind all blocks, the only one that no other stands for.
  [[nodiscard]] char& last() const { return m_start[bytes - 1]; }

 private:
  char* m_start = nullptr;
};

TEST_F(SharedHostBuffers, what_the_system_moves_in_two_calls_arrives_whole) {
  auto const me = symm::my_pe();
  std::optional<ManyPages> pages;
  if (me < 2) pages.emplace();  // what they show is the same for any pair
  SharedHostBuffer<char> const buffer(pages ? pages->data() : nullptr,
                                      pages ? ManyPages::bytes : 0);
  if (me == 0 && symm::n_pes() > 1) {
    pages->last() = 17;
    buffer.put(0, pages->data(), ManyPages::bytes, 1);
  }
  symm::barrier_all();
  if (me == 1) {
    EXPECT_EQ(pages->last(), 17);
    pages->last() = 18;
  }
  symm::barrier_all();
  if (me == 0 && symm::n_pes() > 1) {
    buffer.get(pages->data(), 0, ManyPages::bytes, 1);
    EXPECT_EQ(pages->last(), 18);
  }
  symm::barrier_all();
}

TEST_F(SharedHostBuffers,
       elements_of_a_pe_itself_are_moved_even_if_they_overlap) {
  auto const me = symm::my_pe();
  GuardedWords own(1000);
  own.fill({me, me});
  SharedHostBuffer<Word> const buffer(own.data(), own.count());
  buffer.put(10, own.data(), 900, me);
  EXPECT_EQ(own.n_wrong({me, me}, 10, 900), 0U);
  buffer.get(own.data(), 10, 900, me);
  EXPECT_EQ(own.n_wrong({me, me}, 0, 900), 0U);
  EXPECT_EQ(own.n_touched_outside(0, 1000), 0U);
  symm::barrier_all();
}

TEST_F(SharedHostBuffers, elements_have_any_size) {
  struct Particle {
    double position[3];
    char kind;
  };
  auto const me       = symm::my_pe();
  auto const particle = [](Pe from, std::size_t i) {
    auto const number =
        static_cast<double>(from * 1000) + static_cast<double>(i);
    return Particle{{number, number + 0.25, number + 0.5},
                    static_cast<char>(i % 100)};
  };
  auto* const own = new Particle[77]{};
  SharedHostBuffer<Particle> buffer(own, 77);
  Particle const sent = particle(me, 76);
  buffer.put(76, &sent, 1, right());
  symm::barrier_all();
  EXPECT_EQ(own[76].position[2], particle(left(), 76).position[2]);
  EXPECT_EQ(own[76].kind, 76);
  EXPECT_EQ(own[75].position[2], 0);
  buffer.close();
  delete[] own;
}

TEST_F(SharedHostBuffers, const_elements_are_read_by_peers) {
  auto const me = symm::my_pe();
  GuardedWords own(100);
  own.fill({me, me});
  SharedHostBuffer<Word const> const buffer(own.data(), own.count());
  GuardedWords dest(100);
  buffer.get(dest.data(), 0, 100, right());
  EXPECT_EQ(dest.n_wrong({right(), right()}, 0, 100), 0U);
  symm::barrier_all();
}

TEST_F(SharedHostBuffers, two_at_once_keep_apart_even_of_the_same_memory) {
  auto const me = symm::my_pe();
  GuardedWords a(100);
  GuardedWords b(50);
  SharedHostBuffer<Word> const of_a(a.data(), a.count());
  SharedHostBuffer<Word> const of_b(b.data(), b.count());
  SharedHostBuffer<char> const of_a_too(reinterpret_cast<char*>(a.data()),
                                        a.count() * sizeof(Word));
  GuardedWords source(100);
  source.fill({me, right(), 1});
  of_a.put(0, source.data(), 99, right());
  of_a_too.put(99 * sizeof(Word),
               reinterpret_cast<char const*>(source.data() + 99), sizeof(Word),
               right());
  source.fill({me, right(), 2});
  of_b.put(0, source.data(), 50, right());
  symm::barrier_all();
  EXPECT_EQ(a.n_wrong({left(), me, 1}, 0, 100), 0U);
  EXPECT_EQ(b.n_wrong({left(), me, 2}, 0, 50), 0U);
  symm::barrier_all();
}

TEST_F(SharedHostBuffers, memory_can_be_freed_when_close_returns) {
  auto const me = symm::my_pe();
  for (int round = 0; round < 20; ++round) {
    auto own = std::make_unique<GuardedWords>(1000);
    SharedHostBuffer<Word> buffer(own->data(), own->count());
    GuardedWords source(1000);
    source.fill({me, right()});
    buffer.put(0, source.data(), 1000, right());
    buffer.close();  // what was put before is there
    EXPECT_EQ(own->n_wrong({left(), me}, 0, 1000), 0U);
    own.reset();
  }
}

TEST_F(SharedHostBuffers, the_destructor_is_local_and_runs_in_any_order) {
  auto const me = symm::my_pe();
  GuardedWords own(10);
  own.fill({me, me});
  std::vector<std::optional<SharedHostBuffer<Word>>> buffers(3);
  for (auto& buffer : buffers) buffer.emplace(own.data(), own.count());
  auto const calls = n_calls();
  for (std::size_t i = 0; i < 2; ++i) {
    buffers[(i + static_cast<std::size_t>(me)) % 3].reset();
  }
  EXPECT_EQ(n_calls(), calls);
  auto const& left_over = buffers[(2 + static_cast<std::size_t>(me)) % 3];
  GuardedWords dest(10);
  left_over->get(dest.data(), 0, 10, right());
  EXPECT_EQ(dest.n_wrong({right(), right()}, 0, 10), 0U);
  symm::barrier_all();
}

TEST_F(SharedHostBuffers, it_can_be_moved) {
  auto const me = symm::my_pe();
  GuardedWords own(10);
  GuardedWords other(20);
  own.fill({me, me});
  other.fill({me, me, 1});
  SharedHostBuffer<Word> first(own.data(), own.count());
  SharedHostBuffer<Word> second(other.data(), other.count());
  SharedHostBuffer<Word> moved(std::move(first));
  EXPECT_EQ(moved.count(right()), 10U);
  second = std::move(moved);
  EXPECT_EQ(second.count(right()), 10U);
  GuardedWords dest(10);
  second.get(dest.data(), 0, 10, right());
  EXPECT_EQ(dest.n_wrong({right(), right()}, 0, 10), 0U);
  second.close();
  EXPECT_THAT(
      message_of<symm::UsageError>([&] { static_cast<void>(moved.count(0)); }),
      HasSubstr("symm::SharedHostBuffer::count: the buffer is closed"));
}

TEST_F(SharedHostBuffers, hundreds_of_them_leave_nothing_behind) {
#ifdef SYMM_TEST_GPU
  constexpr int n_cycles = 300;  // the driver of a GPU takes ms for each
#else
  constexpr int n_cycles = 1000;
#endif
  GuardedWords own(100);
  auto const cycle = [&](int i) {
    SharedHostBuffer<Word> buffer(own.data(), own.count());
    Word const sent = pattern({symm::my_pe(), right()}, 0);
    buffer.put(7, &sent, 1, right());
    if (i % 2 == 0) buffer.close();
  };
  for (int i = 0; i < 10; ++i) cycle(i);
  symm::barrier_all();
  auto const descriptors = n_open_descriptors();
  auto const memory      = private_resident_bytes();
  for (int i = 0; i < fewer_if_sanitized(n_cycles); ++i) cycle(i);
  symm::barrier_all();
  EXPECT_EQ(n_open_descriptors(), descriptors);
  if (!is_sanitized) {
    EXPECT_LE(private_resident_bytes(), memory + 256 * 1024);
  }
  symm::barrier_all();
}

}  // namespace
