// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_RENDEZVOUS_HPP
#define SYMM_RENDEZVOUS_HPP

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "../base/Observer.hpp"
#include "../bootstrap/Bootstrap.hpp"
#include "../bootstrap/FdExchange.hpp"
#include "../memory/SymmetricRange.hpp"
#include "../memory/Vmm.hpp"
#include "../transport/LostPe.hpp"
#include "../transport/Transport.hpp"
#include "CallTrail.hpp"
#include "ComparedCall.hpp"
#include "ObjectCall.hpp"
#include "RendezvousListener.hpp"
#include "RuntimeCall.hpp"

namespace symm::Impl {

struct Outcome;
struct Summary;
class OtherNodes;
class PeGroups;
class StepMessages;

/// The step that all collective calls are made of. Each PE publishes a record
/// of its call and reads those of all PEs. This costs no more than a barrier,
/// and does three things: the barrier, the agreement on failures, and the check
/// that all PEs made the same call with the same arguments, and the same calls
/// in trail() before. One thread of a PE at a time.
///
/// Records are in shared memory, two per PE, used in turn: a PE writes its
/// record n + 2 only after all PEs have published record n + 1, and so have
/// read record n.
///
/// In a job of several nodes the PEs of each node do so. The first PE of a
/// node, its leader, then combines the records of the node. The leaders combine
/// those by messages, and each publishes the result for its node. One place for
/// the result is enough: when all PEs of the node have published their next
/// records, they have read the result.
class Rendezvous {
 public:
  /// The most notices that one call can carry.
  static constexpr std::size_t max_notices = 369;

  struct Call {
    RuntimeCall operation = RuntimeCall::none;
    MemoryKind memory     = MemoryKind::host;  // the heap's; compared
    RuntimeCallArguments arguments{};          // compared between PEs
    char const* label = "";  // shown in messages, not compared
    /// The reason why this PE cannot do its part, if it is known before the
    /// call.
    std::optional<Failure> failure = no_failure();
    /// Numbers that this PE passes to all PEs with the call; not compared.
    std::span<std::uint32_t const> notices{};
    bool has_more_notices = false;
    std::uint64_t bits    = 0;  // for bits_of_all(), not compared
  };

  /// Faster than Call{.operation = ..., .arguments = ...}: for that, GCC clears
  /// the whole object with the 2 KiB of the failure's text, which takes as long
  /// as an allocation. (A constant initializer of `failure` would cost the
  /// same.)
  static Call make_call(RuntimeCall operation,
                        RuntimeCallArguments const& arguments) {
    Call call;
    call.operation = operation;
    call.arguments = arguments;
    return call;
  }
  static std::optional<Failure> no_failure() { return std::nullopt; }

  /// Collective, through the bootstrap.
  /// \param timeout a PE that has waited this long reports the missing PEs, and
  ///        goes on waiting; 0: no reports.
  /// \param messages the messages between leaders; must outlive this object.
  ///        Null if there is one node.
  /// \throws SystemError, OutOfMemory on every PE.
  Rendezvous(Bootstrap& bootstrap, FdExchange& exchange, Vmm& vmm,
             std::chrono::duration<double> timeout,
             StepMessages* messages = nullptr);
  ~Rendezvous();

  Rendezvous(Rendezvous const&)            = delete;
  Rendezvous& operator=(Rendezvous const&) = delete;

  /// Runs `body`, a whole collective call of this PE, with run_collective().
  /// \throws UsageError on this thread alone, if another thread is in such a
  ///         call; the message names both calls.
  template <class Body>
  decltype(auto) run(RuntimeCall operation, Body const& body) {
    auto other = RuntimeCall::none;
    if (!m_in_call.compare_exchange_strong(other, operation,
                                           std::memory_order_acquire)) {
      throw_occupied(operation, other);
    }
    struct End {
      ~End() { in_call.store(RuntimeCall::none, std::memory_order_release); }
      std::atomic<RuntimeCall>& in_call;
    } const end{m_in_call};
    Observed const observed([=] {
      return Operation{kind_of(operation), name_of(operation)};
    });
    return run_collective(m_bootstrap, name_of(operation),
                          [&]() -> decltype(body()) {
                            if constexpr (std::is_void_v<decltype(body())>) {
                              body();
                              end_call(operation);
                            } else {
                              auto result = body();
                              end_call(operation);
                              return result;
                            }
                          });
  }

  /// Collective. Returns when all PEs have called; everything that PEs wrote
  /// before is visible afterwards. Ends the job with a message if a PE's
  /// process is gone.
  /// \throws UsageError on every PE, if operations or arguments differ, or the
  ///         trail(), which starts anew then.
  /// \throws the failure's exception on every PE, if a PE called with one.
  void meet(Call const& call);

  /// Collective, after meet(): exchanges failures of a later step of the call.
  std::optional<PeFailure> agree(std::optional<Failure> const& mine);

  /// Calls read(number, n_pes) for the notices of the latest meet(), in the
  /// same order on every PE: n_pes PEs have given that number. `read` may be
  /// called several times for a number. Valid until the next call.
  template <class Read>
  void for_each_notice(Read const& read) const {
    if (m_across != nullptr) {
      for (auto const& notice : notices_of_all()) {
        read(notice.number, notice.n_pes);
      }
      return;
    }
    for (Pe pe = 0; pe < m_n_pes; ++pe) {
      for (auto const number : notices(pe)) read(number, 1);
    }
  }
  /// The latest meet() has delivered only notices with numbers up to this one.
  /// PEs of many nodes may have more different notices than a Combination can
  /// carry.
  [[nodiscard]] std::uint32_t last_told() const;
  /// Whether any PE had more notices than the latest meet() has delivered to
  /// all PEs.
  [[nodiscard]] bool has_more_notices() const;
  /// The bits that all PEs have set in Call::bits of the latest meet(). Valid
  /// until the next call.
  [[nodiscard]] std::uint64_t bits_of_all() const;

  /// This PE's calls on pools, which meet() compares.
  [[nodiscard]] CallTrail& trail() { return m_trail; }

  /// Whether a thread of this PE is in run(). Any thread.
  [[nodiscard]] bool is_in_call() const {
    return m_in_call.load(std::memory_order_relaxed) != RuntimeCall::none;
  }

  /// The number of rendezvous so far, inner steps of calls included. Any
  /// thread.
  [[nodiscard]] std::uint64_t n_calls() const { return latest(m_my_pe); }
  /// The number of rendezvous that all PEs have reached. Any thread.
  [[nodiscard]] std::uint64_t n_met() const {
    return m_n_met.load(std::memory_order_relaxed);
  }

  /// The listener of this PE's calls; null if there is none. Any thread.
  [[nodiscard]] RendezvousListener* listener() const {
    return m_listener.load(std::memory_order_acquire);
  }
  /// \param listener must live until another one is set; null: none.
  void set_listener(RendezvousListener* listener) {
    m_listener.store(listener, std::memory_order_release);
  }

  // For waits for PEs, in this class and elsewhere. All local; any thread.

  /// Time between two checks that the other PEs' processes are alive.
  static constexpr auto health_interval = FdExchange::health_interval;
  // For PeBackoff.
  [[nodiscard]] int spins() const { return m_spins; }
  /// The transport to PEs of other nodes; null in jobs of one node.
  [[nodiscard]] Transport* transport() const { return m_transport; }
  /// \param transport must live as long as it is set. No other thread may be
  ///        waiting for PEs.
  void set_transport(Transport* transport) { m_transport = transport; }
  /// Time between two reports; 0: no reports.
  [[nodiscard]] std::chrono::duration<double> timeout() const {
    return m_timeout;
  }
  /// Whether `pe` waits in finalize() for this PE, and so does nothing else any
  /// more. If so, everything that `pe` has stored is visible to this thread.
  /// \param most how long to wait for the reply of a PE of another node;
  ///        returns false if none arrives. 0: does not ask that PE, but uses
  ///        the PE's earlier reply.
  /// \param call the caller's name, for the message if a PE is lost; null: a
  ///        collective call.
  [[nodiscard]] bool is_in_finalize(Pe pe, std::chrono::milliseconds most = {},
                                    char const* call = nullptr) const;
  /// Whether `pe` waits for this PE in an ObjectCall with that key().
  /// \param most, call as in is_in_finalize(). Local.
  [[nodiscard]] bool is_in_object_call(Pe pe, std::uint64_t key,
                                       std::chrono::milliseconds most,
                                       char const* call) const;
  /// For messages: "PE 2, whose last collective call was #6 ..." or "PE 2,
  /// which waits in collective call #7 symm::finalize()". A PE of another node
  /// that sends no reply is just "PE 9 of another node (host b)".
  /// \param call as in is_in_finalize().
  [[nodiscard]] Text describe(Pe pe, char const* call = nullptr) const;
  /// This PE's reply to Transport::progress_of() of other PEs.
  [[nodiscard]] PeProgress progress() const;
  /// The call that a thread of this PE is in; null if there is none.
  [[nodiscard]] char const* call() const;

  /// The record in which the PEs of this node note that a PE is lost; null in a
  /// job of one node.
  [[nodiscard]] LostPeRecord* lost_pe() const;
  /// Ends the job; the reason has been printed.
  [[noreturn]] void end_job(LostPe const& lost) const;

 private:
  struct alignas(64) Record {
    std::atomic<std::uint64_t> sequence{0};
    ComparedCall call{};
    std::uint16_t n_notices        = 0;
    std::uint16_t has_more_notices = 0;
    // The first three notices are in the cache line of `call`, which is always
    // read.
    std::array<std::uint32_t, max_notices> notices{};
    std::uint64_t bits = 0;
    std::array<char, 512> text{};  // the failure, or else the label
  };
  using Records = std::array<Record, 2>;
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
  static_assert(sizeof(Record) == 2048);

  /// Completes operations on other nodes, both this PE's and those of kernels
  /// that this PE has waited for: collective calls are barriers.
  [[gnu::noinline]] void quiet() const;
  void end_call(RuntimeCall operation) const {
    if (auto* const following = listener()) following->before_return(operation);
  }
  [[nodiscard]] Operation waiting() const;
  Record& record(Pe pe, std::uint64_t sequence) const;
  void publish(Call const& call);
  void wait_for_all();
  void step(Call const& call);
  [[gnu::noinline]] void wait_for(Pe pe);
  template <class HasCome>
  void wait_slowly(HasCome const& has_come);
  void report_missing(double waited_seconds) const;
  void check_alive() const;
  [[nodiscard]] bool has_arrived(Pe pe) const;
  [[nodiscard]] bool is_near(Pe pe) const {
    return m_first_near <= pe && pe < m_end_near;
  }
  [[nodiscard]] std::span<std::uint32_t const> notices(Pe pe) const;
  [[nodiscard]] static Text call_of(Record const& record);
  /// Returns 0 if the call is no ObjectCall.
  [[nodiscard]] static std::uint64_t key_of_object(Record const& record);
  [[nodiscard]] std::uint64_t latest(Pe pe) const;
  [[nodiscard]] Text last_call_of(Pe pe) const;
  [[noreturn]] static void throw_occupied(RuntimeCall mine, RuntimeCall other);

  // Over several nodes, in Rendezvous_Nodes.cpp.
  [[nodiscard]] static std::size_t bytes_of_part(bool has_other_nodes);
  [[gnu::noinline]] void combine_nodes();
  void lead();
  std::optional<std::vector<std::byte>> receive_for_a_while(
      Pe from, std::uint64_t number);
  [[nodiscard]] bool has_result() const;
  [[nodiscard]] bool is_far_in_finalize(Pe pe, std::chrono::milliseconds most,
                                        char const* call) const;
  [[nodiscard]] bool is_far_in_object_call(Pe pe, std::uint64_t key,
                                           std::chrono::milliseconds most,
                                           char const* call) const;
  [[nodiscard]] Text describe_far(Pe pe, char const* call) const;
  [[nodiscard]] Outcome const& result() const;
  [[nodiscard]] std::span<NoticeCount const> notices_of_all() const;
  [[gnu::noinline]] void check_meeting();
  [[nodiscard]] BasicText<255> missing_nodes() const;

  // Errors of a call, in Rendezvous_Mismatch.cpp.
  [[noreturn]] void throw_mismatch();
  [[nodiscard]] Summary summary() const;
  [[nodiscard]] PeGroups answers(Summary const& all,
                                 std::string_view host) const;
  [[nodiscard]] Outcome outcome() const;
  [[nodiscard]] Text trail_difference();
  [[nodiscard]] std::optional<std::uint64_t> first_differing_call();
  bool compare(RuntimeCallArguments const& mine, char const* text = "");

  Bootstrap& m_bootstrap;
  FdExchange& m_exchange;
  std::chrono::duration<double> m_timeout;
  Pe m_my_pe;
  int m_n_pes;
  // The PEs of this node.
  Pe m_first_near;
  Pe m_end_near;
  int m_spins;
  std::uint64_t m_sequence = 0;
  std::atomic<std::uint64_t> m_n_met{0};
  char const* m_label = "";  // of the latest call
  std::atomic<RuntimeCall> m_in_call{RuntimeCall::none};
  std::atomic<RendezvousListener*> m_listener{nullptr};
  std::optional<SymmetricRange> m_range;
  std::unique_ptr<OtherNodes> m_across;  // null in a job of one node
  Transport* m_transport = nullptr;      // likewise
  CallTrail m_trail;
};

}  // namespace symm::Impl

#endif
