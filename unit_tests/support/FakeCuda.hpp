// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_FAKE_CUDA_HPP
#define SYMM_TEST_FAKE_CUDA_HPP

// Without CUDA's headers, there is no fake driver. Tests of a machine's own
// driver need only is_selected().
#if __has_include(<cuda.h>)
#include <cuda.h>
#endif
#include <support/fake_cuda/Control.hpp>

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <string>

namespace symm_test {

/// A test's handle on the fake CUDA driver that the program under test loads.
/// fake_cuda/Config.hpp lists the environment variables that describe the
/// machine.
class FakeCuda {
 public:
  /// Whether the driver that dlopen() finds is the fake one. The environment
  /// variable SYMM_TEST_FAKE_CUDA says so, and the library must agree.
  static bool is_selected();

  /// The fake driver in this process. Does not initialize the driver.
  static FakeCuda const& instance();

  /// Describes a machine with `n_devices` GPUs that only processes forked from
  /// now on share. All other settings have their defaults.
  static void set_machine(int n_devices);
  /// Sets an environment variable of this process.
  static void set(char const* variable, std::string const& value);

  [[nodiscard]] FakeCudaCounts counts() const {
    auto counts = m_counts();
#ifdef SYMM_TEST_HIP
    // HIP has no contexts, and its stand-in keeps those that it uses.
    counts.contexts = 0;
#endif
    return counts;
  }
  [[nodiscard]] int n_current_contexts() const { return m_n_current(); }
  [[nodiscard]] std::size_t bytes_in_use(std::string const& place) const {
    return m_bytes_in_use(place.c_str());
  }

  void fail(char const* function, int result, int first = 0,
            int times = 1'000'000) const {
    m_fail(function, first, times, result);
  }
  void heal() const { m_fail("", 0, 0, 0); }

  /// Allocates memory as a program would, with a function of the CUDA runtime.
  [[nodiscard]] char* allocate(FakeCudaMemory kind, std::size_t bytes,
                               int device = 0) const {
    return static_cast<char*>(m_allocate(kind, device, bytes));
  }
  void free(void* start) const { m_free(start); }

  [[nodiscard]] std::size_t n_calls(char const* function) const {
    return m_n_calls(function);
  }

  [[nodiscard]] CUstream make_stream(int device = 0) const {
    return m_make_stream(device);
  }
  void destroy_stream(CUstream stream) const { m_destroy_stream(stream); }
  void begin_capture(CUstream stream) const { m_capture(stream, true); }
  /// Returns whether the capture was valid.
  bool end_capture(CUstream stream) const { return m_capture(stream, false); }

  /// Launches a kernel that does `work` after `milliseconds`.
  void launch(int device, int milliseconds, std::function<void()> work,
              CUstream stream = nullptr) const;
  /// From now on, kernels of the library find no room on the GPUs and do not
  /// begin.
  void occupy() const { m_occupy(true); }
  void leave() const { m_occupy(false); }
  /// From now on, kernels of the library have already ended when their launch
  /// returns.
  void run_at_launch() const { m_run_at_launch(); }
  void lose_context(int device) const { m_lose_context(device); }

 private:
  FakeCuda();

  decltype(&fake_cuda_counts) m_counts;
  decltype(&fake_cuda_n_current_contexts) m_n_current;
  decltype(&fake_cuda_bytes_in_use) m_bytes_in_use;
  decltype(&fake_cuda_n_calls) m_n_calls;
  decltype(&fake_cuda_make_stream) m_make_stream;
  decltype(&fake_cuda_destroy_stream) m_destroy_stream;
  decltype(&fake_cuda_capture) m_capture;
  decltype(&fake_cuda_fail) m_fail;
  decltype(&fake_cuda_allocate) m_allocate;
  decltype(&fake_cuda_free) m_free;
  decltype(&fake_cuda_launch) m_launch;
  decltype(&fake_cuda_occupy) m_occupy;
  decltype(&fake_cuda_run_at_launch) m_run_at_launch;
  decltype(&fake_cuda_lose_context) m_lose_context;
};

}  // namespace symm_test

// In the global namespace, like FakeCudaCounts.
bool operator==(FakeCudaCounts const& a, FakeCudaCounts const& b);
std::ostream& operator<<(std::ostream& out, FakeCudaCounts const& counts);

#endif
