// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
// Streams of the library's own, stores of words and waits for them, and the one
// kernel that it has.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <thread>
#include <type_traits>

#include <runtime/memory/AtomicBatch.hpp>
#include <runtime/transport/TargetMemory.hpp>

#include "Driver.hpp"

using fake_cuda::Driver;
using fake_cuda::Entry;
using fake_cuda::Place;

namespace {

/// What a module and its function are; each is one byte of this.
char s_module_and_function[2];

CUmodule module() {
  return reinterpret_cast<CUmodule>(&s_module_and_function[0]);
}
CUfunction function() {
  return reinterpret_cast<CUfunction>(&s_module_and_function[1]);
}

/// As a stream's wait compares.
template <class Word>
bool is_met(Word const* word, Word value, bool is_equal) {
  Word const now = __atomic_load_n(word, __ATOMIC_ACQUIRE);
  return is_equal ? now == value
                  : static_cast<std::make_signed_t<Word>>(
                        static_cast<Word>(now - value)) >= 0;
}

}  // namespace

namespace {
constexpr int highest_priority = -5;
}

CUresult cuCtxGetStreamPriorityRange(int* lowest, int* highest) {
  Entry entry("cuCtxGetStreamPriorityRange");
  if (auto const result = entry.context_result(); result != CUDA_SUCCESS) {
    return result;
  }
  if (lowest != nullptr) *lowest = 0;
  if (highest != nullptr) *highest = highest_priority;
  return CUDA_SUCCESS;
}

/// Refuses streams whose work could wait behind the program's.
CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned flags,
                                    int priority) {
  Entry entry("cuStreamCreateWithPriority");
  if (auto const result = entry.context_result(); result != CUDA_SUCCESS) {
    return result;
  }
  if (flags != CU_STREAM_NON_BLOCKING || priority != highest_priority) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  auto& driver       = entry.driver;
  *stream            = &driver.streams.emplace_back();
  (*stream)->context = driver.current();
  return CUDA_SUCCESS;
}

CUresult cuStreamDestroy(CUstream stream) {
  Entry entry("cuStreamDestroy");
  auto const result = entry.stream_result(stream);
  if (result != CUDA_SUCCESS) return result;
  stream->context = nullptr;
  return CUDA_SUCCESS;
}

CUresult cuStreamBatchMemOp(CUstream stream, unsigned count,
                            CUstreamBatchMemOpParams* all, unsigned flags) {
  Entry entry("cuStreamBatchMemOp");
  auto const result = entry.stream_result(stream);
  if (result != CUDA_SUCCESS) return result;
  if (count > 256 || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  auto& driver = entry.driver;
  int const gpu =
      stream == nullptr ? driver.current()->gpu : stream->context->gpu;
  auto const place = Place{true, gpu}.name();
  for (unsigned i = 0; i < count; ++i) {
    auto const& its    = all[i].writeValue;
    bool const is_wait = its.operation == CU_STREAM_MEM_OP_WAIT_VALUE_64 ||
                         its.operation == CU_STREAM_MEM_OP_WAIT_VALUE_32;
    bool const is_wide = its.operation == CU_STREAM_MEM_OP_WRITE_VALUE_64 ||
                         its.operation == CU_STREAM_MEM_OP_WAIT_VALUE_64;
    if (!is_wide && !is_wait &&
        its.operation != CU_STREAM_MEM_OP_WRITE_VALUE_32) {
      return CUDA_ERROR_NOT_SUPPORTED;
    }
    std::size_t const bytes = is_wide ? 8 : 4;
    // Of memory of the stream's GPU, aligned.
    auto const* const other = driver.program.find(its.address).range;
    bool const is_there =
        driver.addresses.is_reserved(its.address)
            ? driver.addresses.may_access(its.address, bytes, place, true)
            : other != nullptr && other->kind == fake_cuda_malloc &&
                  other->memory != nullptr;
    if (its.address % bytes != 0 || !is_there) return CUDA_ERROR_INVALID_VALUE;
    if (is_wait) {
      bool const is_equal = its.flags == CU_STREAM_WAIT_VALUE_EQ;
      entry.queue_of(stream).push([=] {
        auto const* const word = reinterpret_cast<void const*>(its.address);
        while (is_wide ? !is_met(static_cast<std::uint64_t const*>(word),
                                 its.value64, is_equal)
                       : !is_met(static_cast<std::uint32_t const*>(word),
                                 its.value, is_equal)) {
          std::this_thread::yield();
        }
      });
      continue;
    }
    entry.queue_of(stream).push([=] {
      symm::Impl::store_block(reinterpret_cast<char*>(its.address),
                              &its.value64, bytes);
    });
  }
  return CUDA_SUCCESS;
}

CUresult cuMemAlloc(CUdeviceptr* address, std::size_t bytes) {
  Entry entry("cuMemAlloc");
  if (auto const result = entry.context_result(); result != CUDA_SUCCESS) {
    return result;
  }
  auto& driver = entry.driver;
  *address     = reinterpret_cast<CUdeviceptr>(
      driver.program.allocate(driver.config.machine, fake_cuda_malloc,
                                  Place{true, driver.current()->gpu}, bytes));
  return *address == 0 ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}

CUresult cuMemFree(CUdeviceptr address) {
  Entry entry("cuMemFree");
  if (auto const result = entry.context_result(); result != CUDA_SUCCESS) {
    return result;
  }
  if (entry.driver.program.find(address).start != address) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  entry.driver.program.free(reinterpret_cast<void*>(address));
  return CUDA_SUCCESS;
}

CUresult cuModuleLoadData(CUmodule* loaded, void const* image) {
  Entry entry("cuModuleLoadData");
  if (auto const result = entry.context_result(); result != CUDA_SUCCESS) {
    return result;
  }
  std::string_view const text = static_cast<char const*>(image);
  if (text.find(".version") == text.npos) return CUDA_ERROR_INVALID_IMAGE;
  *loaded = module();
  return CUDA_SUCCESS;
}

CUresult cuModuleUnload(CUmodule loaded) {
  Entry entry("cuModuleUnload");
  if (auto const result = entry.context_result(); result != CUDA_SUCCESS) {
    return result;
  }
  return loaded == module() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode* mode) {
  Entry entry("cuModuleGetLoadingMode");
  if (entry.result() != CUDA_SUCCESS) return entry.result();
  *mode = entry.driver.config.is_eager ? CU_MODULE_EAGER_LOADING
                                       : CU_MODULE_LAZY_LOADING;
  return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction* found, CUmodule loaded,
                             char const* name) {
  Entry entry("cuModuleGetFunction");
  if (auto const result = entry.context_result(); result != CUDA_SUCCESS) {
    return result;
  }
  if (loaded != module()) return CUDA_ERROR_INVALID_HANDLE;
  if (name != std::string_view("symm_change_words"))
    return CUDA_ERROR_NOT_FOUND;
  *found = function();
  return CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction launched, unsigned grid_x, unsigned grid_y,
                        unsigned grid_z, unsigned block_x, unsigned block_y,
                        unsigned block_z, unsigned shared_bytes,
                        CUstream stream, void** parameters, void** extra) {
  Entry entry("cuLaunchKernel");
  auto const result = entry.stream_result(stream);
  if (result != CUDA_SUCCESS) return result;
  if (launched != function() || grid_x == 0 || grid_y * grid_z != 1 ||
      block_x > 128 || block_y * block_z != 1 || shared_bytes != 0 ||
      extra != nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  CUdeviceptr address = 0;
  std::uint64_t word  = 0;
  std::memcpy(&address, parameters[0], sizeof address);
  std::memcpy(&word, parameters[1], sizeof word);
  if (entry.driver.program.find(address).range == nullptr) {
    return CUDA_ERROR_ILLEGAL_ADDRESS;
  }
  auto* const board = reinterpret_cast<symm::Impl::AtomicBoard*>(address);
  // A kernel reaches only page-locked memory.
  for (auto const its : {reinterpret_cast<CUdeviceptr>(board->changes),
                         reinterpret_cast<CUdeviceptr>(board->finished)}) {
    if (entry.driver.program.find(its).range == nullptr)
      return CUDA_ERROR_ILLEGAL_ADDRESS;
  }
  // Drivers have room for about a thousand; then a launch waits, perhaps for
  // kernels that wait for it.
  constexpr int max_launched = 256;
  if (stream == nullptr || ++stream->n_launched > max_launched)
    return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  auto const work = [board, run = symm::Impl::AtomicBatch(word)] {
    while (Driver::instance().is_occupied) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    while (true) {
      auto const parts = claim_parts(*board, run, 4);
      if (parts.count == 0) return;
      for (std::size_t p = 0; p < parts.count; ++p) {
        for (std::size_t i = 0; i < symm::Impl::AtomicBatch::in_part; ++i)
          change_one(*board, run, parts.first + p, i);
      }
      finish_parts(*board, run, parts.count);
    }
  };
  if (entry.driver.runs_at_launch) {
    work();
  } else {
    entry.queue_of(stream).push(work);
  }
  return CUDA_SUCCESS;
}
