// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Giga updates per second: all threads on all PEs update words of one table in
// random order, wherever these words are (HPC Challenge, RandomAccess).
//
// Each update is one atomic operation on another PE's memory. No PE knows which
// of its words the others update, so the PEs could not wait for messages.
// Updates for PEs on other nodes travel in batches of many per message; a
// thread of the library performs them on the target node. The program is the
// same.

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace.hpp>
#include <algorithm>
#include <cinttypes>
#include <cstdint>
#include <cstdio>

#include "options.hpp"
#include "random.hpp"

namespace {

using Exec  = Kokkos::DefaultExecutionSpace;
using Words = Kokkos::View<std::uint64_t*, symm::SymmetricSpace>;

// The number of updates that each thread makes. The thread has to compute the
// first random number for these updates from scratch.
constexpr std::uint64_t chunk = 256;

// Word w of the table is number w % words_per_pe on PE w / words_per_pe. Update
// n uses random number n + 1, no matter which PE makes the update.
struct Problem {
  std::uint64_t words;
  std::uint64_t updates;
  std::uint64_t words_per_pe;

  KOKKOS_FUNCTION std::uint64_t word_of(std::uint64_t random) const {
    return random & (words - 1);  // a power of two
  }
  KOKKOS_FUNCTION int pe_of(std::uint64_t word) const {
    return static_cast<int>(word / words_per_pe);
  }
  KOKKOS_FUNCTION std::uint64_t first_word(int pe) const {
    return static_cast<std::uint64_t>(pe) * words_per_pe;
  }
};

Problem make_problem(gups::Options const& options) {
  auto const words = std::uint64_t{1} << options.log2_size;
  auto const n_pes = static_cast<std::uint64_t>(symm::n_pes());
  return {words, words * options.updates_per_word, (words + n_pes - 1) / n_pes};
}

// A range policy with `count` indices.
Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>> each_of(
    std::uint64_t count) {
  return {0, static_cast<std::int64_t>(count)};
}

// Updates first <= n < last in the sequence. One PE makes each update.
struct Updates {
  std::uint64_t first;
  std::uint64_t last;

  // Part `number` of `count` parts of nearly equal size.
  Updates part(int number, int count) const {
    return {border(number, count), border(number + 1, count)};
  }
  std::uint64_t chunks() const { return (last - first + chunk - 1) / chunk; }
  KOKKOS_FUNCTION Updates of_chunk(std::int64_t number) const {
    auto const from = first + static_cast<std::uint64_t>(number) * chunk;
    return {from, last - from < chunk ? last : from + chunk};
  }

 private:
  std::uint64_t border(int number, int count) const {
    auto const n     = static_cast<std::uint64_t>(number);
    auto const parts = static_cast<std::uint64_t>(count);
    auto const all   = last - first;
    return first + all / parts * n + all % parts * n / parts;
  }
};

void start_updates(Problem const& problem, Words const& words,
                   Updates const& mine, bool is_atomic) {
  auto const heap = symm::heap_map(words);
  Kokkos::parallel_for(
      "gups: update", each_of(mine.chunks()), KOKKOS_LAMBDA(std::int64_t c) {
        auto const updates   = mine.of_chunk(c);
        std::uint64_t random = gups::random_number(updates.first);
        for (auto n = updates.first; n < updates.last; ++n) {
          random             = gups::next_random(random);
          auto const word    = problem.word_of(random);
          int const pe       = problem.pe_of(word);
          auto* const target = &words(word - problem.first_word(pe));
          if (is_atomic)
            symm::atomic_xor(heap, target, random, pe);
          else
            symm::p(heap, target, symm::g(heap, target, pe) ^ random, pe);
        }
      });
}

// Makes all updates; each PE makes its part of them. Reports progress on PE 0
// if this takes long. Collective; returns the time in seconds.
double update_all(Problem const& problem, Words const& words, bool is_atomic,
                  char const* name) {
  Exec const exec;
  auto const mine =
      Updates{0, problem.updates}.part(symm::my_pe(), symm::n_pes());
  constexpr int parts = 10;
  symm::barrier_all(exec);  // no PE is still reading or writing the words
  Kokkos::Timer timer;
  double last_line = 0;
  for (int part = 0; part < parts; ++part) {
    start_updates(problem, words, mine.part(part, parts), is_atomic);
    exec.fence();
    if (symm::my_pe() != 0 || part + 1 == parts) continue;
    if (timer.seconds() - last_line < 1) continue;
    last_line = timer.seconds();
    std::printf("%s: %d %%, %.0f s\n", name, 100 * (part + 1) / parts,
                last_line);
    std::fflush(stdout);
  }
  symm::barrier_all(exec);  // all PEs' updates are done
  return timer.seconds();
}

// A checksum and a count over the table or over the updates.
struct Tally {
  std::uint64_t checksum = 0;
  std::uint64_t count    = 0;

  KOKKOS_FUNCTION Tally& operator+=(Tally const& other) {
    checksum ^= other.checksum;
    count += other.count;
    return *this;
  }
  // Adds the contribution of `value`, xored into word `word`, to the checksum.
  // The contribution depends on the word. Several values for one word
  // contribute the same as their xor.
  KOKKOS_FUNCTION void add(std::uint64_t value, std::uint64_t word) {
    checksum ^= gups::product(value, word + 1);
  }
};

// The combined tallies of all PEs, on every PE. Collective.
Tally over_pes(Tally const& mine) {
  return symm::reduce(symm::team_world(), mine,
                      [](Tally sum, Tally const& its) { return sum += its; });
}

// The number of words in this PE's part that belong to the table.
std::uint64_t words_here(Problem const& problem) {
  auto const first = problem.first_word(symm::my_pe());
  return first < problem.words
             ? std::min(problem.words - first, problem.words_per_pe)
             : 0;
}

// Initially, the value of each word is the word's number in the table.
void fill(Problem const& problem, Words const& words) {
  auto const first = problem.first_word(symm::my_pe());
  Kokkos::parallel_for(
      "gups: fill", each_of(words_here(problem)),
      KOKKOS_LAMBDA(std::int64_t i) {
        words(i) = first + static_cast<std::uint64_t>(i);
      });
}

// The changes since fill(): the checksum and the number of words. Collective.
Tally changes_of(Problem const& problem, Words const& words) {
  auto const first = problem.first_word(symm::my_pe());
  Tally mine;
  Kokkos::parallel_reduce(
      "gups: changes", each_of(words_here(problem)),
      KOKKOS_LAMBDA(std::int64_t i, Tally & tally) {
        auto const word = first + static_cast<std::uint64_t>(i);
        tally.add(words(i) ^ word, word);
        if (words(i) != word) ++tally.count;
      },
      mine);
  return over_pes(mine);
}

// The changes that the updates should have made, computed from the random
// numbers alone: the checksum, and the number of updates to other PEs' words.
// Collective.
Tally expected_changes(Problem const& problem) {
  int const me       = symm::my_pe();
  auto const updates = Updates{0, problem.updates}.part(me, symm::n_pes());
  Tally mine;
  Kokkos::parallel_reduce(
      "gups: expected changes", each_of(updates.chunks()),
      KOKKOS_LAMBDA(std::int64_t c, Tally & tally) {
        auto const some      = updates.of_chunk(c);
        std::uint64_t random = gups::random_number(some.first);
        for (auto n = some.first; n < some.last; ++n) {
          random          = gups::next_random(random);
          auto const word = problem.word_of(random);
          tally.add(random, word);
          if (problem.pe_of(word) != me) ++tally.count;
        }
      },
      mine);
  return over_pes(mine);
}

// Returns, on every PE, whether the result is correct.
bool run(gups::Options const& options) {
  auto const problem = make_problem(options);
  Words const words(Kokkos::view_alloc("words", Kokkos::WithoutInitializing),
                    problem.words_per_pe);
  fill(problem, words);
  double const seconds =
      update_all(problem, words, options.is_atomic, "updates");

  auto const found    = changes_of(problem, words);
  auto const expected = expected_changes(problem);
  // Making all updates once more cancels them. Any difference left is an update
  // that was lost or went to the wrong word.
  update_all(problem, words, true, "updates once more, for verification");
  auto const wrong = changes_of(problem, words).count;

  bool const is_correct = found.checksum == expected.checksum && wrong == 0;
  if (symm::my_pe() != 0) return is_correct;

  auto const updates = static_cast<double>(problem.updates);
  std::printf("%" PRIu64 " words on %d PEs, %" PRIu64
              " %s updates, %.1f %% of another PE's words\n",
              problem.words, symm::n_pes(), problem.updates,
              options.is_atomic ? "atomic" : "plain",
              100 * static_cast<double>(expected.count) / updates);
  std::printf("time: %.4g s, %.4g giga updates per second\n", seconds,
              updates / seconds * 1e-9);
  std::printf("checksum: %016" PRIx64 ", expected %016" PRIx64 "\n",
              found.checksum, expected.checksum);
  std::printf("errors: %" PRIu64 " words: %s\n", wrong,
              is_correct ? "correct" : "WRONG");
  return is_correct;
}

}  // namespace

int main(int argc, char* argv[]) {
  try {
    symm::ScopeGuard const guard(argc, argv);
    try {
      auto const options = gups::parse_options(argc, argv);
      if (!options.help) return run(options) ? 0 : 1;
      if (symm::my_pe() == 0) std::fputs(gups::help_text().c_str(), stdout);
      return 0;
    } catch (gups::UsageError const& error) {
      if (symm::my_pe() == 0) std::fprintf(stderr, "gups: %s\n", error.what());
      return 2;
    }
  } catch (symm::Error const& error) {
    // A collective call fails on all PEs or on none, so no PE is waiting for
    // this one.
    std::fprintf(stderr, "gups: %s\n", error.what());
    return 1;
  }
}
