// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_VIEW_INFO_HPP
#define SYMM_VIEW_INFO_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace symm::Impl {

/// Describes the View, if any, that owns a piece of heap memory.
struct ViewInfo {
  std::array<char, 52> label{};        // truncated to fit
  std::int32_t n_retired     = 0;      // PEs that have retired the View
  std::uint16_t header_bytes = 0;      // bytes before the View's data
  bool is_view               = false;  // whether a View owns the memory
  bool is_retired_here       = false;

  /// Makes a View the owner of the memory.
  void begin(char const* its_label, std::size_t its_header_bytes) {
    std::string_view const text(its_label);
    label[text.copy(label.data(), label.size() - 1)] = '\0';
    header_bytes = static_cast<std::uint16_t>(its_header_bytes);
    is_view      = true;
  }

  /// Whether the memory belongs to a View that this PE has not yet destroyed.
  [[nodiscard]] bool is_alive_here() const {
    return is_view && !is_retired_here;
  }
};

}  // namespace symm::Impl

#endif
