// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_RESERVED_PAGES_HPP
#define SYMM_RESERVED_PAGES_HPP

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace symm::Impl {

/// Huge pages of one size that an administrator has reserved (hugetlb). The
/// numbers are a snapshot.
struct ReservedPages {
  std::filesystem::path folder;  // /< system directory with these numbers
  std::size_t bytes  = 0;        ///< size of a page
  std::size_t n      = 0;        // /< total number of pages
  std::size_t n_left = 0;        ///< pages that no mapping has reserved

  /// Returns one entry for each size that the system supports, smallest first.
  [[nodiscard]] static std::vector<ReservedPages> all(
      std::filesystem::path const& root = "/sys/kernel/mm/hugepages");
  /// \throws UsageError if the system has no huge pages of this size; the
  ///         message lists the sizes that exist.
  [[nodiscard]] static ReservedPages of_size(std::size_t bytes);

  /// The error text for too few pages: each of `n_sharers` PEs needs
  /// `wanted_bytes` bytes. The text says how to reserve more pages.
  [[nodiscard]] std::string refusal(std::size_t wanted_bytes,
                                    std::size_t n_sharers) const;
};

/// Formats a size as in SYMM_HUGE_PAGES, for example "2M".
[[nodiscard]] std::string page_size_text(std::size_t bytes);

}  // namespace symm::Impl

#endif
