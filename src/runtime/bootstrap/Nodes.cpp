// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Nodes.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <type_traits>

#include "../base/Failure.hpp"
#include "../symm_errors.hpp"

namespace symm::Impl {

namespace {

/// Where a PE runs, and what it takes for a node.
struct Place {
  std::uint64_t network_namespace = 0;
  std::int32_t node               = 0;  // Bootstrap::node()
  std::int32_t pes_per_node       = 0;
  char boot_id[40]{};
  char host[64]{};

  [[nodiscard]] bool shares_machine_with(Place const& other) const {
    return node == other.node && network_namespace == other.network_namespace &&
           std::strcmp(boot_id, other.boot_id) == 0;
  }
};
// No padding, which would send what is left on the stack.
static_assert(std::has_unique_object_representations_v<Place>);

/// The first line of a file, "" where the system has no such file.
std::string read_line(char const* path) {
  char line[40]       = "";
  std::FILE* const in = std::fopen(path, "r");
  if (in == nullptr && errno != ENOENT && errno != EACCES) {
    throw SystemError(std::string("cannot read ") + path, "fopen", errno);
  }
  if (in != nullptr) {
    if (std::fgets(line, sizeof line, in) == nullptr) line[0] = '\0';
    static_cast<void>(std::fclose(in));  // read only: nothing to lose
  }
  return line;
}

Place find_my_place(int node, int pes_per_node) {
  Place me;
  me.node         = node;
  me.pes_per_node = pes_per_node;
  // Abstract sockets are per network namespace; without /proc all PEs say 0.
  constexpr char const* network_namespace = "/proc/self/ns/net";
  struct stat status {};
  if (::stat(network_namespace, &status) == 0) {
    me.network_namespace = status.st_ino;
  } else if (errno != ENOENT && errno != EACCES) {
    throw SystemError(std::string("cannot look at ") + network_namespace,
                      "stat", errno);
  }
  read_line("/proc/sys/kernel/random/boot_id").copy(me.boot_id, 36);
  if (::gethostname(me.host, sizeof(me.host) - 1) != 0) {
    throw SystemError("cannot name this host", "gethostname", errno);
  }
  return me;
}

void check_equal_settings(std::vector<Place> const& all) {
  for (std::size_t pe = 1; pe < all.size(); ++pe) {
    if (all[pe].pes_per_node == all[0].pes_per_node) continue;
    throw UsageError(
        Text("SYMM_PES_PER_NODE differs between PEs: ", all[0].pes_per_node,
             " on PE 0, ", all[pe].pes_per_node, " on PE ", pe,
             "; start all PEs with one value"));
  }
}

/// That PE `first` begins a node: none of a PE before it.
void check_new(std::vector<Place> const& all, std::vector<Pe> const& leaders,
               Pe first) {
  auto const place = [&](Pe pe) -> Place const& {
    return all[static_cast<std::size_t>(pe)];
  };
  int const pretended = place(first).pes_per_node;
  for (Pe const leader : leaders) {
    if (!place(leader).shares_machine_with(place(first))) continue;
    if (pretended > 0 && leader / pretended != first / pretended) continue;
    throw UsageError(
        Text("PE ", leader, " and PE ", first, " run on ", place(first).host,
             ", but PE ", first - 1, " between them on ", place(first - 1).host,
             ": PEs of one node must have consecutive numbers; place them node "
             "by node (mpiexec --map-by ppr:N:node or --map-by core, srun -m "
             "block)"));
  }
}

}  // namespace

Nodes find_nodes(Bootstrap& bootstrap, int pes_per_node) {
  Place mine;
  all_or_none(agree_through(bootstrap), "finding the nodes of the PEs",
              [&] { mine = find_my_place(bootstrap.node(), pes_per_node); });
  auto const all = allgather(bootstrap, mine);
  check_equal_settings(all);
  Nodes nodes{{}, 0, pes_per_node > 0, {}};
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto const pe      = static_cast<Pe>(i);
    bool const goes_on = i > 0 && all[i].shares_machine_with(all[i - 1]) &&
                         (pes_per_node == 0 || pe % pes_per_node != 0);
    if (!goes_on) {
      check_new(all, nodes.first, pe);
      nodes.first.push_back(pe);
      nodes.hosts.emplace_back(all[i].host);
    }
    if (pe == bootstrap.my_pe())
      nodes.mine = static_cast<int>(nodes.first.size()) - 1;
  }
  nodes.first.push_back(bootstrap.n_pes());
  return nodes;
}

}  // namespace symm::Impl
