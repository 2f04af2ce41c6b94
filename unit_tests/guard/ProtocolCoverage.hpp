// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_PROTOCOL_COVERAGE_HPP
#define SYMM_TEST_PROTOCOL_COVERAGE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <ostream>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <runtime/transport/ArrivalOrder.hpp>
#include <runtime/transport/Message.hpp>
#include "../transport/FakeEngine.hpp"

namespace symm_test {

/// Counts which messages Transport_Messages has sent, and in which states.
class ProtocolCoverage final : public FakeNetwork::Observer {
 public:
  using Kind = symm::Impl::MessageKind;
  /// How a numbered message comes: as the next one, while one before it is
  /// missing, or so early that the target has to keep it.
  enum class Arrival { next, gap, held };
  /// What is under way to that PE when a numbered message is sent.
  enum class Window { first_half, second_half };
  using Cell = std::tuple<Kind, bool, Arrival, Window>;

  explicit ProtocolCoverage(std::size_t half_window) : m_half(half_window) {}

  /// Other PEs than before, whose messages are numbered from 1 again.
  void begin_round() { m_pairs.clear(); }

  void sent(Pe from, Pe to, std::span<std::byte const> bytes,
            std::size_t payload, bool is_copied) override;
  void delivered(Pe from, Pe to, std::span<std::byte const> bytes) override;

  /// How often each of numbered messages has occurred: kind, whether an ack was
  /// wanted, arrival, window.
  [[nodiscard]] std::map<Cell, std::uint64_t> const& cells() const {
    return m_cells;
  }
  [[nodiscard]] std::uint64_t count_of(Kind kind) const {
    return m_kinds[static_cast<std::size_t>(kind)];
  }
  static std::string name_of(Kind kind);
  static std::string name_of(Cell const& cell);

 private:
  struct Pair {  // of PEs, a channel from one to the other
    std::map<std::uint64_t, std::size_t> under_way;  // bytes, by number
    std::size_t bytes = 0;                           // of them
    std::map<std::uint64_t, Window> windows;
    symm::Impl::ArrivalOrder<std::uint64_t> order;
  };
  void acknowledge(Pair& pair, std::uint64_t number);

  std::size_t m_half;
  std::map<std::tuple<Pe, Pe, unsigned>, Pair> m_pairs;
  std::map<Cell, std::uint64_t> m_cells;
  std::array<std::uint64_t, 32> m_kinds{};
};

inline std::string ProtocolCoverage::name_of(Kind kind) {
  constexpr std::array<char const*, 15> names{
      "put",         "put_strided", "put_signal", "atomic",       "batch",
      "get",         "get_strided", "get_reply",  "atomic_reply", "ack",
      "ack_request", "note",        "where",      "standing",     "farewell"};
  return names.at(static_cast<std::size_t>(kind));
}

inline std::string ProtocolCoverage::name_of(Cell const& cell) {
  auto const [kind, wants_ack, arrival, window] = cell;
  constexpr std::array<char const*, 3> arrivals{"next", "gap", "held"};
  return name_of(kind) + (wants_ack ? ", wants an ack, " : ", wants none, ") +
         arrivals.at(static_cast<std::size_t>(arrival)) +
         (window == Window::first_half ? ", first half" : ", second half");
}

inline void ProtocolCoverage::sent(Pe from, Pe to,
                                   std::span<std::byte const> bytes,
                                   std::size_t payload, bool is_copied) {
  auto const header = symm::Impl::header_of(bytes);
  ++m_kinds[static_cast<std::size_t>(header.kind)];
  if (!is_numbered(header.kind)) return;
  auto& pair = m_pairs[{from, to, header.channel}];
  pair.windows[header.number] =
      pair.bytes < m_half ? Window::first_half : Window::second_half;
  auto const counted            = 256 + (is_copied ? payload : 0);
  pair.under_way[header.number] = counted;
  pair.bytes += counted;
}

inline void ProtocolCoverage::delivered(Pe from, Pe to,
                                        std::span<std::byte const> bytes) {
  auto const header = symm::Impl::header_of(bytes);
  if (header.acked != 0) {
    acknowledge(m_pairs[{to, from, header.channel}], header.acked);
  }
  if (!is_numbered(header.kind)) return;
  auto& pair   = m_pairs[{from, to, header.channel}];
  auto arrival = Arrival::gap;
  if (!pair.order.may_be_done(header.after)) {
    arrival = Arrival::held;
    pair.order.hold(header.after, header.number);
  } else {
    if (header.number == pair.order.done_up_to() + 1) arrival = Arrival::next;
    pair.order.set_done(header.number);
    while (auto const held = pair.order.take()) pair.order.set_done(*held);
  }
  auto const window = pair.windows.extract(header.number).mapped();
  ++m_cells[{header.kind, header.wants_ack, arrival, window}];
}

inline void ProtocolCoverage::acknowledge(Pair& pair, std::uint64_t number) {
  while (!pair.under_way.empty() && pair.under_way.begin()->first <= number) {
    pair.bytes -= pair.under_way.begin()->second;
    pair.under_way.erase(pair.under_way.begin());
  }
}

}  // namespace symm_test

#endif
