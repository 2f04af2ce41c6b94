// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_POISON_HPP
#define SYMM_POISON_HPP

#include <cstddef>

#include "../base/AddressSanitizer.hpp"
#include "../memory/HeapMap.hpp"

#ifdef SYMM_HAS_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace symm::Impl {

/// Under AddressSanitizer, poisons or unpoisons a range of offsets in every
/// near PE's part. If this process then accesses freed symmetric memory,
/// whether its own or a peer's, AddressSanitizer reports the access
/// immediately. Without AddressSanitizer, does nothing.
inline void set_poisoned([[maybe_unused]] HeapMap const& map,
                         [[maybe_unused]] std::size_t offset,
                         [[maybe_unused]] std::size_t bytes,
                         [[maybe_unused]] bool is_poisoned) {
#ifdef SYMM_HAS_ASAN
  for (Pe const pe : map.near_pes()) {
    if (is_poisoned) {
      ASAN_POISON_MEMORY_REGION(map.part(pe) + offset, bytes);
    } else {
      ASAN_UNPOISON_MEMORY_REGION(map.part(pe) + offset, bytes);
    }
  }
#endif
}

}  // namespace symm::Impl

#endif
