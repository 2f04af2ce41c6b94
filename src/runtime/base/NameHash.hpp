// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_BASE_NAME_HASH_HPP
#define SYMM_BASE_NAME_HASH_HPP

#include <cstdint>

namespace symm::Impl {

/// Returns the FNV-1a hash of a name, which is the same in every process.
[[nodiscard]] constexpr std::uint64_t hash_of_name(char const* name) {
  std::uint64_t hash = 0xcbf2'9ce4'8422'2325U;
  for (; *name != '\0'; ++name) {
    hash = (hash ^ static_cast<unsigned char>(*name)) * 0x100'0000'01b3U;
  }
  return hash;
}

/// Returns a hash of the type T, which is the same on all PEs that run the same
/// program. (std::type_info::hash_code() may differ between processes.)
template <class T>
[[nodiscard]] constexpr std::uint64_t hash_of_type() {
  return hash_of_name(__PRETTY_FUNCTION__);
}

}  // namespace symm::Impl

#endif
