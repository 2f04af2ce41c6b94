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

// PEs divide up the elements of a sort as follows. Each PE distributes its
// elements into buckets by key, in symmetric memory. From the sizes of all
// buckets, each PE computes the cuts: the positions at which one PE's elements
// end and the next PE's elements begin. If a cut is inside a bucket, the PEs
// search for the key at the cut. Elements with equal keys are divided in the
// order of PE numbers. As a result, no PE sorts all its keys twice, and every
// PE receives exactly its share of the elements.

namespace symm::Impl {

/// A PE's description of its elements before the sort.
struct SortInput {
  std::size_t count         = 0;
  std::size_t element_bytes = 0;  // summed over all Views
  std::size_t capacity = 0;  // number of elements for which all Views have room
  std::uint64_t least  = ~std::uint64_t{0};  // smallest key, as bits
  std::uint64_t greatest = 0;
};

/// Buckets of keys. All buckets have the same width, and the buckets are the
/// same on all PEs.
struct SortBuckets {
  /// There are at most 2^11 buckets because more would compete for cache space.
  static constexpr int max_bits = 11;

  std::uint64_t least = 0;
  std::uint64_t range = 0;  // largest minus smallest key on all PEs
  int shift           = 0;
  std::size_t count   = 1;

  [[nodiscard]] std::size_t operator()(std::uint64_t bits) const {
    return static_cast<std::size_t>((bits - least) >> shift);
  }
  /// first_of() returns the smallest key that a bucket can contain. range_of()
  /// returns the difference between the largest and smallest keys that the
  /// bucket can contain.
  [[nodiscard]] std::uint64_t first_of(std::size_t bucket) const {
    return least + (static_cast<std::uint64_t>(bucket) << shift);
  }
  [[nodiscard]] std::uint64_t range_of(std::size_t bucket) const;
  /// Whether each bucket can contain only one key.
  [[nodiscard]] bool have_one_key() const { return shift == 0; }
};

/// The position at which one PE's elements end and the next PE's elements
/// begin.
struct SortCut {
  std::size_t bucket = 0;
  std::size_t before = 0;  // number of elements in the bucket before the cut,
                           // on all PEs
};

/// The elements of one bucket that this PE receives.
struct BucketPart {
  std::size_t first;  // index of the first element on this PE after the sort
  std::size_t count;
};

/// The work of one call to sort(). Call the functions in declaration order.
class SortStep {
 public:
  /// Collective over the world.
  /// \param members the PEs of this sort, called "all PEs" below.
  /// \param failure the reason why this PE cannot take part; empty if it can.
  ///        If set on any PE, all PEs throw it.
  /// \throws UsageError, OutOfMemory, SystemError on every PE.
  SortStep(char const* call, TeamMembers const& members, SortInput const& input,
           std::optional<Failure> failure);

  /// Values that are the same on all PEs of the world, for calls that are
  /// collective over the world.
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

  /// Collective: for each bucket, adds up the counts of all PEs.
  /// \param counts the number of this PE's elements in each bucket.
  void add_up(std::span<std::size_t const> counts);
  /// The index of this PE's first element in each bucket of its outbox,
  /// followed by the end of the last bucket.
  [[nodiscard]] std::span<std::uint64_t const> starts() const {
    return {m_starts, m_buckets.count + 1};
  }
  /// The buckets that contain a cut between two of their elements. Sort these
  /// buckets before cut().
  [[nodiscard]] std::span<std::size_t const> cut_buckets() const {
    return m_cut_buckets;
  }
  /// first_bucket() is the first bucket from which this PE receives elements.
  /// parts() specifies the elements that this PE receives from that bucket and
  /// the following buckets.
  [[nodiscard]] std::size_t first_bucket() const { return m_first_bucket; }
  [[nodiscard]] std::vector<BucketPart> const& parts() const { return m_parts; }

  /// Returns the number of this PE's elements that are in `bucket` and whose
  /// bits are less than `bits`.
  using CountBelow =
      std::function<std::size_t(std::size_t bucket, std::uint64_t bits)>;
  /// Collective: determines the cuts. After a barrier, all PEs may read
  /// starts() and the cuts.
  void cut(CountBelow const& count_below);

  /// For each PE, the indices in its outbox at which the elements for this PE
  /// begin, one per bucket, followed by the index at which the last of them
  /// ends.
  using Places = std::vector<std::vector<std::uint64_t>>;
  /// Local: allocates an object for read().
  [[nodiscard]] Places empty_places() const;
  /// Reads the Places from all PEs. Call it after a barrier.
  void read(Places& places) const;

 private:
  /// The state of a search for the largest key before a cut.
  struct Search {
    std::size_t pe;  // the PE whose elements begin at the cut
    SortCut cut;
    std::uint64_t low;    // the key is at least `low`
    std::uint64_t range;  // and at most low + range
  };

  /// The global index of a PE's first element after the sort.
  [[nodiscard]] std::size_t first_of(std::size_t pe) const;
  [[nodiscard]] SortCut cut_before(std::size_t element) const;
  [[nodiscard]] std::size_t max_now() const {
    return m_n == 0 ? 0 : first_of(1);
  }
  void reserve();
  /// Sends this PE's input to all members. Collective over the members.
  /// \param failure the reason why the sort cannot continue, if this PE already
  ///        knows one. If `failure` is empty and this PE finds a reason, tell()
  ///        stores that reason in it.
  /// \returns whether the sort cannot continue; the same on all members.
  bool tell(char const* call, SortInput const& input,
            std::optional<Failure>& failure);
  void find_buckets(std::uint64_t greatest);
  void find_of_world(std::size_t element_bytes);
  void search(CountBelow const& count_below);

  TeamMembers m_members;
  std::size_t m_n, m_me;
  Kokkos::View<std::uint64_t*, SymmetricHostSpace> m_words;
  // Pointers into m_words.
  std::uint64_t *m_counts, *m_sums, *m_starts, *m_cuts;
  MemberWords m_told;

  std::size_t m_total      = 0;
  std::size_t m_max_before = 0;
  bool m_grows             = false;  // whether a View on any PE is too short
  OfWorld m_of_world;
  SortBuckets m_buckets;
  std::vector<std::size_t> m_before;  // number of elements on all PEs before
                                      // each bucket
  std::size_t m_first_bucket = 0;
  std::vector<BucketPart> m_parts;
  std::vector<std::size_t> m_cut_buckets;
  std::vector<Search> m_searches;
};

}  // namespace symm::Impl

#endif
