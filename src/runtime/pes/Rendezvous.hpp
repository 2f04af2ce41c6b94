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

/// The building block of all collective calls. Each PE publishes a record of
/// its call and reads all PEs' records. At the cost of a barrier, this step
/// synchronizes the PEs, makes them agree on failures, and checks their calls.
/// All PEs must make the same call with the same arguments, and must have the
/// same earlier calls in trail(). Only one thread of a PE at a time may use
/// this object.
///
/// Records are in shared memory. Each PE has two records, which it uses
/// alternately. A PE writes its record n + 2 only after all PEs have published
/// record n + 1 and thus have finished reading record n.
///
/// In a multi-node job, the PEs on each node publish their records in the same
/// way. Then each node's leader, the first PE on the node, combines the node's
/// records. The leaders exchange the combined records through messages, and
/// each leader publishes the result to its node. A single buffer for the result
/// is enough: once all PEs on the node have published their next records, they
/// have read the result.
class Rendezvous {
 public:
  /// The maximum number of notices that one call can carry.
  static constexpr std::size_t max_notices = 369;

  struct Call {
    RuntimeCall operation = RuntimeCall::none;
    MemoryKind memory     = MemoryKind::host;  // the heap's kind of memory;
                                               // compared
    RuntimeCallArguments arguments{};          // compared between PEs
    char const* label = "";  // for error messages; not compared
    /// Why this PE cannot do its part, if this is known before the call.
    std::optional<Failure> failure = no_failure();
    /// Numbers that this PE sends to all PEs with the call; not compared.
    std::span<std::uint32_t const> notices{};
    bool has_more_notices = false;
    std::uint64_t bits    = 0;  // for bits_of_all(); not compared
  };

  /// Faster than Call{.operation = ..., .arguments = ...}, for which GCC zeroes
  /// the whole object, including the failure's 2 KiB text. Zeroing takes as
  /// long as an allocation. (A constant initializer for `failure` would cost
  /// the same.)
  static Call make_call(RuntimeCall operation,
                        RuntimeCallArguments const& arguments) {
    Call call;
    call.operation = operation;
    call.arguments = arguments;
    return call;
  }
  static std::optional<Failure> no_failure() { return std::nullopt; }

  /// Collective: uses the bootstrap.
  /// \param timeout A PE that has waited this long reports the missing PEs and
  ///        keeps waiting; 0: no reports.
  /// \param messages The messages between leaders; must outlive this object.
  ///        Null if there is only one node.
  /// \throws SystemError, OutOfMemory on every PE.
  Rendezvous(Bootstrap& bootstrap, FdExchange& exchange, Vmm& vmm,
             std::chrono::duration<double> timeout,
             StepMessages* messages = nullptr);
  ~Rendezvous();

  Rendezvous(Rendezvous const&)            = delete;
  Rendezvous& operator=(Rendezvous const&) = delete;

  /// Uses run_collective() to run `body`, which executes this PE's part of an
  /// entire collective call.
  /// \throws UsageError, on this thread only, if another thread of this PE is
  ///         in a collective call. The error message names both calls.
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

  /// Collective. Returns when all PEs have made this call. After the call,
  /// everything that any PE stored before the call is visible. Ends the job
  /// with an error message if any PE's process has exited.
  /// \throws UsageError on every PE if operations, arguments or trails differ.
  ///         If trails differ, all PEs start new trails.
  /// \throws the failure's exception on every PE if any PE passed a failure.
  void meet(Call const& call);

  /// Collective; must follow a meet(). Exchanges failures from a later step of
  /// the same call and returns the failure of the lowest-numbered PE that
  /// failed.
  std::optional<PeFailure> agree(std::optional<Failure> const& my_failure);

  /// Calls read(number, n_pes) for each notice of the latest meet(), in the
  /// same order on every PE. Each call to `read` represents n_pes PEs that sent
  /// this number; a number may occur in several calls. The notices are valid
  /// until the next rendezvous.
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
  /// The latest meet() delivered only notices with numbers up to the returned
  /// value. PEs on many nodes may send more different notices than a
  /// Combination can hold.
  [[nodiscard]] std::uint32_t last_told() const;
  /// Whether any PE had more notices than the latest meet() delivered.
  [[nodiscard]] bool has_more_notices() const;
  /// The bits that all PEs set in Call::bits in the latest meet(). Valid until
  /// the next rendezvous.
  [[nodiscard]] std::uint64_t bits_of_all() const;

  /// This PE's calls to pools, which meet() compares.
  [[nodiscard]] CallTrail& trail() { return m_trail; }

  /// Whether a thread of this PE is in run(). Callable from any thread.
  [[nodiscard]] bool is_in_call() const {
    return m_in_call.load(std::memory_order_relaxed) != RuntimeCall::none;
  }

  /// The number of rendezvous so far, including the inner steps of calls.
  /// Callable from any thread.
  [[nodiscard]] std::uint64_t n_calls() const { return latest(m_my_pe); }
  /// The number of rendezvous that all PEs have reached. Callable from any
  /// thread.
  [[nodiscard]] std::uint64_t n_met() const {
    return m_n_met.load(std::memory_order_relaxed);
  }

  /// The listener to this PE's calls; null if there is none. Callable from any
  /// thread.
  [[nodiscard]] RendezvousListener* listener() const {
    return m_listener.load(std::memory_order_acquire);
  }
  /// \param listener Must stay valid until another listener is set. Null means
  ///        no listener.
  void set_listener(RendezvousListener* listener) {
    m_listener.store(listener, std::memory_order_release);
  }

  // For code that waits for PEs, in this class and elsewhere. These functions
  // are local and callable from any thread.

  /// The interval at which to check that the other PEs' processes are alive.
  static constexpr auto health_interval = FdExchange::health_interval;
  // For PeBackoff:
  [[nodiscard]] int spins() const { return m_spins; }
  /// The transport to PEs on other nodes; null in single-node jobs.
  [[nodiscard]] Transport* transport() const { return m_transport; }
  /// \param transport Must stay valid until another transport, or null, is set.
  ///        No other thread may be waiting for PEs during this call.
  void set_transport(Transport* transport) { m_transport = transport; }
  /// The time between two reports of missing PEs; 0: no reports.
  [[nodiscard]] std::chrono::duration<double> timeout() const {
    return m_timeout;
  }
  /// Whether `pe` is waiting for this PE in finalize() and therefore does
  /// nothing else. If so, everything that `pe` has stored is visible to this
  /// thread.
  /// \param most The maximum time to wait for a reply if `pe` is on another
  ///        node. If no reply arrives in that time, the function returns false.
  ///        0: uses an earlier reply from `pe` instead of sending a query.
  /// \param call The caller's name, for the error message if a PE is lost; null
  ///        in a collective call.
  [[nodiscard]] bool is_in_finalize(Pe pe, std::chrono::milliseconds most = {},
                                    char const* call = nullptr) const;
  /// Whether `pe` is waiting for this PE in an ObjectCall whose key() is `key`.
  /// Local.
  /// \param most, call See is_in_finalize().
  [[nodiscard]] bool is_in_object_call(Pe pe, std::uint64_t key,
                                       std::chrono::milliseconds most,
                                       char const* call) const;
  /// A description for error messages: "PE 2, whose last collective call was #6
  /// ..." or "PE 2, which waits in collective call #7 symm::finalize()". For a
  /// PE on another node that does not reply, the description is "PE 9 of
  /// another node (host b)".
  /// \param call See is_in_finalize().
  [[nodiscard]] Text describe(Pe pe, char const* call = nullptr) const;
  /// This PE's reply when other PEs call Transport::progress_of().
  [[nodiscard]] PeProgress progress() const;
  /// The name of the collective call that a thread of this PE is in; null if
  /// there is none.
  [[nodiscard]] char const* call() const;

  /// The record of the first lost PE, which the PEs on this node share; null in
  /// single-node jobs.
  [[nodiscard]] LostPeRecord* lost_pe() const;
  /// Ends the job. The reason has already been printed.
  [[noreturn]] void end_job(LostPe const& lost) const;

 private:
  struct alignas(64) Record {
    std::atomic<std::uint64_t> sequence{0};
    ComparedCall call{};
    std::uint16_t n_notices        = 0;
    std::uint16_t has_more_notices = 0;
    // The first three notices share the cache line of `call`, which is always
    // read.
    std::array<std::uint32_t, max_notices> notices{};
    std::uint64_t bits = 0;
    std::array<char, 512> text{};  // the failure or, if none, the label
  };
  using Records = std::array<Record, 2>;
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
  static_assert(sizeof(Record) == 2048);

  /// Completes this PE's operations on other nodes, including operations of
  /// kernels that this PE has waited for. Collective calls need this because
  /// they are barriers.
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
  /// Returns 0 if the call is not an ObjectCall.
  [[nodiscard]] static std::uint64_t key_of_object(Record const& record);
  [[nodiscard]] std::uint64_t latest(Pe pe) const;
  [[nodiscard]] Text last_call_of(Pe pe) const;
  [[noreturn]] static void throw_occupied(RuntimeCall my_call,
                                          RuntimeCall other);

  // For multi-node jobs, in Rendezvous_Nodes.cpp:
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

  // For error messages, in Rendezvous_Mismatch.cpp:
  [[noreturn]] void throw_mismatch();
  [[nodiscard]] Summary summary() const;
  [[nodiscard]] PeGroups answers(Summary const& all,
                                 std::string_view host) const;
  [[nodiscard]] Outcome outcome() const;
  [[nodiscard]] Text trail_difference();
  [[nodiscard]] std::optional<std::uint64_t> first_differing_call();
  bool compare(RuntimeCallArguments const& arguments, char const* text = "");

  Bootstrap& m_bootstrap;
  FdExchange& m_exchange;
  std::chrono::duration<double> m_timeout;
  Pe m_my_pe;
  int m_n_pes;
  // The PEs on this node are [m_first_near, m_end_near).
  Pe m_first_near;
  Pe m_end_near;
  int m_spins;
  std::uint64_t m_sequence = 0;
  std::atomic<std::uint64_t> m_n_met{0};
  char const* m_label = "";  // the latest call's label
  std::atomic<RuntimeCall> m_in_call{RuntimeCall::none};
  std::atomic<RendezvousListener*> m_listener{nullptr};
  std::optional<SymmetricRange> m_range;
  std::unique_ptr<OtherNodes> m_across;  // null in single-node jobs
  Transport* m_transport = nullptr;      // null in single-node jobs
  CallTrail m_trail;
};

}  // namespace symm::Impl

#endif
