// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include <algorithm>
#include <heat3d_common/image.hpp>
#include <string>
#include <string_view>

namespace heat3d {
namespace {

void append_big_endian(std::string& bytes, std::uint32_t number) {
  for (int const shift : {24, 16, 8, 0})
    bytes += static_cast<char>(number >> shift & 0xff);
}

void append_little_endian_16(std::string& bytes, std::size_t number) {
  bytes += static_cast<char>(number & 0xff);
  bytes += static_cast<char>(number >> 8 & 0xff);
}

/// The checksum of PNG chunks (ISO 3309).
std::uint32_t crc32(std::string_view bytes) {
  static auto const table = [] {
    std::array<std::uint32_t, 256> entries{};
    for (std::uint32_t n = 0; n < entries.size(); ++n) {
      entries[n] = n;
      for (int bit = 0; bit < 8; ++bit)
        entries[n] =
            entries[n] >> 1 ^ ((entries[n] & 1) != 0 ? 0xedb88320u : 0u);
    }
    return entries;
  }();
  std::uint32_t crc = 0xffffffffu;
  for (char const byte : bytes)
    crc = table[(crc ^ static_cast<std::uint8_t>(byte)) & 0xff] ^ crc >> 8;
  return ~crc;
}

/// The checksum of zlib streams (RFC 1950).
std::uint32_t adler32(std::string_view bytes) {
  std::uint32_t a = 1;
  std::uint32_t b = 0;
  for (char const byte : bytes) {
    a = (a + static_cast<std::uint8_t>(byte)) % 65521;
    b = (b + a) % 65521;
  }
  return b << 16 | a;
}

/// A zlib stream of "stored" blocks: valid for every reader, without a
/// dependency on a compressor.
std::string zlib_stored(std::string_view bytes) {
  constexpr std::size_t largest_block = 65535;

  std::string stream = "\x78\x01";
  for (std::size_t at = 0; at == 0 || at < bytes.size(); at += largest_block) {
    auto const block = bytes.substr(at, largest_block);
    stream += static_cast<char>(at + block.size() == bytes.size() ? 1 : 0);
    append_little_endian_16(stream, block.size());
    append_little_endian_16(stream, ~block.size());
    stream += block;
  }
  append_big_endian(stream, adler32(bytes));
  return stream;
}

void write_chunk(std::ostream& out, std::string const& type,
                 std::string const& data) {
  std::string bytes;
  append_big_endian(bytes, static_cast<std::uint32_t>(data.size()));
  bytes += type + data;
  append_big_endian(bytes, crc32(type + data));
  out << bytes;
}

std::string palette_bytes(Image const& image) {
  std::string bytes;
  for (auto const& colour : image.palette)
    bytes.append(colour.begin(), colour.end());
  return bytes;
}

}  // namespace

void write_png(std::ostream& out, Image const& image) {
  using namespace std::string_literals;

  std::string header;
  append_big_endian(header, static_cast<std::uint32_t>(image.width));
  append_big_endian(header, static_cast<std::uint32_t>(image.height));
  header += "\x08\x03\0\0\0"s;  // 8 bits, palette, the only other values

  std::string rows;
  for (std::size_t row = 0; row < image.height; ++row) {
    auto const* const pixels = image.pixels.data() + row * image.width;
    rows += '\0';  // no filter
    rows.append(pixels, pixels + image.width);
  }

  out << "\x89PNG\r\n\x1a\n";
  write_chunk(out, "IHDR", header);
  write_chunk(out, "PLTE", palette_bytes(image));
  write_chunk(out, "IDAT", zlib_stored(rows));
  write_chunk(out, "IEND", "");
}

void write_ppm(std::ostream& out, Image const& image) {
  std::string bytes;
  for (auto const pixel : image.pixels) {
    auto const& colour = image.palette[pixel];
    bytes.append(colour.begin(), colour.end());
  }
  out << "P6\n" << image.width << ' ' << image.height << "\n255\n" << bytes;
}

std::array<Image::Colour, 256> heat_palette() {
  constexpr double stops[][3] = {
      {0, 0, 4},      {33, 12, 74},   {87, 16, 110},
      {138, 34, 106}, {187, 55, 84},  {227, 89, 50},
      {249, 140, 10}, {249, 201, 50}, {252, 255, 164}};
  constexpr std::size_t n_stops = std::size(stops);

  std::array<Image::Colour, 256> palette{};
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

}  // namespace heat3d
