// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_MEMORY_HPP
#define SYMM_TEST_MEMORY_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <vector>

#include <Kokkos_SymmetricSpace.hpp>

/// Host access to symmetric memory of any kind, on this PE or a peer: with
/// loads and stores where the host can access it, with device copies where it
/// cannot.
namespace symm_test {

/// Whether the host can access memory from symm::malloc().
inline constexpr bool host_reaches_heap =
    Kokkos::SpaceAccessibility<Kokkos::DefaultHostExecutionSpace,
                               symm::SymmetricSpace>::accessible;

/// Copies private memory to symmetric memory. Complete on return.
inline void write_memory(void* to, void const* from, std::size_t bytes) {
  if constexpr (host_reaches_heap) {
    std::memcpy(to, from, bytes);
  } else {
    using Kokkos::MemoryUnmanaged, Kokkos::View;
    Kokkos::deep_copy(View<char*, symm::SymmetricSpace, MemoryUnmanaged>(
                          static_cast<char*>(to), bytes),
                      View<char const*, Kokkos::HostSpace, MemoryUnmanaged>(
                          static_cast<char const*>(from), bytes));
  }
}

/// Copies symmetric memory to private memory. Complete on return.
inline void read_memory(void* to, void const* from, std::size_t bytes) {
  if constexpr (host_reaches_heap) {
    std::memcpy(to, from, bytes);
  } else {
    using Kokkos::MemoryUnmanaged, Kokkos::View;
    Kokkos::deep_copy(View<char*, Kokkos::HostSpace, MemoryUnmanaged>(
                          static_cast<char*>(to), bytes),
                      View<char const*, symm::SymmetricSpace, MemoryUnmanaged>(
                          static_cast<char const*>(from), bytes));
  }
}

inline std::vector<char> memory_bytes(void const* start, std::size_t bytes) {
  std::vector<char> result(bytes);
  read_memory(result.data(), start, bytes);
  return result;
}

/// Sets all bytes to `value`. Does nothing if `start` is null.
inline void set_bytes(void* start, unsigned char value, std::size_t bytes) {
  if (start == nullptr) return;
  std::vector<unsigned char> const all(bytes, value);
  write_memory(start, all.data(), bytes);
}

template <class T>
void set_value(T* at, std::type_identity_t<T> const& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  write_memory(at, &value, sizeof value);
}

template <class T>
std::remove_const_t<T> get_value(T* at) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::remove_const_t<T> value;
  read_memory(&value, at, sizeof value);
  return value;
}

}  // namespace symm_test

#endif
