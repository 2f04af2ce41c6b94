// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_COMBINED_NODES_HPP
#define SYMM_TEST_COMBINED_NODES_HPP

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <runtime/bootstrap/Nodes.hpp>
#include <runtime/pes/Combination.hpp>
#include <runtime/pes/NodeExchange.hpp>
#include <runtime/pes/Outcome.hpp>
#include <runtime/pes/PeGroups.hpp>

/// The leaders of many nodes in one process: the code that combines what PEs
/// say, without PEs.
namespace symm_test {

/// What a PE says in a step.
struct Saying {
  symm::Impl::ComparedCall call{};
  std::uint64_t bits = 0;
  std::vector<std::uint32_t> notices{};
  bool has_more = false;
  std::string text{};  // its failure, or else its label
};

/// What leaders send.
struct Traffic {
  std::uint64_t messages  = 0;
  std::uint64_t bytes     = 0;
  int max_messages        = 0;  // of one leader
  std::uint64_t max_bytes = 0;
  int n_phases            = 0;  // messages one after the other

  void add(Traffic const& other) {
    messages += other.messages;
    bytes += other.bytes;
    max_messages += other.max_messages;
    max_bytes += other.max_bytes;
    n_phases += other.n_phases;
  }
};

class CombinedNodes {
 public:
  using SayingOf = std::function<Saying(symm::Pe)>;

  /// \param first of each node, and the number of PEs.
  explicit CombinedNodes(std::vector<symm::Pe> first)
      : m_first(std::move(first)) {
    for (int node = 0; node < n_nodes(); ++node) {
      m_steps.push_back(symm::Impl::exchange_steps(node, n_nodes()));
    }
  }

  [[nodiscard]] int n_nodes() const {
    return static_cast<int>(m_first.size()) - 1;
  }

  /// A step of all PEs.
  void step(SayingOf const& saying_of) {
    using namespace symm::Impl;
    microseconds = 0;
    combinations.assign(static_cast<std::size_t>(n_nodes()), {});
    traffic = {};
    for (int node = 0; node < n_nodes(); ++node) {
      auto& combination = combinations[index(node)];
      combination.clear();
      for_pes(node, [&](symm::Pe pe) {
        auto const said = saying_of(pe);
        combination.add(Summary::of(pe, said.call, said.bits, said.has_more),
                        said.notices);
      });
    }
    traffic.add(exchange(combinations));
    groups.clear();
    auto const question = question_of(combinations[0].summary());
    if (question == Question::none) return;
    groups.resize(index(n_nodes()));
    for (int node = 0; node < n_nodes(); ++node) {
      for_pes(node, [&](symm::Pe pe) {
        auto const said = saying_of(pe);
        groups[index(node)].add(
            pe, said.call, answer_of(question, said.call, said.text.c_str()),
            "");
      });
    }
    traffic.add(exchange(groups));
  }

  /// Whether all leaders know the same.
  [[nodiscard]] bool are_equal() const {
    auto const same = [](auto const& parts) {
      if (parts.empty()) return true;
      auto const first = parts[0].message();
      return std::all_of(parts.begin(), parts.end(), [&](auto const& one) {
        auto const message = one.message();
        return std::equal(message.begin(), message.end(), first.begin(),
                          first.end());
      });
    };
    return same(combinations) && same(groups);
  }

  /// What PEs of the node throw.
  [[nodiscard]] symm::Impl::Outcome outcome(int node) const {
    symm::Impl::Outcome outcome;
    symm::Impl::conclude(
        outcome, combinations[index(node)].summary(),
        groups.empty() ? symm::Impl::PeGroups{} : groups[index(node)]);
    return outcome;
  }

  std::vector<symm::Impl::Combination> combinations;  // by node
  std::vector<symm::Impl::PeGroups> groups;  // by node; none without question
  Traffic traffic;
  /// That the leaders took for messages, one after the other: all of them.
  double microseconds = 0;

 private:
  static std::size_t index(int node) { return static_cast<std::size_t>(node); }

  template <class Do>
  void for_pes(int node, Do const& what) const {
    for (symm::Pe pe = m_first[index(node)]; pe < m_first[index(node + 1)];
         ++pe) {
      what(pe);
    }
  }

  /// All messages of a phase are sent before one is received.
  template <class Parts>
  Traffic exchange(std::vector<Parts>& parts) {
    auto const start = std::chrono::steady_clock::now();
    Traffic sent;
    std::vector<int> n_sent(parts.size());
    std::vector<std::uint64_t> bytes_sent(parts.size());
    std::vector<std::size_t> next(parts.size());
    std::vector<std::vector<std::byte>> sent_by(parts.size());
    for (int phase = 0; phase < symm::Impl::max_exchange_phases; ++phase) {
      bool is_used        = false;
      auto const step_now = [&](int node) -> symm::Impl::ExchangeStep const* {
        auto const& steps = m_steps[index(node)];
        auto const i      = next[index(node)];
        return i < steps.size() && steps[i].phase == phase ? &steps[i]
                                                           : nullptr;
      };
      for (int node = 0; node < n_nodes(); ++node) {
        auto const* const step = step_now(node);
        if (step == nullptr || !step->sends) continue;
        auto const message   = parts[index(node)].message();
        sent_by[index(node)] = {message.begin(), message.end()};
        bytes_sent[index(node)] += message.size();
        ++n_sent[index(node)];
        is_used = true;
      }
      for (int node = 0; node < n_nodes(); ++node) {
        auto const* const step = step_now(node);
        if (step == nullptr) continue;
        auto const& message = sent_by[index(step->node)];
        if (step->receives) {
          if (step->end - step->first == n_nodes()) {
            parts[index(node)].assign(message);
          } else {
            parts[index(node)].add(message);
          }
        }
      }
      for (int node = 0; node < n_nodes(); ++node) {
        if (step_now(node) != nullptr) ++next[index(node)];
      }
      sent.n_phases += is_used ? 1 : 0;
    }
    for (std::size_t node = 0; node < parts.size(); ++node) {
      sent.messages += static_cast<std::uint64_t>(n_sent[node]);
      sent.bytes += bytes_sent[node];
      sent.max_messages = std::max(sent.max_messages, n_sent[node]);
      sent.max_bytes    = std::max(sent.max_bytes, bytes_sent[node]);
    }
    microseconds += std::chrono::duration<double, std::micro>(
                        std::chrono::steady_clock::now() - start)
                        .count();
    return sent;
  }

  std::vector<symm::Pe> m_first;
  std::vector<std::vector<symm::Impl::ExchangeStep>> m_steps;
};

}  // namespace symm_test

#endif
