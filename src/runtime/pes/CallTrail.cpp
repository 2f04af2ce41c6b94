// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "CallTrail.hpp"

#include <bit>
#include <string_view>

namespace symm::Impl {

namespace {

/// Each step is invertible (XOR, multiplication by an odd constant, rotation).
/// Starting from the same hash, different words therefore yield different
/// hashes. These hashes stay different as long as the words that follow are
/// equal.
std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
  return std::rotl(hash ^ (word * 0x9e3779b97f4a7c15U), 29) *
         0xff51afd7ed558ccdU;
}

}  // namespace

void CallTrail::note(RuntimeCall operation,
                     RuntimeCallArguments const& arguments,
                     char const* label) noexcept {
  auto const number  = count();
  auto const before  = hash();
  auto& place        = m_kept[number % capacity];
  place.before       = before;
  place.arguments    = arguments;
  place.operation    = operation;
  std::size_t length = 0;
  if (*label != '\0') {
    length = std::string_view(label).copy(place.label.data(),
                                          place.label.size() - 1);
  }
  place.label[length] = '\0';
  auto after          = mixed(before, static_cast<std::uint64_t>(operation));
  for (auto const argument : arguments) after = mixed(after, argument);
  m_hash.store(after == 0 ? 1 : after, std::memory_order_relaxed);
  m_count.store(number + 1, std::memory_order_relaxed);
}

Text CallTrail::text_of(std::uint64_t call) const {
  auto const& place = kept(call);
  return to_string(place.operation, place.arguments, place.label.data());
}

void CallTrail::start_anew() noexcept {
  m_hash.store(0, std::memory_order_relaxed);
  m_count.store(0, std::memory_order_relaxed);
  m_generation.store(generation() + 1, std::memory_order_relaxed);
}

}  // namespace symm::Impl
