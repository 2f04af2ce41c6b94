// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_EXCHANGE_FIELD_GROUPS_HPP
#define SYMM_EXCHANGE_FIELD_GROUPS_HPP

#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <tuple>
#include <type_traits>
#include <vector>

#include <Kokkos_Core.hpp>

#include "Fields.hpp"

// Exchanges and migrations also accept ranges of Views (std::vector<View>,
// std::span and the like), whose lengths are known only at run time. Each
// kernel handles a few of the Views and captures these by value, so no exchange
// allocates memory.

namespace symm::Impl {

/// Whether T is a range of Views, such as a std::vector or a std::span.
template <class T>
inline constexpr bool is_range_of_views_v = false;
template <std::ranges::contiguous_range T>
requires std::ranges::sized_range<T>
inline constexpr bool is_range_of_views_v<T> =
    Kokkos::is_view_v<std::remove_cv_t<std::ranges::range_value_t<T>>>;

/// Calls f(view) for a View, or for each View in a range.
template <class Views, class F>
void for_each_view(Views& views, F const& f) {
  if constexpr (is_range_of_views_v<std::remove_cvref_t<Views>>) {
    for (auto& view : views) f(view);
  } else {
    f(views);
  }
}

/// The fields of up to `most` Views of one type.
template <class T, std::size_t rank, std::uint32_t most>
struct FieldArray {
  std::uint32_t n = 0;
  Field<T, rank> fields[most];
};

/// The fields of a range of Views.
template <class Exec, class View>
class FieldSpan {
 public:
  using FieldOfView = decltype(field_of<Exec>(
      "", std::declval<View const&>(),
      std::declval<std::vector<std::size_t> const&>(), std::size_t{}));

  /// Like field_of(), but for all Views in a range. The arguments must outlive
  /// this object.
  /// \throws UsageError on this PE if a View is too small.
  FieldSpan(char const* call, std::span<View const> views,
            std::vector<std::size_t> const& extents, std::size_t end)
      : m_call(call), m_views(views), m_extents(extents), m_end(end) {
    for (std::size_t k = 0; k < m_views.size(); ++k) {
      m_bytes_of_last = field(k).bytes();
      m_bytes += m_bytes_of_last;
    }
  }

  [[nodiscard]] std::size_t bytes() const { return m_bytes; }
  [[nodiscard]] std::size_t bytes_of_last() const { return m_bytes_of_last; }
  [[nodiscard]] std::uint64_t hash(std::uint64_t before) const {
    for (std::size_t k = 0; k < m_views.size(); ++k)
      before = Impl::join_fields(field(k)).hash(before);
    return before;
  }
  /// Calls f(group, bytes_before) for each field group; one kernel handles each
  /// group.
  /// \param bytes_before the number of bytes per element in earlier arguments
  ///        of the exchange.
  template <class F>
  void for_each_group(std::size_t bytes_before, F const& f) const {
    for (std::size_t k = 0; k < m_views.size();) {
      auto const rest = m_views.size() - k;
      // (Group sizes are fixed at compile time; a group need not be full.)
      k += rest == 1   ? pass<1>(k, bytes_before, f)
           : rest == 2 ? pass<2>(k, bytes_before, f)
           : rest <= 4 ? pass<4>(k, bytes_before, f)
                       : pass<16>(k, bytes_before, f);
    }
  }

 private:
  [[nodiscard]] FieldOfView field(std::size_t k) const {
    return Impl::field_of<Exec>(m_call, m_views[k], m_extents, m_end);
  }
  /// Passes one group of up to `most` fields to f(), starting with field
  /// `first`.
  /// \returns the number of fields in the group.
  template <std::uint32_t most, class F>
  std::size_t pass(std::size_t first, std::size_t& bytes_before,
                   F const& f) const {
    FieldArray<typename View::value_type, View::rank(), most> group{};
    std::size_t bytes = 0;
    for (; group.n < most && first + group.n < m_views.size(); ++group.n) {
      group.fields[group.n] = field(first + group.n);
      bytes += group.fields[group.n].bytes();
    }
    f(group, bytes_before);
    bytes_before += bytes;
    return group.n;
  }

  char const* m_call;
  std::span<View const> m_views;
  std::vector<std::size_t> const& m_extents;
  std::size_t m_end;
  std::size_t m_bytes         = 0;
  std::size_t m_bytes_of_last = 0;
};

/// Calls f(group, bytes_before) for each field group; one kernel handles each
/// group. `bytes_before` is the number of bytes per element in all earlier
/// fields.
template <class... Fields, class F>
void for_each_group(FieldList<Fields...> const& fields, F const& f,
                    std::size_t bytes_before = 0) {
  f(fields, bytes_before);
}
template <class Exec, class View, class F>
void for_each_group(FieldSpan<Exec, View> const& fields, F const& f,
                    std::size_t bytes_before = 0) {
  fields.for_each_group(bytes_before, f);
}

/// The fields of several Views and ranges of Views, in argument order. PEs need
/// not group Views in the same way: another PE may pass the Views of a range as
/// separate arguments, and the blocks are the same in both cases.
template <class... Items>
class FieldGroups {
 public:
  explicit FieldGroups(Items const&... items) : m_items(items...) {
    (add(items), ...);
  }

  [[nodiscard]] std::size_t bytes() const { return m_bytes; }
  [[nodiscard]] std::size_t bytes_of_last() const { return m_bytes_of_last; }
  [[nodiscard]] std::uint64_t hash(std::uint64_t) const { return m_hash; }
  template <class F>
  void for_each_group(F const& f) const {
    std::size_t before = 0;
    std::apply(
        [&](auto const&... items) {
          ((Impl::for_each_group(items, f, before), before += items.bytes()),
           ...);
        },
        m_items);
  }

 private:
  template <class Item>
  void add(Item const& item) {
    if (item.bytes() > 0) m_bytes_of_last = item.bytes_of_last();
    m_bytes += item.bytes();
    m_hash = item.hash(m_hash);
  }

  std::tuple<Items...> m_items;
  std::size_t m_bytes         = 0;
  std::size_t m_bytes_of_last = 0;
  std::uint64_t m_hash        = 0;
};
template <class... Items, class F>
void for_each_group(FieldGroups<Items...> const& fields, F const& f) {
  fields.for_each_group(f);
}

/// The fields of Views and ranges of Views.
/// \throws UsageError on this PE if a View is too small.
template <class Exec = ExchangeSpace, class... Views>
auto all_fields_of(char const* call, std::vector<std::size_t> const& extents,
                   std::size_t end, Views const&... views) {
  if constexpr ((is_range_of_views_v<Views> || ...)) {
    auto const item_of = [&](auto const& arg) {
      using Arg = std::remove_cvref_t<decltype(arg)>;
      if constexpr (is_range_of_views_v<Arg>) {
        using View = std::remove_cv_t<std::ranges::range_value_t<Arg>>;
        return FieldSpan<Exec, View>(
            call, {std::ranges::data(arg), std::ranges::size(arg)}, extents,
            end);
      } else {
        return fields_of<Exec>(call, extents, end, arg);
      }
    };
    return FieldGroups(item_of(views)...);
  } else {
    return fields_of<Exec>(call, extents, end, views...);
  }
}

}  // namespace symm::Impl

#endif
