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

/// An image with 256 colors, and the two formats in which it can be written.
/// Both functions report a failure in the state of `out`.
struct Image {
  using Color = std::array<std::uint8_t, 3>;  ///< red, green, blue

  std::size_t width  = 0;
  std::size_t height = 0;
  std::array<Color, 256> palette{};
  std::vector<std::uint8_t> pixels;  ///< indices into `palette`, top row first
};

/// Whether this build has libpng; without it, write_png() fails.
bool can_write_png();
void write_png(std::ostream& out, Image const& image);
void write_ppm(std::ostream& out, Image const& image);

/// Writes the image in the format given by the extension of `name`, .png or
/// .ppm.
void write_image(std::ostream& out, Image const& image,
                 std::string const& name);
/// The reason that write_image() cannot write to a file with this name; empty
/// if it can.
std::string fault_of_picture_name(std::string const& name);

/// From black through red and yellow to white, like hot iron (Matplotlib's
/// "inferno", interpolated). Brightness increases evenly, so that the picture
/// is also readable in print and by color-blind people.
std::array<Image::Color, 256> heat_palette();

}  // namespace examples

#endif
