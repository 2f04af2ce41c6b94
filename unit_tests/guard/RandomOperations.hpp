// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_RANDOM_OPERATIONS_HPP
#define SYMM_TEST_RANDOM_OPERATIONS_HPP

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <random>
#include <span>
#include <vector>

#include <runtime/transport/Transport.hpp>

namespace symm_test {

/// Random operations of one thread on memory of other PEs, and a model of what
/// they leave there. Complaints are failures of GoogleTest.
///
/// The thread has `region_bytes` of every PE's heap for itself, zero at first.
class RandomOperations {
 public:
  static constexpr std::size_t region_bytes = std::size_t{700} << 10U;

  struct Job {
    symm::Impl::Transport& transport;
    std::vector<symm::Pe> far_pes;  // whose memory is changed
    std::size_t offset = 0;         // of the region in the host heap
    std::uint64_t seed = 0;         // differs between threads and PEs
    /// Passes a message of a collective call to a PE and looks whether it
    /// comes; empty: there are none.
    std::function<void(symm::Pe to, std::uint64_t number,
                       std::span<std::byte const> message)>
        pass;
    symm::Impl::Channel* channel = nullptr;  // null: the transport's first
  };

  explicit RandomOperations(Job job);

  void step();
  /// Completes everything and compares the regions of all PEs with the model.
  void check_all();

 private:
  using PeMemory   = symm::Impl::PeMemory;
  using Strides    = symm::Impl::Strides;
  using Completion = symm::Impl::Completion;

  static constexpr std::size_t n_words   = 64;  // for atomics and signals
  static constexpr std::size_t blocks_at = n_words * 8;

  enum class Kind { put, get };
  /// Of bytes, since the last quiet().
  struct Use {
    std::size_t begin      = 0;
    std::size_t end        = 0;
    Kind kind              = Kind::put;
    std::uint64_t n_fences = 0;  // before it
  };
  struct Target {
    symm::Pe pe                  = 0;
    std::vector<std::byte> model = std::vector<std::byte>(region_bytes);
    std::vector<Use> uses;
  };
  /// A get that quiet() completes.
  struct Got {
    Target* target = nullptr;
    std::size_t at = 0;
    std::vector<std::byte> bytes;
  };

  std::uint64_t below(std::uint64_t n) { return m_random() % n; }
  Completion any_until() {
    return below(2) == 0 ? Completion::local : Completion::none;
  }
  /// Around a limit of the protocol, mostly a small one.
  std::size_t any_size();
  [[nodiscard]] PeMemory there(Target const& target, std::size_t at) const {
    return {target.pe, symm::Impl::Segment::host_heap, m_job.offset + at};
  }
  Target& any_target() { return m_targets[below(m_targets.size())]; }
  std::uint64_t word_of(Target const& target, std::size_t at) const;
  void set_word(Target& target, std::size_t at, std::uint64_t word);

  void fence();
  void quiet();
  /// A place for a put (of bytes that a fence may make free) or a get.
  std::size_t take_place(Target& target, std::size_t bytes, Kind kind);
  std::byte const* source_of(std::size_t bytes);
  void put(Target& target, std::size_t bytes, Completion completion);
  void put_strided(Target& target);
  void put_signal(Target& target, std::size_t bytes, Completion completion);
  void get(Target& target, std::size_t bytes, Completion completion);
  void get_strided(Target& target);
  void change_word(Target& target);
  void pass(Target& target);
  void fill_window(Target& target);
  Strides any_strides();
  [[nodiscard]] symm::Impl::Channel& channel() const {
    return m_job.channel == nullptr ? m_job.transport.channel()
                                    : *m_job.channel;
  }
  /// A call that is waited for, or not.
  symm::Impl::HostCall any_request(Completion completion);
  /// If there is one: waits, or looks until it is done.
  void complete_request();

  Job m_job;
  std::mt19937_64 m_random;
  std::vector<Target> m_targets;
  std::deque<std::vector<std::byte>> m_sources;  // read until quiet()
  std::deque<Got> m_gots;
  symm::Impl::OperationHandle m_operation;
  bool m_has_request       = false;
  std::uint64_t m_n_notes  = 0;
  std::uint64_t m_n_fences = 0;
};

}  // namespace symm_test

#endif
