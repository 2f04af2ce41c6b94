// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_RESERVED_PAGES_HPP
#define SYMM_RESERVED_PAGES_HPP

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace symm::Impl {

/// Large pages of one size that an administrator has set aside (hugetlb); a
/// snapshot.
struct ReservedPages {
  std::filesystem::path folder;  ///< where the system shows and sets them
  std::size_t bytes  = 0;        ///< of a page
  std::size_t n      = 0;        ///< that there are
  std::size_t n_left = 0;        ///< that nobody has been promised

  /// Of all sizes that the system knows, smallest first.
  [[nodiscard]] static std::vector<ReservedPages> all(
      std::filesystem::path const& root = "/sys/kernel/mm/hugepages");
  /// \throws UsageError naming the sizes that there are, if not this one.
  [[nodiscard]] static ReservedPages of_size(std::size_t bytes);

  /// Why there are not enough for `n_sharers` PEs with so much each, and what
  /// to do.
  [[nodiscard]] std::string refusal(std::size_t wanted_bytes,
                                    std::size_t n_sharers) const;
};

/// "2M": as SYMM_HUGE_PAGES is written.
[[nodiscard]] std::string page_size_text(std::size_t bytes);

}  // namespace symm::Impl

#endif
