// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "TeamSync.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "../access/PeOperations.hpp"
#include "../base/Check.hpp"
#include "../base/Text.hpp"
#include "../base/Types.hpp"
#include "../groups/Group.hpp"
#include "../job/Runtime.hpp"
#include "../pes/Rendezvous.hpp"
#include "../symm_errors.hpp"
#include "../waiting/HostWait.hpp"
#include "HostSync.hpp"
#include "PassedSources.hpp"
#include "Synchronize.hpp"

namespace symm::Impl {

namespace {

/// A `before_flag` for synchronize() that sends two words to all members. (This
/// is not a lambda, because nvcc would also compile a lambda for kernels.)
struct PassWords {
  PeTeam const& team;
  std::uint64_t first;
  std::uint64_t second;

  SYMM_FUNCTION void operator()(Pe pe, std::uint64_t epoch) const {
    auto const words = team.words();
    store_relaxed(words.passed(pe, team.my_pe(), epoch), first);
    store_relaxed(words.passed(pe, team.my_pe(), epoch, 1), second);
  }
};

/// Out of line so that a barrier needs no stack space for the text.
template <class HasCome>
[[gnu::noinline]] void report_missing(HostWait& wait, char const* call,
                                      Text const& why,
                                      Rendezvous const& rendezvous,
                                      PeTeam const& team,
                                      HasCome const& has_come) {
  BasicText<16383> missing;
  for (Pe member = 0; member < team.n_pes(); ++member) {
    if (has_come(member)) continue;
    missing.append("\n  ", rendezvous.describe(team.world_pe(member), call));
  }
  wait.report(why, text_of(team), missing);
}

}  // namespace

void wait_for_members(char const* call, PeTeam const& team,
                      std::uint64_t epoch) {
  auto const words        = team.words();
  auto const* const flags = words.flag(words.map.my_pe, 0);
  auto const has_come     = [&](Pe member) {
    return load_acquire(flags + member) >= epoch;
  };
  Pe next                  = 0;  // all members before this one have arrived
  auto const have_all_come = [&] {
    while (next < team.n_pes() && has_come(next)) ++next;
    return next == team.n_pes();
  };
  if (have_all_come()) return;
  HostWait wait(call);
  while (!have_all_come()) {
    if (!wait.pause()) continue;
    auto const& rendezvous = Runtime::instance(call).rendezvous();
    auto why               = HostWait::who_is_gone();
    for (Pe member = next; member < team.n_pes() && why.empty(); ++member) {
      Pe const pe = team.world_pe(member);
      // Check has_come() last, because the member may have arrived before it
      // entered finalize().
      if (!rendezvous.is_in_finalize(pe) || has_come(member)) continue;
      why = Text("PE ", pe, " waits in symm::finalize()");
    }
    if (have_all_come()) return;
    if (!wait.must_report(why)) continue;
    report_missing(wait, call, why, rendezvous, team, has_come);
  }
}

namespace {

/// Synchronizes members on one node. A source of up to 8 bytes is sent as the
/// second word.
class NearSync final : public HostSync {
 public:
  std::uint64_t exchange_words(PeTeam const& team, char const* call,
                               std::uint64_t first,
                               std::uint64_t second) const override {
    return synchronize(OneThread{}, team, call, PassWords{team, first, second});
  }
  bool compare_word(PeTeam const& team, char const* call, std::uint64_t word,
                    bool looks) const override {
    auto const epoch =
        synchronize(OneThread{}, team, call, PassWord{team, word});
    return !looks || is_equal_on_all(team, epoch, 0, word);
  }
  [[nodiscard]] bool can_pass(PeTeam const&,
                              PassedBlock const& block) const override {
    return block.passing != Passing::to_each &&
           block.bytes <= sizeof(std::uint64_t);
  }
  bool pass(PeTeam const& team, char const* call, std::uint64_t word,
            PassedBlock const& block) const override {
    std::uint64_t source = 0;
    if (block.bytes != 0) std::memcpy(&source, block.source, block.bytes);
    auto const epoch = exchange_words(team, call, word, source);
    return is_equal_on_all(team, epoch, 0, word);
  }
  [[nodiscard]] PassedSources passed(PeTeam const& team,
                                     PassedBlock const&) const override {
    auto const words = team.words();
    return PassedSources::in_order(
        words.passed(words.map.my_pe, 0, *words.epoch(), 1),
        2 * sizeof(std::uint64_t));
  }
};

}  // namespace

HostSync const& HostSync::of(PeTeam const& team) {
  static constexpr NearSync in_one_node;
  return team.has_far_pes() ? over_nodes() : in_one_node;
}

std::uint64_t exchange_words_on_host(PeTeam const& team, char const* call,
                                     std::uint64_t first,
                                     std::uint64_t second) {
  check::Meeting const meeting(check::key_of(team));
  return HostSync::of(team).exchange_words(team, call, first, second);
}

bool compare_word(PeTeam const& team, char const* call, std::uint64_t word,
                  bool looks) {
  check::Meeting const meeting(check::key_of(team));
  return HostSync::of(team).compare_word(team, call, word, looks);
}

void barrier_on_host(PeTeam const& team, char const* call) {
  quiet_all_contexts(call);
  compare_word(team, call, word_of_barrier, false);
}

void meet(char const* call, PeTeam const& team, std::uint64_t word) {
  if (compare_word(team, call, word)) return;
  throw UsageError(Text(call, text_of(team),
                        ": the PEs of the team have made different calls"));
}

}  // namespace symm::Impl
