// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_POOLS_STREAM_ORDER_HPP
#define SYMM_POOLS_STREAM_ORDER_HPP

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "Stream.hpp"

namespace symm::Impl {

/// The streams, and the known order of their work on this PE and on all PEs.
/// PEs that make the same calls have the same state. Only idle() and are_idle()
/// query the GPU, so only their results may differ between such PEs.
///
/// Time is counted in calls: a *position* is the number of a call. A stream's
/// work at a position is all work enqueued on the stream before that call. Each
/// stream has a vector clock. For every other stream, the clock contains the
/// latest position such that the other stream's work at that position completes
/// before any later work on this stream starts.
class StreamOrder {
 public:
  using Number   = std::uint32_t;
  using Position = std::uint64_t;

  /// The maximum number of streams in use at a time. (Each stream is
  /// represented by one bit of a 64-bit word.)
  static constexpr Number max_streams = 63;

  explicit StreamOrder(int n_pes) : m_is_alone(n_pes == 1) {}

  /// Returns a stream's number. A stream that is used for the first time is
  /// assigned the lowest unused number.
  /// \throws UsageError on this PE if too many streams are in use.
  Number number_of(StreamName const& name) {
    if (m_latest < m_streams.size() && m_streams[m_latest].key == name.key) {
      return m_latest;
    }
    return find_or_add(name);
  }
  [[nodiscard]] bool knows(StreamName const& name) const;
  [[nodiscard]] Stream& stream(Number number) {
    return *m_streams[number].stream;
  }
  /// An exclusive upper bound on stream numbers. Some lower numbers may be
  /// unused.
  [[nodiscard]] Number n_streams() const {
    return static_cast<Number>(m_streams.size());
  }

  /// Returns a new position, later than all earlier ones.
  Position advance() { return ++m_now; }

  // The next two functions enqueue dependencies and record them.

  /// Makes later work on stream `later` wait for all work enqueued on `earlier`
  /// so far.
  /// \throws SystemError on this PE.
  void make_wait(Number later, Number earlier) {
    if (later == earlier) return;
    stream(later).wait_for(stream(earlier));
    order_after(later, earlier);
  }
  /// Enqueues a barrier over all PEs on the stream, ordered after the previous
  /// barrier.
  /// \throws SystemError on this PE.
  void make_barrier(Number number);

  // The next five functions only record what the caller reports.

  /// Records that all work enqueued on `earlier` so far completes before any
  /// later work on `later` starts.
  void order_after(Number later, Number earlier);
  /// Records a barrier over all PEs. Later work on stream `number` starts only
  /// after the work enqueued so far on every PE's stream `number` has
  /// completed.
  void barrier(Number number);
  /// Records that this PE has waited for all of its streams.
  void all_ended_here();
  /// Records that all PEs have waited for all of their streams and have then
  /// synchronized.
  void all_ended();
  /// Records that all PEs have found these streams idle and have since
  /// synchronized.
  /// \param numbers A bit mask with one bit per stream number.
  void were_idle(std::uint64_t numbers);

  /// Queries the streams whose bits are set in `numbers`. Returns the bits of
  /// the streams that are idle on this PE.
  [[nodiscard]] std::uint64_t idle(std::uint64_t numbers);

  /// Whether all streams are idle on this PE.
  [[nodiscard]] bool are_idle();

  // precedes() and precedes_on_all() return whether the work on `earlier` at
  // position `at` completes before any later work on `later` starts, on this PE
  // or on all PEs, respectively. They consider only dependencies between
  // streams.

  [[nodiscard]] bool precedes(Number earlier, Position at, Number later) const {
    return earlier == later || m_streams[later].here[earlier] >= at;
  }
  [[nodiscard]] bool precedes_on_all(Number earlier, Position at,
                                     Number later) const {
    if (m_is_alone) return precedes(earlier, at, later);
    return m_streams[later].on_all[earlier] >= at;
  }
  /// Whether were_idle() has reported, at or after position `at`, that the work
  /// on stream `earlier` had completed on all PEs.
  [[nodiscard]] bool was_idle_behind(Number earlier, Position at) const {
    return m_streams[earlier].was_idle >= at;
  }
  /// The positions up to which all work has completed: ended_here() on this PE
  /// (for local pools), and ended() on all PEs.
  [[nodiscard]] Position ended_here() const { return m_ended_here; }
  [[nodiscard]] Position ended() const { return m_ended; }

  /// Removes all streams that have no blocks.
  /// \param in_use A bit mask with one bit for each stream that has blocks.
  /// Precondition: no work has been enqueued on the other streams since
  /// all_ended() or, for local pools, since all_ended_here().
  void forget_all_but(std::uint64_t in_use);

 private:
  using Clock = std::array<Position, max_streams>;

  struct Known {
    void const* key = nullptr;  // null: unused
    std::unique_ptr<Stream> stream;
    // For each stream, the position up to which that stream's work precedes all
    // later work on this stream.
    Clock here{};
    Clock on_all{};  // the same, on all PEs
    Position was_idle = 0;
  };

  Number find_or_add(StreamName const& name);

  bool m_is_alone;
  Position m_now        = 0;
  Position m_ended_here = 0;
  Position m_ended      = 0;
  Number m_latest       = 0;  // the most recent result of number_of()
  // The stream of the most recent barrier; max_streams if that barrier has
  // completed.
  Number m_latest_barrier = max_streams;
  std::vector<Known> m_streams;
};

}  // namespace symm::Impl

#endif
