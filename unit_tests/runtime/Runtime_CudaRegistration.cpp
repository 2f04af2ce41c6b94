// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Memory that the program has made on GPUs as a part of the heaps.

#include <algorithm>
#include <chrono>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <support/Sanitizers.hpp>

#include "CudaRegistration.hpp"
#include "GpuNames.hpp"

namespace symm_test {
namespace {

using symm::MemoryKind;
using symm::Status;
using symm::Impl::Runtime;

/// PEs, and how many GPUs they take in turn.
struct Machine {
  int n_pes;
  int n_gpus;
  MemoryKind kind;

  [[nodiscard]] std::string name() const {
    return std::string(kind == MemoryKind::device ? "device_" : "host_") +
           std::to_string(n_pes) + "_pes_" + std::to_string(n_gpus) + "_gpus";
  }
  friend std::ostream& operator<<(std::ostream& out, Machine const& machine) {
    return out << machine.name();
  }
};

class CudaRegistrationOn : public CudaRuntime,
                           public testing::WithParamInterface<Machine> {
 protected:
  static int gpu(symm::Impl::Bootstrap const& bootstrap) {
    return bootstrap.my_pe() % GetParam().n_gpus;
  }
  static MemoryKind other_kind() {
    return GetParam().kind == MemoryKind::host ? MemoryKind::device
                                               : MemoryKind::host;
  }
};

INSTANTIATE_TEST_SUITE_P(Machines, CudaRegistrationOn,
                         testing::Values(Machine{1, 1, MemoryKind::device},
                                         Machine{2, 1, MemoryKind::device},
                                         Machine{2, 2, MemoryKind::device},
                                         Machine{4, 2, MemoryKind::device},
                                         Machine{1, 1, MemoryKind::host},
                                         Machine{2, 1, MemoryKind::host},
                                         Machine{2, 2, MemoryKind::host},
                                         Machine{4, 2, MemoryKind::host}),
                         [](auto const& test) { return test.param.name(); });

TEST_P(CudaRegistrationOn, R01_R02_R03_R05_R06_every_pe_reaches_every_pes) {
  expect_on_pes(GetParam().n_pes, [](ForkedBootstrap& bootstrap) {
    auto const nothing = held();
    initialize(bootstrap, gpu(bootstrap));
    auto& its         = heap(GetParam().kind);
    auto const states = heap_states();
    {
      CudaProgram const program(GetParam().kind, 3 * unit, by_descriptor, 1,
                                gpu(bootstrap));
      auto const before    = held();
      char* const memory   = program.address();
      memory[0]            = 'a';
      memory[3 * unit - 1] = static_cast<char>('b' + bootstrap.my_pe());
      EXPECT_EQ(&Runtime::instance("test").heap_for(memory), &its);
      char* const address = registered(memory, 3 * unit);
      EXPECT_TRUE(its.contains(address)) << "and not the other kind's heap";
      EXPECT_EQ(its.stats().registered_bytes, 3 * unit);
      EXPECT_EQ(heap(other_kind()).stats().registered_bytes, 0U);
      auto const* const peers =
          its.map().peer_ptr(address, bootstrap.n_pes() - 1);
      EXPECT_EQ(peers[0], 'a');
      EXPECT_EQ(peers[3 * unit - 1], 'b' + bootstrap.n_pes() - 1);
      expect_all_reach_all(its, address, memory, 3 * unit);
      // Beside what the heap has made itself.
      expect_data_arrives(its, its.malloc(unit), unit);
      auto const with_heap = held();
      unregister(address, 3 * unit);
      EXPECT_EQ(its.stats().registered_buffers, 0U);
      EXPECT_FALSE(can_read(address));
      for (symm::Pe pe = 0; pe < bootstrap.n_pes(); ++pe) {
        EXPECT_FALSE(can_read(its.map().peer_ptr(address, pe)));
      }
      EXPECT_EQ(memory[0], value(0, bootstrap.my_pe(), 0)) << "stays";
      EXPECT_EQ(with_heap.counts.mappings - held().counts.mappings,
                static_cast<std::size_t>(bootstrap.n_pes()));
      EXPECT_EQ(held().counts.reservations, before.counts.reservations);
    }
    EXPECT_NE(heap_states(), states) << "a block lives";
    Runtime::finalize();
    EXPECT_EQ(held(), nothing);
    expect_nothing_in_use(bootstrap);
  });
}

TEST_P(CudaRegistrationOn, R01_registrable_memory_becomes_symmetric) {
  expect_on_pes(GetParam().n_pes, [](ForkedBootstrap& bootstrap) {
    auto const nothing = held();
    initialize(bootstrap, gpu(bootstrap));
    auto const states  = heap_states();
    auto const before  = held();
    auto const kind    = GetParam().kind;
    auto& its          = Runtime::instance("test").private_memory(kind, "test");
    char* const memory = its.allocate("u", unit + 1);
    EXPECT_EQ(memory[2 * unit - 1], 0);
    EXPECT_EQ(&Runtime::instance("test").heap_for(memory), &heap(kind));
    char* const address = registered(memory, 2 * unit);
    expect_all_reach_all(heap(kind), address, memory, 2 * unit);
    its.free(memory);  // the heap keeps it
    EXPECT_EQ(address[0], value(0, bootstrap.my_pe(), 0));
    symm::barrier_all();
    unregister(address, 2 * unit);
    EXPECT_EQ(heap_states(), states);
    EXPECT_EQ(held(), before);
    Runtime::finalize();
    EXPECT_EQ(held(), nothing);
    expect_nothing_in_use(bootstrap);
  });
}

TEST_P(CudaRegistrationOn, a_view_inside_is_symmetric_until_all_retire_it) {
  expect_on_pes(GetParam().n_pes, [](ForkedBootstrap& bootstrap) {
    initialize(bootstrap, gpu(bootstrap));
    auto& its = heap(GetParam().kind);
    CudaProgram const program(GetParam().kind, 2 * unit, by_descriptor, 1,
                              gpu(bootstrap));
    auto const states   = heap_states();
    auto const before   = held();
    auto const* const u = program.address() + 1024;
    auto* const address =
        static_cast<char*>(its.register_view("u", u, 2 * unit - 1024));
    expect_all_reach_all(its, address, u, 2 * unit - 1024);
    EXPECT_EQ(symm::buffer_unregister_symmetric(address - 1024, 2 * unit),
              Status::invalid_value);
    EXPECT_THAT(symm::last_error(), HasSubstr("belongs to View \"u\""));
    // The last PE retires it in a later call.
    bool const is_last = bootstrap.my_pe() == bootstrap.n_pes() - 1;
    if (!is_last) its.retire(address);
    EXPECT_EQ(its.trim(), 0U);
    EXPECT_EQ(its.stats().registered_buffers, 1U);
    if (is_last) its.retire(address);
    EXPECT_EQ(its.trim(), 0U);
    EXPECT_EQ(heap_states(), states);
    EXPECT_EQ(held(), before);
    Runtime::finalize();
  });
}

TEST_P(CudaRegistrationOn, R23_all_of_it_returns_to_the_device) {
  expect_on_pes(GetParam().n_pes, [](ForkedBootstrap& bootstrap) {
    initialize(bootstrap, gpu(bootstrap));
    auto const bytes  = 3 * unit;
    auto const before = in_use(bootstrap);
    auto const counts = held();
    for (bool const is_freed_first : {false, true}) {
      {
        CudaProgram program(GetParam().kind, bytes, by_descriptor, 1,
                            gpu(bootstrap));
        auto const with_program = in_use(bootstrap);
        EXPECT_NE(with_program, before);
        char* const address = registered(program.address(), bytes);
        EXPECT_EQ(in_use(bootstrap), with_program) << "the same memory";
        if (is_freed_first) {
          program.unmap();
          EXPECT_EQ(in_use(bootstrap), with_program) << "the heap keeps it";
          expect_data_arrives(heap(GetParam().kind), address, bytes);
        }
        unregister(address, bytes);
        EXPECT_EQ(in_use(bootstrap), is_freed_first ? before : with_program);
      }
      EXPECT_EQ(in_use(bootstrap), before);
      EXPECT_EQ(held(), counts);
    }
    Runtime::finalize();
  });
}

TEST_P(CudaRegistrationOn, R16_many_cycles_leave_nothing_behind) {
  expect_on_pes(GetParam().n_pes, [](ForkedBootstrap& bootstrap) {
    initialize(bootstrap, gpu(bootstrap));
    auto& its = heap(GetParam().kind);
    CudaProgram const program(GetParam().kind, unit, by_descriptor, 1,
                              gpu(bootstrap));
    auto const states = heap_states();
    auto const before = held();
    auto const used   = in_use(bootstrap);
    char* place       = nullptr;
    int n_failures    = 0;
    // A cycle takes longer the more PEs there are.
    int const n_cycles =
        fewer_if_sanitized(10'000 / (bootstrap.n_pes() * bootstrap.n_pes()));
    for (int i = 0; i < n_cycles; ++i) {
      auto* const address = static_cast<char*>(
          symm::buffer_register_symmetric(program.address(), unit, 0));
      if (i == 0) place = address;
      if (address == nullptr || address != place) ++n_failures;
      if (symm::buffer_unregister_symmetric(address, unit) != Status::success) {
        ++n_failures;
      }
    }
    EXPECT_EQ(n_failures, 0) << symm::last_error();
    for (int i = 0; i < 100; ++i) {
      its.retire(its.register_view("u", program.address(), unit));
      its.trim();
    }
    EXPECT_EQ(heap_states(), states);
    EXPECT_EQ(held(), before);
    EXPECT_EQ(in_use(bootstrap), used);
    Runtime::finalize();
  });
}

TEST_F(CudaRegistration, R18_a_kernel_ends_before_its_memory_is_unmapped) {
  expect_on_pes(2, [](ForkedBootstrap& bootstrap) {
    initialize(bootstrap, gpu_of(bootstrap));
    auto const& map     = heap(MemoryKind::device).map();
    auto const program  = shareable(bootstrap, MemoryKind::device, unit);
    char* const memory  = program.address();
    char* const address = registered(memory, unit);
    char* const theirs  = map.peer_ptr(address, 1 - bootstrap.my_pe());
    fake().launch(gpu_of(bootstrap), 200, [&] { theirs[7] = 'k'; });
    unregister(address, unit);
    EXPECT_EQ(memory[7], 'k');
    Runtime::finalize();
  });
}

TEST_F(CudaRegistration, R16_finalize_gives_back_what_is_registered_still) {
  expect_on_pes(2, [](ForkedBootstrap& bootstrap) {
    auto const nothing = held();
    auto const unused  = in_use(bootstrap);
    {
      // Which the program frees afterwards.
      initialize(bootstrap, gpu_of(bootstrap));
      auto const gpu  = shareable(bootstrap, MemoryKind::device, unit);
      auto const host = shareable(bootstrap, MemoryKind::host, unit);
      static_cast<void>(registered(gpu.address(), unit));
      static_cast<void>(registered(host.address(), unit));
      symm::barrier_all();
      Runtime::finalize();
      gpu.address()[0] = 'a';
    }
    EXPECT_EQ(held(), nothing);
    EXPECT_EQ(in_use(bootstrap), unused);
  });
}

TEST_F(CudaRegistration, R05_fabric_handles_make_no_difference) {
  if (is_hip) GTEST_SKIP() << "HIP has no fabric handles";
  FakeCuda::set("FAKE_CUDA_FABRIC", "granted");
  expect_on_pes(2, [](ForkedBootstrap& bootstrap) {
    initialize(bootstrap, gpu_of(bootstrap));
    auto const before   = held();
    bool const is_first = bootstrap.my_pe() == 0;
    // One PE's memory has one, the other's has none.
    {
      auto const program =
          shareable(bootstrap, MemoryKind::device, unit,
                    is_first ? by_descriptor
                             : by_descriptor | int{CU_MEM_HANDLE_TYPE_FABRIC});
      char* const address = registered(program.address(), unit);
      expect_all_reach_all(heap(MemoryKind::device), address, program.address(),
                           unit);
      unregister(address, unit);
    }
    EXPECT_EQ(held(), before);
    Runtime::finalize();
  });
}

TEST(CudaDriverFunctions, R07_none_is_about_multicast) {
  std::vector<std::string> names;
#define SYMM_ADD_NAME(member, name) names.emplace_back(#name);
  SYMM_FOR_EACH_DRIVER_FUNCTION(SYMM_ADD_NAME)
#undef SYMM_ADD_NAME
  EXPECT_THAT(names, testing::Contains(said("cuMemMap")));
  for (auto name : names) {
    std::transform(name.begin(), name.end(), name.begin(), [](char c) {
      return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    EXPECT_THAT(name, testing::Not(HasSubstr("multicast")));
  }
}

}  // namespace
}  // namespace symm_test
