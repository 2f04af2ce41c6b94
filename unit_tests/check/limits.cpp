// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// A program that goes beyond what the detector of races counts. `races`: with
// races that it finds nevertheless. It must report no other ones, and must not
// say that there are none.

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace.hpp>
#include <cstdint>
#include <cstring>

#include <runtime/check/Checker.hpp>
#include <runtime/symm.hpp>

namespace {

using Words     = Kokkos::View<std::int64_t*, symm::SymmetricHostSpace>;
using Signals   = Kokkos::View<symm::Signal*, symm::SymmetricHostSpace>;
namespace check = symm::Impl::check;

std::int64_t load(Words const& words, std::size_t i) {
  return *static_cast<std::int64_t volatile*>(&words(i));
}

/// PE 0 puts, PE 1 loads, each in another word, in order of every kind.
void use_in_order(Words const& words, Signals const& flags, bool is_first) {
  std::int64_t const value = 7;
  if (is_first) symm::put(&words(0), &value, 1, 1);
  symm::barrier_all();
  if (!is_first) load(words, 0);
  if (is_first)
    symm::put_signal(&words(1), &value, 1, &flags(0), 1, symm::SignalOp::add,
                     1);
  if (!is_first) {
    symm::wait_until(&flags(0), symm::Compare::ge, 1);
    load(words, 1);
    words(0) = words(1) = 8;
  }
  symm::barrier_all();
  if (is_first) symm::put(&words(0), &value, 1, 1);
  if (is_first) symm::put(&words(1), &value, 1, 1);
  symm::barrier_all();
}

}  // namespace

int main(int argc, char* argv[]) {
  symm::ScopeGuard const guard(argc, argv);
  bool const has_races = argc > 1 && std::strcmp(argv[1], "races") == 0;
  auto const me        = symm::my_pe();
  bool const is_first  = me == 0;
  // As if PE 0 had fenced that often.
  auto& checker = check::s_checker;
  if (is_first) {
    checker.clocks.start(me, symm::n_pes(), check::Epoch::last - 30);
  }
  std::int64_t const value = 7;
  Words const words("words", 8);
  Signals const flags("flags", 1);
  if (has_races) {
    if (is_first) symm::put(&words(3), &value, 1, 1);
    if (!is_first) load(words, 3);
    symm::barrier_all();
  }
  for (int i = 0; is_first && i < 100; ++i) symm::fence();
  use_in_order(words, flags, is_first);
  // Not found: PE 0 has no more time.
  if (is_first) symm::put(&words(2), &value, 1, 1);
  if (!is_first) load(words, 2);
  symm::barrier_all();
  // PE 1 has.
  if (has_races && !is_first) {
    symm::put(&words(4), &value, 1, 0);
    symm::put(&words(4), &value, 1, 0);
  }
  // As many PE teams as there is room for, and one more.
  for (std::uint64_t i = 0; i <= check::Tables::n_places; ++i) {
    check::Meeting const meeting(2 * i + 101);
  }
  auto team = symm::team_split_strided(symm::team_world(), 1, -1, 2);
  if (!is_first) symm::p(&words(5), value, 0);
  symm::barrier(team);
  if (is_first) load(words, 5);
  symm::team_destroy(team);
}
