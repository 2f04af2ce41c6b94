// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Races between kernels of several PEs, on GPUs where there are any, each
// beside its remedy; and that elements which tell of their accesses are used as
// others are.

#include "races.hpp"

#include <chrono>
#include <thread>

namespace {

using Exec    = Kokkos::DefaultExecutionSpace;
using Space   = symm::SymmetricSpace;
using Word    = std::int64_t;
using Words   = Kokkos::View<Word*, Space>;
using Signals = Kokkos::View<symm::Signal*, Space>;
using Range   = Kokkos::RangePolicy<Exec>;
using symm::Compare;
using symm::SignalOp;

constexpr int n = 64;

symm::Pe next() { return (symm::my_pe() + 1) % symm::n_pes(); }

template <class Body>
void run(char const* label, int count, Body const& body) {
  Kokkos::parallel_for(label, Range(Exec(), 0, count), body);
}

// Kernels, each with a label of its own, as each pair of places counts once.
// (A TEST cannot contain a lambda for kernels: its function is private.)

/// Stores to the next PE's elements.
void store(char const* label, Words const& words) {
  auto const everywhere = symm::global_view(words);
  auto const pe         = next();
  run(
      label, n, KOKKOS_LAMBDA(int i) { everywhere(pe, i) = Word{7}; });
}
void store_by_remote_view(char const* label, Words const& words) {
  auto const everywhere = symm::remote_view(words);
  auto const pe         = next();
  run(
      label, n, KOKKOS_LAMBDA(int i) { everywhere(pe, i) = Word{5}; });
}
void add_by_peer_view(char const* label, Words const& words) {
  auto const its = symm::peer_view(words, next());
  run(
      label, n, KOKKOS_LAMBDA(int i) { its(i) += Word{5}; });
}

/// Stores to this PE's elements.
void fill(char const* label, Words const& words, Word value) {
  run(
      label, n, KOKKOS_LAMBDA(int i) { words(i) = value; });
}

void reset(char const* label, Signals const& flags, int i) {
  run(
      label, 1, KOKKOS_LAMBDA(int) { flags(i) = symm::Signal{0}; });
}

/// The sum of this PE's elements.
Word sum(char const* label, Words const& words) {
  Word all = 0;
  Kokkos::parallel_reduce(
      label, Range(Exec(), 0, n),
      KOKKOS_LAMBDA(int i, Word& part) { part += words(i); }, all);
  return all;
}

/// Stores to the next PE's first element, and signals.
void store_and_signal(char const* label, Words const& words,
                      symm::Signal* signal, bool fences) {
  auto const heap       = symm::heap_map(words);
  auto const everywhere = symm::global_view(words);
  auto const pe         = next();
  run(
      label, 1, KOKKOS_LAMBDA(int) {
        everywhere(pe, 0) = Word{1};
        if (fences) symm::fence();
        symm::signal_op(heap, signal, 1, SignalOp::set, pe);
      });
}

// Operations on the next PE's elements.

void add(char const* label, Words const& words) {
  auto const heap  = symm::heap_map(words);
  auto* const data = words.data();
  auto const pe    = next();
  run(
      label, n,
      KOKKOS_LAMBDA(int i) { symm::atomic_add(heap, data + i, Word{1}, pe); });
}
void fetch_own(char const* label, Words const& words) {
  auto const heap  = symm::heap_map(words);
  auto* const data = words.data();
  auto const me    = symm::my_pe();
  run(
      label, n, KOKKOS_LAMBDA(int i) {
        static_cast<void>(symm::atomic_fetch(heap, data + i, me));
      });
}
void put_one_each(char const* label, Words const& words) {
  auto const heap  = symm::heap_map(words);
  auto* const data = words.data();
  auto const pe    = next();
  run(
      label, n, KOKKOS_LAMBDA(int i) { symm::p(heap, data + i, Word{1}, pe); });
}
void put_all(char const* label, Words const& words, Words const& source) {
  auto const heap        = symm::heap_map(words);
  auto* const data       = words.data();
  Word const* const from = source.data();
  auto const pe          = next();
  run(
      label, 1, KOKKOS_LAMBDA(int) { symm::put(heap, data, from, n, pe); });
}
void get_one_each(char const* label, Words const& words) {
  auto const heap  = symm::heap_map(words);
  auto* const data = words.data();
  auto const pe    = next();
  run(
      label, n,
      KOKKOS_LAMBDA(int i) { static_cast<void>(symm::g(heap, data + i, pe)); });
}

TEST(KernelRaces, are_looked_for) { EXPECT_TRUE(symm::check::enabled()); }

TEST(KernelRaces, a_barrier_is_missing) {
  Words const words("stored words", n);
  SYMM_EXPECT_RACE({
    store("store 1", words);
    Exec().fence();
    sum("sum 1", words);
  });
  SYMM_EXPECT_NO_RACE({
    store("store 2", words);
    symm::barrier_all(Exec());
    EXPECT_EQ(sum("sum 2", words), 7 * n);
  });
  SYMM_EXPECT_NO_RACE({
    store("store 3", words);
    Exec().fence();
    symm::barrier_all();
    EXPECT_EQ(sum("sum 3", words), 7 * n);
  });
}

TEST(KernelRaces, a_fill_comes_too_late) {
  SYMM_EXPECT_RACE({
    Words const words("filled words", n);
    fill("fill 1", words, -1);
    store("store over 1", words);
    symm::barrier_all(Exec());
  });
  SYMM_EXPECT_NO_RACE({
    Words const words("filled words", n);
    fill("fill 2", words, -1);
    symm::barrier_all(Exec());
    store("store over 2", words);
    symm::barrier_all(Exec());
    EXPECT_EQ(sum("sum 4", words), 7 * n);
  });
}

TEST(KernelRaces, a_deep_copy_is_an_access) {
  Words const words("copied words", n);
  SYMM_EXPECT_RACE({
    Kokkos::deep_copy(Exec(), words, Word{3});
    Exec().fence();
    store("store to copied", words);
    symm::barrier_all(Exec());
  });
  Kokkos::View<Word*, Kokkos::HostSpace> const host("host", n);
  SYMM_EXPECT_RACE({
    store("store before a copy", words);
    Exec().fence();
    Kokkos::deep_copy(host, words);
  });
  SYMM_EXPECT_NO_RACE({
    store("store before a barrier", words);
    symm::barrier_all(Exec());
    Kokkos::deep_copy(host, words);
    EXPECT_EQ(host(n - 1), 7);
  });
}

TEST(KernelRaces, a_fence_is_missing_before_a_signal) {
  Words const words("signaled words", n);
  Signals const flags("flags", 2);
  auto* const flag = flags.data();
  SYMM_EXPECT_RACE({
    store_and_signal("signal without a fence", words, flag, false);
    symm::wait_until(Exec(), flag, Compare::ge, 1);
    sum("sum 5", words);
  });
  SYMM_EXPECT_NO_RACE({
    store_and_signal("signal with a fence", words, flag + 1, true);
    symm::wait_until(Exec(), flag + 1, Compare::ge, 1);
    EXPECT_EQ(sum("sum 6", words), 1);
  });
}

TEST(KernelRaces, a_halo_is_overwritten_before_it_is_read) {
  Words const ghosts("ghosts", n);
  Signals const flags("flags of a halo", 4);
  Kokkos::View<Word*, Exec> const row("row", n);
  auto const left = (symm::my_pe() + symm::n_pes() - 1) % symm::n_pes();
  // The pause: a wait that learns of a step that is ahead finds nothing.
  auto const steps = [&](bool is_mended, char const* label) {
    auto const first = is_mended ? 2U : 0U;
    auto const f     = [&](unsigned i) { return flags.data() + first + i; };
    for (symm::Signal step = 1; step <= 5; ++step) {
      if (is_mended) symm::wait_until(Exec(), f(1), Compare::ge, step - 1);
      symm::put_signal(Exec(), ghosts.data(), row.data(), n, f(0), step,
                       SignalOp::set, next());
      symm::wait_until(Exec(), f(0), Compare::ge, step);
      Exec().fence();
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      sum(label, ghosts);
      if (is_mended) symm::signal_op(Exec(), f(1), step, SignalOp::set, left);
    }
  };
  SYMM_EXPECT_RACE({ steps(false, "read 1"); });
  SYMM_EXPECT_NO_RACE({ steps(true, "read 2"); });
}

TEST(KernelRaces, atomic_and_plain_accesses_are_mixed) {
  Words const words("counted words", n);
  SYMM_EXPECT_RACE({
    add("add 1", words);
    sum("sum 7", words);
  });
  SYMM_EXPECT_NO_RACE({
    add("add 2", words);
    fetch_own("fetch", words);
  });
}

TEST(KernelRaces, operations_of_kernels_are_accesses) {
  Words const words("put words", n);
  Words const source("source words", n);
  SYMM_EXPECT_RACE({
    put_one_each("p", words);
    sum("sum 8", words);
  });
  SYMM_EXPECT_RACE({
    put_all("put", words, source);
    sum("sum 9", words);
  });
  SYMM_EXPECT_RACE({
    get_one_each("g", words);
    fill("store after g", words, 4);
  });
  SYMM_EXPECT_NO_RACE({
    put_all("put 2", words, source);
    symm::barrier_all(Exec());
    EXPECT_EQ(sum("sum 10", words), 0);
    symm::barrier_all(Exec());
    fill("store after all", words, 4);
  });
}

TEST(KernelRaces, calls_of_the_host_are_accesses) {
  Words const words("words of calls", n);
  Words const source("source of calls", n);
  SYMM_EXPECT_RACE({
    symm::put(words.data(), source.data(), n, next());
    sum("sum 13", words);
  });
  SYMM_EXPECT_NO_RACE({
    symm::put(words.data(), source.data(), n, next());
    symm::barrier_all();
    EXPECT_EQ(sum("sum 14", words), 0);
  });
  SYMM_EXPECT_RACE({
    fill("fill before a get", words, 4);
    Exec().fence();
    symm::get(source.data(), words.data(), n, next());
  });
}

TEST(KernelRaces, new_memory_has_no_accesses) {
  Words const source("source of what is freed", n);
  Word* place = nullptr;
  SYMM_EXPECT_NO_RACE({
    {
      Words const first("freed words", n);
      place = first.data();
      symm::put(first.data(), source.data(), n, next());
    }
    Words const second("in their place", n);
    EXPECT_EQ(second.data(), place);
    fill("fill of what was freed", second, 4);
  });
}

TEST(KernelRaces, an_enqueued_barrier_completes_what_was_enqueued) {
  Words const words("words before a barrier", n);
  Words const source("source of enqueued puts", n);
  SYMM_EXPECT_NO_RACE({
    symm::put(Exec(), words.data(), source.data(), n, next());
    symm::barrier(Exec(), symm::team_world());
    EXPECT_EQ(sum("sum 15", words), 0);
  });
  SYMM_EXPECT_RACE({
    symm::put(Exec(), words.data(), source.data(), n, next());
    EXPECT_EQ(sum("sum 16", words), 0);
  });
}

TEST(KernelRaces, a_context_is_not_complete) {
  Words const words("words of a context", n);
  Words const source("source of a context", n);
  symm::Context const mine;
  symm::Context const other;
  SYMM_EXPECT_NO_RACE({
    symm::put_nbi(mine, words.data(), source.data(), n, next());
    mine.quiet();
    symm::sync_all();
    EXPECT_EQ(sum("sum 17", words), 0);
  });
  SYMM_EXPECT_RACE({
    symm::put_nbi(mine, words.data(), source.data(), n, next());
    other.quiet();
    symm::sync_all();
    EXPECT_EQ(sum("sum 18", words), 0);
    mine.quiet();
  });
}

TEST(KernelRaces, a_signal_is_its_readers_after_the_wait) {
  Signals const flags("flags to reset", 2);
  SYMM_EXPECT_NO_RACE({
    symm::signal_op(flags.data(), 1, SignalOp::set, next());
    symm::wait_until(Exec(), flags.data(), Compare::ge, 1);
    reset("reset after the wait", flags, 0);
  });
  SYMM_EXPECT_RACE({
    symm::signal_op(flags.data() + 1, 1, SignalOp::set, next());
    reset("reset without a wait", flags, 1);
  });
}

TEST(KernelRaces, elements_of_other_PEs_are_seen_by_every_View) {
  Words const words("words of Views", n);
  SYMM_EXPECT_RACE({
    store_by_remote_view("remote_view", words);
    sum("sum 11", words);
  });
  SYMM_EXPECT_RACE({
    add_by_peer_view("peer_view", words);
    sum("sum 12", words);
  });
}

/// Does all that a program does with an element, and counts what is wrong.
template <class View>
struct UseElements {
  View v;
  KOKKOS_FUNCTION void operator()(int, int& wrong) const {
    auto const expect = [&](bool is_right) { wrong += is_right ? 0 : 1; };
    v(0)              = 1;
    v(1)              = v(0);
    expect(v(0) == 1 && v(1) == 1);
    v(0) += 2;
    v(0) += v(1);
    expect(v(0) == 4);
    v(0) -= 1;
    v(0) *= 3;
    v(0) /= 2;
    expect(v(0) == 4);
    ++v(0);
    --v(1);
    Word const was = v(0)++;
    expect(was == 5 && v(0) == 6 && v(1) == 0);
    v(0)--;
    v(0) <<= 2;
    v(0) |= 1;
    v(0) &= 7;
    v(0) ^= 2;
    v(0) %= 5;
    expect(v(0) == 2);
    v(1) = 9;
    Kokkos::kokkos_swap(v(0), v(1));
    expect(v(0) == 9 && v(1) == 2);
    expect(v(0) > v(1) && !(v(0) < 3) && -v(0) == -9 && v(0) + v(1) == 11);
    expect((v(1) != 0 ? v(0) : v(1)) == 9);
    Kokkos::atomic_add(&v(0), Word{1});
    Word& reference = v(0);
    expect(reference == 10 && &v(0) == v.data());
    Kokkos::View<Word const*, typename View::memory_space> const constant = v;
    expect(constant(0) == 10);
    auto const part = Kokkos::subview(v, Kokkos::pair<int, int>(1, 3));
    part(0)         = 12;
    expect(v(1) == 12 && v.access(1) == 12 && v[1] == 12);
  }
};

TEST(KernelRaces, elements_that_tell_are_used_as_others) {
  Words const words("used words", n);
  int wrong = 0;
  Kokkos::parallel_reduce("use", Range(Exec(), 0, 1), UseElements<Words>{words},
                          wrong);
  EXPECT_EQ(wrong, 0);
  auto const mirror =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), words);
  Word const second = mirror(1);
  EXPECT_EQ(second, 12);

  // Strided copies and fills, which kernels make.
  Kokkos::View<double**, Kokkos::LayoutRight, Space> const u("u", 4, 6);
  auto const column = Kokkos::subview(u, Kokkos::ALL, 2);
  Kokkos::deep_copy(column, 2.5);
  Kokkos::View<double*, Space> const packed("packed", 4);
  Kokkos::deep_copy(packed, column);
  auto const host =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), packed);
  double const last = host(3);
  EXPECT_EQ(last, 2.5);
}

TEST(KernelRaces, columns_side_by_side_are_none) {
  Kokkos::View<double**, Kokkos::LayoutRight, Space> const u("grid", 8, 8);
  auto const its = symm::peer_view(u, next());
  SYMM_EXPECT_NO_RACE({
    Kokkos::deep_copy(Exec(), Kokkos::subview(its, Kokkos::ALL, 0), 1.0);
    Kokkos::deep_copy(Exec(), Kokkos::subview(u, Kokkos::ALL, 1), 2.0);
    Exec().fence();
  });
}

}  // namespace
