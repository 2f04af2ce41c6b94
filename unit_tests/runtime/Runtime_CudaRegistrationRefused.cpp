// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Memory of the program that cannot be a part of the heap, on one PE: the call
// fails on all, and names the PE and the memory.

#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "CudaRegistration.hpp"
#include "GpuNames.hpp"

namespace symm_test::refused {
namespace {

using symm::buffer_register_symmetric;
using symm::MemoryKind;
using symm::Pe;
using symm::Impl::Runtime;
using testing::AllOf;
using testing::Not;

constexpr std::size_t bytes = 2 * unit;
constexpr int n_pes         = 3;

/// Collective: PE `odd` passes `bad`, the others `good`, of so many bytes. It
/// fails on all of them for what PE `odd` says, and nothing has changed.
template <class Words>
void expect_refused(symm::Impl::Bootstrap& bootstrap, Pe odd,
                    std::pair<void*, std::size_t> bad,
                    std::pair<void*, std::size_t> good, Words const& words) {
  auto const before          = held();
  auto const states          = heap_states();
  auto const [address, size] = bootstrap.my_pe() == odd ? bad : good;
  EXPECT_EQ(buffer_register_symmetric(address, size, 0), nullptr);
  EXPECT_THAT(symm::last_error(),
              AllOf(HasSubstr("symm::buffer_register_symmetric("),
                    HasSubstr("failed: on PE " + std::to_string(odd) + ": "),
                    HasSubstr("nothing was changed"),
                    Not(HasSubstr("mismatched")), words));
  EXPECT_EQ(heap_states(), states);
  EXPECT_EQ(held(), before);
}

/// Memory by a function of the CUDA runtime, or of malloc.
struct Sort {
  char const* name;
  bool is_cuda;
  FakeCudaMemory kind;
  char const* text;

  friend std::ostream& operator<<(std::ostream& out, Sort const& sort) {
    return out << sort.name;
  }
};

class CudaRegistrationOfOther : public CudaRegistration,
                                public testing::WithParamInterface<Sort> {};

INSTANTIATE_TEST_SUITE_P(
    Sorts, CudaRegistrationOfOther,
    testing::Values(
        Sort{"malloc", false, {}, "is in host memory that CUDA does not know"},
        Sort{"cudaMalloc", true, fake_cuda_malloc,
             "is in memory of cudaMalloc on GPU "},
        Sort{"cudaMallocAsync", true, fake_cuda_malloc_async,
             "is in memory of cudaMallocAsync on GPU "},
        Sort{"managed", true, fake_cuda_malloc_managed,
             "is in CUDA managed memory"},
        Sort{"page_locked", true, fake_cuda_malloc_host,
             "is in page-locked host memory"}),
    [](auto const& test) { return std::string(test.param.name); });

// Others pass memory that another heap takes than the one which is told the
// failure: the calls differ, too, but that is not what to say.
TEST_P(CudaRegistrationOfOther, R10_memory_of_one_pe_that_is_no_vmm_memory) {
  // So long that it must not push out what follows.
  FakeCuda::set("FAKE_CUDA_NAME",
                "NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition");
  expect_on_pes(n_pes, [](ForkedBootstrap& bootstrap) {
    auto const& sort = GetParam();
    initialize(bootstrap, gpu_of(bootstrap));
    std::vector<char> ours(sort.is_cuda ? 0 : bytes);
    char* const bad = sort.is_cuda
                          ? fake().allocate(sort.kind, bytes, gpu_of(bootstrap))
                          : ours.data();
    for (auto const kind : both_kinds) {
      auto const good = shareable(bootstrap, kind, bytes);
      for (Pe odd = 0; odd < n_pes; ++odd) {
        expect_refused(
            bootstrap, odd, {bad, bytes}, {good.address(), bytes},
            AllOf(HasSubstr(sort.text), HasSubstr("symm::make_registrable_"),
                  HasSubstr("symm::share_view")));
      }
      char* const address = registered(good.address(), bytes);
      expect_all_reach_all(heap(kind), address, good.address(), bytes);
      unregister(address, bytes);
    }
    EXPECT_EQ(buffer_register_symmetric(bad, bytes, 0), nullptr) << "on all";
    EXPECT_THAT(symm::last_error(),
                AllOf(HasSubstr(sort.text), HasSubstr("failed: on PE")));
    if (sort.is_cuda) fake().free(bad);
    Runtime::finalize();
  });
}

/// Maps the memory of `other` behind the first mapping of `first`.
void put_side_by_side(CudaProgram const& first, CudaProgram const& other,
                      int device) {
  auto const& driver = gpu::Driver::instance();
  CurrentDevice const current(device);
  gpu::MemoryHandle handle = {};
  gpu::AccessRights access{};
  access.location.type = gpu::on_device;
  access.location.id   = device;
  access.flags         = gpu::read_write;
  auto const second    = gpu::device_pointer(first.address(1));
  EXPECT_EQ(driver.mem_unmap(second, unit), gpu::success);
  EXPECT_EQ(driver.mem_retain_allocation_handle(&handle, other.address()),
            gpu::success);
  EXPECT_EQ(driver.mem_map(second, unit, 0, handle, 0), gpu::success);
  EXPECT_EQ(driver.mem_set_access(second, unit, &access, 1), gpu::success);
  EXPECT_EQ(driver.mem_release(handle), gpu::success);
}

TEST_F(CudaRegistration, R15_VMM_memory_of_one_pe_that_does_not_do) {
  expect_on_pes(n_pes, [](ForkedBootstrap& bootstrap) {
    initialize(bootstrap, gpu_of(bootstrap));
    int const gpu   = gpu_of(bootstrap);
    auto const kind = MemoryKind::device;
    CudaProgram const elsewhere(kind, bytes, by_descriptor, 1, 1 - gpu);
    CudaProgram const unshared(kind, bytes, 0, 1, gpu);
    CudaProgram const unreachable(kind, bytes, by_descriptor, 1, gpu, false);
    CudaProgram const small(kind, unit, by_descriptor, 2, gpu);
    CudaProgram const pair(kind, unit, by_descriptor, 2, gpu);
    put_side_by_side(pair, small, gpu);
    for (auto const other_kind : both_kinds) {
      auto const good    = shareable(bootstrap, other_kind, bytes);
      char* const memory = good.address();
      auto const expect  = [&](void* bad, std::size_t size, auto const& words) {
        for (Pe odd = 0; odd < n_pes; ++odd) {
          expect_refused(bootstrap, odd, {bad, size}, {memory, bytes}, words);
        }
      };
      expect(elsewhere.address(), bytes,
             AllOf(HasSubstr("is in VMM memory of GPU "),
                   HasSubstr("which is not this PE's GPU ")));
      expect(unshared.address(), bytes, HasSubstr("without a handle type"));
      expect(unreachable.address(), bytes, HasSubstr("without access to it"));
      expect(small.address(), bytes,
             HasSubstr("is the start of an allocation of 2097152 bytes, not "));
      expect(pair.address(), bytes,
             HasSubstr("is the start of an allocation of 2097152 bytes, not "));
      expect(memory + unit, unit,
             HasSubstr("is 2097152 bytes after the start "
                       "of its allocation"));
      expect(memory + 1, bytes, HasSubstr("is 1 bytes after the start"));
      for (std::size_t const wrong : {unit, 3 * unit}) {
        expect(
            memory, wrong,
            HasSubstr("is the start of an allocation of 4194304 bytes, not " +
                      std::to_string(wrong)));
      }
      expect(memory, 0, HasSubstr("has 0 bytes"));
      for (std::size_t const wrong : {unit - 1, bytes + 1}) {
        expect(memory, wrong, HasSubstr("not a multiple"));
      }
      char* const address = registered(memory, bytes);
      expect_all_reach_all(heap(other_kind), address, memory, bytes);
      unregister(address, bytes);
    }
    Runtime::finalize();
  });
}

TEST_F(CudaRegistration, R09_memory_of_different_kinds_is_a_mismatch) {
  expect_on_pes(2, [](ForkedBootstrap& bootstrap) {
    initialize(bootstrap, gpu_of(bootstrap));
    auto const program = shareable(
        bootstrap, both_kinds.at(static_cast<std::size_t>(bootstrap.my_pe())),
        bytes);
    auto const before = held();
    EXPECT_EQ(buffer_register_symmetric(program.address(), bytes, 0), nullptr);
    EXPECT_THAT(
        symm::last_error(),
        AllOf(HasSubstr("mismatched collective call"), HasSubstr("PE 0 called"),
              HasSubstr("PE 1 called"), HasSubstr("memory = GPU")));
    EXPECT_EQ(held(), before);
    Runtime::finalize();
  });
}

TEST_F(CudaRegistration, R11_a_static_heap_takes_none_the_other_heap_does) {
  FakeCuda::set("SYMM_STATIC_HEAP", "1");
  FakeCuda::set("SYMM_SYMMETRIC_SIZE", "4M");
  expect_on_pes(2, [](ForkedBootstrap& bootstrap) {
    initialize(bootstrap, gpu_of(bootstrap));
    auto const gpu    = shareable(bootstrap, MemoryKind::device, bytes);
    auto const host   = shareable(bootstrap, MemoryKind::host, bytes);
    auto const before = held();
    EXPECT_EQ(buffer_register_symmetric(gpu.address(), bytes, 0), nullptr);
    EXPECT_THAT(symm::last_error(), HasSubstr("static heap"));
    EXPECT_EQ(held(), before);
    char* const address = registered(host.address(), bytes);
    expect_all_reach_all(heap(MemoryKind::host), address, host.address(),
                         bytes);
    unregister(address, bytes);
    EXPECT_EQ(held(), before);
    Runtime::finalize();
  });
}

}  // namespace
}  // namespace symm_test::refused
