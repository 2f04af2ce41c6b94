// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "TargetMemory.hpp"

#include <atomic>
#include <cstring>
#include <type_traits>

#include "../base/AddressSanitizer.hpp"
#include "../memory/ChangeWord.hpp"
#include "../memory/HostCopy.hpp"

namespace symm::Impl {

namespace {

template <std::size_t bytes>
bool store_if_word(char* to, void const* from) {
  if (reinterpret_cast<std::uintptr_t>(to) % bytes != 0) return false;
  using Word = typename HostWord<bytes>::type;
  Word word;
  std::memcpy(&word, from, bytes);
  __atomic_store_n(reinterpret_cast<Word*>(to), word, __ATOMIC_RELEASE);
  return true;
}

#ifdef SYMM_HAS_ASAN
/// Like store_block(), but AddressSanitizer does not check `to`. Another PE may
/// store to a new block while the allocating call on this PE has not yet marked
/// the block as addressable.
[[gnu::no_sanitize_address]] void store_unseen(char* to, char const* from,
                                               std::size_t bytes) {
  auto const store = [&](auto value) __attribute__((no_sanitize_address)) {
    if (reinterpret_cast<std::uintptr_t>(to) % sizeof(value) != 0 ||
        bytes < sizeof(value)) {
      return false;
    }
    __builtin_memcpy(&value, from, sizeof(value));
    __atomic_store_n(reinterpret_cast<decltype(value)*>(to), value,
                     __ATOMIC_RELEASE);
    to += sizeof(value);
    from += sizeof(value);
    bytes -= sizeof(value);
    return true;
  };
  using Word8 = HostWord<8>::type;
  using Word4 = HostWord<4>::type;
  using Word2 = HostWord<2>::type;
  using Word1 = HostWord<1>::type;
  while (store(Word8()) || store(Word4()) || store(Word2()) || store(Word1())) {
  }
}
#endif

}  // namespace

void store_block(char* to, void const* from, std::size_t bytes) {
#ifdef SYMM_HAS_ASAN
  store_unseen(to, static_cast<char const*>(from), bytes);
  return;
#endif
  switch (bytes) {
    case 0: return;
    case 1: store_if_word<1>(to, from); return;
    case 2:
      if (store_if_word<2>(to, from)) return;
      break;
    case 4:
      if (store_if_word<4>(to, from)) return;
      break;
    case 8:
      if (store_if_word<8>(to, from)) return;
      break;
    default: break;
  }
  std::atomic_thread_fence(std::memory_order_release);
  copy_host_memory(to, from, bytes);
}

bool is_atomic(AtomicOp op, WordType type) {
  if (op > AtomicOp::bit_xor || type > WordType::f64) return false;
  bool const has_bits = type != WordType::f32 && type != WordType::f64;
  return has_bits || op < AtomicOp::bit_and;
}

std::uint64_t change_word(char* word, AtomicOp op, WordType type,
                          std::uint64_t value, std::uint64_t compare) {
  std::atomic_thread_fence(std::memory_order_release);
  return with_type(type, [=](auto zero) {
    return change_bits<decltype(zero)>(word, op, value, compare);
  });
}

void change_words(std::span<WordChange const> changes, AtomicOp op,
                  WordType type) {
  std::atomic_thread_fence(std::memory_order_release);
  with_type(type, [=](auto zero) {
    using T = decltype(zero);
    if (op == AtomicOp::add) {
      for (auto const& [word, value] : changes)
        static_cast<void>(change_bits<T>(word, AtomicOp::add, value, 0));
      return;
    }
    for (auto const& [word, value] : changes)
      static_cast<void>(change_bits<T>(word, op, value, 0));
  });
}

}  // namespace symm::Impl
