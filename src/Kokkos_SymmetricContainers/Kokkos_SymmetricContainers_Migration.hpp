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
#include "base/RunKernel.hpp"
#include "exchange/CopyChunks.hpp"
#include "exchange/ExchangeKernels.hpp"
#include "exchange/GrowView.hpp"
#include "exchange/MigrationOnHost.hpp"
#include "exchange/MigrationStep.hpp"

namespace symm {

/// The destination that makes Migration::migrate() drop an element.
inline constexpr Pe no_pe = -1;

/// Moves elements, such as particles, to new owners. The number of elements may
/// change from call to call; calls reuse the Migration's buffers. (Compare
/// Cabana's Distributor and migrate, or MPI_Alltoall for the counts followed by
/// MPI_Alltoallv.)
///
///     symm::Migration migration;
///     auto const owners = Kokkos::subview(pes, std::pair(0, n));
///     n = migration.migrate(exec, owners, x, v);
class Migration {
 public:
  /// Creates a migration among all PEs. The call is local.
  Migration() = default;
  /// Creates a migration among the PEs of `team`: migrate() is then collective
  /// over these PEs, and PE numbers are relative to `team`. Call reserve()
  /// before the first migrate(). The constructor itself is local.
  /// \param team this PE's PE team, or PeTeam() if this PE does not take part.
  ///        The PE team must outlive this object.
  explicit Migration(PeTeam const& team) : m_buffers(team) {}
  /// Takes over the buffers of `other` and leaves `other` without buffers. The
  /// call is local.
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

  /// Allocates buffers for calls to migrate() in which up to `bytes` bytes
  /// leave each PE and up to `bytes` bytes arrive there. Count the bytes of the
  /// elements, plus up to 16 more elements for each other PE. The call is
  /// collective over the world because it allocates symmetric memory: every PE
  /// calls it on its own PE team's migration. A migration among all PEs
  /// enlarges its buffers automatically.
  /// \throws UsageError, OutOfMemory or SystemError on every PE.
  void reserve(std::size_t bytes) {
    m_buffers.reserve("symm::Migration::reserve", bytes);
  }

  /// Moves element k of all Views to PE dest_pes(k), or drops element k if
  /// dest_pes(k) is symm::no_pe. The call is collective over the world or the
  /// PE team and runs after earlier work on `exec`. On return, the Views
  /// contain the elements that this PE holds now.
  ///
  /// Elements that stay keep their indices if these are less than the new
  /// number of elements. Arriving elements first fill the gaps that departing
  /// elements leave, then positions after the last element. They are sorted by
  /// sender, then by index on the sender. If more elements leave than arrive,
  /// the last elements move into the remaining gaps. Therefore, identical calls
  /// give identical results.
  ///
  /// \param dest_pes a rank-1 View of integers in any memory, with one entry
  ///        per element on this PE. The integer type must be signed if no_pe
  ///        occurs.
  /// \param views Views that ExchangePlan accepts, including ranges of Views;
  ///        the first index selects an element. The Views may be longer than
  ///        `dest_pes`. Views that are too short for the new elements are
  ///        resized, as if by Kokkos::resize(), to an eighth more than needed;
  ///        unmanaged Views must be long enough. Views in a symmetric space
  ///        must have equal lengths on all PEs and are resized on all PEs; with
  ///        a PE team, they must be long enough.
  /// \returns the number of elements on this PE after the call.
  /// \throws UsageError on every PE if a destination PE does not exist, or if a
  ///         View on any PE is too short. UsageError on every PE if element
  ///         sizes or the lengths of symmetric Views differ between PEs, or if
  ///         the buffers of a PE team's migration are too small. OutOfMemory or
  ///         SystemError on every PE. In all these cases, no element has been
  ///         moved, but some Views may be longer than before. (With a PE team,
  ///         every PE of the PE team throws these errors.)
  template <Impl::ExecutionSpace Exec, class Dest, class... Views>
  std::size_t migrate(Exec const& exec, Dest const& dest_pes, Views&... views) {
    static_assert(sizeof...(Views) > 0,
                  "pass at least one View of the elements");
    static_assert(
        (!std::is_const_v<Views> && ...),
        "the Views may be enlarged: pass variables that are not const");
    constexpr char const* call = "symm::Migration::migrate";
    Impl::Observed const observed(
        [] {
          return Impl::Operation{Impl::OperationKind::collective, call};
        },
        Impl::check::Accesses::are_its);
    std::vector<std::size_t> extents;  // the first index selects an element
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
    move_all(exec, call, step,
             Impl::all_fields_of(call, extents, step.n_now, views...));
    exec.fence(call);
    Impl::CollectiveClock::end_call(m_buffers.members());
    return step.n_now;
  }

 private:
  /// Exchanges elements with other PEs and moves elements on this PE.
  template <class Exec, class Fields>
  void move_all(Exec const& exec, char const* call, Impl::MigrationStep& step,
                Fields const& fields) {
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
      // (The result needs no check because begin() has already compared the
      // element shapes of all PEs.)
      static_cast<void>(Impl::send_blocks(exec, call, buffers, step.sent,
                                          fields, Impl::Halves::apart));
      move();
      static_cast<void>(Impl::await_blocks(exec, call, buffers, step.received,
                                           Impl::ElementShape(fields)));
      Impl::copy_chunks<Impl::CopyWay::from_block>(
          exec, call, buffers, step.received, fields,
          Impl::PlacesOfPlan{fields.bytes()});
    }
  }

  template <class View, class Dest>
  static void expect_room(char const* call, View const& view,
                          Dest const& dest_pes) {
    if (view.extent(0) >= dest_pes.extent(0)) return;
    throw UsageError(Impl::Text(call, ": View \"", view.label().c_str(),
                                "\" has ", view.extent(0),
                                " elements, but there are ", dest_pes.extent(0),
                                " PEs; pass one PE for each element of this PE "
                                "(a subview, if the View of PEs is longer)"));
  }
  template <class Dest>
  void find_leaving(char const* call, Dest const& dest) {
    static_assert(Kokkos::is_view_v<Dest> && Dest::rank() == 1 &&
                      std::is_integral_v<typename Dest::value_type>,
                  "the PEs must be a Kokkos::View of rank 1 of integers");
    auto const on_host =
        Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), dest);
    using Number  = std::common_type_t<typename Dest::value_type, Pe>;
    auto const me = static_cast<Number>(m_buffers.members().me());
    auto const n  = m_buffers.members().n();
    auto& leaving = m_leaving;
    leaving.reset(on_host.extent(0), static_cast<std::size_t>(n));
    auto const leaves = [&](std::size_t k) {
      return static_cast<Number>(on_host(k)) != me;
    };
    // A branch per element would be unpredictable. Instead, one byte per
    // element records whether the element leaves, and a loop examines eight of
    // these bytes at a time.
    std::array<std::uint64_t, 4> words;
    constexpr auto part = sizeof words;
    for (std::size_t first = 0; first < leaving.n_before; first += part) {
      std::array<std::uint8_t, part> bytes{};
      if (first + part <= leaving.n_before) {
        for (std::size_t k = 0; k < part; ++k) bytes[k] = leaves(first + k);
      } else {
        for (auto k = first; k < leaving.n_before; ++k)
          bytes[k - first] = leaves(k);
      }
      words = std::bit_cast<decltype(words)>(bytes);
      for (std::size_t w = 0; w < words.size(); ++w) {
        for (auto word = words[w]; word != 0; word &= word - 1) {
          auto const k = first + 8 * w +
                         static_cast<std::size_t>(std::countr_zero(word)) / 8;
          auto const pe = static_cast<std::int64_t>(on_host(k));
          if (pe < no_pe || pe >= n) {
            Impl::throw_no_pe(pe, n, Impl::Text(call, ": element ", k));
          }
          auto const to = static_cast<Pe>(pe == no_pe ? n : pe);
          leaving.elements(leaving.count) = static_cast<Impl::ElementIndex>(k);
          leaving.pes(leaving.count++)    = to;
          ++leaving.counts[static_cast<std::size_t>(to)];
        }
      }
    }
  }

  Impl::Leaving m_leaving;  // for one call; later calls reuse its memory
  Impl::MigrationBuffers m_buffers;
};

}  // namespace symm

#endif
