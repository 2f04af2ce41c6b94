// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "CollectiveCall.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "../access/Access.hpp"
#include "../base/Failure.hpp"
#include "../base/PeNumbers.hpp"
#include "../groups/Group.hpp"
#include "../heap/SymmetricHeap.hpp"
#include "../job/Runtime.hpp"
#include "../memory/HeapMap.hpp"
#include "../memory/HostCopy.hpp"
#include "../symm_errors.hpp"
#include "../teams/HostSync.hpp"
#include "../teams/Synchronize.hpp"
#include "../teams/TeamSync.hpp"
#include "../transport/Transport.hpp"

namespace symm::Impl {

namespace {

/// Sent by a PE that cannot take part; differs from every digest and from
/// word_of_barrier.
constexpr std::uint64_t failed = ~std::uint64_t{0};

/// Sent with a PE's share of a result.
constexpr std::uint64_t word_of_shares = failed - 1;

/// A hash of numbers that must be equal on all PEs.
class Digest {
 public:
  void add(std::uint64_t word) {
    m_hash = (m_hash ^ word) * 0x9e37'79b9'7f4a'7c15U;
    m_hash ^= m_hash >> 32U;
  }
  [[nodiscard]] std::uint64_t value() const {
    bool const is_taken = m_hash == failed || m_hash == word_of_shares ||
                          m_hash == word_of_barrier;
    return is_taken ? 1 : m_hash;
  }

 private:
  std::uint64_t m_hash = 0xcbf2'9ce4'8422'2325U;
};

void add_blocks(Digest& digest, CollectiveCall const& call,
                SymmetricHeap const& heap) {
  digest.add(static_cast<std::uint64_t>(heap.memory()));
  digest.add(call.dest_bytes);
  digest.add(heap.map().offset_of(call.dest));
  digest.add(heap.map().offset_of(call.source));
}

std::uint64_t digest_of(CollectiveCall const& call, std::uint64_t type,
                        SymmetricHeap const* heap) {
  Digest digest;
  digest.add(type);
  digest.add(static_cast<std::uint64_t>(call.root));
  if (call.are_counts_equal()) {
    digest.add(call.count);
    digest.add(call.source_bytes);
    // If there are no elements, the addresses do not matter.
    if (call.count != 0) add_blocks(digest, call, *heap);
  }
  return digest.value();
}

/// Decides whether and how a collective call on the host piggybacks its sources
/// on the exchange that checks the call.
class SourcePassing {
 public:
  /// \param heap The heap that contains the blocks. Null if the blocks are
  ///        invalid; in that case, no source is sent.
  SourcePassing(PeTeam const& team, CollectiveCall const& call,
                SymmetricHeap const* heap)
      : m_team(team),
        m_call(call.name),
        m_sync(HostSync::of(team)),
        m_block{call.passing, call.root, call.source, call.source_bytes,
                call.source_bytes} {
    if (call.passing == Passing::to_each)
      m_block.bytes /= static_cast<std::size_t>(team.n_pes());
    if (call.passing == Passing::nothing || heap == nullptr ||
        heap->memory() != MemoryKind::host) {
      return;
    }
    m_passes = m_sync.can_pass(team, m_block);
    if (m_passes || !call.may_pass_shares || call.count == 0) return;
    m_block.passing = Passing::to_each;
    m_block.bytes   = share_of(call.count, 0, team.n_pes()).each *
                    (call.source_bytes / call.count);
    m_passes = m_are_shares = m_sync.can_pass(team, m_block);
  }

  /// Collective: returns whether all PEs have sent the same word. If so, and if
  /// sources are sent, this PE has received them when the function returns.
  bool is_passed_by_all(std::uint64_t word) const {
    check::Meeting const meeting(check::key_of(m_team));
    return m_passes ? m_sync.pass(m_team, m_call, word, m_block)
                    : m_sync.compare_word(m_team, m_call, word, true);
  }
  /// The sources that is_passed_by_all() received; nullopt if none were sent.
  [[nodiscard]] std::optional<PassedSources> sources() const {
    if (!m_passes) return std::nullopt;
    return m_sync.passed(m_team, m_block);
  }
  [[nodiscard]] bool are_shares() const { return m_are_shares; }

 private:
  PeTeam const& m_team;
  char const* m_call;
  HostSync const& m_sync;
  PassedBlock m_block;
  bool m_passes     = false;
  bool m_are_shares = false;
};

[[noreturn]] void fail(CollectiveCall const& call, std::string const& what) {
  throw UsageError(std::string(call.name) + ": " + what);
}

[[noreturn]] void fail_on_all(CollectiveCall const& call,
                              std::optional<Failure> const& failure) {
  if (failure) throw_failure(*failure);
  fail(call,
       "the PEs of the team have made different calls or passed different "
       "counts or addresses, or the call has failed on another PE");
}

/// Whether dest and source overlap in a way that the call does not allow.
bool is_overlap(CollectiveCall const& call) {
  auto const dest   = reinterpret_cast<std::size_t>(call.dest);
  auto const source = reinterpret_cast<std::size_t>(call.source);
  if (!call.are_counts_equal() || call.overlap == Overlap::unknown)
    return false;
  if (call.overlap == Overlap::if_equal && dest == source) return false;
  return dest < source + call.source_bytes && source < dest + call.dest_bytes;
}

/// Collective. For collect(), exchanges the counts and a digest of the blocks.
/// The blocks matter only if any PE has elements. All PEs compute the same
/// total count, so they all throw the same error.
/// \param heap The heap that contains this PE's blocks; null if the blocks are
///   invalid.
/// \param failure Why this PE's blocks are invalid, if they are.
SymmetricHeap& pass_counts(PeTeam const& team, CollectiveCall const& call,
                           SymmetricHeap* heap,
                           std::optional<Failure> const& failure) {
  Digest digest;
  if (heap != nullptr) add_blocks(digest, call, *heap);
  auto const blocks = heap == nullptr ? failed : digest.value();
  auto const epoch =
      exchange_words_on_host(team, call.name, call.count, blocks);
  auto const words  = team.words();
  std::size_t total = 0;
  for (Pe pe = 0; pe < team.n_pes(); ++pe) {
    total += *words.passed(words.map.my_pe, pe, epoch);
  }
  if (total == 0) return Runtime::instance(call.name).heap();
  if (failure || !is_equal_on_all(team, epoch, 1, blocks)) {
    fail_on_all(call, failure);
  }
  if (total > call.dest_bytes / call.collect_size) {
    fail(call, "dest has room for " +
                   std::to_string(call.dest_bytes / call.collect_size) +
                   " elements, but the PEs of the team contribute " +
                   std::to_string(total));
  }
  // Each PE's elements are in mapped memory, so the total in bytes cannot
  // overflow.
  if (!heap->is_mapped(call.dest, total * call.collect_size)) {
    fail(call, "the PEs of the team contribute " + std::to_string(total) +
                   " elements, which do not fit into the memory at dest");
  }
  return *heap;
}

/// Like check_collective(), but for a PE team that has already been checked.
SymmetricHeap& check_blocks(PeTeam const& team, CollectiveCall const& call,
                            std::string const& problem) {
  if (!problem.empty()) fail(call, problem);
  if (call.root < 0 || call.root >= team.n_pes()) {
    fail(call, text_of_no_pe(call.root, team.n_pes(), " in the PE team"));
  }
  auto& runtime = Runtime::instance(call.name);
  if (call.are_counts_equal() && call.count == 0) return runtime.heap();
  Pe const me = runtime.my_pe();
  auto& heap  = heap_to_access(
       call.dest, call.are_counts_equal() ? call.dest_bytes : 0, me, call.name);
  if (&heap != &heap_to_access(call.source, call.source_bytes, me, call.name)) {
    fail(call,
         "dest and source must be in the same kind of memory, host or GPU");
  }
  if (is_overlap(call)) {
    fail(call,
         "dest and source must not overlap, because other PEs read the "
         "source while dest is written; pass a copy of the source");
  }
  return heap;
}

CollectiveHeap use_of(SymmetricHeap const& heap) {
  return {heap.map(), heap.memory()};
}

}  // namespace

CollectiveHeap check_collective(PeTeam const& team, CollectiveCall const& call,
                                std::string const& problem) {
  check_team(team, call.name);
  // This PE cannot know yet whether other PEs have elements, so the kernel
  // checks this later.
  bool const is_nothing = !call.are_counts_equal() && call.count == 0 &&
                          call.dest == nullptr && call.source == nullptr;
  if (is_nothing && problem.empty()) {
    return use_of(Runtime::instance(call.name).heap());
  }
  return use_of(check_blocks(team, call, problem));
}

EnteredCall enter_collective(PeTeam const& team, CollectiveCall const& call,
                             std::uint64_t type, std::string const& problem) {
  check_team(team, call.name);
  SymmetricHeap* heap = nullptr;
  auto const failure =
      failure_of([&] { heap = &check_blocks(team, call, problem); });
  // Invalid addresses do not matter if no PE has any elements.
  bool const may_be_nothing =
      !call.are_counts_equal() && call.count == 0 && problem.empty();
  bool const has_failed = failure && !may_be_nothing;
  auto const own_digest = has_failed ? failed : digest_of(call, type, heap);
  SourcePassing const passing(team, call, heap);
  if (!passing.is_passed_by_all(own_digest) || has_failed) {
    fail_on_all(call, has_failed ? failure : std::nullopt);
  }
  auto const& of_both =
      call.are_counts_equal() ? *heap : pass_counts(team, call, heap, failure);
  return {use_of(of_both), passing.sources(), passing.are_shares()};
}

PassedSources pass_shares(PeTeam const& team, char const* call,
                          void const* mine, std::size_t bytes,
                          std::size_t mine_bytes) {
  check::Meeting const meeting(check::key_of(team));
  auto const& sync = HostSync::of(team);
  PassedBlock const block{Passing::to_all, 0, mine, bytes, mine_bytes};
  if (!sync.pass(team, call, word_of_shares, block)) {
    throw UsageError(Text(call, text_of(team),
                          ": the PEs of the team have made different calls"));
  }
  return sync.passed(team, block);
}

void copy_while_serving(void* to, void const* from, std::size_t bytes,
                        char const* call) {
  constexpr std::size_t piece = std::size_t{32} << 10U;  // 2 us
  auto& transport             = *Runtime::instance(call).transport();
  for (std::size_t done = 0; done < bytes; done += piece) {
    transport.poll(call);
    copy_host_memory(static_cast<std::byte*>(to) + done,
                     static_cast<std::byte const*>(from) + done,
                     std::min(piece, bytes - done));
  }
}

std::uint64_t pass_to_all(PeTeam const& team, char const* call,
                          std::uint64_t type, std::uint64_t word,
                          std::optional<Failure> const& failure) {
  check_team(team, call);
  Digest digest;
  digest.add(type);
  auto const own_digest = failure ? failed : digest.value();
  auto const epoch      = exchange_words_on_host(team, call, own_digest, word);
  if (failure) throw_failure(*failure);
  if (!is_equal_on_all(team, epoch, 0, own_digest)) {
    throw UsageError(
        std::string(call) +
        ": the PEs of the team have made different calls or passed "
        "different types or operations, or the call has failed on "
        "another PE");
  }
  return epoch;
}

}  // namespace symm::Impl
