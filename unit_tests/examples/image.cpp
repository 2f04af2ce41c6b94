// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include <gtest/gtest.h>

#include <common/image.hpp>
#include <sstream>
#include <string>
#include <vector>

#ifdef EXAMPLES_HAVE_PNG
#include <png.h>
#endif

namespace {

examples::Image image_of(std::size_t width, std::size_t height) {
  examples::Image image;
  image.width   = width;
  image.height  = height;
  image.palette = examples::heat_palette();
  for (std::size_t n = 0; n < width * height; ++n)
    image.pixels.push_back(static_cast<std::uint8_t>(n * 7 % 256));
  return image;
}

#ifdef EXAMPLES_HAVE_PNG
TEST(HeatImage, a_png_holds_the_pixels_row_by_row) {
  for (auto const& image :
       {image_of(1, 1), image_of(3, 2), image_of(300, 400)}) {
    std::ostringstream out;
    examples::write_png(out, image);
    std::string const bytes = out.str();

    png_image file{};
    file.version = PNG_IMAGE_VERSION;
    ASSERT_TRUE(
        png_image_begin_read_from_memory(&file, bytes.data(), bytes.size()));
    EXPECT_EQ(file.width, image.width);
    EXPECT_EQ(file.height, image.height);
    file.format = PNG_FORMAT_RGB;
    std::vector<examples::Image::Color> pixels(image.width * image.height);
    ASSERT_EQ(PNG_IMAGE_SIZE(file), pixels.size() * 3);
    ASSERT_TRUE(
        png_image_finish_read(&file, nullptr, pixels.data(), 0, nullptr));
    for (std::size_t n = 0; n < pixels.size(); ++n)
      ASSERT_EQ(pixels[n], image.palette[image.pixels[n]]) << n;
  }
}
#endif

TEST(HeatImage, a_ppm_holds_three_bytes_a_pixel) {
  std::ostringstream out;
  examples::write_ppm(out, image_of(3, 2));
  EXPECT_TRUE(out.str().starts_with("P6\n3 2\n255\n"));
  EXPECT_EQ(out.str().size(), 11U + 3 * 6);
}

TEST(HeatImage, the_palette_gets_brighter_with_every_color) {
  auto const palette = examples::heat_palette();
  auto const light   = [](examples::Image::Color const& color) {
    return 0.3 * color[0] + 0.59 * color[1] + 0.11 * color[2];
  };
  for (std::size_t n = 1; n < palette.size(); ++n)
    EXPECT_GE(light(palette[n]), light(palette[n - 1])) << n;
}

}  // namespace
