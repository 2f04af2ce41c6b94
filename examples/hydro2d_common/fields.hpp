// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_EXAMPLES_HYDRO2D_FIELDS_HPP
#define SYMM_EXAMPLES_HYDRO2D_FIELDS_HPP

#include <Kokkos_Core.hpp>
#include <array>
#include <cstddef>
#include <hydro2d_common/options.hpp>
#include <initializer_list>
#include <vector>

/// A PE's 15 fields, and sets of fields.
namespace hydro2d {

using Field = Kokkos::View<double**, Kokkos::LayoutRight>;

/// Ghosts on each side of a field.
constexpr int width = 1;

/// The location of a field's values. A point of x_faces is between two cells in
/// a row, and so on. Point i is at the lower end of cell i.
enum Centering { cells, x_faces, y_faces, nodes };
constexpr std::size_t n_centerings = 4;

/// The number of points minus the number of cells along an axis.
constexpr int more_points(Centering centering, std::size_t axis) {
  return centering == nodes || centering == (axis == 0 ? x_faces : y_faces) ? 1
                                                                            : 0;
}

enum Name : std::size_t {
  density,
  energy,
  pressure,
  viscosity,
  sound_speed,
  density1,  ///< 1: after the motion with the gas
  energy1,
  volume_flux_x,
  mass_flux_x,
  volume_flux_y,
  mass_flux_y,
  velocity_x,
  velocity_y,
  velocity1_x,
  velocity1_y
};
constexpr std::size_t n_fields = 15;

constexpr Centering centering_of(Name name) {
  if (name >= velocity_x) return nodes;
  if (name >= volume_flux_y) return y_faces;
  return name >= volume_flux_x ? x_faces : cells;
}

/// The axis along which a field is a vector component; 2 if it is not one.
constexpr std::size_t direction_of(Name name) {
  switch (name) {
    case velocity_x:
    case velocity1_x:
    case mass_flux_x:
    case volume_flux_x: return 0;
    case velocity_y:
    case velocity1_y:
    case mass_flux_y:
    case volume_flux_y: return 1;
    default: return 2;
  }
}

/// The fields in a set and their names, by centering.
struct Selection {
  std::array<std::vector<Field>, n_centerings> fields;
  std::array<std::vector<Name>, n_centerings> names;
};

class Fields {
 public:
  /// \param owned the number of this PE's cells along each axis.
  explicit Fields(Pair const& owned) {
    for (std::size_t f = 0; f < n_fields; ++f) {
      auto const centering = centering_of(static_cast<Name>(f));
      auto const extent    = [&](std::size_t axis) {
        return static_cast<std::size_t>(
            owned[axis] + more_points(centering, axis) + 2 * width);
      };
      m_fields[f] = Field("hydro2d", extent(0), extent(1));
    }
  }
  [[nodiscard]] Field operator[](Name name) const { return m_fields[name]; }

  [[nodiscard]] Selection select(std::initializer_list<Name> names) const {
    Selection selection;
    for (Name const name : names) {
      auto const centering = centering_of(name);
      selection.fields[centering].push_back(m_fields[name]);
      selection.names[centering].push_back(name);
    }
    return selection;
  }

 private:
  std::array<Field, n_fields> m_fields;
};

}  // namespace hydro2d

#endif
