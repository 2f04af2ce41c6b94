// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_SORT_ON_HOST_HPP
#define SYMM_SORT_ON_HOST_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include <Kokkos_Core.hpp>

#include "../../runtime/symm_atomics.hpp"
#include "../../runtime/symm_errors.hpp"
#include "../../runtime/symm_job.hpp"
#include "../../runtime/symm_teams.hpp"
#include "../exchange/Fields.hpp"
#include "../exchange/PlanBlocks.hpp"
#include "HostThreads.hpp"
#include "OrderedBits.hpp"
#include "PeBlocks.hpp"
#include "RadixSort.hpp"
#include "SortStep.hpp"

namespace symm::Impl {

/// One PE's part of a sort, on the host. Call the functions in declaration
/// order, interleaved with the functions of a SortStep. Other PEs read this
/// PE's elements from its outbox, which is in the symmetric heap. The outbox
/// contains the bits of all keys, then the components of each View, all ordered
/// by bucket.
template <class Exec, class Keys, class Fields>
class SortOnHost {
 public:
  using Key    = typename Keys::non_const_value_type;
  using Bits   = BitsOfKey<Key>;
  using Outbox = PeBlocks::Memory;

  /// The call is local.
  /// \param input the constructor sets `least` and `greatest` to this PE's
  ///        smallest and largest keys.
  SortOnHost(Exec const& exec, char const* call, Keys const& keys,
             Fields const& fields, SortInput& input)
      : m_threads(exec, call),
        m_keys(keys),
        m_fields(fields),
        m_count(input.count) {
    std::vector<SortInput> of_threads(m_threads.count(), input);
    m_threads.share_out(m_count,
                        [&](std::size_t t, std::size_t first, std::size_t end) {
                          auto least    = static_cast<Bits>(~Bits{0});
                          auto greatest = Bits{0};
                          for (auto k = first; k < end; ++k) {
                            auto const bits = ordered_bits<Key>(m_keys(k));
                            least           = std::min(least, bits);
                            greatest        = std::max(greatest, bits);
                          }
                          if (first < end) {
                            of_threads[t].least    = least;
                            of_threads[t].greatest = greatest;
                          }
                        });
    for (auto const& of_thread : of_threads) {
      input.least    = std::min(input.least, of_thread.least);
      input.greatest = std::max(input.greatest, of_thread.greatest);
    }
    m_counts.resize(max_counts);
    m_next.resize(m_threads.count() * max_counts);
    if constexpr (has_fields) make_room(m_places, m_count);
  }

  /// \returns the number of this PE's elements in each bucket.
  std::vector<std::size_t> const& count(SortBuckets const& buckets) {
    m_buckets = buckets;
    m_threads.share_out(m_count,
                        [&](std::size_t t, std::size_t first, std::size_t end) {
                          auto* const counts = m_next.data() + t * max_counts;
                          std::fill_n(counts, buckets.count, std::size_t{0});
                          for (auto k = first; k < end; ++k)
                            ++counts[m_buckets(bits_of(k))];
                        });
    // Replace each thread's count with the index of that thread's first element
    // in the bucket.
    std::size_t sum = 0;
    m_counts.resize(buckets.count);
    for (std::size_t b = 0; b < buckets.count; ++b) {
      auto const before = sum;
      for (std::size_t t = 0; t < m_threads.count(); ++t) {
        auto& next      = m_next[t * max_counts + b];
        auto const here = next;
        next            = sum;
        sum += here;
      }
      m_counts[b] = sum - before;
    }
    return m_counts;
  }

  /// Local: allocates all memory that the functions below need.
  void reserve(SortStep const& step) {
    std::size_t max_cut = 0;
    for (auto const bucket : buckets_to_sort(step))
      max_cut = std::max(max_cut, m_counts[bucket]);
    // Assign consecutive buckets to each thread.
    auto const& parts = step.parts();
    auto const n      = m_threads.count();
    m_first_part.assign(n + 1, parts.size());
    m_scratch.resize(n);
    m_field_scratch.resize(n);
    std::size_t part = 0;
    for (std::size_t t = 0; t < n; ++t) {
      m_first_part[t]  = part;
      std::size_t most = t == 0 ? max_cut : 0;
      for (auto const end = m_threads.first(t + 1, step.n_now());
           part < parts.size() && parts[part].first < end; ++part) {
        if (!m_buckets.have_one_key()) most = std::max(most, parts[part].count);
      }
      make_room(m_scratch[t], 2 * most);
      if constexpr (has_fields) {
        make_room(m_field_scratch[t], most * max_bytes(m_fields));
      }
    }
    m_its_places = step.empty_places();
    m_read.reserve(m_its_places.size() * max_fields);
    if (team_world().has_far_pes()) {
      m_blocks.reserve(step.n_now() * (sizeof(Bits) + m_fields.bytes()) +
                       block_unit * static_cast<std::size_t>(n_pes()) *
                           max_fields);
    }
  }

  /// Copies all keys to the outbox and sorts the buckets that contain a cut.
  void pack_keys(SortStep const& step, Outbox const& outbox) {
    m_outbox   = outbox;
    m_capacity = padded(step.max_before());
    m_bits     = reinterpret_cast<Bits*>(outbox.data());
    m_threads.share_out(m_count,
                        [&](std::size_t t, std::size_t first, std::size_t end) {
                          auto* const next = m_next.data() + t * max_counts;
                          for (auto k = first; k < end; ++k) {
                            auto const bits = bits_of(k);
                            auto const to   = next[m_buckets(bits)]++;
                            m_bits[to]      = bits;
                            if constexpr (has_fields)
                              m_places(k) = static_cast<std::uint32_t>(to);
                          }
                        });
    for (auto const bucket : buckets_to_sort(step))
      sort_bucket(static_cast<std::size_t>(step.starts()[bucket]),
                  m_counts[bucket]);
  }

  /// The number of this PE's elements that are in `bucket` and whose bits are
  /// less than `bits`; for SortStep::cut().
  [[nodiscard]] std::size_t count_below(SortStep const& step,
                                        std::size_t bucket,
                                        std::uint64_t bits) const {
    auto const* const first = m_bits + step.starts()[bucket];
    return static_cast<std::size_t>(
        std::lower_bound(first, first + m_counts[bucket], bits) - first);
  }

  void pack_fields() {
    if constexpr (has_fields) {
      m_threads.share_out(m_count,
                          [&](std::size_t, std::size_t first, std::size_t end) {
                            pack(m_fields, first, end, sizeof(Bits));
                          });
    }
  }

  /// Copies this PE's new elements from all outboxes into the Views and sorts
  /// them. Call it after a barrier.
  void unpack(SortStep const& step, Keys const& keys, Fields const& fields) {
    auto& places = m_its_places;
    step.read(places);
    for (std::size_t pe = 0; pe < places.size(); ++pe)
      read_blocks(step.world_pe(pe), places[pe]);
    quiet();
    m_threads([&](std::size_t t) {
      for (auto p = m_first_part[t]; p < m_first_part[t + 1]; ++p)
        unpack_part(t, p, step.parts()[p], places, keys, fields);
    });
  }

 private:
  static constexpr bool has_fields = !Fields::is_empty;
  using Record =
      std::conditional_t<has_fields, NumberedKey<Bits>, KeyAlone<Bits>>;

  static constexpr std::size_t max_counts = std::size_t{1}
                                            << SortBuckets::max_bits;

  template <class List>
  static constexpr std::size_t count_fields() {
    if constexpr (List::is_empty) {
      return 0;
    } else {
      return 1 + count_fields<decltype(List::others)>();
    }
  }
  static constexpr std::size_t max_fields = 1 + count_fields<Fields>();

  [[nodiscard]] Bits bits_of(std::size_t k) const {
    return ordered_bits<Key>(m_keys(k));
  }

  /// The buckets to sort in the outbox. (There are none if each bucket contains
  /// only one key: equal keys are already in order.)
  [[nodiscard]] std::span<std::size_t const> buckets_to_sort(
      SortStep const& step) const {
    if (m_buckets.have_one_key()) return {};
    return step.cut_buckets();
  }

  /// Sorts the `n` elements of a bucket in the outbox, starting with element
  /// `first`.
  void sort_bucket(std::size_t first, std::size_t n) {
    auto* const records = m_scratch[0].data();
    for (std::size_t k = 0; k < n; ++k) records[k].bits = m_bits[first + k];
    if constexpr (has_fields) {
      for (std::size_t k = 0; k < m_count; ++k) {
        if (m_places(k) - first < n)
          records[m_places(k) - first].number = static_cast<std::uint32_t>(k);
      }
    }
    RadixSort<Record>::sort(records, records + n, n, true);
    for (std::size_t k = 0; k < n; ++k) {
      m_bits[first + k] = records[k].bits;
      if constexpr (has_fields)
        m_places(records[k].number) = static_cast<std::uint32_t>(first + k);
    }
  }

  template <class List>
  static std::size_t max_bytes(List const& list) {
    if constexpr (List::is_empty) {
      return 0;
    } else {
      return std::max(list.first.bytes(), max_bytes(list.others));
    }
  }

  void read_blocks(Pe pe, std::vector<std::uint64_t> const& places) {
    auto const first = static_cast<std::size_t>(places.front());
    auto const count = static_cast<std::size_t>(places.back()) - first;
    read_block(pe, first, count, 0, sizeof(Bits));
    read_fields(m_fields, pe, first, count, sizeof(Bits));
  }
  void read_block(Pe pe, std::size_t first, std::size_t count,
                  std::size_t bytes_before, std::size_t bytes) {
    m_read.push_back(m_blocks.read(
        m_outbox, m_outbox.data() + m_capacity * bytes_before + first * bytes,
        count * bytes, pe));
  }
  template <class List>
  void read_fields(List const& list, Pe pe, std::size_t first,
                   std::size_t count, std::size_t bytes_before) {
    if constexpr (!List::is_empty) {
      auto const bytes = list.first.bytes();
      read_block(pe, first, count, bytes_before, bytes);
      read_fields(list.others, pe, first, count, bytes_before + bytes);
    }
  }

  template <class List>
  void pack(List const& list, std::size_t first, std::size_t end,
            std::size_t bytes_before) const {
    if constexpr (!List::is_empty) {
      auto const& field = list.first;
      using T = typename std::remove_cvref_t<decltype(field)>::value_type;
      auto* const to =
          reinterpret_cast<T*>(m_outbox.data() + m_capacity * bytes_before);
      for (auto k = first; k < end; ++k)
        copy_element(field, static_cast<ElementIndex>(k),
                     to + std::size_t{m_places(k)} * field.n_components,
                     [](T& in_view, T& packed) { packed = in_view; });
      pack(list.others, first, end, bytes_before + field.bytes());
    }
  }

  template <class Field, class T, class Copy>
  static void copy_element(Field const& field, ElementIndex element, T* packed,
                           Copy const& copy) {
    auto const n = field.n_components;
    if (field.is_plain) {
      auto* const components = field.data + element * field.elements.stride[0];
      for (std::uint32_t c = 0; c < n; ++c) copy(components[c], packed[c]);
    } else {
      for (std::uint32_t c = 0; c < n; ++c) copy(field(element, c), packed[c]);
    }
  }

  /// Calls body(pe, first, count) for the elements of part number `part` from
  /// each PE, in the order of PE numbers. `first` is relative to the first
  /// element that this PE reads from PE `pe`.
  template <class Places, class Body>
  static void for_each_block(Places const& places, std::size_t part,
                             Body const& body) {
    for (std::size_t pe = 0; pe < places.size(); ++pe) {
      auto const first = places[pe][part];
      body(pe, static_cast<std::size_t>(first - places[pe].front()),
           static_cast<std::size_t>(places[pe][part + 1] - first));
    }
  }

  template <class Places>
  void unpack_part(std::size_t thread, std::size_t p, BucketPart const& part,
                   Places const& places, Keys const& keys,
                   Fields const& fields) const {
    auto* const records  = m_scratch[thread].data();
    bool const is_sorted = m_buckets.have_one_key();
    std::size_t n        = 0;
    for_each_block(places, p, [&](auto pe, auto first, auto count) {
      auto const* const bits =
          reinterpret_cast<Bits const*>(m_read[pe * max_fields]) + first;
      if (is_sorted) {
        for (std::size_t k = 0; k < count; ++k)
          keys(part.first + n++) = key_of<Key>(bits[k]);
        return;
      }
      for (std::size_t k = 0; k < count; ++k) {
        records[n].bits = bits[k];
        if constexpr (has_fields)
          records[n].number = static_cast<std::uint32_t>(n);
        ++n;
      }
    });
    if (!is_sorted) {
      RadixSort<Record>::sort(records, records + n, n, true);
      for (std::size_t k = 0; k < n; ++k)
        keys(part.first + k) = key_of<Key>(records[k].bits);
    }
    unpack_fields(fields, 1, thread, p, part, places);
  }

  /// \param f the index of the first View's block among one PE's blocks in
  ///        m_read.
  template <class List, class Places>
  void unpack_fields(List const& list, std::size_t f, std::size_t thread,
                     std::size_t p, BucketPart const& part,
                     Places const& places) const {
    if constexpr (!List::is_empty) {
      auto const& field = list.first;
      using T = typename std::remove_cvref_t<decltype(field)>::value_type;
      auto const n_components = std::size_t{field.n_components};
      auto const store        = [&](std::size_t k, T const* packed) {
        copy_element(field, static_cast<ElementIndex>(part.first + k), packed,
                            [](T& in_view, T const& value) { in_view = value; });
      };
      bool const is_sorted = m_buckets.have_one_key();
      auto* const gathered =
          reinterpret_cast<T*>(m_field_scratch[thread].data());
      std::size_t n = 0;
      for_each_block(places, p, [&](auto pe, auto first, auto count) {
        auto const* const values =
            reinterpret_cast<T const*>(m_read[pe * max_fields + f]) +
            first * n_components;
        if (is_sorted) {
          for (std::size_t k = 0; k < count; ++k)
            store(n + k, values + k * n_components);
        } else {
          std::copy_n(values, count * n_components,
                      gathered + n * n_components);
        }
        n += count;
      });
      if (!is_sorted) {
        auto const* const records = m_scratch[thread].data();
        for (std::size_t k = 0; k < n; ++k)
          store(k, gathered + records[k].number * n_components);
      }
      unpack_fields(list.others, f + 1, thread, p, part, places);
    }
  }

  HostThreads<Exec> m_threads;
  Keys m_keys;
  Fields m_fields;
  std::size_t m_count;
  SortBuckets m_buckets;
  std::vector<std::size_t> m_counts;   // number of elements in each bucket
  std::vector<std::size_t> m_next;     // next position, per thread and bucket
  SortMemory<std::uint32_t> m_places;  // positions of elements in the outbox
  std::vector<std::size_t> m_first_part;  // the first part that each thread
                                          // handles
  std::vector<SortMemory<Record>> m_scratch;
  std::vector<SortMemory<char>> m_field_scratch;

  Outbox m_outbox;
  std::size_t m_capacity = 0;  // number of elements that each outbox can hold
  Bits* m_bits           = nullptr;
  PeBlocks m_blocks;
  SortStep::Places m_its_places;
  std::vector<char const*> m_read;  // for each PE: its keys, then its block of
                                    // each View
};

}  // namespace symm::Impl

#endif
