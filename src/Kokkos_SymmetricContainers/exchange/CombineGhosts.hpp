// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_EXCHANGE_COMBINE_GHOSTS_HPP
#define SYMM_EXCHANGE_COMBINE_GHOSTS_HPP

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <Kokkos_Core.hpp>

#include "../base/RunKernel.hpp"
#include "ExchangeBuffers.hpp"
#include "FieldGroups.hpp"
#include "Fields.hpp"
#include "PlanBlocks.hpp"

namespace symm::Impl {

/// Combines owned element i with the values of its ghosts, which must have
/// arrived.
template <class Op, class Fields, class Places>
struct Combine {
  BlockMemory buffers;
  Block const* blocks;
  ElementIndex const* elements;
  std::uint32_t const* firsts;
  Contributions::From const* from;
  Places places;
  std::size_t bytes_before;  // bytes per element in all preceding field groups
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

/// Combines a plan's owned elements with their ghosts.
/// \param elements the plan's elements.
/// \param places the positions of the blocks that contain owned elements.
template <class Exec, class Fields, class Places, class Op>
void combine_ghosts(Exec const& exec, char const* call, Buffers const& buffers,
                    PlanElements const& elements, Fields const& fields,
                    Places const& places, Op const& op) {
  auto const& to = elements.contributions;
  Impl::for_each_group(fields, [&](auto const& group,
                                   std::size_t bytes_before) {
    Impl::run_in_chain(
        exec, call, to.elements.size(),
        Combine<Op, std::remove_cvref_t<decltype(group)>, Places>{
            buffers, elements.owned.blocks.data(), to.elements.data(),
            to.firsts.data(), to.from.data(), places, bytes_before, op, group});
  });
}

}  // namespace symm::Impl

#endif
