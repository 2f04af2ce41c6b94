// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_MAIL_SENDER_HPP
#define SYMM_MAIL_SENDER_HPP

#include <cstddef>
#include <cstring>

#include <Kokkos_Core.hpp>

#include "../../runtime/symm_job.hpp"
#include "MailThreads.hpp"

namespace symm {

template <class Message>
class Mailbox;

namespace Impl {

/// A message that other PEs pass on to its receiver, `pe`.
template <class Message>
struct PassedMessage {
  Message message;
  Pe pe;
};

}  // namespace Impl

/// Sends messages through a Mailbox from any number of host threads at the same
/// time: from kernels in host execution spaces, or from std::threads.
/// Mailbox::sender() returns a MailSender. It can be copied and stays valid as
/// long as the mailbox exists.
///
///     auto const sender = mailbox.sender();
///     Kokkos::parallel_for(n, KOKKOS_LAMBDA(int k) {  // OpenMP or Threads
///       sender.send(pe(k), {k, value(k)});
///     });
///     Kokkos::fence();
///     mailbox.finish();
template <class Message>
class MailSender {
 public:
  /// Sends a message to PE `pe`, which may be this PE. The call never waits,
  /// runs no handlers and does not throw. Messages stay in this PE's memory
  /// until the mailbox's thread calls send(), progress() or finish(). The most
  /// recent messages from each thread stay there until finish(). (The mailbox
  /// reuses up to 64 MiB of that memory for later messages.) If PE `pe` does
  /// not exist or memory runs out, the message is lost, and finish() throws
  /// UsageError or OutOfMemory on all PEs.
  ///
  /// Callable from any host thread, but not from a GPU. While the mailbox's
  /// thread is in finish(), no other thread may send, so fence the kernel or
  /// join the thread first.
  KOKKOS_FUNCTION void send([[maybe_unused]] Pe pe,
                            [[maybe_unused]] Message const& message) const {
    KOKKOS_IF_ON_HOST((send_on_host(pe, message);))
    KOKKOS_IF_ON_DEVICE(
        (Kokkos::abort("symm::MailSender::send: must not be called on a GPU");))
  }

 private:
  friend class Mailbox<Message>;
  explicit MailSender(Impl::MailThreads& threads)
      : m_threads(&threads),
        m_n_direct(threads.bins().is_direct()
                       ? static_cast<unsigned>(threads.bins().n_links())
                       : 0) {}

  void send_on_host(Pe pe, Message const& message) const {
    auto* const gathered = m_threads->gathered_here();
    if (gathered == nullptr) return;
    if (static_cast<unsigned>(pe) < m_n_direct) {
      append(*gathered, static_cast<std::size_t>(pe), message);
    } else {
      send_slowly(*gathered, pe, message);
    }
  }
  void send_slowly(Impl::MailThreads::Gathered& gathered, Pe pe,
                   Message const& message) const {
    auto const& bins = m_threads->bins();
    if (pe < 0 || pe >= bins.members().n()) {
      m_threads->fail_for_no_pe(pe);
      return;
    }
    auto const link = bins.link_to(pe);
    if (bins.is_last(link)) {
      append(gathered, link, message);
    } else {
      append(gathered, link, Impl::PassedMessage<Message>{message, pe});
    }
  }
  template <class T>
  void append(Impl::MailThreads::Gathered& gathered, std::size_t link,
              T const& message) const {
    auto& bin = gathered.bin(link);
    if (bin.next == bin.end && !m_threads->open(gathered, link)) return;
    std::memcpy(bin.next, &message, sizeof message);
    bin.next += sizeof message;
  }

  Impl::MailThreads* m_threads;
  unsigned m_n_direct;  // number of PEs to which this PE has a direct link; 0
                        // if the mailbox does not use direct links
};

}  // namespace symm

#endif
