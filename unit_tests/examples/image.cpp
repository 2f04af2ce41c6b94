// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include <gtest/gtest.h>

#include <heat3d_common/image.hpp>
#include <sstream>
#include <string>
#include <string_view>

namespace {

using namespace std::string_view_literals;

heat3d::Image image_of(std::size_t width, std::size_t height) {
  heat3d::Image image;
  image.width   = width;
  image.height  = height;
  image.palette = heat3d::heat_palette();
  for (std::size_t n = 0; n < width * height; ++n)
    image.pixels.push_back(static_cast<std::uint8_t>(n * 7 % 256));
  return image;
}

std::size_t number_at(std::string_view bytes, std::size_t at) {
  std::size_t number = 0;
  for (char const byte : bytes.substr(at, 4))
    number = number << 8 | static_cast<std::uint8_t>(byte);
  return number;
}

// The bytes that a PNG's image data unpacks to. Its blocks must be "stored".
std::string unpack(std::string_view zlib) {
  std::string bytes;
  std::size_t at = 2;
  for (bool last = false; !last;) {
    last             = zlib.at(at) == 1;
    auto const count = static_cast<std::size_t>(
        static_cast<std::uint8_t>(zlib.at(at + 1)) |
        static_cast<std::uint8_t>(zlib.at(at + 2)) << 8);
    bytes += zlib.substr(at + 5, count);
    at += 5 + count;
  }
  EXPECT_EQ(zlib.size(), at + 4);
  return bytes;
}

TEST(HeatImage, a_png_holds_the_pixels_row_by_row) {
  // 300 x 400 needs two stored blocks.
  for (auto const& image :
       {image_of(1, 1), image_of(3, 2), image_of(300, 400)}) {
    std::ostringstream out;
    heat3d::write_png(out, image);
    std::string const file = out.str();
    EXPECT_TRUE(file.starts_with("\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR"sv));
    EXPECT_EQ(number_at(file, 16), image.width);
    EXPECT_EQ(number_at(file, 20), image.height);

    auto const data     = file.find("IDAT");
    auto const unpacked = unpack(
        std::string_view(file).substr(data + 4, number_at(file, data - 4)));
    ASSERT_EQ(unpacked.size(), image.height * (image.width + 1));
    for (std::size_t row = 0; row < image.height; ++row)
      for (std::size_t column = 0; column < image.width; ++column)
        ASSERT_EQ(static_cast<std::uint8_t>(
                      unpacked[row * (image.width + 1) + 1 + column]),
                  image.pixels[row * image.width + column]);

    // The checksum of an empty IEND chunk is the same in every PNG.
    EXPECT_TRUE(file.ends_with("\0\0\0\0IEND\xae\x42\x60\x82"sv));
  }
}

TEST(HeatImage, a_ppm_holds_three_bytes_a_pixel) {
  std::ostringstream out;
  heat3d::write_ppm(out, image_of(3, 2));
  EXPECT_TRUE(out.str().starts_with("P6\n3 2\n255\n"));
  EXPECT_EQ(out.str().size(), 11U + 3 * 6);
}

TEST(HeatImage, the_palette_gets_brighter_with_every_colour) {
  auto const palette = heat3d::heat_palette();
  auto const light   = [](heat3d::Image::Colour const& colour) {
    return 0.3 * colour[0] + 0.59 * colour[1] + 0.11 * colour[2];
  };
  for (std::size_t n = 1; n < palette.size(); ++n)
    EXPECT_GE(light(palette[n]), light(palette[n - 1])) << n;
}

}  // namespace
