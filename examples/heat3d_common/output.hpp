// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_EXAMPLES_HEAT3D_OUTPUT_HPP
#define SYMM_EXAMPLES_HEAT3D_OUTPUT_HPP

#include <Kokkos_Core.hpp>
#include <fstream>
#include <functional>
#include <heat3d_common/decomposition.hpp>
#include <heat3d_common/options.hpp>
#include <string>
#include <vector>

namespace heat3d {

/// Planes of constant i from a PE's View, on the host, including the ghost
/// cells of the other two axes. With LayoutRight, they are contiguous in
/// memory.
using Planes = Kokkos::View<double***, Kokkos::LayoutRight, Kokkos::HostSpace>;

/// Copies the planes first <= i < first + count of `pe` to PE 0. Collective;
/// only PE 0 uses the result.
using FetchPlanes = std::function<Planes(int pe, int first, int count)>;

/// The output files that the options request, written by PE 0.
class Output {
 public:
  /// Opens the files now, so that a bad name is reported before the long run.
  /// \param writes Pass true on PE 0. On other PEs, nothing happens.
  Output(Options const& options, bool writes);

  /// On PE 0, whether a file could not be opened or written. PE 0 has reported
  /// this on stderr. Always false on other PEs.
  bool failed() const { return m_failed; }

  /// Collective.
  void write(Decomposition const& decomposition, FetchPlanes const& fetch);

 private:
  std::ofstream open(std::string const& name);
  void close(std::ofstream& file, std::string const& name);
  void write_dump(Decomposition const& decomposition, FetchPlanes const& fetch);
  void write_picture(Decomposition const& decomposition,
                     FetchPlanes const& fetch);

  std::string m_dump_name;
  std::string m_picture_name;
  bool m_writes;
  bool m_failed = false;
  std::ofstream m_dump;
  std::ofstream m_picture;
};

}  // namespace heat3d

#endif
