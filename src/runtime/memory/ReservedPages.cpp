// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "ReservedPages.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <system_error>

#include "../base/Failure.hpp"
#include "../base/Types.hpp"
#include "../symm_errors.hpp"

namespace symm::Impl {

namespace {

/// Returns the number in a file; 0 if the file cannot be read.
std::size_t number_in(std::filesystem::path const& file) {
  std::ifstream in(file);
  std::size_t number = 0;
  in >> number;
  return number;
}

}  // namespace

std::vector<ReservedPages> ReservedPages::all(
    std::filesystem::path const& root) {
  std::vector<ReservedPages> found;
  std::error_code ignored;  // without this directory, there are no huge pages
  for (auto const& entry : std::filesystem::directory_iterator(root, ignored)) {
    std::size_t kib = 0;
    if (std::sscanf(entry.path().filename().c_str(), "hugepages-%zukB", &kib) !=
        1) {
      continue;
    }
    auto const number = [&](char const* name) {
      return number_in(entry.path() / name);
    };
    // A free page may be reserved for a mapping that has not touched it yet.
    // The system may also add pages on demand.
    auto const n_free    = number("free_hugepages");
    auto const n_more    = number("nr_overcommit_hugepages");
    auto const n_added   = number("surplus_hugepages");
    auto const n_pledged = number("resv_hugepages");
    auto const n_left    = n_free + (n_more - std::min(n_more, n_added));
    found.push_back({entry.path(), kib * 1024, number("nr_hugepages"),
                     n_left - std::min(n_left, n_pledged)});
  }
  std::sort(found.begin(), found.end(),
            [](auto const& a, auto const& b) { return a.bytes < b.bytes; });
  return found;
}

ReservedPages ReservedPages::of_size(std::size_t bytes) {
  std::string sizes;
  for (auto const& pages : all()) {
    if (pages.bytes == bytes) return pages;
    sizes += (sizes.empty() ? "" : ", ") + page_size_text(pages.bytes);
  }
  throw UsageError("SYMM_HUGE_PAGES=" + page_size_text(bytes) +
                   ": this system has no pages of that size; it has " +
                   (sizes.empty() ? "no large pages" : sizes));
}

std::string ReservedPages::refusal(std::size_t wanted_bytes,
                                   std::size_t n_sharers) const {
  auto const n_wanted = wanted_bytes / bytes;
  auto const n_all    = n_wanted * n_sharers;
  auto const missing  = n_all - std::min(n_all, n_left);
  return "no memory for " + bytes_text(wanted_bytes) + " in pages of " +
         page_size_text(bytes) + " (SYMM_HUGE_PAGES): each of the " +
         std::to_string(n_sharers) + " PEs of this node needs " +
         std::to_string(n_wanted) + ", and " + std::to_string(n_left) + " of " +
         std::to_string(n) + " are left; set " +
         (folder / "nr_hugepages").string() + " to " +
         std::to_string(n + missing) + " or more";
}

std::string page_size_text(std::size_t bytes) {
  constexpr char const* units = "BKMGT";
  std::size_t unit            = 0;
  for (; bytes >= 1024 && bytes % 1024 == 0 && unit < 4; ++unit) bytes /= 1024;
  return std::to_string(bytes) + units[unit];
}

}  // namespace symm::Impl
