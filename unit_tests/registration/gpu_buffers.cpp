// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Memory of the GPU's driver and runtime that the program has made itself.

#include <cstddef>
#include <vector>

#include <kokkos/view_helpers.hpp>
#include <registration/registration_test.hpp>
#include <runtime/CudaProgram.hpp>
#include <runtime/gpu/Driver.hpp>
#include <support/gpu.hpp>

namespace {

using namespace symm_test;
using symm::buffer_register;
using symm::buffer_register_symmetric;
using symm::buffer_unregister;
using symm::MemoryKind;
using symm::Status;

gpu::Driver const& driver() { return gpu::Driver::instance(); }

int my_device() { return device_of(Gpu()); }

/// Memory of the GPU's runtime, of one kind after the other.
struct RuntimeMemory {
  char const* name;
  gpuError_t (*allocate)(void**, std::size_t);
  gpuError_t (*free)(void*);
};
constexpr std::size_t bytes = 2 * granule;

RuntimeMemory const runtime_memories[] = {
    {gpu::text::malloc, [](void** p, std::size_t n) { return gpuMalloc(p, n); },
     [](void* p) { return gpuFree(p); }},
    {gpu::text::malloc_async,
     [](void** p, std::size_t n) {
       auto const result = gpuMallocAsync(p, n, nullptr);
       return result != gpuSuccess ? result : gpuStreamSynchronize(nullptr);
     },
     [](void* p) { return gpuFree(p); }},
    {"managed",
     [](void** p, std::size_t n) {
       return gpuMallocManaged(p, n, gpuMemAttachGlobal);
     },
     [](void* p) { return gpuFree(p); }},
    {"page-locked", [](void** p, std::size_t n) { return gpuMallocHost(p, n); },
     [](void* p) { return gpuFreeHost(p); }}};

TEST(CudaBuffers, R05_device_memory_of_the_driver_becomes_symmetric) {
  CudaProgram const memory(MemoryKind::device, bytes, gpu::by_descriptor, 1,
                           my_device());
  set_bytes(memory.address(), 3, bytes);
  auto* const address =
      static_cast<char*>(buffer_register_symmetric(memory.address(), bytes, 0));
  EXPECT_NE(address, nullptr) << symm::last_error();
  EXPECT_EQ(difference_from(3, address, bytes), no_difference);
  symm::barrier_all();
  expect_all_reach_all(address, bytes);
  EXPECT_EQ(memory_bytes(memory.address(), bytes),
            memory_bytes(address, bytes));
  unregister(address, bytes);
}

TEST(CudaBuffers, R06_host_memory_of_a_NUMA_node_becomes_symmetric) {
  CudaProgram const memory(MemoryKind::host, bytes, gpu::by_descriptor, 1,
                           my_device());
  auto* const address = static_cast<std::uint64_t*>(
      buffer_register_symmetric(memory.address(), bytes, 0));
  EXPECT_NE(address, nullptr) << symm::last_error();
  if (address == nullptr) return;
  EXPECT_EQ(symm::heap_stats(symm::MemoryKind::host).registered_bytes, bytes);
  EXPECT_EQ(symm::heap_stats(symm::MemoryKind::device).registered_bytes, 0U);
  // CPUs reach it, the ones of other PEs, too.
  auto const me           = symm::my_pe();
  auto const to           = (me + 1) % symm::n_pes();
  *symm::ptr(address, to) = pattern({me, to}, 0);
  symm::barrier_all();
  EXPECT_EQ(*address,
            pattern({(me + symm::n_pes() - 1) % symm::n_pes(), me}, 0));
  EXPECT_EQ(*reinterpret_cast<std::uint64_t*>(memory.address()), *address);
  symm::barrier_all();
  unregister(address, bytes);
}

TEST(CudaBuffers, R03_R06_registrable_Views_of_host_memory_reach_kernels) {
  auto const own =
      symm::make_registrable_view<int*, Kokkos::HostSpace>("on the host", 1000);
  auto const view = symm::register_symmetric_view(own);
  static_assert(
      std::is_same_v<decltype(view)::memory_space, symm::SymmetricHostSpace>);
  for (int i = 0; i < 1000; ++i) own(i) = 1000 * symm::my_pe() + i;
  symm::barrier_all();
  auto const peer = symm::peer_view(view, right());
  Kokkos::View<int*, GpuSpace> const on_gpu("on the GPU", 1000);
  Kokkos::deep_copy(on_gpu, peer);
  auto const back =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, on_gpu);
  EXPECT_EQ(back(999), 1000 * right() + 999);
  symm::barrier_all();
}

TEST(CudaBuffers, R10_memory_of_the_CUDA_runtime_is_refused_with_its_kind) {
  Registrable const good(bytes);
  for (auto const& kind : runtime_memories) {
    SCOPED_TRACE(kind.name);
    void* memory = nullptr;
    EXPECT_EQ(kind.allocate(&memory, bytes), gpuSuccess);
    for (symm::Pe odd = 0; odd < symm::n_pes(); ++odd) {
      expect_failure(
          [&] {
            return buffer_register_symmetric(
                odd == symm::my_pe() ? memory : good.data(), bytes, 0);
          },
          {"failed: on " + pe_text(odd) + ": ", kind.name,
           "cannot be mapped into the symmetric heap"});
    }
    EXPECT_EQ(kind.free(memory), gpuSuccess);
  }
}

TEST(CudaBuffers, R15_memory_without_a_handle_type_is_refused) {
  CudaProgram const memory(MemoryKind::device, bytes, gpu::by_nothing, 1,
                           my_device());
  expect_failure(
      [&] { return buffer_register_symmetric(memory.address(), bytes, 0); },
      {"was created without a handle type", "POSIX file descriptors"});
}

TEST(CudaBuffers, R15_one_address_range_of_two_memories_is_refused) {
  // The second memory is mapped right behind the first.
  gpu::Pointer start{};
  EXPECT_EQ(driver().mem_address_reserve(&start, 2 * bytes, 0, {}, 0),
            gpu::success);
  auto* const all     = reinterpret_cast<char*>(start);
  auto const start_of = [&](std::size_t i) {
    return gpu::device_pointer(all + i * bytes);
  };
  gpu::MemoryHandle handles[2]{};
  gpu::MemoryProperties properties{};
  properties.type               = gpu::pinned;
  properties.location.type      = gpu::on_device;
  properties.location.id        = my_device();
  gpu::handle_types(properties) = gpu::by_descriptor;
  gpu::AccessRights const access{properties.location, gpu::read_write};
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(driver().mem_create(&handles[i], bytes, &properties, 0),
              gpu::success);
    EXPECT_EQ(driver().mem_map(start_of(i), bytes, 0, handles[i], 0),
              gpu::success);
    EXPECT_EQ(driver().mem_set_access(start_of(i), bytes, &access, 1),
              gpu::success);
  }
  expect_failure([&] { return buffer_register_symmetric(all, 2 * bytes, 0); },
                 {"is the start of an allocation of " + std::to_string(bytes)});
  // One by one they work.
  auto* const first =
      static_cast<char*>(buffer_register_symmetric(all, bytes, 0));
  auto* const second =
      static_cast<char*>(buffer_register_symmetric(all + bytes, bytes, 0));
  EXPECT_NE(second, nullptr) << symm::last_error();
  expect_all_reach_all(first, bytes, 1);
  expect_all_reach_all(second, bytes, 2);
  unregister(first, bytes);
  unregister(second, bytes);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(driver().mem_unmap(start_of(i), bytes), gpu::success);
    EXPECT_EQ(driver().mem_release(handles[i]), gpu::success);
  }
  EXPECT_EQ(driver().mem_address_free(start, 2 * bytes), gpu::success);
}

TEST(CudaBuffers, R15_memory_of_another_GPU_is_refused) {
  int n_gpus = 0;
  EXPECT_EQ(gpuGetDeviceCount(&n_gpus), gpuSuccess);
  int const mine  = my_device();
  bool const skip = n_gpus < 2;
  if (!skip) {
    CudaProgram const memory(MemoryKind::device, bytes, gpu::by_descriptor, 1,
                             (mine + 1) % n_gpus);
    expect_failure(
        [&] { return buffer_register_symmetric(memory.address(), bytes, 0); },
        {"VMM memory of GPU " + std::to_string((mine + 1) % n_gpus)});
  } else {
    GTEST_SKIP() << "needs two GPUs";
  }
}

/// Reads and writes host memory in a kernel.
struct AddOne {
  std::uint64_t* words;
  std::size_t count;
  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    if (i < count) words[i] += 1;
  }
};

TEST(CudaBuffers, B02_host_memory_is_registered_with_CUDA) {
  constexpr std::size_t count = 10'001;
  std::vector<std::uint64_t> memory(count, 41);
  auto const type = [&] { return gpu_memory_of(memory.data()).type; };
  EXPECT_EQ(type(), GpuMemory::unregistered);
  EXPECT_EQ(buffer_register(memory.data(), 8 * count), Status::success)
      << symm::last_error();
  EXPECT_EQ(type(), GpuMemory::on_host);
  Kokkos::parallel_for(Kokkos::RangePolicy<Gpu>(0, count),
                       AddOne{memory.data(), count});
  Kokkos::fence();
  EXPECT_EQ(std::count(memory.begin(), memory.end(), 42U),
            static_cast<std::ptrdiff_t>(count));
  EXPECT_EQ(buffer_unregister(memory.data()), Status::success);
  EXPECT_EQ(type(), GpuMemory::unregistered);
}

TEST(CudaBuffers, B01_B07_memory_of_the_CUDA_runtime_but_for_managed_memory) {
  for (auto const& kind : runtime_memories) {
    SCOPED_TRACE(kind.name);
    void* memory = nullptr;
    EXPECT_EQ(kind.allocate(&memory, bytes), gpuSuccess);
    if (std::string(kind.name) == "managed") {
      expect_invalid([&] { return buffer_register(memory, bytes); },
                     {"managed"});
      expect_invalid(
          [&] { return buffer_register(static_cast<char*>(memory) + 8, 8); },
          {"managed"});
    } else {
      EXPECT_EQ(buffer_register(memory, bytes), Status::success)
          << symm::last_error();
      expect_invalid([&] { return buffer_register(memory, 8); }, {"overlaps"});
      EXPECT_EQ(buffer_unregister(memory), Status::success);
    }
    EXPECT_EQ(kind.free(memory), gpuSuccess);
  }
}

TEST(CudaBuffers, B11_memory_that_the_program_has_registered_in_part) {
  std::vector<char> memory(100'000);
  EXPECT_EQ(
      gpuHostRegister(memory.data() + 50'000, 10'000, gpuHostRegisterDefault),
      gpuSuccess);
  EXPECT_EQ(buffer_register(memory.data() + 50'000, 10'000), Status::success);
  EXPECT_EQ(buffer_unregister(memory.data() + 50'000), Status::success);
  // The driver refuses what is registered in part; nothing is half done.
  EXPECT_NE(buffer_register(memory.data(), memory.size()), Status::success);
  EXPECT_STRNE(symm::last_error(), "");
  EXPECT_EQ(gpuHostUnregister(memory.data() + 50'000), gpuSuccess);
  EXPECT_EQ(buffer_register(memory.data(), memory.size()), Status::success)
      << symm::last_error();
  EXPECT_EQ(buffer_unregister(memory.data()), Status::success);
}

}  // namespace
