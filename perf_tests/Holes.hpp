// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PERF_HOLES_HPP
#define SYMM_PERF_HOLES_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace perf {

/// Makes a heap look as it does after a long run: `count` free blocks of 16 B
/// to 16 KiB, each between two blocks in use. Requests for up to 16 KiB find a
/// hole; for a larger request, all holes are in the way.
class Holes {
 public:
  using Allocate   = std::function<void*(std::size_t bytes)>;
  using Deallocate = std::function<void(void*)>;

  /// Collective if `allocate` and `deallocate` are.
  Holes(std::int64_t count, Allocate const& allocate, Deallocate deallocate)
      : m_deallocate(std::move(deallocate)) {
    std::vector<void*> freed_later;
    for (std::int64_t i = 0; i < count; ++i) {
      freed_later.push_back(allocate(hole_bytes(i)));
      m_in_use.push_back(allocate(16));
    }
    // Not in address order: every third block, three times.
    for (std::size_t first = 0; first < 3; ++first)
      for (std::size_t i = first; i < freed_later.size(); i += 3)
        m_deallocate(freed_later[i]);
  }

  ~Holes() {
    for (void* p : m_in_use) m_deallocate(p);
  }
  Holes(Holes const&)            = delete;
  Holes& operator=(Holes const&) = delete;

 private:
  // The same on all PEs: a power of two from 16 to 8192, plus less than that
  // again.
  static std::size_t hole_bytes(std::int64_t i) {
    auto const number = static_cast<std::uint64_t>(i) * 0x9E37'79B9'7F4A'7C15U;
    std::size_t const power = std::size_t{16} << (number >> 60U) % 10;
    return power + (number >> 20U) % power;
  }

  Deallocate m_deallocate;
  std::vector<void*> m_in_use;
};

}  // namespace perf

#endif
