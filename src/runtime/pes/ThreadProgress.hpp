// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PES_THREAD_PROGRESS_HPP
#define SYMM_PES_THREAD_PROGRESS_HPP

namespace symm::Impl {

/// The work for other PEs that a thread does while it waits for them: one of
/// these may wait until it is done. A thread has one at most.
///
/// Barriers, collective calls, locks and waits for variables call it. One-sided
/// operations do not: the threads of the library complete them.
class ThreadProgress {
 public:
  /// Does some of the work of the calling thread, unless it is Working already.
  /// \returns whether there was any.
  static bool make() noexcept {
    return t_current != nullptr && t_current->make_of_thread();
  }
  /// Whether the calling thread has such work.
  [[nodiscard]] static bool exists() noexcept { return t_current != nullptr; }

  ThreadProgress(ThreadProgress const&)            = delete;
  ThreadProgress& operator=(ThreadProgress const&) = delete;

 protected:
  ThreadProgress() = default;
  ~ThreadProgress() { end(); }
  /// Makes it that of the calling thread.
  void begin() noexcept;
  /// By the same thread.
  void end() noexcept;

  /// The thread does the work to the end of the scope. Nests.
  class Working {
   public:
    explicit Working(ThreadProgress& its) noexcept
        : m_its(its), m_was_working(its.m_is_working) {
      m_its.m_is_working = true;
    }
    Working(Working const&)            = delete;
    Working& operator=(Working const&) = delete;
    ~Working() { m_its.m_is_working = m_was_working; }

   private:
    ThreadProgress& m_its;
    bool m_was_working;
  };

 private:
  virtual bool work() noexcept = 0;
  bool make_of_thread() noexcept;

  // (Defined in a source: a program whose symbols are hidden would get one of
  // its own from a header.)
  static thread_local ThreadProgress* t_current;
  bool m_is_working = false;
};

}  // namespace symm::Impl

#endif
