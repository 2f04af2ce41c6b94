// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICCONTAINERS_TRACKEDMIGRATION_HPP
#define KOKKOS_SYMMETRICCONTAINERS_TRACKEDMIGRATION_HPP

#include <cstddef>
#include <optional>
#include <utility>

#include <Kokkos_Core.hpp>

#include <Kokkos_SymmetricSpace_Edge.hpp>

#include <Kokkos_SymmetricContainers_Migration.hpp>

#include "../runtime/symm_job.hpp"
#include "../runtime/symm_teams.hpp"
#include "base/TeamMembers.hpp"
#include "exchange/ExchangeKernels.hpp"

namespace symm::Impl {

/// Each element takes it along, and then it comes back alone.
struct ElementTracks {
  enum Column : int { was_pe, was_index, is_pe, is_index };
  using View = Kokkos::View<int* [4], Kokkos::LayoutLeft, Kokkos::SharedSpace>;
};

/// Before elements move.
struct NoteOrigins {
  KOKKOS_FUNCTION void operator()(std::size_t k) const {
    tracks(k, ElementTracks::was_pe)    = me;
    tracks(k, ElementTracks::was_index) = static_cast<int>(k);
    pes(k)                              = no_pe;
    indices(k)                          = -1;
  }
  ElementTracks::View tracks;
  Kokkos::View<int*, Kokkos::SharedSpace> pes, indices;
  int me;
};
/// When they have.
struct NotePlaces {
  KOKKOS_FUNCTION void operator()(std::size_t k) const {
    tracks(k, ElementTracks::is_pe)    = me;
    tracks(k, ElementTracks::is_index) = static_cast<int>(k);
  }
  ElementTracks::View tracks;
  int me;
};
/// When the tracks are back.
struct KeepPlaces {
  KOKKOS_FUNCTION void operator()(std::size_t k) const {
    int const was = tracks(k, ElementTracks::was_index);
    pes(was)      = tracks(k, ElementTracks::is_pe);
    indices(was)  = tracks(k, ElementTracks::is_index);
  }
  ElementTracks::View tracks;
  Kokkos::View<int*, Kokkos::SharedSpace> pes, indices;
};

}  // namespace symm::Impl

namespace symm {

/// A Migration that says where each element went, for lists that refer to
/// elements: partners of bonds, neighbours.
///
///     symm::TrackedMigration migration;
///     n = migration.migrate(exec, owners, x, v);
///     migration.follow(exec);
///     // What was element k of this PE is element migration.indices()(k) of
///     // PE migration.pes()(k).
///
/// It costs a second migration, of 16 bytes an element, and 16 bytes with each
/// element of the first.
class TrackedMigration {
 public:
  /// As Migration.
  TrackedMigration() = default;
  explicit TrackedMigration(PeTeam const& team)
      : m_members(team), m_there(team), m_back(team) {}

  /// As Migration::reserve(). \param bytes    those of Views. \param elements
  /// that leave a PE, or come to it, in one call.
  void reserve(std::size_t bytes, std::size_t elements) {
    auto const more = elements * sizeof(int) * 4;
    m_there.reserve(bytes + more);
    m_back.reserve(more);
  }

  /// As Migration::migrate().
  template <Impl::ExecutionSpace Exec, class Dest, class... Views>
  std::size_t migrate(Exec const& exec, Dest const& dest_pes, Views&... views) {
    constexpr char const* call = "symm::TrackedMigration::migrate";
    auto const n_before        = dest_pes.extent(0);
    m_n_found = m_n_now = 0;
    if (!m_members) m_members.emplace(team_world());
    m_members->agree({call, "symm::TrackedMigration"},
                     Impl::failure_of([&] { make_room(n_before); }));
    Impl::run(exec, call, n_before,
              Impl::NoteOrigins{m_tracks, m_pes, m_indices, m_members->me()});
    m_n_now    = m_there.migrate(exec, dest_pes, views..., m_tracks);
    m_n_before = n_before;
    return m_n_now;
  }

  /// Finds the places of all elements that the last migrate() has moved:
  /// pes() and indices() have them then. Collective as that is, once for each
  /// call of it.
  /// \throws OutOfMemory, SystemError on every PE. It may be called again then.
  template <Impl::ExecutionSpace Exec>
  void follow(Exec const& exec) {
    constexpr char const* call = "symm::TrackedMigration::follow";
    if (!m_members) m_members.emplace(team_world());
    Impl::run(exec, call, m_n_now, Impl::NotePlaces{m_tracks, m_members->me()});
    exec.fence(call);
    auto const origins = Kokkos::subview(
        m_tracks, std::pair<std::size_t, std::size_t>(0, m_n_now),
        static_cast<int>(Impl::ElementTracks::was_pe));
    auto const n_back = m_back.migrate(exec, origins, m_tracks);
    Impl::run(exec, call, n_back, Impl::KeepPlaces{m_tracks, m_pes, m_indices});
    exec.fence(call);
    m_n_found = m_n_before;
    m_n_now   = 0;
  }

  /// The PE that has what was element k of this PE before the last call of
  /// migrate(), and its index there; no_pe and -1, if it was dropped. Empty
  /// before follow(). Where kernels and the host reach it; until the next call.
  [[nodiscard]] Kokkos::View<int const*, Kokkos::SharedSpace> pes() const {
    return first(m_pes);
  }
  [[nodiscard]] Kokkos::View<int const*, Kokkos::SharedSpace> indices() const {
    return first(m_indices);
  }

 private:
  using List = Kokkos::View<int*, Kokkos::SharedSpace>;

  void make_room(std::size_t n) {
    if (m_tracks.extent(0) < n) {
      m_tracks = Impl::ElementTracks::View("symm::TrackedMigration", n + n / 8);
    }
    if (m_pes.extent(0) < n) m_pes = List("symm::TrackedMigration", n + n / 8);
    if (m_indices.extent(0) < n) {
      m_indices = List("symm::TrackedMigration", n + n / 8);
    }
  }
  [[nodiscard]] Kokkos::View<int const*, Kokkos::SharedSpace> first(
      List const& list) const {
    return Kokkos::subview(list,
                           std::pair<std::size_t, std::size_t>(0, m_n_found));
  }

  std::optional<Impl::TeamMembers> m_members;
  Migration m_there, m_back;
  Impl::ElementTracks::View m_tracks;
  List m_pes, m_indices;
  // Of the last migrate(): elements before, elements that are to be followed.
  std::size_t m_n_before = 0, m_n_now = 0;
  std::size_t m_n_found = 0;  // that have a place
};

}  // namespace symm

#endif
