// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "ViewBlock.hpp"

#include <algorithm>
#include <cstring>

#include "../../runtime/memory/HostCopy.hpp"

namespace symm::Impl {

namespace {

using Dimension = ViewBlock::Dimension;

template <std::size_t bytes>
void copy_words(char* there, char const* here, Dimension const& row,
                std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(there + i * row.there, here + i * row.here, bytes);
  }
}

void copy_row(char* there, char const* here, Dimension const& row,
              std::size_t count, std::size_t element) {
  switch (element) {
    case 1: return copy_words<1>(there, here, row, count);
    case 2: return copy_words<2>(there, here, row, count);
    case 4: return copy_words<4>(there, here, row, count);
    case 8: return copy_words<8>(there, here, row, count);
    case 16: return copy_words<16>(there, here, row, count);
    default:
      for (std::size_t i = 0; i < count; ++i) {
        copy_host_memory(there + i * row.there, here + i * row.here, element);
      }
  }
}

}  // namespace

std::size_t ViewBlock::count() const {
  std::size_t n = 1;
  for (std::size_t r = 0; r < rank; ++r) n *= dimensions[r].extent;
  return n;
}

ViewBlock simplified(ViewBlock block) {
  auto* const first = block.dimensions;
  auto* last        = std::remove_if(first, first + block.rank,
                                     [](Dimension const& d) { return d.extent == 1; });
  // A stable insertion sort by the strides on the other PE. (std::stable_sort()
  // would allocate memory.)
  for (auto* d = first; d != last; ++d) {
    auto* const place = std::upper_bound(
        first, d, *d, [](Dimension const& a, Dimension const& b) {
          return a.there < b.there;
        });
    std::rotate(place, d, d + 1);
  }
  std::size_t rank = 0;
  for (auto* d = first; d != last; ++d) {
    if (rank == 0 && d->there == block.element && d->here == block.element) {
      block.element *= d->extent;
      continue;
    }
    if (rank > 0) {
      auto& below = first[rank - 1];
      if (d->there == below.there * below.extent &&
          d->here == below.here * below.extent) {
        below.extent *= d->extent;
        continue;
      }
    }
    first[rank++] = *d;
  }
  block.rank = rank;
  return block;
}

ViewBlock turned(ViewBlock block) {
  for (std::size_t r = 0; r < block.rank; ++r) {
    std::swap(block.dimensions[r].there, block.dimensions[r].here);
  }
  return block;
}

void copy_block(void* there, void const* here, ViewBlock const& block,
                std::size_t first, std::size_t last) {
  auto* to         = static_cast<char*>(there);
  auto const* from = static_cast<char const*>(here);
  std::size_t index[ViewBlock::max_dimensions]{};
  for (std::size_t r = 0, rest = first; r < block.rank && rest != 0; ++r) {
    auto const& d = block.dimensions[r];
    index[r]      = rest % d.extent;
    rest /= d.extent;
    to += index[r] * d.there;
    from += index[r] * d.here;
  }
  auto const row = block.rank == 0 ? Dimension{1, 0, 0} : block.dimensions[0];
  while (first < last) {
    auto const n = std::min(row.extent - index[0], last - first);
    copy_row(to, from, row, n, block.element);
    first += n;
    // Move back to the start of the row, then to the next row.
    to -= index[0] * row.there;
    from -= index[0] * row.here;
    index[0] = 0;
    for (std::size_t r = 1; r < block.rank; ++r) {
      auto const& d = block.dimensions[r];
      to += d.there;
      from += d.here;
      if (++index[r] < d.extent) break;
      to -= d.extent * d.there;
      from -= d.extent * d.here;
      index[r] = 0;
    }
  }
}

}  // namespace symm::Impl
