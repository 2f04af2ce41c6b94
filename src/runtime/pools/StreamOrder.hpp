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

/// Which streams there are, and which part of each is known to be behind which
/// part of the others: on this PE, and on all. The same on all PEs that make
/// the same calls, but for what is_idle() tells; nothing is asked of a GPU.
///
/// Time is counted in calls: a *position* is the number of a call, and what a
/// stream had to do at a position is what was put into it before that call.
/// For every pair of streams it keeps the latest position of the one that all
/// work put into the other from now on comes behind (a vector clock).
class StreamOrder {
 public:
  using Number   = std::uint32_t;
  using Position = std::uint64_t;

  /// Streams in use at a time: each has a bit of a word.
  static constexpr Number max_streams = 63;

  explicit StreamOrder(int n_pes) : m_is_alone(n_pes == 1) {}

  /// The number of a stream, from 0 in the order of their first use.
  /// \throws UsageError on this PE, if there are too many.
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
  /// Numbers are below this; not every one may be in use.
  [[nodiscard]] Number n_streams() const {
    return static_cast<Number>(m_streams.size());
  }

  /// A position behind all earlier ones.
  Position advance() { return ++m_now; }

  // What streams are made to do, and what is known of it.

  /// Makes `later` wait for what `earlier` has to do now.
  /// \throws SystemError on this PE.
  void make_wait(Number later, Number earlier) {
    if (later == earlier) return;
    stream(later).wait_for(stream(earlier));
    order_after(later, earlier);
  }
  /// Puts a barrier of all PEs into the stream; they begin one after the other.
  /// \throws SystemError on this PE.
  void make_barrier(Number number);

  // What is known.

  /// All that `earlier` has to do now ends before what `later` gets from now
  /// on.
  void order_after(Number later, Number earlier);
  /// What the stream gets from now on begins when the streams of this number
  /// have got here on all PEs.
  void barrier(Number number);
  /// This PE has waited for all its streams.
  void all_ended_here();
  /// All PEs have, and met.
  void all_ended();
  /// All PEs have found these streams idle, and met; a bit for each number.
  void were_idle(std::uint64_t numbers);

  /// A bit for each stream that is idle on this PE at this time, of those
  /// asked for.
  [[nodiscard]] std::uint64_t idle(std::uint64_t numbers);

  /// Whether all streams are: what was put into them before has ended here.
  [[nodiscard]] bool are_idle();

  // Whether what `earlier` had to do at `at` ends before what `later` gets from
  // now on, on this PE or on all, by dependencies between them alone.

  [[nodiscard]] bool precedes(Number earlier, Position at, Number later) const {
    return earlier == later || m_streams[later].here[earlier] >= at;
  }
  [[nodiscard]] bool precedes_on_all(Number earlier, Position at,
                                     Number later) const {
    if (m_is_alone) return precedes(earlier, at, later);
    return m_streams[later].on_all[earlier] >= at;
  }
  /// Whether it has ended on all PEs, as far as were_idle() has told.
  [[nodiscard]] bool was_idle_behind(Number earlier, Position at) const {
    return m_streams[earlier].was_idle >= at;
  }
  /// Up to where everything has ended on this PE, for whom the order of local
  /// pools asks, or on all PEs.
  [[nodiscard]] Position ended_here() const { return m_ended_here; }
  [[nodiscard]] Position ended() const { return m_ended; }

  /// Forgets the streams that nobody has blocks on.
  /// \param in_use a bit for each that somebody has.
  /// Precondition: nothing was put into the others since all_ended().
  void forget_all_but(std::uint64_t in_use);

 private:
  using Clock = std::array<Position, max_streams>;

  struct Known {
    void const* key = nullptr;  // null: not in use
    std::unique_ptr<Stream> stream;
    Clock here{};    // of each stream: up to where this one is behind it
    Clock on_all{};  // and behind it on all PEs
    Position was_idle = 0;
  };

  Number find_or_add(StreamName const& name);

  bool m_is_alone;
  Position m_now          = 0;
  Position m_ended_here   = 0;
  Position m_ended        = 0;
  Number m_latest         = 0;            // the one that was asked for last
  Number m_latest_barrier = max_streams;  // its stream, if it may go on
  std::vector<Known> m_streams;
};

}  // namespace symm::Impl

#endif
