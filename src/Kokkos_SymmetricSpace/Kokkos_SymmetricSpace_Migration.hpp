// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_MIGRATION_HPP
#define KOKKOS_SYMMETRICSPACE_MIGRATION_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace_Space.hpp>

#include "../runtime/base/Failure.hpp"
#include "../runtime/base/Observer.hpp"
#include "../runtime/base/Text.hpp"
#include "../runtime/symm_errors.hpp"
#include "../runtime/symm_job.hpp"
#include "exchange/ExchangeKernels.hpp"
#include "exchange/MigrationStep.hpp"
#include "space/ExecutionSpaceStream.hpp"

namespace symm {

/// Moves elements, such as particles, to new owners: another number of them in
/// each call. Keeps its buffers from call to call. (Cabana's Distributor and
/// migrate, MPI_Alltoall of counts and MPI_Alltoallv.)
///
///     symm::Migration migration;
///     n = migration.migrate(exec, Kokkos::subview(pes, std::pair(0, n)), x,
///     v);
class Migration {
 public:
  Migration()                            = default;
  Migration(Migration&&)                 = default;
  Migration& operator=(Migration&&)      = default;
  Migration(Migration const&)            = delete;
  Migration& operator=(Migration const&) = delete;
  ~Migration()                           = default;

  /// Moves element k of all Views to PE dest_pes(k), of the world. Collective
  /// over the world; on return, after earlier work of `exec`, this PE has its
  /// elements.
  ///
  /// Those that stay keep their index, unless it is behind the new end. Those
  /// that come are in the places of those that have left, then behind the
  /// others, in the order of PEs' numbers and of indices there. If more have
  /// left than come, the last ones move to the places that are free. So equal
  /// calls give equal results.
  ///
  /// \param dest_pes View of rank 1 of integers in any memory, one for each
  ///        element of this PE.
  /// \param views    as ExchangePlan takes them; the first index counts
  ///        elements. May have more than dest_pes. If there is no room they
  ///        are resized, as by Kokkos::resize, to an eighth more than needed.
  ///        Views in a symmetric space, equally long on all PEs, are resized on
  ///        all of them.
  /// \returns how many elements this PE has now.
  /// \throws UsageError on every PE, if there is no such PE, Views are too
  ///         short on a PE, or elements have other sizes there; OutOfMemory,
  ///         SystemError on every PE. Nothing has been moved then.
  template <Impl::ExecutionSpace Exec, class Dest, class... Views>
  std::size_t migrate(Exec const& exec, Dest const& dest_pes, Views&... views) {
    static_assert(sizeof...(Views) > 0, "pass the Views of the elements");
    static_assert((!std::is_const_v<Views> && ...),
                  "Views grow: pass variables that are not const");
    constexpr char const* call = "symm::Migration::migrate";
    Impl::Observed const observed([] {
      return Impl::Operation{Impl::OperationKind::collective, call};
    });
    exec.fence(call);
    auto const failure = Impl::failure_of([&] {
      find_leaving(call, dest_pes);
      m_leaving.element_bytes =
          Impl::fields_of(call, {0}, m_leaving.n_before, views...).bytes();
      m_leaving.capacity = std::min({std::size_t{views.extent(0)}...});
    });
    auto const step    = m_buffers.begin(call, m_leaving, failure);
    if (step.grows) {
      Impl::agree(call, Impl::failure_of([&] { (grow(views, step), ...); }));
    }
    auto const fields   = Impl::fields_of(call, {0}, step.n_now, views...);
    auto const& buffers = m_buffers.in_kernels();
    Impl::send_blocks(exec, call, buffers, step.sent, fields,
                      Impl::Halves::apart);
    Impl::run(exec, call, step.moved.extent(0),
              Impl::MoveElements<decltype(fields)>{
                  step.moved.data(), step.moved_to.data(), fields});
    Impl::await_blocks(exec, call, buffers, step.received);
    Impl::copy_chunks<Impl::CopyWay::from_block>(exec, call, buffers,
                                                 step.received, fields);
    exec.fence(call);
    return step.n_now;
  }

 private:
  template <class Dest>
  void find_leaving(char const* call, Dest const& dest) {
    static_assert(Kokkos::is_view_v<Dest> && Dest::rank() == 1 &&
                      std::is_integral_v<typename Dest::value_type>,
                  "PEs are a Kokkos::View of rank 1 of integers");
    auto const on_host =
        Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), dest);
    auto const me = static_cast<std::int64_t>(my_pe());
    auto const n  = static_cast<std::int64_t>(n_pes());
    m_leaving.reset(on_host.extent(0));
    auto const n_before  = m_leaving.n_before;
    auto* const elements = m_leaving.elements.data();
    auto* const pes      = m_leaving.pes.data();
    std::size_t count    = 0;
    bool is_right        = true;
    // Parts from which none leaves are soon left out. In the others, a branch
    // for each element would be taken at random.
    constexpr std::size_t part = 16;
    for (std::size_t first = 0; first < n_before; first += part) {
      auto const end       = std::min(first + part, n_before);
      std::int64_t differs = 0;
      if (end == first + part) {
        for (std::size_t k = 0; k < part; ++k)
          differs |= static_cast<std::int64_t>(on_host(first + k)) ^ me;
        if (differs == 0) continue;
      }
      for (auto k = first; k < end; ++k) {
        auto const pe   = static_cast<std::int64_t>(on_host(k));
        elements[count] = static_cast<Impl::ElementIndex>(k);
        pes[count]      = static_cast<Pe>(pe);
        count += pe != me ? 1 : 0;
        is_right &= pe >= 0 && pe < n;
      }
    }
    m_leaving.count = count;
    for (std::size_t k = 0; k < m_leaving.n_before && !is_right; ++k) {
      auto const pe = static_cast<std::int64_t>(on_host(k));
      if (pe >= 0 && pe < n) continue;
      throw UsageError(Impl::Text(call, ": PE ", me, ": element ", k,
                                  ": there is no PE ", pe, "; PEs are 0 to ",
                                  n - 1));
    }
  }

  template <class View>
  static void grow(View& view, Impl::MigrationStep const& step) {
    bool const is_symmetric = is_symmetric_space_v<typename View::memory_space>;
    auto const needed       = is_symmetric ? step.most : step.n_now;
    if (view.extent(0) >= needed) return;
    // (view.layout() has the stride of before.)
    typename View::array_layout layout;
    layout.dimension[0] = needed + needed / 8;
    for (std::size_t r = 1; r < View::rank(); ++r)
      layout.dimension[r] = view.extent(r);
    Kokkos::resize(view, layout);
  }

  Impl::Leaving m_leaving;  // of one call; its memory stays
  Impl::MigrationBuffers m_buffers;
};

}  // namespace symm

#endif
