// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_FAKE_CUDA_CONTROL_HPP
#define SYMM_TEST_FAKE_CUDA_CONTROL_HPP

#include <cuda.h>

#include <cstddef>

// What the fake driver exports besides the driver's own functions: a test finds
// these with dlsym() in the library that the program under test has loaded.
// They are about this process only, but for the bytes in use.

extern "C" {

/// What this process holds.
struct FakeCudaCounts {
  std::size_t handles;       // references to physical memory
  std::size_t mappings;      //
  std::size_t reservations;  //
  std::size_t contexts;      // references to primary contexts
  std::size_t registered;    // ranges of cuMemHostRegister()
  std::size_t opened;        // references of cuIpcOpenMemHandle()
  std::size_t events;        //
};
FakeCudaCounts fake_cuda_counts();

/// Contexts that are pushed on this thread.
int fake_cuda_n_current_contexts();

/// Physical bytes at a place ("gpu0" by its physical number, "numa0") that any
/// process of the machine (FAKE_CUDA_MACHINE) keeps.
std::size_t fake_cuda_bytes_in_use(char const* place);

/// Calls of a function of the driver so far, by name.
std::size_t fake_cuda_n_calls(char const* function);

/// From its call number `first` (from 0, counted from now) on, `times` calls of
/// `function` return `result` and do nothing else. One fault at a time.
void fake_cuda_fail(char const* function, int first, int times,
                    CUresult result);

/// The functions of the CUDA runtime that a program may have used.
enum FakeCudaMemory {
  fake_cuda_malloc,
  fake_cuda_malloc_async,
  fake_cuda_malloc_managed,
  fake_cuda_malloc_host,
};
/// Null if there is no room. cuInit() must have been called.
void* fake_cuda_allocate(FakeCudaMemory kind, int device, std::size_t bytes);
void fake_cuda_free(void* start);

/// A stream of a device; waits neither for the null one nor that for it.
CUstream fake_cuda_make_stream(int device);
/// What it has to do goes on.
void fake_cuda_destroy_stream(CUstream stream);
/// Begins or ends the capture of a stream; what is put into it then is lost.
/// Whether the capture was valid.
bool fake_cuda_capture(CUstream stream, bool is_captured);

/// Begins a kernel in a stream of a device (null: its null stream): after
/// `milliseconds`, on another thread, calls work(argument).
void fake_cuda_launch(int device, CUstream stream, int milliseconds,
                      void (*work)(void*), void* argument);

/// While kernels of the program occupy the GPUs, launched ones do not begin.
void fake_cuda_occupy(bool is_occupied);

/// From now on kernels of the library have ended when their launch returns.
void fake_cuda_run_at_launch();

/// Makes the device's context as lost as a faulting kernel does.
void fake_cuda_lose_context(int device);
}

#endif
