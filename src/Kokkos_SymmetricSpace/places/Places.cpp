// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Places.hpp"
#include "../../runtime/base/PeNumbers.hpp"

#include <algorithm>
#include <bit>

#include "GatheredElements.hpp"

namespace symm::Impl {

namespace {

[[noreturn]] void throw_in_places(std::string const& label,
                                  std::string const& what) {
  throw UsageError("symm::places of \"" + label + "\": " + what);
}

template <class Number>
std::string text_of_numbers(std::span<Number const> numbers) {
  std::string text = "(";
  for (auto const number : numbers) {
    text += (text.size() == 1 ? "" : ", ") + std::to_string(number);
  }
  return text + ")";
}

std::string text_of_no_element(std::int64_t pe,
                               std::span<std::int64_t const> indices,
                               std::span<std::size_t const> extents) {
  return "element " + text_of_numbers(indices) + " on PE " +
         std::to_string(pe) + " is out of bounds; the extents are " +
         text_of_numbers(extents);
}

}  // namespace

Place32Code place32_code(HeapMap const& map, std::size_t element_bytes) {
  auto const n_near = static_cast<unsigned>(std::min(map.n_near, map.n_pes));
  Place32Code code;
  code.bits = 32 - std::max(1, static_cast<int>(std::bit_width(n_near - 1)));
  code.words_per_pe = std::uint32_t{1} << code.bits;
  if (n_near == 1) return code;
  auto const words = map.stride / element_bytes;
  if (map.stride % element_bytes == 0 &&
      words <= (std::uint64_t{1} << 32U) / n_near) {
    code.words_per_pe = static_cast<std::uint32_t>(words);
  } else {
    code.step = static_cast<std::int64_t>(map.stride) -
                static_cast<std::int64_t>(element_bytes << code.bits);
  }
  return code;
}

void throw_unequal_lists(std::string const& label) {
  throw_in_places(label,
                  "the lists of PEs and indices must have the same length");
}

void throw_too_large_for_place32(std::string const& label, std::size_t elements,
                                 int bits) {
  throw_in_places(label,
                  "the View has " + std::to_string(elements) +
                      " elements, but a symm::Place32 can refer to only 2^" +
                      std::to_string(bits) +
                      " with this many PEs on the node; use symm::Place");
}

void throw_no_place(std::string const& label, std::size_t n, std::int64_t pe,
                    HeapMap const& map, std::span<std::int64_t const> indices,
                    std::span<std::size_t const> extents) {
  auto const which = "place " + std::to_string(n) + ": ";
  if (pe < 0 || pe >= map.n_pes) {
    throw_in_places(label, which + std::string(text_of_no_pe(pe, map.n_pes)));
  }
  bool const is_element =
      std::equal(indices.begin(), indices.end(), extents.begin(),
                 [](std::int64_t index, std::size_t extent) {
                   return static_cast<std::size_t>(index) < extent;
                 });
  if (is_element) {
    throw_in_places(
        label, which + "PE " + std::to_string(pe) +
                   " is on another node, whose memory loads and stores cannot "
                   "reach; copy its elements with symm::get_nbi and make "
                   "places of the copies, or use symm::remote_view");
  }
  throw_in_places(label, which + text_of_no_element(pe, indices, extents));
}

void throw_not_gathered(std::string const& label, std::size_t n,
                        std::int64_t pe, int n_pes, std::int64_t index,
                        std::size_t extent) {
  throw UsageError(
      "symm::gather of \"" + label + "\": entry " + std::to_string(n) + ": " +
      (pe < 0 || pe >= n_pes ? std::string(text_of_no_pe(pe, n_pes))
                             : text_of_no_element(pe, std::span(&index, 1),
                                                  std::span(&extent, 1))));
}

}  // namespace symm::Impl
