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

/// Messages of other threads than the one that has the mailbox. Each thread
/// gathers them in chunks, one for each link. Full chunks, and in close() all
/// others, are handed over to the mailbox's thread, which moves them to blocks.
/// So threads wait for nobody, and need a lock for a chunk only.
class MailThreads {
 public:
  using Bin = MailBins::Bin;
  struct Chunk {
    std::unique_ptr<std::byte[]> messages;
    std::size_t begin = 0;  // of those that are in no block yet, in bytes
    std::size_t end   = 0;
  };
  using Chunks = std::list<Chunk>;
  /// Of one thread.
  struct Gathered {
    /// The rest of the chunk of a link.
    [[nodiscard]] Bin& bin(std::size_t link) { return bins[line + link]; }

    // In cache lines of their own.
    static constexpr std::size_t line = 64 / sizeof(Bin);
    std::vector<Bin> bins;
    std::vector<Chunks> chunks;  // one of each link, or none
  };

  /// \param call of errors; outlives this.
  MailThreads(char const* call, MailBins const& bins);
  MailThreads(MailThreads const&)            = delete;
  MailThreads& operator=(MailThreads const&) = delete;
  ~MailThreads();

  // By any thread.
  [[nodiscard]] MailBins const& bins() const { return m_bins; }
  /// The messages that the calling thread has gathered; null: there is no
  /// memory for them.
  [[nodiscard]] Gathered* mine() noexcept {
    struct Latest {
      std::uint64_t id;
      Gathered* gathered;
    };
    static thread_local std::array<Latest, 4> latest;
    auto& its = latest[m_id % latest.size()];
    if (its.id != m_id) {
      auto* const gathered = find();
      if (gathered == nullptr) return nullptr;
      its = {m_id, gathered};
    }
    return its.gathered;
  }
  /// Makes room for a message: hands the chunk of the link over, if there is
  /// one, and begins the next. \returns whether there is room now.
  bool open(Gathered& mine, std::size_t link) noexcept;
  /// Keeps why a message was not sent, if nothing else was before.
  void fail(Failure const& failure) noexcept;
  void fail_for_no_pe(Pe pe) noexcept;

  // By the mailbox's thread.
  /// Moves chunks that were handed over to blocks, as far as there is room.
  /// \returns whether it moved anything.
  bool put(MailBins& bins);
  /// Hands all chunks over, while no other thread sends. \returns whether there
  /// were any.
  bool close();
  /// Whether all chunks that were handed over are in blocks.
  [[nodiscard]] bool is_empty() const {
    return m_n_taken == 0 && !m_has_full.load(std::memory_order_acquire);
  }
  /// The first failure since the last call.
  std::optional<Failure> take_failure();

 private:
  [[nodiscard]] std::size_t room(std::size_t link) const {
    auto const bytes = m_bins.message_bytes(link);
    return m_chunk_bytes / bytes * bytes;
  }
  Gathered* find() noexcept;
  void hand_over(Gathered& its, std::size_t link);

  MailBins const& m_bins;
  char const* m_call;
  std::uint64_t m_id;  // of no other object, ever
  std::size_t m_chunk_bytes;

  std::mutex m_mutex;  // of what follows
  std::map<std::thread::id, Gathered> m_gathered;
  std::vector<Chunks> m_full;  // of each link
  Chunks m_free;
  std::optional<Failure> m_failure;

  std::atomic<bool> m_has_full   = false;
  std::atomic<bool> m_has_chunks = false;  // that are not full
  std::atomic<bool> m_has_failed = false;

  std::vector<Chunks> m_taken;  // of each link, by the mailbox's thread
  std::size_t m_n_taken = 0;
};

}  // namespace symm::Impl

#endif
