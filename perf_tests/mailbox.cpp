// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Messages to random PEs, on the host: each adds to a word of a table of 8 MB a
// PE, by its index. Time of all messages of a PE, until all of all PEs have
// been added. "MPI" packs 65 536 messages at a time, sends counts
// (MPI_Alltoall) and data (MPI_Alltoallv) and unpacks, as often as the PE with
// most messages needs; "by hand" does the same over put_signal, with inboxes of
// two halves; near blocks are written where they will be read. Then the end of
// a phase, in which nothing has been sent, or one message by one PE, beside a
// barrier.

#include <Kokkos_SymmetricContainers.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "exchange/Blocks.hpp"
#include "exchange/Letters.hpp"
#include "exchange/Lists.hpp"
#include "harness/Session.hpp"

namespace perf::mailbox_benchmark {
namespace {

constexpr std::size_t n_words = 1'000'000;  // of a PE

using HostExec = Kokkos::DefaultHostExecutionSpace;

template <class Message>
class MpiSupersteps {
 public:
  void operator()(Letters<Message> const& letters, Table const& table) {
    auto const n     = static_cast<std::size_t>(symm::n_pes());
    auto const total = letters.pes.size();
    for (std::size_t first = 0; first < total; first += per_block) {
      auto const end = std::min(total, first + per_block);
      Counts out(n);
      for (auto k = first; k < end; ++k)
        ++out[static_cast<std::size_t>(letters.pes[k])];
      auto const in     = alltoall(out);
      auto const starts = starts_of(out), in_starts = starts_of(in);
      m_out.resize(end - first);
      m_in.resize(static_cast<std::size_t>(in_starts.back()));
      auto next = starts;
      for (auto k = first; k < end; ++k) {
        auto& at = next[static_cast<std::size_t>(letters.pes[k])];
        m_out[static_cast<std::size_t>(at++)] = letters.messages[k];
      }
      check_mpi(
          MPI_Alltoallv(m_out.data(), bytes(out).data(), bytes(starts).data(),
                        MPI_BYTE, m_in.data(), bytes(in).data(),
                        bytes(in_starts).data(), MPI_BYTE, MPI_COMM_WORLD),
          "MPI_Alltoallv");
      for (auto const& message : m_in)
        table(static_cast<std::size_t>(message.index)) += message.value();
    }
  }

 private:
  static std::vector<int> bytes(Counts const& counts) {
    std::vector<int> result;
    for (auto const count : counts)
      result.push_back(static_cast<int>(count * std::int64_t{sizeof(Message)}));
    return result;
  }
  std::vector<Message> m_out, m_in;
};

template <class Message>
struct SendInKernel {
  symm::MailSender<Message> sender;
  int const* pes;
  Message const* messages;
  void operator()(std::size_t k) const { sender.send(pes[k], messages[k]); }
};

template <class Message>
void measure_updates(Session& session, std::size_t count) {
  Letters<Message> const letters(count, n_words);
  Table const table("table", n_words);
  auto const heap   = symm::heap_map(table);
  auto* const words = table.data();
  MpiSupersteps<Message> mpi;
  HandSupersteps<Message> hand;
  symm::Mailbox<Message> mailbox("updates", [words](Message const& message) {
    words[message.index] += message.value();
  });
  auto const run_mpi    = [&] { mpi(letters, table); };
  auto const run_hand   = [&] { hand(letters, table); };
  auto const run_atomic = [&] {
    for (std::size_t k = 0; k < count; ++k)
      symm::atomic_add(heap, words + letters.messages[k].index,
                       letters.messages[k].value(), letters.pes[k]);
    symm::barrier_all();
  };
  auto const run_mailbox = [&] {
    for (std::size_t k = 0; k < count; ++k)
      mailbox.send(letters.pes[k], letters.messages[k]);
    mailbox.finish();
  };
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  Kokkos::View<int const*, Kokkos::HostSpace, Unmanaged> const pes(
      letters.pes.data(), count);
  Kokkos::View<Message const*, Kokkos::HostSpace, Unmanaged> const messages(
      letters.messages.data(), count);
  auto const run_views = [&] {
    mailbox.send(HostExec(), pes, messages);
    mailbox.finish();
  };
  auto const run_kernel = [&] {
    Kokkos::parallel_for(
        "send", Kokkos::RangePolicy<HostExec>(HostExec(), 0, count),
        SendInKernel<Message>{mailbox.sender(), letters.pes.data(),
                              letters.messages.data()});
    HostExec().fence();
    mailbox.finish();
  };
  // Each of them once, with the same result.
  std::int64_t wrong = 0;
  std::vector<std::int64_t> expected;
  auto const check = [&](auto const& run) {
    Kokkos::deep_copy(table, 0);
    symm::barrier_all();
    run();
    symm::barrier_all();
    std::vector<std::int64_t> const now(words, words + n_words);
    if (expected.empty()) expected = now;
    for (std::size_t i = 0; i < n_words; ++i) wrong += now[i] != expected[i];
  };
  check(run_mpi);
  check(run_hand);
  check(run_atomic);
  check(run_mailbox);
  check(run_views);
  check(run_kernel);
  auto const bytes = static_cast<std::int64_t>(sizeof(Message));
  session.compare({{{"messages to random PEs, bytes of one", bytes},
                    {"messages of a PE", static_cast<std::int64_t>(count)}}},
                  {{"MPI", "", repeat(run_mpi)},
                   {"by hand", "MPI", repeat(run_hand)},
                   {"atomic_add", "MPI", repeat(run_atomic)},
                   {"Mailbox", "MPI", repeat(run_mailbox)},
                   {"Mailbox again", "by hand", repeat(run_mailbox)},
                   {"Mailbox, Views", "Mailbox", repeat(run_views)},
                   {"Mailbox, kernel", "Mailbox", repeat(run_kernel)}});
  session.verify("messages", wrong);
}

void measure_end(Session& session) {
  std::int64_t n_handled = 0;
  std::int64_t n_sent    = 0;
  symm::Mailbox<int> mailbox("end", [&](int const& n) { n_handled += n; });
  auto const barrier = [] { symm::barrier_all(); };
  auto const nothing = [&] { mailbox.finish(); };
  auto const one     = [&] {
    ++n_sent;
    if (symm::my_pe() == 0) mailbox.send(symm::n_pes() - 1, 1);
    mailbox.finish();
  };
  session.compare({{{"end of a phase", 0}}},
                  {{"barrier_all", "", repeat(barrier)},
                   {"finish", "barrier_all", repeat(nothing)},
                   {"finish, a message", "barrier_all", repeat(one)}});
  bool const is_last = symm::my_pe() == symm::n_pes() - 1;
  session.verify("end of a phase", n_handled != (is_last ? n_sent : 0));
}

void measure(Session& session) {
  std::size_t const count = session.quick() ? 20'000 : 1'000'000;
  measure_updates<Index>(session, count);
  measure_updates<Update>(session, count);
  measure_end(session);
}

Registered const registered{"mailbox", measure};

}  // namespace
}  // namespace perf::mailbox_benchmark
