// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_MAIL_THREADS_HPP
#define SYMM_MAIL_THREADS_HPP

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include <Kokkos_SymmetricSpace_Edge.hpp>

#include "MailBins.hpp"

namespace symm::Impl {

/// Messages sent by threads other than the mailbox's thread. Each thread
/// collects messages in chunks, one for each link. It hands full chunks over to
/// the mailbox's thread, which copies the messages into blocks. close() hands
/// over all chunks. Sending threads therefore never wait for a PE and lock a
/// mutex only once per chunk.
class MailThreads {
 public:
  using Bin = MailBins::Bin;
  struct Chunk {
    std::unique_ptr<std::byte[]> messages;
    std::size_t begin = 0;  // byte offset of the first message that is not yet
                            // in a block
    std::size_t end = 0;
  };
  using Chunks = std::list<Chunk>;
  /// The messages that one thread collects.
  struct Gathered {
    /// The free space in the link's chunk in progress.
    [[nodiscard]] Bin& bin(std::size_t link) { return bins[line + link]; }

    // `bins` is padded at both ends so that no other data share its cache
    // lines.
    static constexpr std::size_t line = 64 / sizeof(Bin);
    std::vector<Bin> bins;
    std::vector<Chunks> chunks;  // for each link, its chunk in progress, if any
  };

  /// \param call a name for error messages; must outlive this object.
  MailThreads(char const* call, MailBins const& bins);
  MailThreads(MailThreads const&)            = delete;
  MailThreads& operator=(MailThreads const&) = delete;
  ~MailThreads();

  // The following functions are callable from any thread.
  [[nodiscard]] MailBins const& bins() const { return m_bins; }
  /// The object that collects the calling thread's messages; null if there is
  /// not enough memory.
  [[nodiscard]] Gathered* gathered_here() noexcept {
    struct Latest {
      std::uint64_t id;
      Gathered* gathered;
    };
    static thread_local std::array<Latest, 4> latest;
    auto& entry = latest[m_id % latest.size()];
    if (entry.id != m_id) {
      auto* const gathered = find();
      if (gathered == nullptr) return nullptr;
      entry = {m_id, gathered};
    }
    return entry.gathered;
  }
  /// Makes room for a message on a link: hands over the chunk in progress, if
  /// any, and starts the next one.
  /// \returns whether there is room now; false if there is not enough memory.
  bool open(Gathered& gathered, std::size_t link) noexcept;
  /// Records why a message was not sent. Only the first failure is kept.
  void fail(Failure const& failure) noexcept;
  void fail_for_no_pe(Pe pe) noexcept;

  // The following functions are called only by the mailbox's thread.
  /// Copies the messages from full chunks into blocks, as long as there is
  /// room.
  /// \returns whether any messages were copied.
  bool put(MailBins& bins);
  /// Hands over all chunks. Precondition: no other thread is sending.
  /// \returns whether there were any chunks.
  bool close();
  /// Whether all messages from chunks that were handed over are now in blocks.
  [[nodiscard]] bool is_empty() const {
    return m_n_taken == 0 && !m_has_full.load(std::memory_order_acquire);
  }
  /// Returns and clears the first failure since the previous call; empty if
  /// there is none.
  std::optional<Failure> take_failure();

 private:
  [[nodiscard]] std::size_t room(std::size_t link) const {
    auto const bytes = m_bins.message_bytes(link);
    return m_chunk_bytes / bytes * bytes;
  }
  Gathered* find() noexcept;
  void hand_over(Gathered& gathered, std::size_t link);

  MailBins const& m_bins;
  char const* m_call;
  std::uint64_t m_id;  // never reused for another object
  std::size_t m_chunk_bytes;

  std::mutex m_mutex;  // protects the following four members
  std::map<std::thread::id, Gathered> m_gathered;
  std::vector<Chunks> m_full;  // for each link, chunks that were handed over
  Chunks m_free;
  std::optional<Failure> m_failure;

  std::atomic<bool> m_has_full   = false;
  std::atomic<bool> m_has_chunks = false;  // whether there are chunks in
                                           // progress
  std::atomic<bool> m_has_failed = false;

  std::vector<Chunks> m_taken;  // for each link; used only by the mailbox's
                                // thread
  std::size_t m_n_taken = 0;
};

}  // namespace symm::Impl

#endif
