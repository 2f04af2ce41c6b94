// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Operations of each kind, for check_profiling.py, which knows how many of each
// and of how many bytes. Two PEs. The program's own regions say where what
// begins.

#include <chrono>
#include <cstdint>
#include <thread>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace.hpp>

namespace {

using Host = Kokkos::HostSpace;
using Exec = Kokkos::DefaultHostExecutionSpace;

template <class Body>
void step(char const* name, Body const& body) {
  Kokkos::Profiling::pushRegion(name);
  body();
  Kokkos::Profiling::popRegion();
}

}  // namespace

int main(int argc, char* argv[]) {
  symm::ScopeGuard const guard(argc, argv);
  auto const world = symm::team_world();
  auto const peer  = (symm::my_pe() + 1) % symm::n_pes();

  Kokkos::View<double**, symm::SymmetricHostSpace> const u("temperature", 10,
                                                           3);
  Kokkos::View<std::uint64_t*, symm::SymmetricHostSpace> const words("words",
                                                                     4);
  Kokkos::View<double**, Host> const mine("mine", 10, 3);

  step("put", [&] { symm::put(u.data(), mine.data(), 10, peer); });
  step("get", [&] { symm::get(mine.data(), u.data(), 5, peer); });
  step("iput", [&] { symm::iput(u.data(), mine.data(), 3, 3, 10, peer); });
  step("element", [&] {
    symm::p(words.data(), 7, peer);
    if (symm::g(words.data(), peer) != 7) Kokkos::abort("it has not come");
  });
  step("atomic", [&] { symm::atomic_add(words.data() + 1, 1, peer); });
  step("enqueued put",
       [&] { symm::put(Exec(), u.data(), mine.data(), 20, peer); });
  step("copy", [&] { symm::copy(symm::peer_view(u, peer), mine); });
  step("remote copy",
       [&] { symm::copy(mine, symm::remote_view(u).peer(peer)); });
  step("deep copy", [&] { Kokkos::deep_copy(symm::peer_view(u, peer), mine); });
  step("remote deep copy",
       [&] { Kokkos::deep_copy(symm::remote_view(u).peer(peer), mine); });
  step("signal", [&] {
    symm::put_signal(u.data(), mine.data(), 2, words.data() + 2, 1,
                     symm::SignalOp::set, peer);
    symm::signal_op(words.data() + 2, 1, symm::SignalOp::add, peer);
    symm::signal_op(Exec(), words.data() + 2, 1, symm::SignalOp::add, peer);
    symm::signal_wait_until(words.data() + 2, symm::Compare::eq, 3);
  });
  step("reduce", [&] {
    static_cast<void>(symm::reduce(world, 1.0, symm::Sum{}));
    symm::reduce(world, words.data(), words.data() + 3, 1, symm::Sum{});
  });
  // In a kernel nothing is seen.
  step("kernel", [&] {
    auto const heap = symm::heap_map(words);
    Kokkos::parallel_for(
        Kokkos::RangePolicy<Exec>(0, 1), KOKKOS_LAMBDA(int) {
          symm::p(heap, words.data(), std::uint64_t{8}, peer);
        });
    Kokkos::fence();
  });
  step("barrier_all", [] { symm::barrier_all(); });
  step("late PE", [&] {
    if (symm::my_pe() == 1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    symm::barrier(world);
  });
  step("registrable", [&] {
    auto const grid =
        symm::make_registrable_view<double**, Host>("grid", 100, 10);
    auto const symmetric = symm::register_symmetric_view(grid);
    symm::put(symmetric.data(), mine.data(), 1, peer);
    symm::barrier(world);
  });
}
