// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// What an atomic operation on a word of another PE costs.
//
// PE 0 works on a word of PE 1, one operation after the other. Those that
// return a value are over when they do; a set is followed by quiet, so that it
// is over, too; additions that return nothing are issued one after the other,
// with one quiet at the end: the time of one is then the inverse of their rate.
//
// "symm" is the call with a symmetric address and a PE, as OpenSHMEM has it,
// with its checks; "global_view" that on the address of an element. "private"
// is the same instruction on private memory. The word stays in the first-level
// cache of PE 0 in all, because PE 1 does not look at it meanwhile.

#include <Kokkos_SymmetricSpace.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "baselines/OpenShmem.hpp"
#include "harness/OneSided.hpp"
#include "harness/PrivateBuffer.hpp"
#include "harness/Session.hpp"

namespace perf::atomics_benchmark {
namespace {

/// PE `pe`'s copy of a symmetric word.
struct OfPe {
  std::uint64_t* word;
  int pe;

  std::uint64_t fetch_add() const {
    return symm::atomic_fetch_add(word, 1, pe);
  }
  std::uint64_t fetch(std::uint64_t offset) const {
    return symm::atomic_fetch(word + offset, pe);
  }
  void set(std::uint64_t value) const { symm::atomic_set(word, value, pe); }
  std::uint64_t compare_swap(std::uint64_t compare, std::uint64_t value) const {
    return symm::atomic_compare_swap(word, compare, value, pe);
  }
  void add() const { symm::atomic_add(word, 1, pe); }
};

/// A word that the PE reaches at this address.
struct At {
  std::uint64_t* word;

  std::uint64_t fetch_add() const { return symm::atomic_fetch_add(word, 1); }
  std::uint64_t fetch(std::uint64_t offset) const {
    return symm::atomic_fetch(word + offset);
  }
  void set(std::uint64_t value) const { symm::atomic_set(word, value); }
  std::uint64_t compare_swap(std::uint64_t compare, std::uint64_t value) const {
    return symm::atomic_compare_swap(word, compare, value);
  }
  void add() const { symm::atomic_add(word, 1); }
};

/// What `iterations` operations leave in the word, and what the last one
/// returned: 0, if it returns nothing.
struct Outcome {
  std::uint64_t left;
  std::uint64_t last;
};

// The operations: `before` is what is in the word before the first one.

struct FetchAdd {
  static constexpr auto name = "fetch_add";
  template <class Word>
  [[gnu::noinline]] static std::uint64_t run(Word word,
                                             std::uint64_t /*before*/,
                                             std::int64_t iterations) {
    std::uint64_t last = 0;
    for (std::int64_t n = 0; n < iterations; ++n) last = word.fetch_add();
    return last;
  }
  static std::uint64_t run_openshmem(std::uint64_t* word,
                                     std::uint64_t /*before*/, int pe,
                                     std::int64_t iterations) {
    return openshmem::fetch_add_word(word, pe, iterations);
  }
  static Outcome outcome(std::uint64_t before, std::uint64_t iterations) {
    return {before + iterations, before + iterations - 1};
  }
};

/// Of a word that is 0: each tells the address of the next one.
struct Fetch {
  static constexpr auto name = "fetch";
  template <class Word>
  [[gnu::noinline]] static std::uint64_t run(Word word,
                                             std::uint64_t /*before*/,
                                             std::int64_t iterations) {
    std::uint64_t last = 0;
    for (std::int64_t n = 0; n < iterations; ++n) last = word.fetch(last);
    return last;
  }
  static std::uint64_t run_openshmem(std::uint64_t* word,
                                     std::uint64_t /*before*/, int pe,
                                     std::int64_t iterations) {
    return openshmem::fetch_word(word, pe, iterations);
  }
  static Outcome outcome(std::uint64_t before, std::uint64_t /*iterations*/) {
    return {before, before};
  }
};

struct SetAndQuiet {
  static constexpr auto name = "set, quiet";
  template <class Word>
  [[gnu::noinline]] static std::uint64_t run(Word word,
                                             std::uint64_t /*before*/,
                                             std::int64_t iterations) {
    for (std::int64_t n = 0; n < iterations; ++n) {
      word.set(static_cast<std::uint64_t>(n) + 1);
      symm::quiet();
    }
    return 0;
  }
  static std::uint64_t run_openshmem(std::uint64_t* word,
                                     std::uint64_t /*before*/, int pe,
                                     std::int64_t iterations) {
    openshmem::set_word(word, pe, iterations);
    return 0;
  }
  static Outcome outcome(std::uint64_t /*before*/, std::uint64_t iterations) {
    return {iterations, 0};
  }
};

struct CompareSwap {
  static constexpr auto name = "compare_swap";
  template <class Word>
  [[gnu::noinline]] static std::uint64_t run(Word word, std::uint64_t before,
                                             std::int64_t iterations) {
    std::uint64_t last = before;
    for (std::int64_t n = 0; n < iterations; ++n, ++before)
      last = word.compare_swap(before, before + 1);
    return last;
  }
  static std::uint64_t run_openshmem(std::uint64_t* word, std::uint64_t before,
                                     int pe, std::int64_t iterations) {
    return openshmem::compare_swap_word(word, before, pe, iterations);
  }
  static Outcome outcome(std::uint64_t before, std::uint64_t iterations) {
    return {before + iterations, before + iterations - 1};
  }
};

struct Add {
  static constexpr auto name = "add";
  template <class Word>
  [[gnu::noinline]] static std::uint64_t run(Word word,
                                             std::uint64_t /*before*/,
                                             std::int64_t iterations) {
    for (std::int64_t n = 0; n < iterations; ++n) word.add();
    symm::quiet();
    return 0;
  }
  static std::uint64_t run_openshmem(std::uint64_t* word,
                                     std::uint64_t /*before*/, int pe,
                                     std::int64_t iterations) {
    openshmem::add_word(word, pe, iterations);
    return 0;
  }
  static Outcome outcome(std::uint64_t before, std::uint64_t iterations) {
    return {before + iterations, 0};
  }
};

/// What is in a word now, as far as PE 0 knows, and how often a call returned
/// something else than it should have.
struct Expected {
  std::uint64_t left = 0;
  std::int64_t wrong = 0;

  template <class Operation>
  void note(std::uint64_t last, std::int64_t iterations) {
    auto const outcome =
        Operation::outcome(left, static_cast<std::uint64_t>(iterations));
    wrong += last != outcome.last ? 1 : 0;
    left = outcome.left;
  }
};

template <class Operation>
void measure_operation(Session& session, OneSided const& pair) {
  int const peer = pair.peer();
  Words const words("symm", 1);
  Words const global_words("global_view", 1);
  PrivateBuffer const buffer(sizeof(std::uint64_t));
  auto const everywhere      = symm::global_view(words);
  auto const global          = symm::global_view(global_words);
  std::uint64_t* shmem_word  = nullptr;
  std::string const name     = std::string(Operation::name) + ", ";
  std::string const baseline = name + "private";
  Expected of_private;
  Expected of_symm;
  Expected of_global;
  Expected of_shmem;
  auto const contestant = [&](char const* how, auto word, Expected& expected) {
    return Contestant{name + how, name + how == baseline ? "" : baseline,
                      pair.active([&expected, word](std::int64_t n) {
                        expected.note<Operation>(
                            Operation::run(word, expected.left, n), n);
                      })};
  };
  std::vector<Contestant> contestants{
      contestant("private", At{buffer.data()}, of_private),
      contestant("symm", OfPe{words.data(), peer}, of_symm),
      contestant("global_view", At{&global(peer, 0)}, of_global)};
  if (openshmem::available()) {
    shmem_word =
        static_cast<std::uint64_t*>(openshmem::allocate(sizeof(std::uint64_t)));
    *shmem_word = 0;
    openshmem::barrier();
    contestants.push_back(
        {name + "OpenSHMEM", "", pair.active([&](std::int64_t n) {
           of_shmem.note<Operation>(
               Operation::run_openshmem(shmem_word, of_shmem.left, peer, n), n);
         })});
    contestants[1].baseline = contestants.back().name;
  }
  symm::barrier_all();
  session.compare({{{"bytes", 8}}}, contestants);

  std::int64_t wrong =
      of_private.wrong + of_symm.wrong + of_global.wrong + of_shmem.wrong;
  if (pair.is_active()) {
    wrong += *buffer.data() != of_private.left ? 1 : 0;
    wrong += everywhere(peer, 0) != of_symm.left ? 1 : 0;
    wrong += global(peer, 0) != of_global.left ? 1 : 0;
    if (shmem_word != nullptr)
      wrong +=
          openshmem::get_word(shmem_word, peer, 1) != of_shmem.left ? 1 : 0;
  }
  session.verify(name + "values returned and left", wrong);
  if (shmem_word != nullptr) openshmem::deallocate(shmem_word);
}

void measure(Session& session) {
  OneSided const pair(session);
  measure_operation<FetchAdd>(session, pair);
  measure_operation<Fetch>(session, pair);
  measure_operation<SetAndQuiet>(session, pair);
  measure_operation<CompareSwap>(session, pair);
  measure_operation<Add>(session, pair);
}

Registered const registered{"atomics", measure};

}  // namespace
}  // namespace perf::atomics_benchmark
