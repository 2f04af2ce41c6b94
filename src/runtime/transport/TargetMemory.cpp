// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "TargetMemory.hpp"

#include <atomic>
#include <cstring>
#include <type_traits>

#include "../base/BitCast.hpp"
#include "../memory/HostCopy.hpp"
#include "../memory/WordAtomics.hpp"

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

template <class T>
T change(T* word, AtomicOp op, T value, T compare) {
  switch (op) {
    case AtomicOp::fetch: return fetch_word(word);
    case AtomicOp::set:
      // (As the fence before it, but ThreadSanitizer knows no fences.)
      std::atomic_ref<T>(*word).store(value, std::memory_order_release);
      return value;
    case AtomicOp::swap: return swap_word(word, value);
    case AtomicOp::compare_swap: return compare_swap_word(word, compare, value);
    case AtomicOp::add: return fetch_add_word(word, value);
    case AtomicOp::min: return fetch_min_word(word, value);
    case AtomicOp::max: return fetch_max_word(word, value);
    default: break;
  }
  if constexpr (std::is_integral_v<T>) {
    switch (op) {
      case AtomicOp::bit_and: return fetch_and_word(word, value);
      case AtomicOp::bit_or: return fetch_or_word(word, value);
      case AtomicOp::bit_xor: return fetch_xor_word(word, value);
      default: break;
    }
  }
  return value;
}

template <class T>
std::uint64_t change_bits(char* word, AtomicOp op, std::uint64_t value,
                          std::uint64_t compare) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  return bit_cast<Bits>(change(reinterpret_cast<T*>(word), op,
                               bit_cast<T>(static_cast<Bits>(value)),
                               bit_cast<T>(static_cast<Bits>(compare))));
}

/// Calls use(T()) with the type of the word.
template <class Use>
auto with_type(WordType type, Use const& use) {
  switch (type) {
    case WordType::i32: return use(std::int32_t());
    case WordType::u32: return use(std::uint32_t());
    case WordType::f32: return use(float());
    case WordType::i64: return use(std::int64_t());
    case WordType::u64: return use(std::uint64_t());
    default: return use(double());
  }
}

}  // namespace

void store_block(char* to, void const* from, std::size_t bytes) {
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
