// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Buffers that are local operands of kernels: what the runtime asks the driver
// for, and what it makes of the answers.

#include <sys/mman.h>

#include <cstddef>
#include <string>
#include <vector>

#include "CudaRegistration.hpp"
#include "GpuNames.hpp"

namespace symm_test {
namespace {

using symm::buffer_register;
using symm::buffer_unregister;
using symm::buffer_unregister_all;
using symm::MemoryKind;
using symm::Status;
using symm::Impl::Runtime;
using testing::AllOf;

std::size_t n_page_locked() { return fake().counts().registered; }

class CudaBuffers : public CudaRuntime {
 protected:
  /// One PE, whose runtime lives while `body` runs.
  static void run(std::function<void()> const& body) {
    expect_on_pes(1, [&](ForkedBootstrap& bootstrap) {
      auto const nothing = held();
      initialize(bootstrap, 1);
      body();
      EXPECT_EQ(fake().n_current_contexts(), 0);
      Runtime::finalize();
      EXPECT_EQ(held(), nothing);
    });
  }
};

TEST_F(CudaBuffers, B02_B12_host_memory_is_page_locked_while_registered) {
  run([] {
    std::vector<char> ours(10'000);
    auto const before = held();
    EXPECT_EQ(buffer_register(&ours[3], 4'000), Status::success);
    EXPECT_EQ(n_page_locked(), 1U);
    EXPECT_EQ(buffer_register(&ours[4'003], 1), Status::success)
        << "adjacent (B20)";
    EXPECT_EQ(n_page_locked(), 2U);
    EXPECT_EQ(buffer_unregister(&ours[4]), Status::invalid_value) << "B13";
    EXPECT_EQ(n_page_locked(), 2U);
    EXPECT_EQ(buffer_unregister(&ours[3]), Status::success);
    EXPECT_EQ(buffer_unregister(&ours[4'003]), Status::success);
    EXPECT_EQ(held(), before);
  });
}

TEST_F(CudaBuffers, B02_memory_that_kernels_reach_already_is_noted_only) {
  run([] {
    CudaProgram const gpu(MemoryKind::device, unit, 0, 1, 1);
    CudaProgram const host(MemoryKind::host, unit, 0, 1, 1);
    std::vector<char*> allocated;
    for (auto const kind :
         {fake_cuda_malloc, fake_cuda_malloc_async, fake_cuda_malloc_host}) {
      allocated.push_back(fake().allocate(kind, 10'000, 1));
    }
    auto all = allocated;
    all.insert(all.end(), {gpu.address(), host.address()});
    auto const before = held();
    for (char* const address : all) {
      EXPECT_EQ(buffer_register(address, 10'000), Status::success)
          << symm::last_error();
      EXPECT_EQ(held(), before);
      EXPECT_EQ(buffer_register(address + 1, 10), Status::invalid_value);
      EXPECT_EQ(buffer_unregister(address), Status::success);
      EXPECT_EQ(buffer_unregister(address), Status::invalid_value);
    }
    EXPECT_EQ(held(), before);
    for (char* const address : allocated) fake().free(address);
  });
}

TEST_F(CudaBuffers, B03_memory_of_both_heaps_is_refused) {
  run([] {
    std::vector<void*> blocks;
    for (auto const kind : both_kinds) {
      blocks.push_back(heap(kind).malloc(1'000));
    }
    CudaProgram const program(MemoryKind::device, unit, by_descriptor, 1, 1);
    char* const symmetric = registered(program.address(), unit);
    blocks.push_back(symmetric);
    for (void* const block : blocks) {
      EXPECT_EQ(buffer_register(block, 64), Status::invalid_value);
      EXPECT_THAT(symm::last_error(), HasSubstr("in the symmetric heap"));
    }
    EXPECT_EQ(n_page_locked(), 0U);
    // At the program's own address it is memory like any other.
    EXPECT_EQ(buffer_register(program.address(), unit), Status::success);
    unregister(symmetric, unit);
    EXPECT_EQ(buffer_unregister(program.address()), Status::success);
  });
}

TEST_F(CudaBuffers, B07_managed_memory_is_an_invalid_value) {
  run([] {
    char* const managed = fake().allocate(fake_cuda_malloc_managed, 10'000, 1);
    auto const before   = held();
    EXPECT_EQ(buffer_register(managed, 10'000), Status::invalid_value);
    EXPECT_THAT(symm::last_error(), AllOf(HasSubstr("symm::buffer_register: "),
                                          HasSubstr("CUDA managed memory")));
    EXPECT_EQ(buffer_register(managed + 9'999, 1), Status::invalid_value);
    EXPECT_EQ(buffer_unregister(managed), Status::invalid_value);
    EXPECT_EQ(held(), before);
    fake().free(managed);
  });
}

TEST_F(CudaBuffers, B10_B11_what_the_driver_answers_is_the_status) {
  run([] {
    std::vector<char> ours(4'096);
    auto const before   = held();
    auto const statuses = {
        std::pair{CUDA_ERROR_OUT_OF_MEMORY, Status::out_of_memory},
        {CUDA_ERROR_UNKNOWN, Status::internal},
        {CUDA_ERROR_NOT_SUPPORTED, Status::internal},
        {CUDA_ERROR_INVALID_VALUE, Status::invalid_value},
        {CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, Status::invalid_value}};
    for (auto const& [result, status] : statuses) {
      fake().fail("cuMemHostRegister", result);
      EXPECT_EQ(buffer_register(ours.data(), 4'096), status) << result;
      EXPECT_THAT(symm::last_error(), HasSubstr("symm::buffer_register: "));
      fake().heal();
      EXPECT_EQ(held(), before);
      EXPECT_EQ(buffer_unregister(ours.data()), Status::invalid_value);
    }
    EXPECT_EQ(buffer_register(ours.data(), 4'096), Status::success);
    EXPECT_EQ(buffer_unregister(ours.data()), Status::success);
    EXPECT_EQ(held(), before);
  });
}

TEST_F(CudaBuffers, B11_a_question_that_the_driver_does_not_answer) {
  run([] {
    std::vector<char> ours(4'096);
    auto const before = held();
    for (char const* function :
         {"cuPointerGetAttribute", "cuMemRetainAllocationHandle",
          "cuCtxPushCurrent"}) {
      fake().fail(function, CUDA_ERROR_UNKNOWN);
      EXPECT_EQ(buffer_register(ours.data(), 4'096), Status::internal)
          << function;
      EXPECT_THAT(symm::last_error(), HasSubstr(function));
      fake().heal();
      EXPECT_EQ(held(), before);
    }
  });
}

TEST_F(CudaBuffers, B11_a_buffer_that_cannot_be_unlocked_is_forgotten) {
  run([] {
    std::vector<char> ours(4'096);
    EXPECT_EQ(buffer_register(ours.data(), 4'096), Status::success);
    fake().fail("cuMemHostUnregister", CUDA_ERROR_UNKNOWN);
    EXPECT_EQ(buffer_unregister(ours.data()), Status::internal);
    EXPECT_THAT(symm::last_error(),
                AllOf(HasSubstr("symm::buffer_unregister: "),
                      HasSubstr("cuMemHostUnregister failed: "
                                "CUDA_ERROR_UNKNOWN")));
    fake().heal();
    EXPECT_EQ(buffer_unregister(ours.data()), Status::invalid_value);
    // The driver has it still, so this needs no page lock, and takes none.
    EXPECT_EQ(buffer_register(ours.data(), 4'096), Status::success);
    EXPECT_EQ(n_page_locked(), 1U);
    EXPECT_EQ(buffer_unregister(ours.data()), Status::success);
    EXPECT_EQ(n_page_locked(), 1U);
    auto const& driver = symm::Impl::gpu::Driver::instance();
    auto const gpu_1 = symm::Impl::make_device_memory(MemoryKind::device, 1, 1);
    gpu_1->run_in_context([&] {
      EXPECT_EQ(driver.host_unregister(ours.data()), symm::Impl::gpu::success);
    });
  });
}

TEST_F(CudaBuffers, B15_B16_all_of_them_are_unregistered) {
  run([] {
    std::vector<char> ours(10'000);
    char* const of_gpu = fake().allocate(fake_cuda_malloc, 64, 1);
    auto const before  = held();
    for (int round = 0; round < 3; ++round) {
      for (std::size_t const start : {0U, 1'000U, 5'000U}) {
        EXPECT_EQ(buffer_register(&ours[start], 1'000), Status::success);
      }
      EXPECT_EQ(buffer_register(of_gpu, 64), Status::success);
      EXPECT_EQ(n_page_locked(), 3U);
      testing::internal::CaptureStderr();
      buffer_unregister_all();
      buffer_unregister_all();
      EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
      EXPECT_EQ(held(), before);
      EXPECT_EQ(buffer_unregister(&ours[1'000]), Status::invalid_value);
    }
    fake().free(of_gpu);
  });
}

TEST_F(CudaBuffers, B15_all_goes_on_after_a_failure_and_says_so) {
  expect_on_pes(1, [](ForkedBootstrap& bootstrap) {
    initialize(bootstrap, 0);
    std::vector<char> ours(10'000);
    for (int refused = 0; refused < 3; ++refused) {
      auto const n_before = n_page_locked();
      auto const part     = static_cast<std::size_t>(refused) * 3'000;
      for (std::size_t const start : {0U, 1'000U, 2'000U}) {
        EXPECT_EQ(buffer_register(&ours[part + start], 1'000), Status::success);
      }
      fake().fail("cuMemHostUnregister", CUDA_ERROR_UNKNOWN, refused, 1);
      testing::internal::CaptureStderr();
      buffer_unregister_all();
      auto const text = testing::internal::GetCapturedStderr();
      fake().heal();
      EXPECT_THAT(text, AllOf(HasSubstr("symm: symm::buffer_unregister_all: "),
                              HasSubstr("cuMemHostUnregister failed: "
                                        "CUDA_ERROR_UNKNOWN")));
      EXPECT_EQ(text, "symm: " + std::string(symm::last_error()) + "\n");
      EXPECT_EQ(n_page_locked(), n_before + 1) << "what was refused";
      for (std::size_t const start : {0U, 1'000U, 2'000U}) {
        EXPECT_EQ(buffer_unregister(&ours[part + start]),
                  Status::invalid_value);
      }
    }
    Runtime::finalize();
  });
}

TEST_F(CudaBuffers, B18_one_pe_alone_registers) {
  expect_on_pes(3, [](ForkedBootstrap& bootstrap) {
    initialize(bootstrap, gpu_of(bootstrap));
    std::vector<char> ours(4'096);
    if (bootstrap.my_pe() == 1) {
      EXPECT_EQ(buffer_register(ours.data(), 4'096), Status::success);
    }
    EXPECT_EQ(n_page_locked(), bootstrap.my_pe() == 1 ? 1U : 0U);
    symm::barrier_all();
    if (bootstrap.my_pe() == 1) buffer_unregister_all();
    EXPECT_EQ(n_page_locked(), 0U);
    Runtime::finalize();
  });
}

TEST_F(CudaBuffers, B08_memory_that_was_unmapped_first_is_unregistered) {
  run([] {
    void* const memory = ::mmap(nullptr, 8'192, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    auto const before  = held();
    EXPECT_EQ(buffer_register(memory, 8'192), Status::success);
    EXPECT_EQ(::munmap(memory, 8'192), 0);
    EXPECT_EQ(buffer_unregister(memory), Status::success);
    EXPECT_EQ(held(), before);
    EXPECT_EQ(buffer_register(memory, 8'192), Status::invalid_value);
  });
}

TEST_F(CudaBuffers, finalize_gives_all_page_locks_back) {
  std::vector<char> ours(10'000);
  run([&] {
    for (std::size_t const start : {0U, 1'000U, 5'000U}) {
      EXPECT_EQ(buffer_register(&ours[start], 1'000), Status::success);
    }
    EXPECT_EQ(n_page_locked(), 3U);
  });
}

TEST_F(CudaBuffers, finalize_ends_though_the_driver_refuses_to_unlock) {
  expect_on_pes(2, [](ForkedBootstrap& bootstrap) {
    std::vector<char> ours(10'000);
    initialize(bootstrap, gpu_of(bootstrap));
    EXPECT_EQ(buffer_register(&ours[0], 1'000), Status::success);
    EXPECT_EQ(buffer_register(&ours[1'000], 1'000), Status::success);
    if (bootstrap.my_pe() == 1) {
      fake().fail("cuMemHostUnregister", CUDA_ERROR_UNKNOWN, 0, 1);
    }
    EXPECT_NO_THROW(Runtime::finalize());
    EXPECT_EQ(n_page_locked(), bootstrap.my_pe() == 1 ? 1U : 0U);
    EXPECT_EQ(buffer_register(&ours[0], 1'000), Status::invalid_value);
    expect_nothing_in_use(bootstrap);
  });
}

TEST_F(CudaBuffers, B02_a_machine_without_shared_host_memory_locks_pages) {
  FakeCuda::set("FAKE_CUDA_NO_HOST_NUMA", "0,1");
  run([] {
    std::vector<char> ours(4'096);
    EXPECT_EQ(buffer_register(ours.data(), 4'096), Status::success);
    EXPECT_EQ(n_page_locked(), 1U);
    EXPECT_EQ(buffer_unregister(ours.data()), Status::success);
    EXPECT_EQ(n_page_locked(), 0U);
  });
}

}  // namespace
}  // namespace symm_test
