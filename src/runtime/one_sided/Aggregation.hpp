// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ONE_SIDED_AGGREGATION_HPP
#define SYMM_ONE_SIDED_AGGREGATION_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "../access/PeOperations.hpp"
#include "../base/Observer.hpp"
#include "../base/Types.hpp"
#include "../memory/AtomicOp.hpp"
#include "../memory/HeapMap.hpp"
#include "../transport/Updates.hpp"

namespace symm::Impl {

class Channel;
class NodeBins;

/// The updates that wait in a Context with ContextOptions::aggregate, of one
/// thread at a time. Those of near PEs are carried out in the order of the
/// calls, a block after the other: while one waits, its word comes into the
/// cache. Those of far PEs go to the batches of the context's channel, a block
/// under one lock, or to bins of their nodes.
class Aggregation {
 public:
  /// Blocks are carried out when they are full.
  static constexpr std::size_t block = 256;

  /// \param life of the runtime.
  explicit Aggregation(std::uint64_t life);
  Aggregation(Aggregation const&)            = delete;
  Aggregation& operator=(Aggregation const&) = delete;
  /// Delivers what waits, if its runtime is there.
  ~Aggregation();

  /// For far PEs. Null in jobs of one node.
  /// \param bins null: updates go to each PE directly.
  void set_channel(Channel* channel, std::unique_ptr<NodeBins> bins);
  /// Whether others carry out updates for the PE. Then quiet() alone orders
  /// them.
  [[nodiscard]] bool is_by_nodes() const { return m_bins != nullptr; }

  /// Keeps an atomic operation that returns nothing, and may deliver those
  /// before it.
  /// \returns false: it is to be carried out without this, as it is traced, on
  ///          memory of a GPU or misaligned.
  /// \throws UsageError on this PE, as heap_to_access(), or if the runtime has
  ///         ended.
  template <class T>
  [[gnu::always_inline]] bool keep(T* address, Pe pe, char const* call,
                                   AtomicOp op, std::type_identity_t<T> value) {
    auto const at = reinterpret_cast<std::size_t>(address) - m_begin;
    bool const is_known =
        at < m_bytes && sizeof(T) <= m_bytes - at && at % sizeof(T) == 0 &&
        static_cast<unsigned>(pe) < static_cast<unsigned>(m_map.n_pes) &&
        !is_observed();
    if (!is_known && !find(address, sizeof(T), pe, call)) [[unlikely]] {
      return false;
    }
    auto const bits     = std::uint64_t{std::bit_cast<BitsOfWord<T>>(value)};
    constexpr auto type = word_type_of<T>();
    if (m_map.is_near(pe)) {
      auto* const word = reinterpret_cast<char*>(m_map.peer_ptr(address, pe));
      __builtin_prefetch(word, 1);
      m_near[m_n_near]  = {word, bits};
      m_kinds[m_n_near] = {op, type};
      if (++m_n_near == block) [[unlikely]] {
        deliver_near(call);
      }
    } else {
      m_far[m_n_far] = {
          {pe, Segment::host_heap, m_map.offset_of(address)}, op, type, bits};
      if (++m_n_far == block) [[unlikely]] {
        deliver_far(call);
      }
    }
    return true;
  }

  /// Carries out what waits, on near PEs, or begins it, on far ones.
  /// \throws UsageError on this PE, if the runtime has ended: nothing waits
  ///         any more.
  void deliver(char const* call) {
    if (m_n_near != 0) deliver_near(call);
    if (m_n_far != 0) deliver_far(call);
    if (m_bins) deliver_bins(call);
  }

 private:
  struct Kind {
    AtomicOp op;
    WordType type;
    bool operator==(Kind const&) const = default;
  };

  /// Makes the memory around the word known.
  bool find(void const* address, std::size_t bytes, Pe pe, char const* call);
  void check_life(char const* call);
  void deliver_near(char const* call);
  void deliver_far(char const* call);
  void deliver_bins(char const* call);

  Channel* m_channel = nullptr;
  std::unique_ptr<NodeBins> m_bins;
  std::uint64_t m_life;
  // Memory of this PE's part that has been looked up; forgotten with each
  // block. (The calls that unmap memory are collective.)
  std::size_t m_begin = 0;
  std::size_t m_bytes = 0;
  HeapMap m_map{};
  std::size_t m_n_near = 0;
  std::size_t m_n_far  = 0;
  std::array<WordChange, block> m_near;
  std::array<Kind, block> m_kinds;
  std::array<FarAtomic, block> m_far;
};

}  // namespace symm::Impl

#endif
