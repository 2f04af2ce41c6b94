// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Pool attributes, and trimming of pools.
#include "../base/Text.hpp"
#include "Pools.hpp"

namespace symm::Impl {

std::uint64_t Pools::attribute(MemPool which, MemPoolAttribute attribute) {
  constexpr char const* call = "symm::mem_pool_get_attribute";
  auto const lock            = lock_for(which);
  auto& pool                 = find(which, call);
  auto const& policy         = pool.policy();
  switch (attribute) {
    case MemPoolAttribute::reuse_follow_event_dependencies:
      return policy.follow_event_dependencies ? 1 : 0;
    case MemPoolAttribute::reuse_allow_opportunistic:
      return policy.allow_opportunistic ? 1 : 0;
    case MemPoolAttribute::reuse_allow_internal_dependencies:
      return policy.allow_internal_dependencies ? 1 : 0;
    case MemPoolAttribute::release_threshold: return policy.release_threshold;
    case MemPoolAttribute::reserved_mem_current: return pool.reserved().current;
    case MemPoolAttribute::reserved_mem_high: return pool.reserved().high;
    case MemPoolAttribute::used_mem_current: return pool.used().current;
    case MemPoolAttribute::used_mem_high: return pool.used().high;
  }
  throw UsageError(Text(call, ": unknown attribute ",
                        static_cast<std::uint32_t>(attribute)));
}

void Pools::set_attribute(MemPool which, MemPoolAttribute attribute,
                          std::uint64_t value) {
  constexpr char const* call = "symm::mem_pool_set_attribute";
  auto const lock            = lock_for(which);
  auto& pool                 = find(which, call);
  auto& policy               = pool.policy();
  auto const restart         = [&](Pool::Amount& amount) {
    if (value != 0) {
      throw UsageError(Text(call,
                                    ": a high-water mark can only be set to 0, "
                                            "not to ",
                                    value));
    }
    amount.high = amount.current;
  };
  switch (attribute) {
    case MemPoolAttribute::reuse_follow_event_dependencies:
      policy.follow_event_dependencies = value != 0;
      break;
    case MemPoolAttribute::reuse_allow_opportunistic:
      policy.allow_opportunistic = value != 0;
      break;
    case MemPoolAttribute::reuse_allow_internal_dependencies:
      policy.allow_internal_dependencies = value != 0;
      break;
    case MemPoolAttribute::release_threshold:
      policy.release_threshold = value;
      break;
    case MemPoolAttribute::reserved_mem_high: restart(pool.reserved()); break;
    case MemPoolAttribute::used_mem_high: restart(pool.used()); break;
    default:
      throw UsageError(Text(call, ": attribute ",
                            static_cast<std::uint32_t>(attribute),
                            " cannot be set"));
  }
  note(pool, RuntimeCall::pool_attribute,
       {pool.number(), static_cast<std::uint64_t>(attribute), value});
}

void Pools::trim_to(MemPool which, std::size_t min_bytes_to_hold) {
  auto const lock = lock_for(which);
  // An imported pool's memory belongs to another process.
  if (is_local(which) && find_imported(which) != nullptr) return;
  auto const [group, pool] = get_in_step(which, "symm::mem_pool_trim_to");
  pool.trim_to(min_bytes_to_hold);
  catch_up(group);
}

}  // namespace symm::Impl
