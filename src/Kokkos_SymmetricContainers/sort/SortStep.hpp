// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_SORT_STEP_HPP
#define SYMM_SORT_STEP_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace_Space.hpp>

#include <Kokkos_SymmetricSpace_Edge.hpp>

#include "../../runtime/symm_job.hpp"
#include "../base/MemberWords.hpp"
#include "../base/TeamMembers.hpp"

// What PEs tell each other in a sort. Each puts its elements into buckets by
// their keys, in a part of the heap. Their numbers say in which bucket the keys
// of one PE end and those of the next begin: a cut. Where a cut is within a
// bucket, PEs look for the key there, and share elements of equal keys out in
// the order of PEs. So no PE sorts all its keys twice, and every PE gets as
// many elements as it should.

namespace symm::Impl {

/// What a PE has before the sort.
struct SortInput {
  std::size_t count         = 0;
  std::size_t element_bytes = 0;  // of all Views
  std::size_t capacity      = 0;  // elements that all Views have room for
  std::uint64_t least       = ~std::uint64_t{0};  // of its keys' bits
  std::uint64_t greatest    = 0;
};

/// Buckets of keys, of equal width, the same on all PEs.
struct SortBuckets {
  /// (More take turns in the caches.)
  static constexpr int max_bits = 11;

  std::uint64_t least = 0;
  std::uint64_t range = 0;  // of all PEs' keys
  int shift           = 0;
  std::size_t count   = 1;

  [[nodiscard]] std::size_t operator()(std::uint64_t bits) const {
    return static_cast<std::size_t>((bits - least) >> shift);
  }
  /// Keys that may be in a bucket: first, and greatest difference to that.
  [[nodiscard]] std::uint64_t first_of(std::size_t bucket) const {
    return least + (static_cast<std::uint64_t>(bucket) << shift);
  }
  [[nodiscard]] std::uint64_t range_of(std::size_t bucket) const;
  /// Elements of a bucket have equal keys.
  [[nodiscard]] bool have_one_key() const { return shift == 0; }
};

/// Where the elements of one PE end, and those of the next begin.
struct SortCut {
  std::size_t bucket = 0;
  std::size_t before = 0;  // elements of all PEs in the bucket, before the cut
};

/// Elements of one bucket for this PE.
struct BucketPart {
  std::size_t first;  // of this PE's elements afterwards
  std::size_t count;
};

/// The work of one call of sort(): its functions are called in this order.
class SortStep {
 public:
  /// Collective over the world.
  /// \param members of this PE's sort; below, "all PEs" are these.
  /// \param failure why this PE cannot take part; all PEs throw it then.
  /// \throws UsageError, OutOfMemory, SystemError on every PE.
  SortStep(char const* call, TeamMembers const& members, SortInput const& input,
           std::optional<Failure> failure);

  /// All PEs of the world have to do this, whichever PE team they are in.
  struct OfWorld {
    bool has_elements        = false;
    bool grows               = false;
    std::size_t outbox_bytes = 0;
    std::size_t max_now      = 0;
  };
  [[nodiscard]] OfWorld const& of_world() const { return m_of_world; }
  [[nodiscard]] Pe world_pe(std::size_t member) const {
    return m_members.world_pe(static_cast<Pe>(member));
  }
  [[nodiscard]] std::size_t n_now() const {
    return m_n == 0 ? 0 : first_of(m_me + 1) - first_of(m_me);
  }
  [[nodiscard]] std::size_t max_before() const { return m_max_before; }
  [[nodiscard]] SortBuckets const& buckets() const { return m_buckets; }

  /// Collective: adds up what all PEs have in each bucket.
  void add_up(std::span<std::size_t const> counts);
  /// Where this PE's elements of each bucket begin, and the end.
  [[nodiscard]] std::span<std::uint64_t const> starts() const {
    return {m_starts, m_buckets.count + 1};
  }
  /// Buckets that are cut at a key. Their elements have to be in order.
  [[nodiscard]] std::span<std::size_t const> cut_buckets() const {
    return m_cut_buckets;
  }
  /// The buckets of which this PE will have elements: the first one, and the
  /// part of each.
  [[nodiscard]] std::size_t first_bucket() const { return m_first_bucket; }
  [[nodiscard]] std::vector<BucketPart> const& parts() const { return m_parts; }

  /// How many of this PE's elements of a bucket have bits less than `bits`.
  using CountBelow =
      std::function<std::size_t(std::size_t bucket, std::uint64_t bits)>;
  /// Collective: finds the cuts. `starts()` and the cuts are for all PEs to
  /// read after a barrier.
  void cut(CountBelow const& count_below);

  /// For each PE: where in its memory this PE's elements of each of its buckets
  /// begin, and their end.
  using Places = std::vector<std::vector<std::uint64_t>>;
  /// Local: memory for them.
  [[nodiscard]] Places empty_places() const;
  /// After a barrier.
  void read(Places& places) const;

 private:
  /// A cut at a key: the greatest key before it.
  struct Search {
    std::size_t pe;  // after the cut
    SortCut cut;
    std::uint64_t low;    // the key is not less,
    std::uint64_t range;  // and no more than that greater
  };

  /// The first element, of all, of a PE afterwards.
  [[nodiscard]] std::size_t first_of(std::size_t pe) const;
  [[nodiscard]] SortCut cut_before(std::size_t element) const;
  [[nodiscard]] std::size_t max_now() const {
    return m_n == 0 ? 0 : first_of(1);
  }
  void reserve();
  /// Collective over the members. \returns why all of them fail, if they do.
  bool tell(char const* call, SortInput const& input,
            std::optional<Failure>& failure);
  void find_buckets(std::uint64_t greatest);
  void find_of_world(std::size_t element_bytes);
  void search(CountBelow const& count_below);

  TeamMembers m_members;
  std::size_t m_n, m_me;
  Kokkos::View<std::uint64_t*, SymmetricHostSpace> m_words;
  // Parts of it.
  std::uint64_t *m_counts, *m_sums, *m_starts, *m_cuts;
  MemberWords m_told;

  std::size_t m_total      = 0;
  std::size_t m_max_before = 0;
  bool m_grows             = false;  // on a PE, Views have no room
  OfWorld m_of_world;
  SortBuckets m_buckets;
  std::vector<std::size_t> m_before;  // elements of all PEs before each bucket
  std::size_t m_first_bucket = 0;
  std::vector<BucketPart> m_parts;
  std::vector<std::size_t> m_cut_buckets;
  std::vector<Search> m_searches;
};

}  // namespace symm::Impl

#endif
