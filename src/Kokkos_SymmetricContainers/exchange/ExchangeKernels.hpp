// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_EXCHANGE_KERNELS_HPP
#define SYMM_EXCHANGE_KERNELS_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace_Edge.hpp>

#include "../../runtime/symm_atomics.hpp"
#include "../../runtime/symm_job.hpp"
#include "../../runtime/symm_signals.hpp"
#include "BlockPlaces.hpp"
#include "ExchangeBuffers.hpp"
#include "FieldGroups.hpp"
#include "Fields.hpp"
#include "Neighbours.hpp"
#include "PlanBlocks.hpp"

// The kernels of an exchange, in this order: CopyChunks packs, Notify, Await
// (in one kernel with Notify, if nothing is to be done in between), CopyChunks
// (or Combine) unpacks. If kernels of the program have stored all copies
// already (BoxTargets), only sent blocks are unpacked. An inbox has two halves,
// used in turn. A PE packs into a neighbour's inbox, and sends it a signal, in
// each exchange, and ends the exchange with the signals of all neighbours. A
// neighbour's signal of exchange n says that it has unpacked exchange n - 1. So
// this PE, in exchange n + 1, overwrites a half that the neighbour has
// unpacked, and no barrier is needed. For that PEs are neighbours of each
// other, even if blocks go one way.
//
// With gates (PEs share a GPU), no kernel waits: signals are gates
// (PeTeamWords.hpp), at which the queue waits behind Notify, which counts.

namespace symm::Impl {

/// Copies chunk after chunk between Views and blocks: a thread of the host a
/// chunk, a thread of a GPU an element.
template <CopyWay way, class Fields, class Places, class Op = Assign>
struct CopyChunks {
  BlockMemory buffers;
  Block const* blocks;
  Chunk const* chunks;
  ElementIndex const* elements;
  std::size_t n_elements;  // listed for all chunks
  Places places;
  std::size_t bytes_before;  // of an element, in fields of other groups
  bool sends_runs_unpacked;  // to far PEs
  bool skips_stored;         // blocks that have not come this way
  StoredCopies stored;
  Fields fields;
  Op op{};  // from blocks

  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    KOKKOS_IF_ON_HOST((copy(chunks[i], 0, chunks[i].count);))
    KOKKOS_IF_ON_DEVICE(
        (auto const& chunk = chunks[i / Chunk::most];
         auto const k      = static_cast<ElementIndex>(i % Chunk::most);
         if (k < chunk.count) copy(chunk, k, k + 1);))
  }

 private:
  KOKKOS_FUNCTION void copy(Chunk const& chunk, ElementIndex first,
                            ElementIndex end) const {
    auto const& block = blocks[chunk.block];
    char* at          = nullptr;
    if constexpr (way == CopyWay::to_block) {
      if (block.is_near) {
        at = buffers.heap.peer_ptr(buffers.turn(buffers.steps[0] + 1, true),
                                   block.pe) +
             places.there(blocks, chunk.block);
      } else if (sends_runs_unpacked && block.is_run) {
        return;
      } else {
        at = buffers.outbox + places.here(blocks, chunk.block);
      }
    } else {
      if (skips_stored && block.is_stored(stored)) return;
      at = buffers.turn(buffers.steps[0], block.is_near) +
           places.here(blocks, chunk.block);
    }
    auto const padded = block.padded();
    copy_fields(fields, chunk, first, end, at + padded * bytes_before, padded);
  }

  template <class List>
  KOKKOS_FUNCTION void copy_fields(List const& list, Chunk const& chunk,
                                   ElementIndex first, ElementIndex end,
                                   char* at, std::size_t padded) const {
    if constexpr (!List::is_empty) {
      auto const& field = list.first;
      using T = typename std::remove_cvref_t<decltype(field)>::value_type;
      copy_field(field, chunk, first, end, reinterpret_cast<T*>(at));
      copy_fields(list.others, chunk, first, end, at + padded * field.bytes(),
                  padded);
    }
  }

  template <class T, std::size_t rank, std::uint32_t most>
  KOKKOS_FUNCTION void copy_fields(FieldArray<T, rank, most> const& list,
                                   Chunk const& chunk, ElementIndex first,
                                   ElementIndex end, char* at,
                                   std::size_t padded) const {
    for (std::uint32_t f = 0; f < list.n; ++f) {
      auto const& field = list.fields[f];
      copy_field(field, chunk, first, end, reinterpret_cast<T*>(at));
      at += padded * field.bytes();
    }
  }

  template <class FieldOfView, class T>
  KOKKOS_FUNCTION void copy_field(FieldOfView const& field, Chunk const& chunk,
                                  ElementIndex first, ElementIndex end,
                                  T* part) const {
    auto const n = field.n_components;
    part += std::size_t{chunk.first} * n;
    auto const* const list = elements + chunk.listed;
    if (!field.is_plain) {
      for (auto k = first; k < end; ++k) {
        auto const element = chunk.is_run ? chunk.start + k : list[k];
        auto* const its    = field.data + field.elements.offset(element);
        for (std::uint32_t c = 0; c < n; ++c)
          copy_component(its[field.components.offset(c)],
                         part[std::size_t{k} * n + c]);
      }
      return;
    }
    auto const stride = field.elements.stride[0];
    if (chunk.is_run && stride == static_cast<std::ptrdiff_t>(n)) {
      auto* const its = field.data + std::size_t{chunk.start} * n;
      for (std::size_t c = std::size_t{first} * n; c < std::size_t{end} * n;
           ++c)
        copy_component(its[c], part[c]);
    } else if (chunk.is_run) {
      for (auto k = first; k < end; ++k)
        copy_components<0>(n, field.data + (chunk.start + k) * stride,
                           part + std::size_t{k} * n);
    } else if (n == 1) {
      copy_listed<1>(field.data, stride, chunk, first, end, n, part);
    } else if (n == 3) {
      copy_listed<3>(field.data, stride, chunk, first, end, n, part);
    } else {
      copy_listed<0>(field.data, stride, chunk, first, end, n, part);
    }
  }

  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION void copy_component(T& in_view,
                                                  T& in_block) const {
    if constexpr (way == CopyWay::to_block) {
      in_block = in_view;
    } else {
      in_view = static_cast<T>(op(in_view, in_block));
    }
  }
  /// \tparam fixed the number of components; 0: `n`.
  template <std::uint32_t fixed, class T>
  KOKKOS_FORCEINLINE_FUNCTION void copy_components(std::uint32_t n, T* its,
                                                   T* part) const {
    for (std::uint32_t c = 0; c < (fixed == 0 ? n : fixed); ++c)
      copy_component(its[c], part[c]);
  }
  template <std::uint32_t fixed, class T>
  KOKKOS_FUNCTION void copy_listed(T* data, std::ptrdiff_t stride,
                                   Chunk const& chunk, ElementIndex first,
                                   ElementIndex end, std::uint32_t n,
                                   T* part) const {
    auto const* const list = elements + chunk.listed;
    for (auto k = first; k < end; ++k) {
      KOKKOS_IF_ON_HOST(
          (if (chunk.listed + k + prefetched < n_elements)
               prefetch(data + list[k + prefetched] * stride, n);))
      copy_components<fixed>(n, data + list[k] * stride,
                             part + std::size_t{k} * (fixed == 0 ? n : fixed));
    }
  }

  /// The host loads elements so many ahead, those of the next chunk, too.
  static constexpr std::size_t prefetched = 32;

  template <class T>
  static void prefetch(T const* its, std::uint32_t n) {
    constexpr int writes = way == CopyWay::from_block ? 1 : 0;
    __builtin_prefetch(its, writes);
    __builtin_prefetch(reinterpret_cast<char const*>(its + n) - 1, writes);
  }
};

/// Tells neighbour i that its block has come; a far one gets it with that.
template <class Places>
struct Notify {
  Buffers buffers;
  Block const* blocks;
  Places places;
  std::size_t last_field_bytes;
  char const* run_data;  // of the View whose runs are sent unpacked, or null
  StoredCopies stored;   // or packed straight into the inbox
  std::uint32_t shape;
  Pe my_pe;

  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    KOKKOS_IF_ON_DEVICE((symm::fence();))
    auto const& block = blocks[i];
    auto const step   = buffers.steps[i] + 1;
    if (buffers.has_gates) {
      atomic_add(buffers.heap, buffers.signal(block.slot, step, block.is_near),
                 ~Signal{0}, my_pe);
      buffers.steps[i] = step;
    }
    std::size_t const bytes =
        block.is_stored(stored) ? 0 : places.bytes(blocks, i, last_field_bytes);
    char const* const source = run_data != nullptr && block.is_run
                                   ? run_data + places.before(block.start)
                                   : buffers.outbox + places.here(blocks, i);
    put_signal(block.is_near ? buffers.heap : buffers.far_heap,
               buffers.turn(step, block.is_near) + places.there(blocks, i),
               source, bytes,
               buffers.signal(block.slot_there, step, block.is_near),
               buffers.has_gates ? 1 : Buffers::sent(step, shape),
               buffers.has_gates ? SignalOp::add : SignalOp::set, block.pe);
  }
};

/// Kernels wait for neighbour i, and count. (The host: Neighbours.hpp.)
struct Await {
  Buffers buffers;
  Block const* blocks;
  std::uint32_t shape;

  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    auto const& block = blocks[i];
    auto const step   = buffers.steps[i] + 1;
    PollOne<Signal> poll{{buffers.signal(block.slot, step, block.is_near), 1,
                          nullptr, Compare::ge, Buffers::sent(step, 0)}};
    wait_for("symm::ExchangePlan", poll);
    buffers.steps[i] = step;
    if (Buffers::shape_in(poll.now) != shape) {
      Kokkos::abort(
          "symm::ExchangePlan: PEs have passed Views with different numbers of "
          "bytes per element to one exchange");
    }
  }
};

template <class Places>
struct NotifyAndAwait {
  Notify<Places> notify;
  Await await;

  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    notify(i);
    await(i);
  }
};

/// Combines owned element i with what has come for it.
template <class Op, class Fields, class Places>
struct Combine {
  BlockMemory buffers;
  Block const* blocks;
  ElementIndex const* elements;
  std::uint32_t const* firsts;
  Contributions::From const* from;
  Places places;
  std::size_t bytes_before;  // as CopyChunks'
  Op op;
  Fields fields;

  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    combine_fields(fields, i, bytes_before);
  }

 private:
  template <class List>
  KOKKOS_FUNCTION void combine_fields(List const& list, std::size_t i,
                                      std::size_t before) const {
    if constexpr (!List::is_empty) {
      combine_field(list.first, i, before);
      combine_fields(list.others, i, before + list.first.bytes());
    }
  }
  template <class T, std::size_t rank, std::uint32_t most>
  KOKKOS_FUNCTION void combine_fields(FieldArray<T, rank, most> const& list,
                                      std::size_t i, std::size_t before) const {
    for (std::uint32_t f = 0; f < list.n; ++f) {
      combine_field(list.fields[f], i, before);
      before += list.fields[f].bytes();
    }
  }
  template <class FieldOfView>
  KOKKOS_FUNCTION void combine_field(FieldOfView const& field, std::size_t i,
                                     std::size_t before) const {
    using T         = typename FieldOfView::value_type;
    auto const n    = field.n_components;
    auto const step = buffers.steps[0];
    for (std::uint32_t c = 0; c < n; ++c) {
      auto& element = field(elements[i], c);
      T value       = element;
      for (auto k = firsts[i]; k < firsts[i + 1]; ++k) {
        auto const& block      = blocks[from[k].block];
        auto const* const part = reinterpret_cast<T const*>(
            buffers.turn(step, block.is_near) +
            places.here(blocks, from[k].block) + block.padded() * before);
        value = static_cast<T>(
            op(value, part[std::size_t{from[k].in_block} * n + c]));
      }
      element = value;
    }
  }
};

template <class Exec>
auto range(Exec const& exec, std::size_t n) {
  return Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(exec, 0, n);
}

/// Calls work(i), i < n, in this order if `exec` is one thread of the host.
template <class Exec, class Work>
void run(Exec const& exec, char const* call, std::size_t n, Work const& work) {
  if constexpr (runs_on_host_v<Exec>) {
    // Kokkos takes longer to start than a small exchange.
    if (exec.concurrency() == 1) {
      for (std::size_t i = 0; i < n; ++i) work(i);
      return;
    }
  }
  if (n > 0) Kokkos::parallel_for(call, range(exec, n), work);
}

/// As run(). On a GPU, a chain of such kernels has shorter gaps between them.
template <class Exec, class Work>
void run_in_chain(Exec const& exec, char const* call, std::size_t n,
                  Work const& work) {
  if constexpr (runs_on_host_v<Exec>) {
    Impl::run(exec, call, n, work);
  } else {
    enqueue_for_each(exec, call, n, work);
  }
}

/// Packs the blocks of a side, or unpacks them.
template <CopyWay way, class Exec, class Fields, class Places,
          class Op = Assign>
void copy_chunks(Exec const& exec, char const* call, Buffers const& buffers,
                 PlanSide const& side, Fields const& fields,
                 Places const& places, bool sends_runs_unpacked = false,
                 bool skips_stored = false, StoredCopies stored = {},
                 Op const& op = {}) {
  auto const n = side.chunks.size();
  Impl::for_each_group(fields, [&](auto const& group,
                                   std::size_t bytes_before) {
    Impl::run_in_chain(
        exec, call, runs_on_host_v<Exec> ? n : n * Chunk::most,
        CopyChunks<way, std::remove_cvref_t<decltype(group)>, Places, Op>{
            buffers, side.blocks.data(), side.chunks.data(),
            side.elements.data(), side.elements.extent(0), places, bytes_before,
            sends_runs_unpacked, skips_stored, stored, group, op});
  });
}

/// Calls work(n) for each neighbour: the host itself, or a kernel.
template <class Exec, class Work>
void for_each_neighbour(Exec const& exec, char const* call,
                        PlanSide const& side, Work const& work) {
  auto const n = side.blocks.size();
  if constexpr (runs_on_host_v<Exec>) {
    for (std::size_t i = 0; i < n; ++i) work(i);
  } else {
    enqueue_for_each(exec, call, n, work);
  }
}

/// Has the queue of a GPU wait until all neighbours have sent.
template <class Exec>
void wait_at_gates(Exec const& exec, char const* call, Buffers const& buffers,
                   PlanSide const& side) {
  auto const& blocks = side.blocks.on_host();
  wait_in_queue(exec, call, blocks.size(), [&](std::size_t i) {
    return buffers.signal(blocks[i].slot, 0, true);
  });
}

/// Whether an exchange waits for the neighbours as soon as it has sent.
enum class Halves { together, apart };

/// \returns a neighbour with another shape, if the host waits. (Kernels end the
///          job then; with gates, nobody looks.)
/// \throws as await_neighbours().
template <class Exec>
std::optional<OtherShape> await_blocks(Exec const& exec, char const* call,
                                       Buffers const& buffers,
                                       PlanSide const& side,
                                       ElementShape shape) {
  if constexpr (runs_on_host_v<Exec>) {
    return await_neighbours(call, buffers, side, shape);
  } else if (buffers.has_gates) {
    wait_at_gates(exec, call, buffers, side);
  } else {
    for_each_neighbour(exec, call, side,
                       Await{buffers, side.blocks.data(), shape.bits()});
  }
  return {};
}

/// Tells the neighbours of a side that their blocks have come, and sends the
/// far ones. Perhaps waits for those of the other side, which has the same
/// neighbours.
/// \param run_data of the View whose runs are sent unpacked, or null.
/// \param stored blocks that are there.
/// \returns, throws as await_blocks().
template <class Exec, class Fields, class Places>
std::optional<OtherShape> tell_blocks(
    Exec const& exec, char const* call, Buffers const& buffers,
    PlanSide const& side, Fields const& fields, Places const& places,
    Halves halves, char const* run_data = nullptr, StoredCopies stored = {}) {
  static_assert(
      Kokkos::SpaceAccessibility<Exec, SymmetricSpace>::accessible,
      "kernels of the execution space must reach symm::SymmetricSpace");
  ElementShape const shape(fields);
  Notify<Places> const notify{
      buffers, side.blocks.data(), places, fields.bytes_of_last(), run_data,
      stored,  shape.bits(),       my_pe()};
  if constexpr (runs_on_host_v<Exec>) {
    exec.fence(call);
    symm::fence();
  } else if (halves == Halves::together && !buffers.has_gates) {
    for_each_neighbour(
        exec, call, side,
        NotifyAndAwait<Places>{
            notify, Await{buffers, side.blocks.data(), shape.bits()}});
    return {};
  }
  for_each_neighbour(exec, call, side, notify);
  if (halves == Halves::apart) return {};
  return await_blocks(exec, call, buffers, side, shape);
}

/// The only View, if elements that follow each other in a block do so in the
/// View, too; else null.
template <class... Fields>
char const* run_data_of(FieldList<Fields...> const& fields) {
  auto const& first = fields.first;
  bool const is_one = decltype(fields.others)::is_empty && first.is_plain &&
                      first.elements.stride[0] ==
                          static_cast<std::ptrdiff_t>(first.n_components);
  return is_one ? reinterpret_cast<char const*>(first.data) : nullptr;
}
template <class... Items>
char const* run_data_of(FieldGroups<Items...> const&) {
  return nullptr;
}

/// Packs and sends the blocks of a side, as tell_blocks().
template <class Exec, class Fields>
std::optional<OtherShape> send_blocks(Exec const& exec, char const* call,
                                      Buffers const& buffers,
                                      PlanSide const& side,
                                      Fields const& fields, Halves halves) {
  if (side.blocks.size() == 0) return {};
  // A far block that is contiguous in the only View goes as it is.
  char const* const run_data =
      buffers.uses_host ? nullptr : run_data_of(fields);
  PlacesOfPlan const places{fields.bytes()};
  copy_chunks<CopyWay::to_block>(exec, call, buffers, side, fields, places,
                                 run_data != nullptr);
  return tell_blocks(exec, call, buffers, side, fields, places, halves,
                     run_data);
}

}  // namespace symm::Impl

#endif
