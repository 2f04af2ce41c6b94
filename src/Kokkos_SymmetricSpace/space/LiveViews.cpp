// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include <Kokkos_Core.hpp>

#include "LiveViews.hpp"

#ifdef KOKKOS_ENABLE_DEBUG_BOUNDS_CHECK
#include <iterator>
#include <map>
#include <mutex>

namespace symm::Impl {

namespace {

struct LiveView {
  char const* end;
  std::uint64_t number;
};

struct LiveViews {
  std::mutex mutex;
  std::map<char const*, LiveView> by_address;
  std::uint64_t last_number = 0;
};

/// Never destroyed: Views may outlive main().
LiveViews& live_views() {
  static auto& views = *new LiveViews;
  return views;
}

}  // namespace

void note_live_view(void const* address, std::size_t bytes) {
  auto& views      = live_views();
  auto const start = static_cast<char const*>(address);
  std::lock_guard const lock(views.mutex);
  views.by_address[start] = {start + bytes, ++views.last_number};
}

void forget_live_view(void const* address) noexcept {
  auto& views = live_views();
  std::lock_guard const lock(views.mutex);
  views.by_address.erase(static_cast<char const*>(address));
}

std::uint64_t live_view_at(void const* address) noexcept {
  auto& views      = live_views();
  auto const place = static_cast<char const*>(address);
  std::lock_guard const lock(views.mutex);
  auto next = views.by_address.upper_bound(place);
  if (next == views.by_address.begin()) return 0;
  auto const& view = std::prev(next)->second;
  return place < view.end ? view.number : 0;
}

}  // namespace symm::Impl
#endif
