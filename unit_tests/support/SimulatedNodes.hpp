// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_SIMULATED_NODES_HPP
#define SYMM_TEST_SIMULATED_NODES_HPP

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <support/Shared.hpp>
#include <thread>
#include <vector>

#include <runtime/bootstrap/Bootstrap.hpp>
#include <runtime/bootstrap/Nodes.hpp>
#include <runtime/symm_errors.hpp>
#include <runtime/transport/StepMessages.hpp>

namespace symm_test {

/// The number of PEs on each node of a job.
struct NodeShape {
  std::vector<int> pes_of_nodes;

  [[nodiscard]] int n_pes() const {
    int n = 0;
    for (int const pes : pes_of_nodes) n += pes;
    return n;
  }
  [[nodiscard]] int n_nodes() const {
    return static_cast<int>(pes_of_nodes.size());
  }
  [[nodiscard]] symm::Impl::Nodes nodes_of(symm::Pe pe) const {
    symm::Impl::Nodes nodes;
    nodes.are_simulated = n_nodes() > 1;
    nodes.first         = {0};
    for (int const pes : pes_of_nodes) {
      nodes.hosts.push_back("host" + std::to_string(nodes.hosts.size()));
      nodes.first.push_back(nodes.first.back() + pes);
    }
    nodes.my_node = nodes.node_of(pe);
    return nodes;
  }
  friend std::ostream& operator<<(std::ostream& out, NodeShape const& shape) {
    char const* separator = "nodes of ";
    for (int const pes : shape.pes_of_nodes) {
      out << separator << pes;
      separator = ", ";
    }
    return out << " PEs";
  }
};

inline NodeShape one_node(int n_pes) { return {{n_pes}}; }

/// Messages between forked PEs, in memory that they share. A PE whose process
/// has ended is lost: any PE that waits for it ends, with an error message.
class SharedMessages {
 public:
  static constexpr std::size_t max_pes   = 8;
  static constexpr std::size_t max_bytes = 32768;

 private:
  // A leader is at most one step ahead of another leader, so slots are needed
  // for two exchanges of a few phases each.
  static constexpr std::size_t n_slots = 16;

  struct Slot {
    Slot() {}  // leaves the pages of the message alone
    std::atomic<bool> is_full{false};
    std::uint64_t number = 0;
    std::size_t bytes    = 0;
    std::array<std::byte, max_bytes> message;
  };
  using Box = std::array<Slot, n_slots>;  // from one PE to another
  struct Boxes {
    std::array<std::array<Box, max_pes>, max_pes> boxes;
    std::array<std::atomic<pid_t>, max_pes> processes;
    std::array<std::atomic<std::uint64_t>, max_pes> n_sent;
  };

 public:
  /// One PE's end of the messages, created in the process of that PE.
  class Link final : public symm::Impl::StepMessages {
   public:
    Link(Boxes& boxes, symm::Impl::Bootstrap& bootstrap)
        : m_boxes(boxes), m_bootstrap(bootstrap), m_pe(bootstrap.my_pe()) {
      m_boxes.processes.at(index(m_pe)) = ::getpid();
    }

    void send(symm::Pe to, std::uint64_t number,
              std::span<std::byte const> message, char const*) override {
      if (message.size() > max_bytes) {
        throw symm::UsageError("SharedMessages: too long");
      }
      for (auto& slot : m_boxes.boxes.at(index(m_pe)).at(index(to))) {
        if (slot.is_full.load(std::memory_order_acquire)) continue;
        slot.number = number;
        slot.bytes  = message.size();
        std::copy(message.begin(), message.end(), slot.message.begin());
        slot.is_full.store(true, std::memory_order_release);
        ++m_boxes.n_sent.at(index(m_pe));
        return;
      }
      throw symm::UsageError("SharedMessages: too many");
    }

    std::vector<std::byte> receive(symm::Pe from,
                                   std::uint64_t number) override {
      while (true) {
        auto message = receive_within(from, number,
                                      std::chrono::milliseconds(100), nullptr);
        if (message) return *std::move(message);
      }
    }

    std::optional<std::vector<std::byte>> receive_within(
        symm::Pe from, std::uint64_t number, std::chrono::milliseconds most,
        char const*) override {
      auto const end = std::chrono::steady_clock::now() + most;
      while (true) {
        bool const is_lost = is_gone(from);
        for (auto& slot : m_boxes.boxes.at(index(from)).at(index(m_pe))) {
          if (!slot.is_full.load(std::memory_order_acquire) ||
              slot.number != number) {
            continue;
          }
          std::vector const message(
              slot.message.begin(),
              slot.message.begin() + static_cast<std::ptrdiff_t>(slot.bytes));
          slot.is_full.store(false, std::memory_order_release);
          return message;
        }
        if (is_lost) {
          std::fprintf(stderr, "PE %d: the process of PE %d is gone\n", m_pe,
                       from);
          m_bootstrap.abort();
        }
        if (std::chrono::steady_clock::now() >= end) return std::nullopt;
        std::this_thread::yield();
      }
    }

    void watch(symm::Pe) override {}
    void unwatch(symm::Pe) override {}
    bool poll(char const*) override { return false; }

   private:
    static std::size_t index(symm::Pe pe) {
      return static_cast<std::size_t>(pe);
    }
    [[nodiscard]] bool is_gone(symm::Pe pe) const {
      pid_t const process = m_boxes.processes.at(index(pe));
      return process != 0 && ::kill(process, 0) != 0 && errno == ESRCH;
    }

    Boxes& m_boxes;
    symm::Impl::Bootstrap& m_bootstrap;
    symm::Pe m_pe;
  };

  [[nodiscard]] std::unique_ptr<Link> link_of(
      symm::Impl::Bootstrap& bootstrap) const {
    return std::make_unique<Link>(*m_boxes, bootstrap);
  }
  [[nodiscard]] std::uint64_t n_sent_by(symm::Pe pe) const {
    return m_boxes->n_sent.at(static_cast<std::size_t>(pe));
  }

 private:
  Shared<Boxes> m_boxes;
};

/// A job of forked PEs on simulated nodes. Must be created before the PEs are
/// forked.
struct SimulatedNodes {
  explicit SimulatedNodes(NodeShape its_shape) : shape(std::move(its_shape)) {
    if (shape.n_nodes() > 1) messages = std::make_unique<SharedMessages>();
  }

  NodeShape shape;
  std::unique_ptr<SharedMessages> messages;  // null with one node
};

}  // namespace symm_test

#endif
