// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Nodes.hpp"

#include "Bootstrap.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "../base/Failure.hpp"
#include "../base/Interrupted.hpp"
#include "../symm_errors.hpp"

namespace symm::Impl {

namespace {

/// A PE's location.
struct Place {
  std::uint64_t network_namespace = 0;
  std::int32_t node               = 0;  // Bootstrap::node()
  std::int32_t simulated          = 0;  // the number of a simulated node
  char boot_id[40]{};
  char host[64]{};

  /// A key that is equal for all PEs on a node.
  [[nodiscard]] std::string_view key() const {
    return {reinterpret_cast<char const*>(this), offsetof(Place, host)};
  }
  /// Whether both PEs run on one operating system instance, even if they are on
  /// different nodes (containers).
  [[nodiscard]] bool shares_machine_with(Place const& other) const {
    return key() == other.key() ||
           (boot_id[0] != '\0' && std::strcmp(boot_id, other.boot_id) == 0);
  }
};
// Padding would leak uninitialized stack bytes.
static_assert(std::has_unique_object_representations_v<Place>);

/// The first line of a file; "" if the system has no such file.
std::string read_line(char const* path) {
  char line[40]       = "";
  std::FILE* const in = uninterrupted([&] { return std::fopen(path, "r"); });
  if (in == nullptr && errno != ENOENT && errno != EACCES) {
    throw SystemError(std::string("cannot read ") + path, "fopen", errno);
  }
  if (in != nullptr) {
    if (uninterrupted([&] { return std::fgets(line, sizeof line, in); }) ==
        nullptr)
      line[0] = '\0';
    static_cast<void>(std::fclose(in));  // the file was only read, so no data
                                         // are lost
  }
  return line;
}

Place find_my_place(Bootstrap const& bootstrap, int pes_per_node) {
  Place me;
  me.node = bootstrap.node();
  if (pes_per_node > 0) me.simulated = bootstrap.my_pe() / pes_per_node;
  // Abstract socket names are local to a network namespace. Without /proc, the
  // namespace's number is 0 on all PEs.
  constexpr char const* network_namespace = "/proc/self/ns/net";
  struct stat status {};
  if (::stat(network_namespace, &status) == 0) {
    me.network_namespace = status.st_ino;
  } else if (errno != ENOENT && errno != EACCES) {
    throw SystemError(std::string("cannot query ") + network_namespace, "stat",
                      errno);
  }
  read_line("/proc/sys/kernel/random/boot_id").copy(me.boot_id, 36);
  if (::gethostname(me.host, sizeof(me.host) - 1) != 0) {
    throw SystemError("cannot get the name of this host", "gethostname", errno);
  }
  return me;
}

void check_equal_settings(Bootstrap& bootstrap, int pes_per_node) {
  auto const other = difference_of(bootstrap, pes_per_node);
  if (!other) return;
  throw UsageError(Text("SYMM_PES_PER_NODE differs between PEs: ",
                        other->of_first, " on PE 0, ", other->value, " on PE ",
                        other->pe, "; start all PEs with the same value"));
}

/// A node whose PEs do not have consecutive numbers.
struct Division {
  Pe first = 0;  // the node's first PE
  Pe next  = 0;  // the node's first PE that follows a PE on another node
};

[[noreturn]] void throw_divided(Division const& division,
                                std::vector<Place> const& all) {
  auto const host = [&](Pe pe) {
    return std::string_view(all[index_of(pe)].host);
  };
  throw UsageError(
      Text("PE ", division.first, " and PE ", division.next, " run on ",
           host(division.next), ", but PE ", division.next - 1,
           " between them runs on ", host(division.next - 1),
           "; PEs of one node must have consecutive numbers: place them node "
           "by node (mpiexec --map-by ppr:N:node or --map-by core, srun -m "
           "block)"));
}

/// Local. \returns the first node found whose PEs are not consecutive, if any;
/// `nodes` is then incomplete.
std::optional<Division> sort_into_nodes(std::vector<Place> const& all, Pe me,
                                        Nodes& nodes) {
  auto const& my_place = all[static_cast<std::size_t>(me)];
  std::unordered_map<std::string_view, Pe> leaders;
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto const pe = static_cast<Pe>(i);
    if (i == 0 || all[i].key() != all[i - 1].key()) {
      auto const [leader, is_new] = leaders.emplace(all[i].key(), pe);
      if (!is_new) return Division{leader->second, pe};
      nodes.first.push_back(pe);
      nodes.hosts.emplace_back(all[i].host);
      nodes.share_machine.push_back(all[i].shares_machine_with(my_place));
    }
    if (pe == me) nodes.my_node = static_cast<int>(nodes.first.size()) - 1;
  }
  nodes.first.push_back(static_cast<Pe>(all.size()));
  return std::nullopt;
}

}  // namespace

Nodes find_nodes(Bootstrap& bootstrap, int pes_per_node) {
  constexpr char const* what = "finding the nodes of the PEs";
  auto const agree           = agree_through(bootstrap);
  check_equal_settings(bootstrap, pes_per_node);
  Place mine;
  std::vector<Place> all;
  all_or_none(agree, what, [&] {
    mine = find_my_place(bootstrap, pes_per_node);
    all.resize(static_cast<std::size_t>(bootstrap.n_pes()));
  });
  bootstrap.allgather(&mine, all.data(), sizeof mine);
  Nodes nodes{{}, 0, pes_per_node > 0, {}, {}};
  std::optional<Division> division;
  all_or_none(agree, what, [&] {
    division = sort_into_nodes(all, bootstrap.my_pe(), nodes);
  });
  if (division) throw_divided(*division, all);
  return nodes;
}

}  // namespace symm::Impl
