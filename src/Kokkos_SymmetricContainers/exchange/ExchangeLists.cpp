// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "ExchangeLists.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <utility>

#include <Kokkos_SymmetricSpace_Edge.hpp>

#include "../../runtime/symm_errors.hpp"

namespace symm::Impl {

namespace {

void check_count(char const* call, std::size_t count) {
  if (count <= max_elements) return;
  throw UsageError(Text(call, ": ", count,
                        " elements on a PE, but a plan supports at most ",
                        max_elements));
}

void check_lengths(char const* call, std::size_t count, char const* what,
                   std::size_t others, char const* of_what) {
  if (count == others) return;
  throw UsageError(Text(call, ": ", count, " ", what, ", but ", others, " ",
                        of_what, "; the lists must have the same length"));
}

/// Calls body(first, count) for consecutive parts of a list, each of which fits
/// into a Part.
constexpr std::size_t max_of_part = 512;
using Part                        = std::int64_t[max_of_part];
template <class Body>
void for_each_part(std::size_t count, Body const& body) {
  for (std::size_t first = 0; first < count; first += max_of_part)
    body(first, std::min(max_of_part, count - first));
}

/// Negative if `value` is not between 0 and end - 1; otherwise nonnegative.
std::int64_t is_wrong(std::int64_t value, std::int64_t end) {
  // Unsigned because a signed difference could overflow.
  auto const left =
      static_cast<std::uint64_t>(end) - 1 - static_cast<std::uint64_t>(value);
  return value | static_cast<std::int64_t>(left);
}

/// Checks the lists and counts the elements for each PE.
/// \param end an upper bound: all elements must be less than `end`.
std::vector<std::size_t> count(char const* call, char const* what,
                               Integers const& elements, std::size_t end,
                               Integers const& pes, int n_pes) {
  check_lengths(call, elements.size(), (std::string(what) + "s").c_str(),
                pes.size(), "PEs");
  auto const its_end = static_cast<std::int64_t>(end);
  // Use several counters per PE: with only one, each increment would have to
  // wait for the previous increment to be stored.
  constexpr std::size_t n_counters = 4;
  std::vector<std::size_t> counters(n_counters *
                                    static_cast<std::size_t>(n_pes));
  for_each_part(pes.size(), [&](std::size_t first, std::size_t n) {
    Part pe, element;
    pes.read(first, n, pe);
    elements.read(first, n, element);
    std::int64_t any = 0;
    for (std::size_t k = 0; k < n; ++k)
      any |= is_wrong(pe[k], n_pes) | is_wrong(element[k], its_end);
    for (std::size_t k = 0; k < n && any < 0; ++k) {
      if (is_wrong(pe[k], n_pes) < 0) {
        throw_no_pe(pe[k], n_pes, Text(call, ": ", what, " ", first + k),
                    " in the PE team");
      }
      if (is_wrong(element[k], its_end) < 0) {
        throw UsageError(Text(call, ": ", what, " ", first + k,
                              ": invalid element ", element[k],
                              "; the number of elements is ", end));
      }
    }
    for (std::size_t k = 0; k < n; ++k)
      ++counters[n_counters * static_cast<std::size_t>(pe[k]) + k % n_counters];
  });
  std::vector<std::size_t> counts(static_cast<std::size_t>(n_pes));
  for (std::size_t c = 0; c < counters.size(); ++c)
    counts[c / n_counters] += counters[c];
  return counts;
}

/// Sorts lists by PE; elements for the same PE keep their order. Precondition:
/// count() has checked the lists.
template <std::size_t n_lists>
std::array<ElementList, n_lists> sorted(
    std::vector<std::size_t> const& counts, Integers const& pes,
    std::array<Integers, n_lists> const& lists) {
  std::array<ElementList, n_lists> result;
  for (auto& list : result) list = element_list(pes.size());
  std::vector<std::size_t> next(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), next.begin(),
                      std::size_t{0});
  for_each_part(pes.size(), [&](std::size_t first, std::size_t n) {
    Part part;
    std::size_t place[max_of_part];
    pes.read(first, n, part);
    for (std::size_t k = 0; k < n; ++k)
      place[k] = next[static_cast<std::size_t>(part[k])]++;
    for (std::size_t l = 0; l < n_lists; ++l) {
      lists[l].read(first, n, part);
      auto* const to = result[l].data();
      for (std::size_t k = 0; k < n; ++k)
        to[place[k]] = static_cast<ElementIndex>(part[k]);
    }
  });
  return result;
}

}  // namespace

ExchangeLists lists_of_exports(char const* call, std::size_t n_owned,
                               Integers const& ids, Integers const& pes,
                               int n_pes) {
  check_count(call, n_owned);
  auto const counts = count(call, "export", ids, n_owned, pes, n_pes);
  ExchangeLists lists;
  lists.n_owned     = n_owned;
  lists.owned       = {sorted<1>(counts, pes, {ids})[0], counts, true, {0}};
  lists.are_exports = true;
  return lists;
}

ExchangeLists lists_of_imports(char const* call, std::size_t n_owned,
                               Integers const& indices, Integers const& pes,
                               Integers const* places, int n_pes) {
  check_count(call, n_owned);
  if (places == nullptr) check_count(call, n_owned + indices.size());
  // The owner checks the upper bound, which this PE does not know.
  auto const counts = count(call, "import", indices, max_elements, pes, n_pes);
  if (places != nullptr) {
    check_lengths(call, indices.size(), "imports", places->size(),
                  "places for them");
    (void)count(call, "place of import", *places, max_elements, pes, n_pes);
  }
  auto const ghosts =
      places != nullptr ? *places : Integers::counting(n_owned, indices.size());
  auto const both = sorted<2>(counts, pes, {indices, ghosts});
  ExchangeLists lists;
  lists.n_owned = n_owned;
  lists.wanted  = both[0];
  lists.ghosts  = {both[1], counts, true, {0}};
  return lists;
}

ElementsOfMembers joined(std::vector<std::vector<ElementIndex>> const& parts) {
  ElementsOfMembers all;
  all.is_known = true;
  for (auto const& part : parts) all.counts.push_back(part.size());
  all.elements = element_list(
      std::accumulate(all.counts.begin(), all.counts.end(), std::size_t{0}));
  auto* to = all.elements.data();
  for (auto const& part : parts) to = std::copy(part.begin(), part.end(), to);
  return all;
}

}  // namespace symm::Impl
