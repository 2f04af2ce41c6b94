// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include <algorithm>
#include <common/image.hpp>
#include <string>

#ifdef EXAMPLES_HAVE_PNG
#include <png.h>
#endif

namespace examples {

#ifdef EXAMPLES_HAVE_PNG
bool can_write_png() { return true; }

void write_png(std::ostream& out, Image const& image) {
  png_image file{};
  file.version          = PNG_IMAGE_VERSION;
  file.width            = static_cast<png_uint_32>(image.width);
  file.height           = static_cast<png_uint_32>(image.height);
  file.format           = PNG_FORMAT_RGB_COLORMAP;
  file.colormap_entries = static_cast<png_uint_32>(image.palette.size());
  png_alloc_size_t size = 0;
  auto const write      = [&](char* to) {  // null: only finds the size
    return png_image_write_to_memory(&file, to, &size, 0, image.pixels.data(),
                                          0, image.palette.data()) != 0;
  };
  std::string bytes;
  bool is_written = write(nullptr);
  if (is_written) {
    bytes.resize(size);
    is_written = write(bytes.data());
  }
  png_image_free(&file);
  if (is_written)
    out.write(bytes.data(), static_cast<std::streamsize>(size));
  else
    out.setstate(std::ios::failbit);
}
#else
bool can_write_png() { return false; }

void write_png(std::ostream& out, Image const&) {
  out.setstate(std::ios::failbit);
}
#endif

void write_ppm(std::ostream& out, Image const& image) {
  std::string bytes;
  for (auto const pixel : image.pixels) {
    auto const& color = image.palette[pixel];
    bytes.append(color.begin(), color.end());
  }
  out << "P6\n" << image.width << ' ' << image.height << "\n255\n" << bytes;
}

void write_image(std::ostream& out, Image const& image,
                 std::string const& name) {
  if (name.ends_with(".png"))
    write_png(out, image);
  else
    write_ppm(out, image);
}

std::string fault_of_picture_name(std::string const& name) {
  bool const is_png = name.ends_with(".png");
  if (is_png && !can_write_png())
    return "'" + name + "': this build has no libpng and writes only .ppm";
  if (!is_png && !name.ends_with(".ppm"))
    return "'" + name + "' must end in .png or .ppm";
  return "";
}

std::array<Image::Color, 256> heat_palette() {
  constexpr double stops[][3] = {
      {0, 0, 4},      {33, 12, 74},   {87, 16, 110},
      {138, 34, 106}, {187, 55, 84},  {227, 89, 50},
      {249, 140, 10}, {249, 201, 50}, {252, 255, 164}};
  constexpr std::size_t n_stops = std::size(stops);

  std::array<Image::Color, 256> palette{};
  for (std::size_t n = 0; n < palette.size(); ++n) {
    double const at       = static_cast<double>(n) / 255 * (n_stops - 1);
    std::size_t const low = std::min(static_cast<std::size_t>(at), n_stops - 2);
    double const part     = at - static_cast<double>(low);
    for (std::size_t c = 0; c < 3; ++c)
      palette[n][c] = static_cast<std::uint8_t>(stops[low][c] * (1 - part) +
                                                stops[low + 1][c] * part + 0.5);
  }
  return palette;
}

}  // namespace examples
