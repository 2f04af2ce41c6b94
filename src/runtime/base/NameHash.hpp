// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_BASE_NAME_HASH_HPP
#define SYMM_BASE_NAME_HASH_HPP

#include <cstdint>

namespace symm::Impl {

/// FNV-1a, which is equal in every process; type_info::hash_code() need not be.
[[nodiscard]] constexpr std::uint64_t hash_of_name(char const* name) {
  std::uint64_t hash = 0xcbf2'9ce4'8422'2325U;
  for (; *name != '\0'; ++name) {
    hash = (hash ^ static_cast<unsigned char>(*name)) * 0x100'0000'01b3U;
  }
  return hash;
}

}  // namespace symm::Impl

#endif
