// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICCONTAINERS_MIGRATION_HPP
#define KOKKOS_SYMMETRICCONTAINERS_MIGRATION_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace_Space.hpp>

#include <Kokkos_SymmetricSpace_Edge.hpp>

#include "../runtime/symm_errors.hpp"
#include "../runtime/symm_job.hpp"
#include "../runtime/symm_teams.hpp"
#include "base/CollectiveClock.hpp"
#include "exchange/ExchangeKernels.hpp"
#include "exchange/GrowView.hpp"
#include "exchange/MigrationOnHost.hpp"
#include "exchange/MigrationStep.hpp"

namespace symm {

/// What Migration::migrate() takes for an element that no PE gets.
inline constexpr Pe no_pe = -1;

/// Moves elements, such as particles, to new owners: another number of them in
/// each call. Keeps its buffers from call to call. (Cabana's Distributor and
/// migrate, MPI_Alltoall of counts and MPI_Alltoallv.)
///
///     symm::Migration migration;
///     n = migration.migrate(exec, Kokkos::subview(pes, std::pair(0, n)), x,
///     v);
class Migration {
 public:
  /// Of all PEs. Local.
  Migration() = default;
  /// Of a PE team, whose PEs migrate() is collective over then; numbers of PEs
  /// are those in it. Call reserve() first. Local.
  /// \param team of this PE; PeTeam(): it takes no part. Must live as long as
  ///        this.
  explicit Migration(PeTeam const& team) : m_buffers(team) {}
  /// Local. The other one has no buffers then.
  Migration(Migration&& other) noexcept
      : m_leaving(std::exchange(other.m_leaving, {})),
        m_buffers(
            std::exchange(other.m_buffers, other.m_buffers.without_room())) {}
  Migration& operator=(Migration&& other) noexcept {
    m_leaving = std::exchange(other.m_leaving, {});
    m_buffers = std::exchange(other.m_buffers, other.m_buffers.without_room());
    return *this;
  }
  Migration(Migration const&)            = delete;
  Migration& operator=(Migration const&) = delete;
  ~Migration()                           = default;

  /// Makes room for `bytes` bytes that leave a PE, or come to it, in one call:
  /// those of its elements, and of up to 16 more for each other PE. Collective
  /// over the world, as symmetric memory is allocated: all PEs call it, each
  /// for the migration of its PE team. Migrations of all PEs make room by
  /// themselves.
  /// \throws UsageError, OutOfMemory, SystemError on every PE.
  void reserve(std::size_t bytes) {
    m_buffers.reserve("symm::Migration::reserve", bytes);
  }

  /// Moves element k of all Views to PE dest_pes(k), or drops it, if that is
  /// symm::no_pe. Collective over the world, or the PE team; on return, after
  /// earlier work of `exec`, this PE has its elements.
  ///
  /// Those that stay keep their index, unless it is behind the new end. Those
  /// that come are in the places of those that have left, then behind the
  /// others, in the order of PEs' numbers and of indices there. If more have
  /// left than come, the last ones move to the places that are free. So equal
  /// calls give equal results.
  ///
  /// \param dest_pes View of rank 1 of integers in any memory, one for each
  ///        element of this PE; of signed ones, if it has no_pe.
  /// \param views    as ExchangePlan takes them, also ranges of Views; the
  /// first
  ///        index counts elements. May have more than dest_pes. If there is no
  ///        room they are resized, as by Kokkos::resize, to an eighth more than
  ///        needed; unmanaged ones must have room. Views in a symmetric space,
  ///        equally long on all PEs, are resized on all of them; those of a PE
  ///        team must have room.
  /// \returns how many elements this PE has now.
  /// \throws UsageError on every PE, if there is no such PE, Views are too
  ///         short on a PE, or elements have other sizes or symmetric Views
  ///         other lengths there, or a PE team has no room; OutOfMemory,
  ///         SystemError on every PE. Nothing has been moved then; some Views
  ///         may be longer. (Over a PE team: on every PE of it.)
  template <Impl::ExecutionSpace Exec, class Dest, class... Views>
  std::size_t migrate(Exec const& exec, Dest const& dest_pes, Views&... views) {
    static_assert(sizeof...(Views) > 0, "pass the Views of the elements");
    static_assert((!std::is_const_v<Views> && ...),
                  "Views grow: pass variables that are not const");
    constexpr char const* call = "symm::Migration::migrate";
    Impl::Observed const observed(
        [] {
          return Impl::Operation{Impl::OperationKind::collective, call};
        },
        Impl::check::Accesses::are_its);
    std::vector<std::size_t> extents;  // the first index counts elements
    auto const failure = Impl::failure_of([&] {
      extents.assign(1, 0);
      exec.fence(call);
      find_leaving(call, dest_pes);
      (Impl::for_each_view(
           views, [&](auto const& view) { expect_room(call, view, dest_pes); }),
       ...);
      m_leaving.element = Impl::Leaving::element_word(
          Impl::all_fields_of(call, extents, m_leaving.n_before, views...));
      m_leaving.symmetric_extents = Impl::hash_of_symmetric_extents(views...);
    });
    auto step          = m_buffers.begin(call, m_leaving, failure);
    if (!step.failure) {
      step.failure = Impl::failure_of([&] {
        (Impl::for_each_view(
             views,
             [&](auto& view) { Impl::grow_private(call, view, step.n_now); }),
         ...);
      });
    }
    m_buffers.make_room(call, step);
    bool const are_all_pes = m_buffers.members().are_world();
    (Impl::for_each_view(views,
                         [&](auto& view) {
                           Impl::grow_symmetric(call, view, step.most,
                                                are_all_pes);
                         }),
     ...);
    auto const fields =
        Impl::all_fields_of(call, extents, step.n_now, views...);
    auto const& buffers = m_buffers.in_kernels();
    auto const move     = [&] {
      Impl::for_each_group(fields, [&](auto const& group, std::size_t) {
        Impl::run(exec, call, step.moved.size(),
                      Impl::MoveElements<std::remove_cvref_t<decltype(group)>>{
                      step.moved.data(), step.moved_to.data(), group});
      });
    };
    if constexpr (Impl::runs_on_host_v<Exec>) {
      Impl::MigrationOnHost(exec, call, buffers, step, fields)();
      move();
    } else {
      // (Nobody finds another shape: begin() has compared them.)
      static_cast<void>(Impl::send_blocks(exec, call, buffers, step.sent,
                                          fields, Impl::Halves::apart));
      move();
      static_cast<void>(Impl::await_blocks(exec, call, buffers, step.received,
                                           Impl::ElementShape(fields)));
      Impl::copy_chunks<Impl::CopyWay::from_block>(
          exec, call, buffers, step.received, fields,
          Impl::PlacesOfPlan{fields.bytes()});
    }
    exec.fence(call);
    Impl::CollectiveClock::end_call(m_buffers.members());
    return step.n_now;
  }

 private:
  template <class View, class Dest>
  static void expect_room(char const* call, View const& view,
                          Dest const& dest_pes) {
    if (view.extent(0) >= dest_pes.extent(0)) return;
    throw UsageError(Impl::Text(
        call, ": View \"", view.label().c_str(), "\" is too small: it has ",
        view.extent(0), " elements, and there are ", dest_pes.extent(0),
        " PEs: pass a PE for each element of this PE, as a subview of a longer "
        "View"));
  }
  template <class Dest>
  void find_leaving(char const* call, Dest const& dest) {
    static_assert(Kokkos::is_view_v<Dest> && Dest::rank() == 1 &&
                      std::is_integral_v<typename Dest::value_type>,
                  "PEs are a Kokkos::View of rank 1 of integers");
    auto const on_host =
        Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), dest);
    using Number  = std::common_type_t<typename Dest::value_type, Pe>;
    auto const me = static_cast<Number>(m_buffers.members().me());
    auto const n  = m_buffers.members().n();
    auto& its     = m_leaving;
    its.reset(on_host.extent(0), static_cast<std::size_t>(n));
    auto const leaves = [&](std::size_t k) {
      return static_cast<Number>(on_host(k)) != me;
    };
    // A branch for each element would be taken at random. So a byte says
    // whether an element leaves, and each word of bytes has a loop.
    std::array<std::uint64_t, 4> words;
    constexpr auto part = sizeof words;
    for (std::size_t first = 0; first < its.n_before; first += part) {
      std::array<std::uint8_t, part> bytes{};
      if (first + part <= its.n_before) {
        for (std::size_t k = 0; k < part; ++k) bytes[k] = leaves(first + k);
      } else {
        for (auto k = first; k < its.n_before; ++k)
          bytes[k - first] = leaves(k);
      }
      words = std::bit_cast<decltype(words)>(bytes);
      for (std::size_t w = 0; w < words.size(); ++w) {
        for (auto word = words[w]; word != 0; word &= word - 1) {
          auto const k = first + 8 * w +
                         static_cast<std::size_t>(std::countr_zero(word)) / 8;
          auto const pe = static_cast<std::int64_t>(on_host(k));
          if (pe < no_pe || pe >= n) {
            throw UsageError(Impl::Text(call, ": element ", k,
                                        ": there is no PE ", pe,
                                        "; PEs are 0 to ", n - 1));
          }
          auto const to           = static_cast<Pe>(pe == no_pe ? n : pe);
          its.elements(its.count) = static_cast<Impl::ElementIndex>(k);
          its.pes(its.count++)    = to;
          ++its.counts[static_cast<std::size_t>(to)];
        }
      }
    }
  }

  Impl::Leaving m_leaving;  // of one call; its memory stays
  Impl::MigrationBuffers m_buffers;
};

}  // namespace symm

#endif
