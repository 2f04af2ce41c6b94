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
#include "base/RunKernel.hpp"
#include "base/TeamMembers.hpp"

namespace symm::Impl {

/// A View with one row per element. Each row migrates with its element, then
/// returns, without the element, to the PE from which the element came.
struct ElementTracks {
  enum Column : int { was_pe, was_index, is_pe, is_index };
  using View = Kokkos::View<int* [4], Kokkos::LayoutLeft, Kokkos::SharedSpace>;
};

/// A kernel that records where each element is before the elements move.
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
/// A kernel that records where each element is after the elements have moved.
struct NotePlaces {
  KOKKOS_FUNCTION void operator()(std::size_t k) const {
    tracks(k, ElementTracks::is_pe)    = me;
    tracks(k, ElementTracks::is_index) = static_cast<int>(k);
  }
  ElementTracks::View tracks;
  int me;
};
/// A kernel that stores the new location of each element in `pes` and
/// `indices`, after the tracks have returned.
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

/// A Migration that reports where each element went. Programs need this for
/// lists that refer to elements, such as bond partners or neighbors.
///
///     symm::TrackedMigration migration;
///     n = migration.migrate(exec, owners, x, v);
///     migration.follow(exec);
///     // The former element k on this PE is now element migration.indices()(k)
///     // on PE migration.pes()(k).
///
/// Tracking costs a second migration with 16 bytes per element, and 16 more
/// bytes per element in the first migration.
class TrackedMigration {
 public:
  /// The constructors take the same arguments as Migration's constructors.
  TrackedMigration() = default;
  explicit TrackedMigration(PeTeam const& team)
      : m_members(team), m_there(team), m_back(team) {}

  /// Allocates buffers, like Migration::reserve(). Elements that leave a PE and
  /// elements that arrive at it use separate buffers of equal size. Therefore,
  /// base both arguments on the larger of the two element counts, plus up to 16
  /// more elements for each other PE.
  /// \param bytes the bytes of these elements, summed over all Views, as in
  ///        Migration::reserve().
  /// \param elements the number of these elements, in one call to migrate().
  void reserve(std::size_t bytes, std::size_t elements) {
    auto const more = elements * sizeof(int) * 4;
    m_there.reserve(bytes + more);
    m_back.reserve(more);
  }

  /// Moves elements, like Migration::migrate().
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

  /// Determines where the most recent migrate() moved each element; pes() and
  /// indices() then return these locations. The call is collective over the
  /// same PEs as migrate(). Call follow() once after each call to migrate().
  /// \throws OutOfMemory or SystemError on every PE. In these cases, the call
  ///         can be repeated.
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

  /// pes() and indices() return the new locations of the elements that were on
  /// this PE before the most recent migrate(). Entry k describes the former
  /// element k: pes()(k) is the PE that holds the element now, and indices()(k)
  /// is its index on that PE. If the element was dropped, these entries are
  /// no_pe and -1. Both Views are empty until follow() has been called and are
  /// valid until the next call to migrate(). Kernels and the host can access
  /// them.
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
  // For the most recent migrate(): the number of elements on this PE before the
  // call, and the number after it (0 once follow() has returned).
  std::size_t m_n_before = 0, m_n_now = 0;
  std::size_t m_n_found = 0;  // length of pes() and indices()
};

}  // namespace symm

#endif
