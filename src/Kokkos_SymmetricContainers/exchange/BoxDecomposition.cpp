// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "BoxDecomposition.hpp"

namespace symm::Impl {

BoxWords::Words BoxWords::words() const {
  Words words;
  for (std::size_t a = 0; a < 3; ++a) {
    words[a]     = static_cast<std::int64_t>(owned[a]);
    words[3 + a] = first[a];
  }
  words[6] = static_cast<std::int64_t>(settings);
  return words;
}

BoxWords BoxWords::of(std::int64_t const* words) {
  BoxWords box;
  for (std::size_t a = 0; a < 3; ++a) {
    box.owned[a] = static_cast<std::size_t>(words[a]);
    box.first[a] = words[3 + a];
  }
  box.settings = static_cast<std::uint64_t>(words[6]);
  return box;
}

std::optional<Text> difference(BoxPart const& part, BoxWords const& mine,
                               BoxWords const& theirs) {
  for (unsigned a = 0; a < 3; ++a) {
    auto const d         = part.direction[a];
    auto const my_owned  = static_cast<std::int64_t>(mine.owned[a]);
    auto const its_owned = static_cast<std::int64_t>(theirs.owned[a]);
    if (d == 0 && my_owned != its_owned)
      return Text(my_owned, " and ", its_owned, " cells along axis ", a,
                  " (if PEs are numbered along the first axis first, set "
                  "BoxDecomposition::order)");
    bool const is_known = mine.first[a] != BoxWords::unknown &&
                          theirs.first[a] != BoxWords::unknown;
    if (!is_known || (part.wraps >> a & 1U) != 0) continue;
    auto const expected = d == 0  ? mine.first[a]
                          : d > 0 ? mine.first[a] + my_owned
                                  : mine.first[a] - its_owned;
    if (theirs.first[a] == expected) continue;
    return Text("the first cell of the second box along axis ", a, " must be ",
                expected, ", but is ", theirs.first[a],
                " (`owned` does not count ghosts; if PEs are numbered along "
                "the first axis first, set BoxDecomposition::order)");
  }
  return {};
}

}  // namespace symm::Impl
