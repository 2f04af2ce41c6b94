// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <common/image.hpp>
#include <cstdint>
#include <cstring>
#include <heat3d_common/output.hpp>
#include <iostream>

namespace heat3d {
namespace {

/// The slice as an image, with the second axis pointing up and the third to the
/// right. A small slice is enlarged by an integer factor.
examples::Image image_of(std::vector<double> const& slice, int height,
                         int width) {
  auto const [low, high] = std::minmax_element(slice.begin(), slice.end());
  double const range     = *high > *low ? *high - *low : 1;
  int const zoom         = std::max(1, 512 / std::max(height, width));

  examples::Image image;
  image.height  = static_cast<std::size_t>(height * zoom);
  image.width   = static_cast<std::size_t>(width * zoom);
  image.palette = examples::heat_palette();
  image.pixels.reserve(image.height * image.width);
  for (int row = height * zoom - 1; row >= 0; --row)
    for (int column = 0; column < width * zoom; ++column) {
      auto const cell = static_cast<std::size_t>(row / zoom) *
                            static_cast<std::size_t>(width) +
                        static_cast<std::size_t>(column / zoom);
      double const part = (slice[cell] - *low) / range;
      image.pixels.push_back(static_cast<std::uint8_t>(
          std::isfinite(part) ? part * 255 + 0.5 : 0));
    }
  return image;
}

}  // namespace

Output::Output(Options const& options, bool writes)
    : m_dump_name(options.dump),
      m_picture_name(options.picture),
      m_writes(writes),
      m_dump(open(m_dump_name)),
      m_picture(open(m_picture_name)) {}

std::ofstream Output::open(std::string const& name) {
  std::ofstream file;
  if (!m_writes || name.empty()) return file;
  errno = 0;
  file.open(name, std::ios::binary | std::ios::trunc);
  if (!file) {
    std::cerr << "cannot write '" << name << "': " << std::strerror(errno)
              << '\n';
    m_failed = true;
  }
  return file;
}

void Output::close(std::ofstream& file, std::string const& name) {
  if (!m_writes) return;
  errno = 0;
  file.close();
  if (!file) {
    std::cerr << "writing '" << name << "' failed: " << std::strerror(errno)
              << '\n';
    m_failed = true;
  }
}

void Output::write(Decomposition const& decomposition,
                   FetchPlanes const& fetch) {
  if (!m_dump_name.empty()) write_dump(decomposition, fetch);
  if (!m_picture_name.empty()) write_picture(decomposition, fetch);
}

void Output::write_dump(Decomposition const& decomposition,
                        FetchPlanes const& fetch) {
  auto const& size = decomposition.size();
  for (int pe = 0; pe < decomposition.n_pes(); ++pe) {
    auto const box    = decomposition.box(pe);
    auto const planes = fetch(pe, 1, box.extent[0]);
    if (!m_writes) continue;
    for (int i = 0; i < box.extent[0]; ++i)
      for (int j = 0; j < box.extent[1]; ++j) {
        auto const row =
            (std::int64_t{box.begin[0] + i} * size[1] + box.begin[1] + j) *
                size[2] +
            box.begin[2];
        m_dump.seekp(row * std::int64_t{sizeof(double)});
        m_dump.write(
            reinterpret_cast<char const*>(&planes(i, 1 + j, 1)),
            box.extent[2] * static_cast<std::streamsize>(sizeof(double)));
      }
  }
  close(m_dump, m_dump_name);
}

void Output::write_picture(Decomposition const& decomposition,
                           FetchPlanes const& fetch) {
  auto const& size = decomposition.size();
  int const middle = size[0] / 2;
  std::vector<double> slice(static_cast<std::size_t>(size[1]) *
                            static_cast<std::size_t>(size[2]));
  for (int pe = 0; pe < decomposition.n_pes(); ++pe) {
    auto const box  = decomposition.box(pe);
    int const plane = middle - box.begin[0];
    if (plane < 0 || plane >= box.extent[0]) continue;
    auto const planes = fetch(pe, 1 + plane, 1);
    if (!m_writes) continue;
    for (int j = 0; j < box.extent[1]; ++j) {
      auto const row = std::int64_t{box.begin[1] + j} * size[2] + box.begin[2];
      std::copy_n(&planes(0, 1 + j, 1), box.extent[2], slice.begin() + row);
    }
  }
  if (m_writes) {
    examples::write_image(m_picture, image_of(slice, size[1], size[2]),
                          m_picture_name);
  }
  close(m_picture, m_picture_name);
}

}  // namespace heat3d
