// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_EXCHANGE_PLAN_EXCHANGE_HPP
#define SYMM_EXCHANGE_PLAN_EXCHANGE_HPP

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <Kokkos_Core.hpp>

#include <Kokkos_SymmetricSpace_Edge.hpp>

#include "../../runtime/symm_errors.hpp"
#include "BlockPlaces.hpp"
#include "CombineGhosts.hpp"
#include "CopyChunks.hpp"
#include "ExchangeBuffers.hpp"
#include "ExchangeKernels.hpp"
#include "Fields.hpp"
#include "JoinedFields.hpp"
#include "Neighbors.hpp"
#include "PlanBlocks.hpp"
#include "PlanFields.hpp"

namespace symm::Impl {

/// A plan and its exchanges. Checks each call and carries out the two halves of
/// an exchange. Only one exchange can be in progress.
class PlanExchange {
 public:
  /// Selects the elements that are sent and the elements that receive values.
  struct Way {
    SideOfPlan sent;
    SideOfPlan received;
  };
  static constexpr Way from_owned{&PlanElements::owned, &PlanElements::ghosts};
  static constexpr Way from_ghosts{&PlanElements::ghosts, &PlanElements::owned};

  PlanExchange() = default;
  explicit PlanExchange(PlanBlocks plan) : m_plan(std::move(plan)) {}
  /// Leaves `other` empty.
  PlanExchange(PlanExchange&& other) noexcept { swap(other); }
  PlanExchange& operator=(PlanExchange&& other) noexcept {
    PlanExchange(std::move(other)).swap(*this);
    return *this;
  }
  PlanExchange(PlanExchange const&)            = delete;
  PlanExchange& operator=(PlanExchange const&) = delete;
  ~PlanExchange()                              = default;

  [[nodiscard]] PlanBlocks const& plan() const { return m_plan; }
  [[nodiscard]] PlanBlocks& plan() { return m_plan; }

  // (Exchanges are not inlined because GCC 12 would generate slower code for
  // adjacent kernels in the caller: 5 % slower in cg_solve.)

  /// The first half of an exchange: checks the arguments, enlarges the buffers
  /// if needed, and packs and sends the blocks.
  template <class Exec, class... Views>
  [[gnu::noinline]] void begin(Exec const& exec, char const* call,
                               Halves halves, Way way, Views const&... views) {
    auto const fields = start(call, views...);
    Observed const observed([&] { return operation(call, way, fields); },
                            check::Accesses::are_its);
    begin_call(call, halves, ElementShape(fields));
    auto const& buffers = m_plan.buffers.in_kernels();
    auto const& sent    = m_plan.*way.sent;
    if constexpr (are_joined_v<std::remove_cvref_t<decltype(fields)>>) {
      if (sent.blocks.size() == 0) return;
      Impl::for_each_side(m_plan, fields, way.sent, [&](auto const&... part) {
        Impl::copy_chunks<CopyWay::to_block>(exec, call, buffers, part...);
      });
      expect_same_shape(
          call, Impl::tell_blocks(exec, call, buffers, sent, fields,
                                  fields.places(m_plan, way.sent), halves));
    } else {
      expect_same_shape(
          call, Impl::send_blocks(exec, call, buffers, sent, fields, halves));
    }
  }

  /// The second half of a gather: fills the ghosts.
  template <class Exec, class... Views>
  [[gnu::noinline]] void end_gather(Exec const& exec, char const* call,
                                    Views const&... views) {
    auto const fields = receive(exec, call, from_owned, views...);
    Impl::for_each_side(m_plan, fields, from_owned.received,
                        [&](auto const&... part) {
                          Impl::copy_chunks<CopyWay::from_block>(
                              exec, call, m_plan.buffers.in_kernels(), part...);
                        });
    wait_for_messages(exec, call);
  }

  /// The second half of a scatter: combines owned elements with their ghosts.
  template <class Exec, class Op, class... Views>
  [[gnu::noinline]] void end_scatter(Exec const& exec, char const* call,
                                     Op const& op, Views const&... views) {
    auto const fields   = receive(exec, call, from_ghosts, views...);
    auto const& buffers = m_plan.buffers.in_kernels();
    if constexpr (runs_on_host_v<Exec>) {
      if (is_in_order(exec)) {
        Impl::for_each_side(
            m_plan, fields, from_ghosts.received, [&](auto const&... part) {
              Impl::copy_chunks<CopyWay::from_block>(exec, call, buffers,
                                                     part..., false, false,
                                                     StoredCopies{}, op);
            });
        return;
      }
    }
    Impl::for_each_elements(
        m_plan, fields, from_ghosts.received, [&](auto const&... part) {
          Impl::combine_ghosts(exec, call, buffers, part..., op);
        });
    wait_for_messages(exec, call);
  }

  /// A gather of one View whose copies the program's kernels have already
  /// stored (BoxTargets). Sends and unpacks only the blocks that these kernels
  /// have not stored directly on near PEs (StoredCopies).
  template <class Exec, class View>
  [[gnu::noinline]] void gather_stored(Exec const& exec, char const* call,
                                       View const& view) {
    if (!m_plan.is_box) {
      throw UsageError(std::string(call) +
                       ": the plan must be made by ExchangePlan::from_box and "
                       "not joined with others; call gather() instead");
    }
    auto const& ghosts = m_plan.ghosts;
    auto const fields  = start(call, view);
    PlacesOfPlan const places{fields.bytes()};
    Observed const observed([&] { return operation(call, from_owned, fields); },
                            check::Accesses::are_its);
    auto const& buffers = m_plan.buffers.in_kernels();
    auto const stored   = StoredCopies::of<ExchangeSpace>(view);
    begin_call(call, Halves::together, ElementShape(fields));
    expect_same_shape(
        call, Impl::tell_blocks(exec, call, buffers, m_plan.owned, fields,
                                places, Halves::together, nullptr, stored));
    m_call = nullptr;
    if (ghosts.needs_outbox || !stored.have(ghosts.thin_axes)) {
      Impl::copy_chunks<CopyWay::from_block>(
          exec, call, buffers, ghosts, fields, places, false, true, stored);
    }
    wait_for_messages(exec, call);
  }

  /// Enlarges the buffers if they have no room for `bytes`-byte elements. In
  /// that case, the call is collective over the world.
  /// \throws UsageError on this PE if the buffers must grow but the plan
  ///         belongs to a PE team; otherwise, the same errors as reserve().
  void make_room(char const* call, std::size_t bytes) {
    bool const has_neighbors = m_plan.owned.blocks.size() > 0;
    if (bytes <= m_plan.room || (!has_neighbors && !m_plan.is_of_world)) return;
    if (!m_plan.is_of_world) {
      throw UsageError(std::string(call) + ": elements have " +
                       std::to_string(bytes) +
                       " bytes, but the plan of a PE team has room for only " +
                       std::to_string(m_plan.room) +
                       "; call reserve() on all PEs of the world first");
    }
    m_plan.make_room(call, bytes, m_call);
  }
  /// Collective over the world.
  /// \throws UsageError, OutOfMemory, SystemError on every PE.
  void reserve(char const* call, std::size_t bytes) {
    m_plan.make_room(call, bytes, m_call);
  }

 private:
  /// Whether a single thread unpacks all chunks one after another.
  template <class Exec>
  static bool is_in_order(Exec const& exec) {
    return runs_on_host_v<Exec> && exec.concurrency() == 1;
  }
  /// Makes the host wait for a GPU's exchange between nodes if the blocks are
  /// in GPU memory and no graph records the exchange. Otherwise, a program that
  /// then frees memory (cudaFree) would hang: the driver would wait for the
  /// kernels, the kernels for a library thread, and that thread for the driver.
  template <class Exec>
  void wait_for_messages(Exec const& exec, char const* call) const {
    if constexpr (!runs_on_host_v<Exec>) {
      auto const& buffers = m_plan.buffers.in_kernels();
      if (m_plan.owned.needs_outbox && !buffers.uses_host && !is_captured(exec))
        exec.fence(call);
    }
  }

  /// Checks the arguments and, if needed, enlarges the buffers before anything
  /// is sent.
  /// \returns the Views' fields.
  template <class... Views>
  auto start(char const* call, Views const&... views) {
    if (m_call != nullptr) {
      throw UsageError(std::string(call) + ": " + m_call +
                       " of this plan has begun but not ended; end it first");
    }
    auto const fields = Impl::fields_of_plan(call, m_plan, views...);
    make_room(call, Impl::max_bytes_of(fields));
    return fields;
  }
  /// (For joined plans, the byte count is an estimate: the first plan's element
  /// count times the element size summed over all plans.)
  template <class Fields>
  Operation operation(char const* call, Way way, Fields const& fields) const {
    return {OperationKind::collective, call, -1,
            fields.bytes() * (m_plan.*way.sent).elements.extent(0)};
  }

  template <class Exec, class... Views>
  auto receive(Exec const& exec, char const* call, Way way,
               Views const&... views) {
    // (Compares text because a call's name may have several addresses, one for
    // each source file.)
    if (m_call == nullptr || std::string_view(m_call) != call) {
      throw UsageError(
          std::string(call) +
          ": this plan has not begun this exchange; begin it first");
    }
    auto const fields = Impl::fields_of_plan(call, m_plan, views...);
    ElementShape const shape(fields);
    if (shape != m_shape) {
      throw UsageError(Text(call, ": the exchange was begun with Views of ",
                            ElementShape::text_of(m_shape.bits()),
                            " per element, but these have ",
                            ElementShape::text_of(shape.bits()),
                            " or other parts; end it with the same Views"));
    }
    if (m_halves == Halves::apart) {
      expect_same_shape(
          call, Impl::await_blocks(exec, call, m_plan.buffers.in_kernels(),
                                   m_plan.*way.received, shape));
    }
    m_call = nullptr;
    return fields;
  }

  void begin_call(char const* call, Halves halves, ElementShape shape) {
    m_call   = call;
    m_halves = halves;
    m_shape  = shape;
  }
  /// Called when the exchange has ended. \throws UsageError on this PE if
  /// `other` is not empty.
  void expect_same_shape(char const* call,
                         std::optional<OtherShape> const& other) {
    if (!other) return;
    m_call = nullptr;
    throw_other_shape(call, m_shape, *other);
  }

  void swap(PlanExchange& other) noexcept {
    std::swap(m_plan, other.m_plan);
    std::swap(m_call, other.m_call);
    std::swap(m_halves, other.m_halves);
    std::swap(m_shape, other.m_shape);
  }

  PlanBlocks m_plan;

  // The name of the exchange in progress; null if there is none.
  char const* m_call = nullptr;
  Halves m_halves    = Halves::apart;
  ElementShape m_shape{};
};

}  // namespace symm::Impl

#endif
