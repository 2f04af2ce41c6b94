// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// A DistributedHashMap on the host: each PE inserts 10^6 pairs of 8 and 8 bytes
// with random keys, which are there already, and looks for as many. "local"
// does that in a std::unordered_map of its own, without other PEs.

#include <Kokkos_SymmetricContainers.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "exchange/Lists.hpp"
#include "harness/Session.hpp"

namespace perf::hash_map_benchmark {
namespace {

std::uint64_t key_of(std::size_t k) {
  auto const me   = static_cast<std::uint64_t>(symm::my_pe());
  std::uint64_t x = (me << 40U) + k;
  x               = (x ^ (x >> 31U)) * 0x7fb5'd329'728e'a185U;
  return x ^ (x >> 27U);
}

void measure(Session& session) {
  std::size_t const count = session.quick() ? 20'000 : 1'000'000;
  std::vector<std::uint64_t> keys(count);
  for (std::size_t k = 0; k < count; ++k) keys[k] = key_of(k * 7919 % count);
  std::unordered_map<std::uint64_t, std::uint64_t> local(2 * count);
  symm::DistributedHashMap<std::uint64_t, std::uint64_t, symm::Sum> map("map",
                                                                        count);
  std::vector<std::optional<std::uint64_t>> found(count);

  auto const insert_local = [&] {
    for (auto const key : keys) local[key] += 1;
  };
  std::uint64_t sum     = 0;
  auto const find_local = [&] {
    for (auto const key : keys) sum += local.find(key)->second;
  };
  std::uint64_t n_inserts = 0;
  auto const insert       = [&] {
    ++n_inserts;
    for (auto const key : keys) map.insert(key, 1);
    map.finish();
  };
  auto const find = [&] {
    for (std::size_t k = 0; k < count; ++k) map.find(keys[k], found[k]);
    map.finish();
  };
  insert_local();
  insert();
  auto const n = static_cast<std::int64_t>(count);
  session.compare({{{"insert, keys of a PE", n}}},
                  {{"local", "", repeat(insert_local)},
                   {"DistributedHashMap", "local", repeat(insert)}});
  session.compare({{{"find, keys of a PE", n}}},
                  {{"local", "", repeat(find_local)},
                   {"DistributedHashMap", "local", repeat(find)}});
  std::int64_t wrong = sum == 0 ? 1 : 0;
  for (auto const& value : found) wrong += value != n_inserts ? 1 : 0;
  session.verify("hash map", wrong);
}

Registered const registered{"hash_map", measure};

}  // namespace
}  // namespace perf::hash_map_benchmark
