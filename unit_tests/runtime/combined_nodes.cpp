// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace
// project

// What a rendezvous over many nodes sends, and how long leaders combine: the
// library's code, for all leaders in one process. No PEs, no network.
//
//   combined_nodes [nodes, at most [PEs of a node]]
//
// Messages of a leader (mean) and bytes (most), time of a leader (mean).
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <runtime/CombinedNodes.hpp>
#include <string>
#include <vector>

namespace {

using namespace symm::Impl;
using symm::Pe;
using symm_test::CombinedNodes;
using symm_test::Saying;

Saying malloc_of(std::uint64_t bytes) {
  Saying saying;
  saying.call.operation = RuntimeCall::malloc;
  saying.call.arguments = {bytes};
  return saying;
}

bool run(char const* what, int n_nodes, int per_node,
         CombinedNodes::SayingOf const& saying_of) {
  std::vector<Pe> first;
  for (int node = 0; node <= n_nodes; ++node) first.push_back(node * per_node);
  CombinedNodes nodes(first);
  nodes.step(saying_of);
  std::printf("%-28s %7d %6d %6d %9.1f %8llu %8.2f\n", what, n_nodes * per_node,
              n_nodes, nodes.traffic.n_phases,
              static_cast<double>(nodes.traffic.messages) / n_nodes,
              static_cast<unsigned long long>(nodes.traffic.max_bytes),
              nodes.microseconds / n_nodes);
  return nodes.are_equal();
}

}  // namespace

int main(int argc, char** argv) {
  int const max_nodes = argc > 1 ? std::atoi(argv[1]) : 12500;
  int const per_node  = argc > 2 ? std::atoi(argv[2]) : 8;
  bool is_equal       = true;
  std::printf("%-28s %7s %6s %6s %9s %8s %8s\n", "call", "PEs", "nodes",
              "phases", "messages", "bytes", "us");
  for (int const n_nodes : {2, 12, 128, 1250, 12500}) {
    if (n_nodes > max_nodes) break;
    auto const n_pes = n_nodes * per_node;
    is_equal &=
        run("equal calls", n_nodes, per_node, [](Pe) { return malloc_of(64); });
    is_equal &= run("100 Views ended on all", n_nodes, per_node, [](Pe) {
      auto saying = malloc_of(64);
      for (std::uint32_t i = 0; i < 100; ++i) saying.notices.push_back(i);
      return saying;
    });
    is_equal &= run("369 of 100000 Views, any", n_nodes, per_node, [](Pe pe) {
      auto saying = malloc_of(64);
      for (std::uint32_t i = 0; i < 369; ++i) {
        saying.notices.push_back(
            (i * 271 + static_cast<std::uint32_t>(pe) * 7919) % 100'000);
      }
      return saying;
    });
    is_equal &= run("one PE has failed", n_nodes, per_node, [&](Pe pe) {
      auto saying = malloc_of(64);
      if (pe == n_pes - 1) {
        saying.call.failure = ErrorKind::out_of_memory;
        saying.text         = "no memory left";
      }
      return saying;
    });
    is_equal &= run("one PE calls another one", n_nodes, per_node, [&](Pe pe) {
      return malloc_of(pe == n_pes / 2 ? 128 : 64);
    });
    is_equal &= run(
        "all PEs call different ones", n_nodes, per_node,
        [](Pe pe) { return malloc_of(static_cast<std::uint64_t>(pe) + 1); });
  }
  return is_equal ? 0 : 1;
}
