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
/// Equal on all PEs that make the same calls, but for the results of idle() and
/// are_idle(), which alone ask the GPU.
///
/// Time is counted in calls: a *position* is the number of a call, and a
/// stream's work at a position is all that was put into it before that call.
/// Each stream has a vector clock: for every other stream, the latest position
/// whose work ends before work that is put into this one from now on.
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
  /// All numbers are below this; some may not be in use.
  [[nodiscard]] Number n_streams() const {
    return static_cast<Number>(m_streams.size());
  }

  /// A new position, after all earlier ones.
  Position advance() { return ++m_now; }

  // Put dependencies into streams, and note them.

  /// Makes `later` wait for the present work of `earlier`.
  /// \throws SystemError on this PE.
  void make_wait(Number later, Number earlier) {
    if (later == earlier) return;
    stream(later).wait_for(stream(earlier));
    order_after(later, earlier);
  }
  /// Puts a barrier of all PEs into the stream, after the one before it.
  /// \throws SystemError on this PE.
  void make_barrier(Number number);

  // Note facts.

  /// The present work of `earlier` ends before any later work of `later`.
  void order_after(Number later, Number earlier);
  /// Work put into the stream from now on begins when the present work of the
  /// streams of this number has ended on all PEs.
  void barrier(Number number);
  /// This PE has waited for all its streams.
  void all_ended_here();
  /// All PEs have waited for all their streams, and met.
  void all_ended();
  /// All PEs have found these streams idle, and met; a bit for each number.
  void were_idle(std::uint64_t numbers);

  /// Asks streams: returns a bit for each of `numbers` that is idle on this PE.
  [[nodiscard]] std::uint64_t idle(std::uint64_t numbers);

  /// Whether all streams are idle on this PE.
  [[nodiscard]] bool are_idle();

  // Whether the work of `earlier` at `at` ends before any later work of
  // `later`, on this PE or on all PEs. Only dependencies between streams count.

  [[nodiscard]] bool precedes(Number earlier, Position at, Number later) const {
    return earlier == later || m_streams[later].here[earlier] >= at;
  }
  [[nodiscard]] bool precedes_on_all(Number earlier, Position at,
                                     Number later) const {
    if (m_is_alone) return precedes(earlier, at, later);
    return m_streams[later].on_all[earlier] >= at;
  }
  /// Whether were_idle() has told that the same work has ended on all PEs.
  [[nodiscard]] bool was_idle_behind(Number earlier, Position at) const {
    return m_streams[earlier].was_idle >= at;
  }
  /// The position up to which all work has ended on this PE (for local pools),
  /// or on all PEs.
  [[nodiscard]] Position ended_here() const { return m_ended_here; }
  [[nodiscard]] Position ended() const { return m_ended; }

  /// Forgets the streams that have no blocks.
  /// \param in_use a bit for each stream that has blocks.
  /// Precondition: nothing was put into the others since all_ended().
  void forget_all_but(std::uint64_t in_use);

 private:
  using Clock = std::array<Position, max_streams>;

  struct Known {
    void const* key = nullptr;  // null: not in use
    std::unique_ptr<Stream> stream;
    Clock here{};    // by stream: up to where its work precedes this one's
    Clock on_all{};  // the same on all PEs
    Position was_idle = 0;
  };

  Number find_or_add(StreamName const& name);

  bool m_is_alone;
  Position m_now          = 0;
  Position m_ended_here   = 0;
  Position m_ended        = 0;
  Number m_latest         = 0;            // the latest result of number_of()
  Number m_latest_barrier = max_streams;  // its stream; none if it has ended
  std::vector<Known> m_streams;
};

}  // namespace symm::Impl

#endif
