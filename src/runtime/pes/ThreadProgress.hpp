// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PES_THREAD_PROGRESS_HPP
#define SYMM_PES_THREAD_PROGRESS_HPP

namespace symm::Impl {

/// The work that a thread does for other PEs while it waits. A PE that the
/// thread waits for may itself be waiting for this work. Each thread has at
/// most one ThreadProgress. A derived class implements work().
///
/// Barriers, collective calls, locks and waits on variables call make().
/// One-sided operations do not call it, because the library's own threads
/// complete them.
class ThreadProgress {
 public:
  /// Calls the work() function of the calling thread's ThreadProgress, if any,
  /// unless the thread is already working (see Working).
  /// \returns whether there was any work.
  static bool make() noexcept {
    return t_current != nullptr && t_current->make_of_thread();
  }
  /// Whether the calling thread has a ThreadProgress.
  [[nodiscard]] static bool exists() noexcept { return t_current != nullptr; }

  ThreadProgress(ThreadProgress const&)            = delete;
  ThreadProgress& operator=(ThreadProgress const&) = delete;

 protected:
  ThreadProgress() = default;
  ~ThreadProgress() { end(); }
  /// Makes this object the calling thread's ThreadProgress.
  void begin() noexcept;
  /// Must be called by the thread that called begin().
  void end() noexcept;

  /// Marks the thread as working until the end of the scope. In the meantime,
  /// make() does nothing. May be nested.
  class Working {
   public:
    explicit Working(ThreadProgress& progress) noexcept
        : m_its(progress), m_was_working(progress.m_is_working) {
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

  // Defined in a source file, because a program with hidden symbols would
  // otherwise contain its own copy.
  static thread_local ThreadProgress* t_current;
  bool m_is_working = false;
};

}  // namespace symm::Impl

#endif
