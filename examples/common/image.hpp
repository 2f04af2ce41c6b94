// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_EXAMPLES_COMMON_IMAGE_HPP
#define SYMM_EXAMPLES_COMMON_IMAGE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace examples {

/// An image of 256 colors, and the two formats it can be written in. Both
/// functions leave a failure in the state of `out`.
struct Image {
  using Color = std::array<std::uint8_t, 3>;  ///< red, green, blue

  std::size_t width  = 0;
  std::size_t height = 0;
  std::array<Color, 256> palette{};
  std::vector<std::uint8_t> pixels;  ///< indices into palette, top row first
};

/// Whether this build has libpng; without it, write_png() fails.
bool can_write_png();
void write_png(std::ostream& out, Image const& image);
void write_ppm(std::ostream& out, Image const& image);

/// Writes the format that the end of the file's name says, .png or .ppm.
void write_image(std::ostream& out, Image const& image,
                 std::string const& name);
/// Why write_image() cannot write to such a name; empty: it can.
std::string fault_of_picture_name(std::string const& name);

/// Black over red and yellow to white, as hot iron; brightness rises evenly, so
/// that it also reads in print and by the color-blind ("inferno" of
/// Matplotlib, interpolated).
std::array<Image::Color, 256> heat_palette();

}  // namespace examples

#endif
