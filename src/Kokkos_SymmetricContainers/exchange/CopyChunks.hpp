// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_EXCHANGE_COPY_CHUNKS_HPP
#define SYMM_EXCHANGE_COPY_CHUNKS_HPP

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace_Edge.hpp>

#include "../base/RunKernel.hpp"
#include "ExchangeBuffers.hpp"
#include "FieldGroups.hpp"
#include "Fields.hpp"
#include "PlanBlocks.hpp"

namespace symm::Impl {

/// Copies chunks between Views and blocks. A host thread copies a whole chunk
/// at a time. A GPU thread copies one element or, with `by_values`, individual
/// values of elements. With `by_values`, neighboring threads access adjacent
/// values of the block, so whole sectors cross the link. However, locating a
/// value in the View takes longer.
template <CopyWay way, class Fields, class Places, class Op = Assign>
struct CopyChunks {
  BlockMemory buffers;
  Block const* blocks;
  Chunk const* chunks;
  ElementIndex const* elements;
  std::size_t n_elements;  // length of `elements`
  Places places;
  std::size_t bytes_before;  // bytes per element in all preceding field groups
  bool sends_runs_unpacked;  // runs are sent to far PEs directly from the View
  bool skips_stored;  // skips blocks that near PEs have stored in the View
  StoredCopies stored;
  bool by_values;
  Fields fields;
  Op op{};  // combines the old value with the block's value

  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    KOKKOS_IF_ON_HOST((copy(chunks[i], 0, chunks[i].count);))
    KOKKOS_IF_ON_DEVICE(
        (auto const& chunk = chunks[i / Chunk::most];
         auto const k      = static_cast<ElementIndex>(i % Chunk::most);
         if (by_values || k < chunk.count) copy(chunk, k, k + 1);))
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
#ifdef SYMM_FOR_DEVICE
    // Up to this number of components, 32 bits suffice to count a chunk's
    // values.
    constexpr std::uint32_t most_by_values = 1U << 20U;
    if (by_values && n <= most_by_values) {
      copy_values(field, chunk, first, part);
      return;
    }
    if (first >= chunk.count) return;
#endif
    auto const* const list = elements + chunk.listed;
    if (!field.is_plain) {
      for (auto k = first; k < end; ++k) {
        auto const element  = chunk.is_run ? chunk.start + k : list[k];
        auto* const in_view = field.data + field.elements.offset(element);
        for (std::uint32_t c = 0; c < n; ++c)
          copy_component(in_view[field.components.offset(c)],
                         part[std::size_t{k} * n + c]);
      }
      return;
    }
    auto const stride = field.elements.stride[0];
    if (chunk.is_run && stride == static_cast<std::ptrdiff_t>(n)) {
      auto* const in_view = field.data + std::size_t{chunk.start} * n;
      for (std::size_t c = std::size_t{first} * n; c < std::size_t{end} * n;
           ++c)
        copy_component(in_view[c], part[c]);
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

  /// Copies values `thread`, `thread` + Chunk::most, ... of a chunk, with
  /// several loads in flight at once.
  template <class FieldOfView, class T>
  KOKKOS_FUNCTION void copy_values(FieldOfView const& field, Chunk const& chunk,
                                   std::uint32_t thread, T* part) const {
    constexpr bool is_word =
        sizeof(T) <= 16 && std::is_trivially_default_constructible_v<T>;
    constexpr std::uint32_t n_loads = is_word ? 4 : 1;
    constexpr auto step             = static_cast<std::uint32_t>(Chunk::most);
    std::uint32_t const n_values    = chunk.count * field.n_components;
    for (auto first = thread; first < n_values; first += n_loads * step) {
      if constexpr (is_word) {
        T* in_view[n_loads];  // in registers: compilers unroll both loops
        T values[n_loads];
        for (std::uint32_t k = 0; k < n_loads; ++k) {
          auto const i = first + k * step;
          if (i < n_values) {
            in_view[k] = find_value(field, chunk, i);
            values[k]  = way == CopyWay::to_block ? *in_view[k] : part[i];
          }
        }
        for (std::uint32_t k = 0; k < n_loads; ++k) {
          auto const i = first + k * step;
          if (i < n_values) {
            T& in_block = way == CopyWay::to_block ? part[i] : values[k];
            copy_component(way == CopyWay::to_block ? values[k] : *in_view[k],
                           in_block);
          }
        }
      } else {
        copy_component(*find_value(field, chunk, first), part[first]);
      }
    }
  }
  /// The address, in the View, of value `i` of a chunk.
  template <class FieldOfView>
  [[nodiscard]] KOKKOS_FUNCTION auto* find_value(FieldOfView const& field,
                                                 Chunk const& chunk,
                                                 std::uint32_t i) const {
    auto const n = field.n_components;
    auto const k = n == 1 ? i : i / n;
    auto const c = i - k * n;
    auto const element =
        chunk.is_run ? chunk.start + k : elements[chunk.listed + k];
    return field.is_plain ? field.data + element * field.elements.stride[0] + c
                          : &field(element, c);
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
  /// \tparam fixed the number of components, or 0 to use `n` instead.
  template <std::uint32_t fixed, class T>
  KOKKOS_FORCEINLINE_FUNCTION void copy_components(std::uint32_t n, T* in_view,
                                                   T* part) const {
    for (std::uint32_t c = 0; c < (fixed == 0 ? n : fixed); ++c)
      copy_component(in_view[c], part[c]);
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

  /// The number of elements by which the host prefetches ahead, even past the
  /// end of a chunk.
  static constexpr std::size_t prefetched = 32;

  template <class T>
  static void prefetch(T const* in_view, std::uint32_t n) {
    constexpr int writes = way == CopyWay::from_block ? 1 : 0;
    __builtin_prefetch(in_view, writes);
    __builtin_prefetch(reinterpret_cast<char const*>(in_view + n) - 1, writes);
  }
};

/// Whether a side of a plan is large enough for bandwidth to matter more than
/// latency. With 26 neighbors, a 64^3-cell box is large enough, but a 32^3-cell
/// box is not.
inline bool is_large(PlanSide const& side) { return side.chunks.size() > 128; }

/// Returns a function object that copies the chunks on one side of a plan, for
/// one field group.
template <CopyWay way, class Fields, class Places, class Op = Assign>
CopyChunks<way, Fields, Places, Op> copier_of_chunks(
    BlockMemory const& buffers, PlanSide const& side, Fields const& fields,
    Places const& places, std::size_t bytes_before = 0,
    bool sends_runs_unpacked = false, bool skips_stored = false,
    StoredCopies stored = {}, Op const& op = {}) {
  return {buffers,
          side.blocks.data(),
          side.chunks.data(),
          side.elements.data(),
          side.elements.extent(0),
          places,
          bytes_before,
          sends_runs_unpacked,
          skips_stored,
          stored,
          is_large(side),
          fields,
          op};
}

/// Packs or unpacks the blocks on one side of a plan.
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
    Impl::run_in_chain(exec, call, runs_on_host_v<Exec> ? n : n * Chunk::most,
                       Impl::copier_of_chunks<way>(
                           buffers, side, group, places, bytes_before,
                           sends_runs_unpacked, skips_stored, stored, op));
  });
}

}  // namespace symm::Impl

#endif
