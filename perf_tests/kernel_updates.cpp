// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Random updates by a kernel of one PE of the words of another one, in memory
// of its GPU or of its host: for PEs of two nodes, such as SYMM_PES_PER_NODE=1
// simulates. An iteration is a kernel of as many threads as the case has
// updates, one each, and quiet(): all have been carried out.
//
// "atomic_add" adds 1 to each, or a number that differs, "p" stores. These go
// to the host many at once. "atomic_fetch_add" is a request and a reply for
// each thread. They are measured one by one, as they have other numbers of
// updates.

#include <Kokkos_SymmetricSpace.hpp>
#include <cstddef>
#include <cstdint>
#include <string>

#include "harness/OneSided.hpp"
#include "harness/Session.hpp"

namespace perf::kernel_updates_benchmark {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
template <class Space>
using Table = Kokkos::View<std::uint64_t*, Space>;

constexpr std::int64_t n_threads = 16'384;

/// Updates i, i + n_threads, ... by thread i.
template <class Update>
struct Updates {
  Update update;
  std::int64_t count;
  KOKKOS_FUNCTION void operator()(std::int64_t thread) const {
    for (auto i = thread; i < count; i += n_threads) update(i);
  }
};

/// The word that update `i` is for.
KOKKOS_INLINE_FUNCTION std::size_t word_of(std::int64_t i,
                                           std::size_t n_words) {
  auto bits = (static_cast<std::uint64_t>(i) + 1) * 0x9e37'79b9'7f4a'7c15U;
  bits ^= bits >> 29U;
  return (bits * 0xbf58'476d'1ce4'e5b9U >> 20U) & (n_words - 1);
}

struct Place {
  symm::HeapMap heap;
  std::uint64_t* words;
  std::size_t n_words;  // a power of two
  int pe;
};

// The updates, and what the sum of the words grows by.

struct AddOne {
  Place to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    symm::atomic_add(to.heap, to.words + word_of(i, to.n_words), 1, to.pe);
  }
  static std::uint64_t sum(std::int64_t n) {
    return static_cast<std::uint64_t>(n);
  }
};

struct AddNumber {
  Place to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    symm::atomic_add(to.heap, to.words + word_of(i, to.n_words),
                     static_cast<std::uint64_t>(i), to.pe);
  }
  static std::uint64_t sum(std::int64_t n) {
    return static_cast<std::uint64_t>(n * (n - 1) / 2);
  }
};

struct FetchAdd {
  Place to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    symm::atomic_fetch_add(to.heap, to.words + word_of(i, to.n_words), 1,
                           to.pe);
  }
  static std::uint64_t sum(std::int64_t n) {
    return static_cast<std::uint64_t>(n);
  }
};

struct Store {
  Place to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    symm::p(to.heap, to.words + word_of(i, to.n_words), std::uint64_t{0},
            to.pe);
  }
  static std::uint64_t sum(std::int64_t) { return 0; }
};

template <class Space>
struct SumOfWords {
  Table<Space> words;
  KOKKOS_FUNCTION void operator()(std::size_t i, std::uint64_t& sum) const {
    sum += words(i);
  }
};

template <class Space>
class Measurement {
 public:
  Measurement(Session& session, char const* where)
      : m_session(session), m_pair(session), m_where(where) {}

  template <class Update>
  void run(std::string const& how, std::int64_t updates) {
    Table<Space> const table("table", n_words);
    Place const to{symm::heap_map(table), table.data(), n_words, m_pair.peer()};
    std::uint64_t expected = 0;
    m_session.compare(
        {{{"updates of words " + std::string(m_where), updates}}},
        {{how, "", [&](std::int64_t n) {
            expected += Update::sum(updates) * static_cast<std::uint64_t>(n);
            if (!m_pair.is_active()) return;
            for (std::int64_t k = 0; k < n; ++k) {
              Kokkos::parallel_for(
                  "updates",
                  Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(
                      0, n_threads),
                  Updates<Update>{{to}, updates});
              Kokkos::fence();
              symm::quiet();
            }
          }}});
    symm::barrier_all();
    std::uint64_t sum = 0;
    Kokkos::parallel_reduce("sum", Kokkos::RangePolicy<Exec>(0, n_words),
                            SumOfWords<Space>{table}, sum);
    m_session.verify(how + " " + m_where + ", sum of the words",
                     m_pair.is_target() && sum != expected ? 1 : 0);
  }

  void run_all() {
    bool const quick = m_session.quick();
    run<AddOne>("atomic_add of 1", quick ? 100'000 : 1 << 23);
    run<AddNumber>("atomic_add of numbers", quick ? 100'000 : 1 << 22);
    run<Store>("p", quick ? 1'000 : 1 << 16);
    run<FetchAdd>("atomic_fetch_add", quick ? 100 : 1 << 12);
  }

 private:
  static constexpr std::size_t n_words = std::size_t{1} << 20U;

  Session& m_session;
  OneSided m_pair;
  char const* m_where;
};

void measure(Session& session) {
  Measurement<symm::SymmetricHostSpace>(session, "of a host").run_all();
  Measurement<symm::SymmetricSpace>(session, "of a GPU").run_all();
}

Registered const registered{"kernel_updates", measure};

}  // namespace
}  // namespace perf::kernel_updates_benchmark
