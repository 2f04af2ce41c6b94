// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include <Kokkos_SymmetricSpace_CollectiveCall.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

#include <Kokkos_SymmetricSpace_Access.hpp>

#include "../runtime/Error.hpp"
#include "../runtime/HeapMap.hpp"
#include "../runtime/Runtime.hpp"

namespace symm {

namespace {

/// What a PE passes that cannot take part; no digest is that.
constexpr std::uint64_t failed = ~std::uint64_t{0};

/// Of numbers that must be equal on all PEs.
class Digest {
 public:
  void add(std::uint64_t word) {
    m_hash = (m_hash ^ word) * 0x9e37'79b9'7f4a'7c15U;
    m_hash ^= m_hash >> 32U;
  }
  [[nodiscard]] std::uint64_t value() const {
    return m_hash == failed ? 0 : m_hash;
  }

 private:
  std::uint64_t m_hash = 0xcbf2'9ce4'8422'2325U;
};

std::uint64_t digest_of(CollectiveCall const& call, std::uint64_t type,
                        SymmetricHeap const& heap) {
  Digest digest;
  digest.add(type);
  digest.add(static_cast<std::uint64_t>(heap.memory()));
  digest.add(static_cast<std::uint64_t>(call.root));
  digest.add(call.dest_bytes);
  if (call.are_counts_equal()) {
    digest.add(call.count);
    digest.add(call.source_bytes);
    if (call.count == 0) return digest.value();  // whatever the addresses are
  }
  digest.add(heap.map().offset_of(call.dest));
  digest.add(heap.map().offset_of(call.source));
  return digest.value();
}

/// Collective: whether all PEs pass one word. May pass a second along.
bool is_equal_on_all(PeTeam const& team, std::uint64_t mine,
                     std::optional<std::uint64_t> second) {
  auto const words = team.words();
  auto const epoch =
      synchronise(OneThread{}, team, [&](Pe pe, std::uint64_t now) {
        store_relaxed(words.passed(pe, team.my_pe(), now), mine);
        if (second)
          store_relaxed(words.passed(pe, team.my_pe(), now, 1), *second);
      });
  bool is_equal = true;
  for (Pe pe = 0; pe < team.n_pes(); ++pe) {
    is_equal = is_equal && *words.passed(words.map.my_pe, pe, epoch) == mine;
  }
  return is_equal;
}

[[noreturn]] void fail(CollectiveCall const& call, std::string const& what) {
  throw UsageError(std::string(call.name) + ": " + what);
}

/// Whether blocks have elements in common that must not.
bool is_overlap(CollectiveCall const& call) {
  auto const dest   = reinterpret_cast<std::size_t>(call.dest);
  auto const source = reinterpret_cast<std::size_t>(call.source);
  if (!call.are_counts_equal() || call.overlap == Overlap::unknown)
    return false;
  if (call.overlap == Overlap::if_equal && dest == source) return false;
  return dest < source + call.source_bytes && source < dest + call.dest_bytes;
}

/// Collective: passes the counts of collect(). Their sum, and so what is
/// thrown, is the same on all PEs.
void pass_counts(PeTeam const& team, CollectiveCall const& call,
                 HeapMap const& map) {
  auto const epoch  = exchange_word(OneThread{}, team, call.count);
  auto const words  = team.words();
  std::size_t total = 0;
  for (Pe pe = 0; pe < team.n_pes(); ++pe) {
    total += *words.passed(words.map.my_pe, pe, epoch);
  }
  auto const room =
      std::min(call.dest_bytes, map.stride - map.offset_of(call.dest));
  if (total <= room / call.collect_size) return;
  fail(call, "dest has room for " + std::to_string(room / call.collect_size) +
                 " elements; the PEs of the team have " +
                 std::to_string(total));
}

/// check_collective() of a team that has been checked.
SymmetricHeap& check_blocks(PeTeam const& team, CollectiveCall const& call,
                            std::string const& problem) {
  if (!problem.empty()) fail(call, problem);
  if (call.root < 0 || call.root >= team.n_pes()) {
    fail(call, "there is no PE " + std::to_string(call.root) +
                   " in the team; its PEs are 0 to " +
                   std::to_string(team.n_pes() - 1));
  }
  auto& runtime = Runtime::instance(call.name);
  if (call.are_counts_equal() && call.count == 0) return runtime.heap();
  Pe const me = runtime.my_pe();
  auto& heap  = heap_to_access(
       call.dest, call.are_counts_equal() ? call.dest_bytes : 0, me, call.name);
  if (&heap != &heap_to_access(call.source, call.source_bytes, me, call.name)) {
    fail(call, "dest and source are in different kinds of memory");
  }
  if (is_overlap(call)) fail(call, "dest and source overlap");
  return heap;
}

}  // namespace

SymmetricHeap& check_collective(PeTeam const& team, CollectiveCall const& call,
                                std::string const& problem) {
  check_team(team, call.name);
  return check_blocks(team, call, problem);
}

SymmetricHeap& enter_collective(PeTeam const& team, CollectiveCall const& call,
                                std::uint64_t type,
                                std::string const& problem) {
  check_team(team, call.name);
  SymmetricHeap* heap = nullptr;
  auto const failure =
      failure_of([&] { heap = &check_blocks(team, call, problem); });
  std::optional<std::uint64_t> source;
  if (!failure && is_source_passed(call, *heap)) {
    source = 0;
    if (call.source_bytes != 0)
      std::memcpy(&*source, call.source, call.source_bytes);
  }
  bool const is_equal = is_equal_on_all(
      team, failure ? failed : digest_of(call, type, *heap), source);
  if (failure) throw_failure(*failure);
  if (!is_equal) {
    fail(call,
         "the PEs of the team have made different calls, with different counts "
         "or addresses, or one has failed");
  }
  if (!call.are_counts_equal()) pass_counts(team, call, heap->map());
  return *heap;
}

}  // namespace symm
