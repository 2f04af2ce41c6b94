// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Shared GPU memory on the fake driver: what fails on one PE, and what is left
// behind.

#include <optional>
#include <tuple>
#include <utility>

#include <runtime/symm_shared_buffers.hpp>

#include "CudaRuntime.hpp"
#include "GpuNames.hpp"

namespace symm_test::shared_device_buffer {
namespace {

using symm::Pe;
using symm::SharedDeviceBuffer;
using symm::Impl::ErrorKind;
using symm::Impl::Runtime;
using testing::AllOf;

class SharedDeviceBufferOfPes : public CudaRuntime {};

/// Memory of the program on GPU `device`.
class ProgramMemory {
 public:
  ProgramMemory(int device, std::size_t bytes,
                FakeCudaMemory kind = fake_cuda_malloc)
      : m_start(fake().allocate(kind, bytes, device)) {
    EXPECT_NE(m_start, nullptr);
  }
  ProgramMemory(ProgramMemory const&)            = delete;
  ProgramMemory& operator=(ProgramMemory const&) = delete;
  ~ProgramMemory() { fake().free(m_start); }

  [[nodiscard]] char* data() const { return m_start; }

 private:
  char* m_start;
};

constexpr std::size_t count = 10'007;

/// Collective: every PE writes every other's elements, and finds its own.
void use(SharedDeviceBuffer<char> const& buffer) {
  Pe const me = symm::my_pe();
  int const n = symm::n_pes();
  for (Pe shift = 0; shift < n; ++shift) {
    Pe const to   = (me + shift) % n;
    Pe const from = (me + n - shift) % n;
    for (std::size_t i = 0; i < count; ++i) {
      buffer.peer(to)[i] = value(me, to, i);
    }
    symm::barrier_all();
    std::size_t n_wrong = 0;
    for (std::size_t i = 0; i < count; ++i) {
      n_wrong += buffer.peer(me)[i] != value(from, me, i) ? 1U : 0U;
    }
    EXPECT_EQ(n_wrong, 0U) << "from PE " << from;
    symm::barrier_all();
  }
}

TEST_F(SharedDeviceBufferOfPes, data_arrive_on_shared_and_on_different_GPUs) {
  for (int const n_gpus : {1, 2}) {
    expect_on_pes(4, [&](ForkedBootstrap& bootstrap) {
      int const gpu = bootstrap.my_pe() % n_gpus;
      initialize(bootstrap, gpu);
      ProgramMemory const own(gpu, count + 100);
      auto const before = held();
      SharedDeviceBuffer<char> buffer(own.data() + 33, count);
      EXPECT_EQ(buffer.peer(symm::my_pe()), own.data() + 33);
      EXPECT_EQ(held().counts.opened, before.counts.opened + 3);
      use(buffer);
      buffer.close();
      EXPECT_EQ(held(), before);
      Runtime::finalize();
    });
  }
}

TEST_F(SharedDeviceBufferOfPes, cycles_leave_nothing_behind) {
  expect_on_pes(3, [](ForkedBootstrap& bootstrap) {
    initialize(bootstrap, 0);
    ProgramMemory const own(0, count);
    auto const before = held();
    for (int i = 0; i < 200; ++i) {
      SharedDeviceBuffer<char> buffer(own.data(), count);
      SharedDeviceBuffer<char> other(own.data(), count / 2);
      EXPECT_EQ(other.peer(1), buffer.peer(1)) << "the same memory";
      if (i % 2 == 0) buffer.close();
    }
    EXPECT_EQ(held(), before);
    Runtime::finalize();
  });
}

TEST_F(SharedDeviceBufferOfPes, a_pe_without_elements_is_not_opened) {
  expect_on_pes(3, [](ForkedBootstrap& bootstrap) {
    initialize(bootstrap, 0);
    ProgramMemory const own(0, count);
    bool const is_empty = symm::my_pe() == 1;
    auto const before   = held().counts.opened;
    // As Kokkos' empty Views, which have an address.
    SharedDeviceBuffer<char> buffer(own.data(), is_empty ? 0 : count);
    EXPECT_EQ(buffer.peer(1), nullptr);
    EXPECT_EQ(buffer.count(1), 0U);
    EXPECT_EQ(held().counts.opened, before + (is_empty ? 2 : 1));
    buffer.close();
    Runtime::finalize();
  });
}

/// A function of the driver that fails on one PE in its call number `first`.
struct Fault {
  char const* function;
  int first;
  char const* what;
};
class SharedDeviceBufferFaults : public CudaRuntime,
                                 public testing::WithParamInterface<Fault> {};

TEST_P(SharedDeviceBufferFaults, on_one_pe_are_everybodys_and_leave_nothing) {
  auto const fault = GetParam();
  for (Pe failing = 0; failing < 3; ++failing) {
    expect_on_pes(3, [&](ForkedBootstrap& bootstrap) {
      initialize(bootstrap, bootstrap.my_pe() % 2);
      ProgramMemory const own(bootstrap.my_pe() % 2, count);
      auto const before = held();
      if (symm::my_pe() == failing) {
        fake().fail(fault.function, CUDA_ERROR_UNKNOWN, fault.first, 1);
      }
      auto const failure = symm::Impl::failure_of(
          [&] { SharedDeviceBuffer<char>(own.data(), count); });
      fake().heal();
      ASSERT_TRUE(failure) << "on every PE";
      EXPECT_EQ(failure->kind, ErrorKind::system);
      EXPECT_THAT(failure->message,
                  AllOf(HasSubstr("PE " + std::to_string(failing)),
                        HasSubstr(fault.what), HasSubstr(fault.function)));
      EXPECT_EQ(held(), before);
      SharedDeviceBuffer<char> buffer(own.data(), count);
      use(buffer);
      buffer.close();
      Runtime::finalize();
    });
  }
}

INSTANTIATE_TEST_SUITE_P(
    Functions, SharedDeviceBufferFaults,
    testing::Values(Fault{"cuCtxSynchronize", 0,
                          "construction of a shared buffer"},
                    Fault{"cuIpcGetMemHandle", 0, "symm::SharedDeviceBuffer: "},
                    Fault{"cuIpcOpenMemHandle", 0, "cannot map memory of PE "},
                    Fault{"cuIpcOpenMemHandle", 1, "cannot map memory of PE "}),
    [](auto const& test) {
      return std::string(test.param.function) + "_" +
             std::to_string(test.param.first);
    });

TEST_F(SharedDeviceBufferOfPes, other_memory_on_one_pe_is_refused_by_all) {
  for (auto const kind : {fake_cuda_malloc_async, fake_cuda_malloc_managed,
                          fake_cuda_malloc_host}) {
    expect_on_pes(2, [&](ForkedBootstrap& bootstrap) {
      initialize(bootstrap, 0);
      auto const my_kind = symm::my_pe() == 1 ? kind : fake_cuda_malloc;
      ProgramMemory const own(0, count, my_kind);
      auto const before  = held();
      auto const failure = symm::Impl::failure_of(
          [&] { SharedDeviceBuffer<char>(own.data(), count); });
      ASSERT_TRUE(failure) << "on every PE";
      EXPECT_EQ(failure->kind, ErrorKind::usage);
      EXPECT_THAT(failure->message,
                  AllOf(HasSubstr("symm::SharedDeviceBuffer: PE 1 failed: "),
                        HasSubstr("CUDA IPC cannot share")));
      EXPECT_EQ(held(), before);
      Runtime::finalize();
    });
  }
}

TEST_F(SharedDeviceBufferOfPes, it_closes_nothing_after_the_runtime) {
  expect_on_pes(2, [](ForkedBootstrap& bootstrap) {
    initialize(bootstrap, 0);
    ProgramMemory const own(0, count);
    std::optional<SharedDeviceBuffer<char>> first;
    std::optional<SharedDeviceBuffer<char>> second;
    first.emplace(own.data(), count);
    second.emplace(own.data(), count);
    Runtime::finalize();
    first.reset();
    initialize(bootstrap, 0);  // another one
    auto const before = held();
    second.reset();
    EXPECT_EQ(held(), before);
    SharedDeviceBuffer<char> buffer(own.data(), count);
    use(buffer);
    buffer.close();
    Runtime::finalize();
  });
}

TEST_F(SharedDeviceBufferOfPes, a_failure_to_close_is_everybodys) {
  for (char const* const function :
       {"cuIpcCloseMemHandle", "cuCtxSynchronize"}) {
    expect_on_pes(3, [&](ForkedBootstrap& bootstrap) {
      initialize(bootstrap, 0);
      ProgramMemory const own(0, count);
      SharedDeviceBuffer<char> buffer(own.data(), count);
      if (symm::my_pe() == 1) fake().fail(function, CUDA_ERROR_UNKNOWN, 0, 1);
      auto const failure = symm::Impl::failure_of([&] { buffer.close(); });
      fake().heal();
      ASSERT_TRUE(failure) << "on every PE";
      EXPECT_EQ(failure->kind, ErrorKind::system);
      EXPECT_THAT(
          failure->message,
          AllOf(HasSubstr("symm::SharedDeviceBuffer::close: PE 1 failed: "),
                HasSubstr(function)));
      EXPECT_TRUE(symm::Impl::failure_of([&] { buffer.close(); }))
          << "it is closed";
      SharedDeviceBuffer<char> another(own.data(), count);
      use(another);
      another.close();
      Runtime::finalize();
    });
  }
}

TEST_F(SharedDeviceBufferOfPes, a_failure_to_open_beside_one_to_close) {
  expect_on_pes(3, [](ForkedBootstrap& bootstrap) {
    initialize(bootstrap, 0);
    ProgramMemory const own(0, count);
    if (symm::my_pe() == 0) {
      fake().fail("cuIpcOpenMemHandle", CUDA_ERROR_UNKNOWN, 0, 1);
    } else if (symm::my_pe() == 2) {
      fake().fail("cuIpcCloseMemHandle", CUDA_ERROR_UNKNOWN, 0, 1);
    }
    auto const failure = symm::Impl::failure_of(
        [&] { SharedDeviceBuffer<char>(own.data(), count); });
    fake().heal();
    EXPECT_NO_THROW(symm::barrier_all()) << "no PE has left alone";
    ASSERT_TRUE(failure) << "on every PE";
    EXPECT_THAT(failure->message, AllOf(HasSubstr("PE 0 failed: "),
                                        HasSubstr("cuIpcOpenMemHandle")));
    Runtime::finalize();
  });
}

TEST_F(SharedDeviceBufferOfPes, kernels_end_before_it_is_closed) {
  expect_on_pes(2, [](ForkedBootstrap& bootstrap) {
    initialize(bootstrap, 0);
    ProgramMemory const own(0, count);
    Pe const me    = symm::my_pe();
    Pe const other = 1 - me;
    SharedDeviceBuffer<char> buffer(own.data(), count);
    char* const theirs = buffer.peer(other);
    fake().launch(0, 50, [=] { theirs[7] = value(me, other, 7); });
    buffer.close();
    EXPECT_EQ(own.data()[7], value(other, me, 7));
    {
      SharedDeviceBuffer<char> const again(own.data(), count);
      char* const at = again.peer(other);
      fake().launch(0, 50, [=] { at[8] = value(me, other, 8); });
    }  // a fault, otherwise
    symm::barrier_all();
    EXPECT_EQ(own.data()[8], value(other, me, 8));
    Runtime::finalize();
  });
}

}  // namespace
}  // namespace symm_test::shared_device_buffer
