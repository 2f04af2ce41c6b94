// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_FAKE_CUDA_CONTROL_HPP
#define SYMM_TEST_FAKE_CUDA_CONTROL_HPP

#include <cstddef>

// What the fake driver exports besides the driver's own functions. A test finds
// these with dlsym() in the library that the program under test has loaded.
// They concern only this process, except for the bytes in use.

// The same as in cuda.h, which a program for another vendor need not have.
using CUstream = struct CUstream_st*;

extern "C" {

/// What this process holds.
struct FakeCudaCounts {
  std::size_t handles;       // references to physical memory
  std::size_t mappings;      //
  std::size_t reservations;  //
  std::size_t contexts;      // references to primary contexts
  std::size_t registered;    // ranges from cuMemHostRegister()
  std::size_t opened;        // references from cuIpcOpenMemHandle()
  std::size_t events;        //
};
FakeCudaCounts fake_cuda_counts();

/// Number of contexts that are pushed on this thread.
int fake_cuda_n_current_contexts();

/// Physical bytes at a place ("gpu0" with the physical number, or "numa0") that
/// any process on the machine (FAKE_CUDA_MACHINE) keeps alive.
std::size_t fake_cuda_bytes_in_use(char const* place);

/// Number of calls so far of the driver's function with that name.
std::size_t fake_cuda_n_calls(char const* function);

/// Starting with call number `first` of `function` (counted from 0, from now
/// on), `times` calls return `result` (a CUresult) and do nothing else. Only
/// one fault at a time.
void fake_cuda_fail(char const* function, int first, int times, int result);

/// The functions of the CUDA runtime with which a program may have allocated
/// memory.
enum FakeCudaMemory {
  fake_cuda_malloc,
  fake_cuda_malloc_async,
  fake_cuda_malloc_managed,
  fake_cuda_malloc_host,
};
/// Returns null if there is no room. cuInit() must have been called.
void* fake_cuda_allocate(FakeCudaMemory kind, int device, std::size_t bytes);
void fake_cuda_free(void* start);

/// Creates a stream on a device. It and the null stream do not wait for each
/// other.
CUstream fake_cuda_make_stream(int device);
/// Work that is already in the stream still runs.
void fake_cuda_destroy_stream(CUstream stream);
/// Begins or ends the capture of a stream; work enqueued during the capture is
/// lost. Returns whether the capture was valid.
bool fake_cuda_capture(CUstream stream, bool is_captured);

/// Launches a kernel in a stream of a device (if null, the null stream): after
/// `milliseconds`, calls work(argument) on another thread.
void fake_cuda_launch(int device, CUstream stream, int milliseconds,
                      void (*work)(void*), void* argument);

/// While kernels of the program occupy the GPUs, kernels launched by the
/// library do not begin.
void fake_cuda_occupy(bool is_occupied);

/// From now on, kernels of the library have already ended when their launch
/// returns.
void fake_cuda_run_at_launch();

/// Makes the device's context unusable, as a faulting kernel does.
void fake_cuda_lose_context(int device);
}

#endif
