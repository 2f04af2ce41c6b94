// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PES_THREAD_PROGRESS_HPP
#define SYMM_PES_THREAD_PROGRESS_HPP

namespace symm::Impl {

/// The work for other PEs that a thread does while it waits for PEs. One of
/// these may wait until that work is done. A thread has at most one such
/// object.
///
/// Barriers, collective calls, locks and waits for variables call make().
/// One-sided operations do not: the threads of the library complete them.
class ThreadProgress {
 public:
  /// Does some of the work of the calling thread, unless the thread is Working
  /// already.
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
  /// Makes this object that of the calling thread.
  void begin() noexcept;
  /// To be called by the same thread.
  void end() noexcept;

  /// Marks the thread as doing the work, until the end of the scope. Nests.
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

  // (Defined in a source file: if it were defined in the header, a program with
  // hidden symbols would get a copy of its own.)
  static thread_local ThreadProgress* t_current;
  bool m_is_working = false;
};

}  // namespace symm::Impl

#endif
