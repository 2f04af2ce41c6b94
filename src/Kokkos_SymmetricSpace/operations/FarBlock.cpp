// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "FarBlock.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>

#include "../../runtime/transport/Message.hpp"

namespace symm::Impl {

namespace {

using Dimension = ViewBlock::Dimension;

/// The maximum number of bytes to pack at once, or to read at once (including
/// gaps).
constexpr std::size_t max_packed = std::size_t{1} << 20U;

/// Up to this number of elements, a separate message costs more than sending
/// the elements in a batch with elements of other blocks.
constexpr std::size_t max_in_batch = 32;

/// A contiguous run of at least this size, in bytes, is worth a separate
/// message.
constexpr std::size_t long_run = std::size_t{2} << 10U;

/// The same block, but with the elements packed contiguously on this PE, in the
/// order of the dimensions. Precondition: the block is simplified().
ViewBlock packed(ViewBlock block) {
  std::size_t stride = block.element;
  for (std::size_t r = 0; r < block.rank; ++r) {
    block.dimensions[r].here = stride;
    stride *= block.dimensions[r].extent;
  }
  return block;
}

/// The number of single-stride copies that make up a simplified block.
std::size_t n_strided(ViewBlock const& block) {
  std::size_t n = 1;
  for (std::size_t r = 1; r < block.rank; ++r) n *= block.dimensions[r].extent;
  return n;
}

/// The number of bytes on the far PE, from the first to the last element
/// inclusive.
std::size_t span(ViewBlock const& block) {
  std::size_t bytes = block.element;
  for (std::size_t r = 0; r < block.rank; ++r) {
    bytes += (block.dimensions[r].extent - 1) * block.dimensions[r].there;
  }
  return bytes;
}

/// Describes a copy between the block on this PE and packed memory. In the
/// result, `there` refers to the packed memory.
ViewBlock repacked(ViewBlock const& block) {
  ViewBlock result = packed(block);
  for (std::size_t r = 0; r < block.rank; ++r) {
    result.dimensions[r].there = result.dimensions[r].here;
    result.dimensions[r].here  = block.dimensions[r].here;
  }
  return result;
}

/// Calls copy(far, here, strides) for each single-stride copy.
template <class Here, class Copy>
void for_each_strided(PeMemory far, Here* here, ViewBlock const& block,
                      std::size_t rank, Copy const& copy) {
  if (rank <= 1) {
    auto const d = rank == 0 ? Dimension{1, block.element, block.element}
                             : block.dimensions[0];
    copy(far, here, Strides{block.element, d.extent, d.there, d.here});
    return;
  }
  auto const& d = block.dimensions[rank - 1];
  for (std::size_t i = 0; i < d.extent; ++i) {
    for_each_strided(far.moved(i * d.there), here + i * d.here, block, rank - 1,
                     copy);
  }
}

/// Divides a simplified block into the largest possible parts with
/// bytes_of(part) <= max_packed and calls work(far, here, part) for each part.
/// A part of rank 0 is one element of any size.
template <class Here, class BytesOf, class Work>
void for_each_part(PeMemory far, Here* here, ViewBlock const& block,
                   BytesOf const& bytes_of, Work const& work) {
  std::size_t const bytes = bytes_of(block);
  if (block.rank == 0 || bytes <= max_packed) {
    work(far, here, block);
    return;
  }
  auto const& outer     = block.dimensions[block.rank - 1];
  auto part             = block;
  auto& count           = part.dimensions[block.rank - 1].extent;
  count                 = 1;
  std::size_t const one = bytes_of(part);
  if (one > max_packed) {
    --part.rank;
    for (std::size_t i = 0; i < outer.extent; ++i) {
      for_each_part(far.moved(i * outer.there), here + i * outer.here, part,
                    bytes_of, work);
    }
    return;
  }
  std::size_t const each_more = (bytes - one) / (outer.extent - 1);
  std::size_t const most      = 1 + (max_packed - one) / each_more;
  for (std::size_t i = 0; i < outer.extent; i += most) {
    count = std::min(most, outer.extent - i);
    work(far.moved(i * outer.there), here + i * outer.here, part);
  }
}

void put_each(PeMemory far, char const* here, ViewBlock const& block,
              char const* call) {
  for_each_strided(far, here, block, block.rank,
                   [=](PeMemory to, char const* from, Strides const& strides) {
                     put_strided_to(to, from, strides, call);
                   });
}

/// Adds each element separately to the batch for the target PE.
void put_in_batch(PeMemory far, char const* here, ViewBlock const& block,
                  char const* call) {
  for_each_strided(far, here, block, block.rank,
                   [=](PeMemory to, char const* from, Strides const& strides) {
                     for (std::size_t i = 0; i < strides.count; ++i) {
                       put_without_stores(to.moved(i * strides.remote_bytes),
                                          from + i * strides.local_bytes,
                                          strides.element_bytes,
                                          Completion::none, call);
                     }
                   });
}

void get_each(char* here, PeMemory far, ViewBlock const& block,
              char const* call) {
  if (block.rank <= 1 || block.element < long_run) {
    for_each_strided(far, here, block, block.rank,
                     [=](PeMemory from, char* to, Strides const& strides) {
                       get_strided_from(to, from, strides, call);
                     });
    return;
  }
  // Starts all gets before waiting. Waiting for each get in turn would take one
  // round trip per get.
  complete_if_throws(call, [&] {
    for_each_strided(far, here, block, block.rank,
                     [=](PeMemory from, char* to, Strides const& strides) {
                       for (std::size_t i = 0; i < strides.count; ++i) {
                         get_otherwise(to + i * strides.local_bytes,
                                       from.moved(i * strides.remote_bytes),
                                       strides.element_bytes, Completion::none,
                                       call);
                       }
                     });
    quiet_far();
  });
}

}  // namespace

void put_block(PeMemory dest, void const* source, ViewBlock const& block,
               char const* call) {
  if (block.bytes() == 0) return;
  auto const plain        = simplified(block);
  auto const* const start = static_cast<char const*>(source);
  auto const n_plain      = n_strided(plain);
  auto const n_packed     = n_strided(simplified(packed(plain)));
  // (Elements of this size are copied into the batch during the call.)
  if (plain.element <= BatchEntry::max_bytes && !is_of_gpu(dest.segment) &&
      plain.count() <= max_in_batch * std::min(n_plain, n_packed)) {
    put_in_batch(dest, start, plain, call);
    return;
  }
  if (n_packed >= n_plain) {
    put_each(dest, start, plain, call);
    return;
  }
  std::unique_ptr<char[]> const memory(
      new char[std::min(max_packed, plain.bytes())]);
  for_each_part(dest, start, plain, std::mem_fn(&ViewBlock::bytes),
                [&](PeMemory to, char const* from, ViewBlock const& part) {
                  if (part.rank == 0) {
                    put_each(to, from, part, call);
                    return;
                  }
                  copy_block(memory.get(), from, repacked(part));
                  put_each(to, memory.get(), simplified(packed(part)), call);
                });
}

void get_block(void* dest, PeMemory source, ViewBlock const& block,
               char const* call) {
  if (block.bytes() == 0) return;
  auto const plain  = simplified(block);
  auto* const start = static_cast<char*>(dest);
  if (plain.rank <= 1) {
    get_each(start, source, plain, call);
    return;
  }
  bool const has_small_gaps = span(plain) / 2 <= plain.bytes();
  if (!has_small_gaps &&
      n_strided(simplified(packed(plain))) >= n_strided(plain)) {
    get_each(start, source, plain, call);
    return;
  }
  auto const bytes_of = [&](ViewBlock const& part) {
    return has_small_gaps ? span(part) : part.bytes();
  };
  std::unique_ptr<char[]> const memory(
      new char[std::min(max_packed, bytes_of(plain))]);
  for_each_part(source, start, plain, bytes_of,
                [&](PeMemory from, char* to, ViewBlock const& part) {
                  if (part.rank == 0) {
                    get_each(to, from, part, call);
                  } else if (has_small_gaps) {
                    get_otherwise(memory.get(), from, span(part),
                                  Completion::local, call);
                    copy_block(to, memory.get(), turned(part));
                  } else {
                    get_each(memory.get(), from, simplified(packed(part)),
                             call);
                    copy_block(to, memory.get(), turned(repacked(part)));
                  }
                });
}

}  // namespace symm::Impl
