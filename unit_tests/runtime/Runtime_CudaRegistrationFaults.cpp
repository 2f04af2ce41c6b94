// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Memory of the program that one PE cannot make a part of the heap: it fails on
// all PEs.

#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "CudaRegistration.hpp"

namespace symm_test {
namespace {

using symm::buffer_register_symmetric;
using symm::buffer_unregister_symmetric;
using symm::MemoryKind;
using symm::Pe;
using symm::Runtime;
using symm::Status;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr std::size_t bytes = 2 * unit;
constexpr Pe failing        = 1;
constexpr int n_pes         = 3;

/// Collective: PE `odd` passes `bad`, the others `good`, of so many bytes. It
/// fails on all of them for what PE `odd` says, and nothing has changed.
template <class Words>
void expect_refused(symm::Bootstrap& bootstrap, Pe odd,
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
    EXPECT_THAT(symm::last_error(), HasSubstr("on PE 2: address 0x"));
    if (sort.is_cuda) fake().free(bad);
    Runtime::finalize();
  });
}

/// Maps the memory of `other` behind the first mapping of `first`.
void put_side_by_side(CudaProgram const& first, CudaProgram const& other,
                      int gpu) {
  auto const& driver                  = symm::CudaDriver::instance();
  CUmemGenericAllocationHandle handle = 0;
  CUmemAccessDesc const access{{CU_MEM_LOCATION_TYPE_DEVICE, {gpu}},
                               CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  auto const second = reinterpret_cast<CUdeviceptr>(first.address(1));
  EXPECT_EQ(driver.cuMemUnmap(second, unit), CUDA_SUCCESS);
  EXPECT_EQ(driver.cuMemRetainAllocationHandle(&handle, other.address()),
            CUDA_SUCCESS);
  EXPECT_EQ(driver.cuMemMap(second, unit, 0, handle, 0), CUDA_SUCCESS);
  EXPECT_EQ(driver.cuMemSetAccess(second, unit, &access, 1), CUDA_SUCCESS);
  EXPECT_EQ(driver.cuMemRelease(handle), CUDA_SUCCESS);
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
             HasSubstr("is the start of a memory of 2097152 bytes, not "));
      expect(pair.address(), bytes,
             HasSubstr("is the start of a memory of 2097152 bytes, not "));
      expect(memory + unit, unit,
             HasSubstr("is 2097152 bytes after the start "
                       "of its memory"));
      expect(memory + 1, bytes, HasSubstr("is 1 bytes after the start"));
      for (std::size_t const wrong : {unit, 3 * unit}) {
        expect(memory, wrong,
               HasSubstr("is the start of a memory of 4194304 bytes, not " +
                         std::to_string(wrong)));
      }
      for (std::size_t const wrong : {std::size_t{0}, unit - 1, bytes + 1}) {
        expect(memory, wrong, HasSubstr("not a positive multiple"));
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

/// A function of the driver that fails, from its call number `first` on.
struct Fault {
  char const* function;
  int first;
  CUresult result;
  char const* text;
  bool has_fabric;
  std::string name;

  friend std::ostream& operator<<(std::ostream& out, Fault const& fault) {
    return out << fault.name;
  }
};

class CudaRegistrationFaults : public CudaRegistration,
                               public testing::WithParamInterface<Fault> {};

TEST_P(CudaRegistrationFaults, R17_a_refusal_on_one_pe_is_undone_on_all) {
  if (GetParam().has_fabric) FakeCuda::set("FAKE_CUDA_FABRIC", "granted");
  expect_on_pes(n_pes, [](ForkedBootstrap& bootstrap) {
    auto const& fault  = GetParam();
    auto const nothing = held();
    initialize(bootstrap, gpu_of(bootstrap));
    for (auto const kind : both_kinds) {
      bool const has_fabric = fault.has_fabric && kind == MemoryKind::device;
      auto const program =
          shareable(bootstrap, kind, bytes,
                    has_fabric ? by_descriptor | int{CU_MEM_HANDLE_TYPE_FABRIC}
                               : by_descriptor);
      auto const states = heap_states();
      auto const before = held();
      for (int round = 0; round < 2; ++round) {
        if (bootstrap.my_pe() == failing) {
          fake().fail(fault.function, fault.result, fault.first);
        }
        EXPECT_EQ(buffer_register_symmetric(program.address(), bytes, 0),
                  nullptr);
        fake().heal();
        EXPECT_THAT(
            symm::last_error(),
            AllOf(HasSubstr("symm::buffer_register_symmetric(bytes = 4194304"),
                  HasSubstr("PE 1"), HasSubstr(fault.function),
                  HasSubstr(fault.text)));
        EXPECT_EQ(heap_states(), states);
        EXPECT_EQ(held(), before);
      }
      char* const address = registered(program.address(), bytes);
      expect_all_reach_all(heap(kind), address, program.address(), bytes);
      unregister(address, bytes);
      EXPECT_EQ(held(), before);
    }
    Runtime::finalize();
    EXPECT_EQ(held(), nothing);
    expect_nothing_in_use(bootstrap);
  });
}

std::vector<Fault> all_faults() {
  constexpr auto unknown       = "CUDA_ERROR_UNKNOWN";
  constexpr auto out_of_memory = "CUDA_ERROR_OUT_OF_MEMORY";
  std::vector<Fault> faults;
  // The memory is looked for, checked, and then retained.
  for (int first = 0; first < 4; ++first) {
    faults.push_back({"cuMemRetainAllocationHandle", first, CUDA_ERROR_UNKNOWN,
                      unknown, false, "retain_" + std::to_string(first)});
  }
  for (int first = 0; first < 2; ++first) {
    faults.push_back({"cuMemGetAllocationPropertiesFromHandle", first,
                      CUDA_ERROR_UNKNOWN, unknown, false,
                      "properties_" + std::to_string(first)});
    faults.push_back({"cuMemGetAddressRange", first, CUDA_ERROR_UNKNOWN,
                      unknown, false, "range_" + std::to_string(first)});
  }
  for (bool const has_fabric : {false, true}) {
    std::string const suffix = has_fabric ? "_with_fabric" : "";
    faults.insert(
        faults.end(),
        {{"cuMemExportToShareableHandle", 0, CUDA_ERROR_UNKNOWN, unknown,
          has_fabric, "export" + suffix},
         {"cuMemImportFromShareableHandle", 0, CUDA_ERROR_UNKNOWN, unknown,
          has_fabric, "import_first_peer" + suffix},
         {"cuMemImportFromShareableHandle", 1, CUDA_ERROR_OUT_OF_MEMORY,
          out_of_memory, has_fabric, "import_second_peer" + suffix},
         {"cuMemMap", 0, CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE",
          has_fabric, "map_own" + suffix},
         {"cuMemMap", 2, CUDA_ERROR_OUT_OF_MEMORY, out_of_memory, has_fabric,
          "map_second_peer" + suffix},
         {"cuMemSetAccess", 0, CUDA_ERROR_NOT_SUPPORTED,
          "CUDA_ERROR_NOT_SUPPORTED", has_fabric, "access_own" + suffix},
         {"cuMemSetAccess", 2, CUDA_ERROR_INVALID_DEVICE,
          "CUDA_ERROR_INVALID_DEVICE", has_fabric,
          "access_second_peer" + suffix}});
  }
  return faults;
}

INSTANTIATE_TEST_SUITE_P(Functions, CudaRegistrationFaults,
                         testing::ValuesIn(all_faults()),
                         [](auto const& test) { return test.param.name; });

TEST_F(CudaRegistration, R21_an_unmapping_refused_on_one_pe_is_everybodys) {
  expect_on_pes(n_pes, [](ForkedBootstrap& bootstrap) {
    auto const nothing = held();
    auto const unused  = in_use(bootstrap);
    for (int refused = 0; refused < n_pes; ++refused) {
      for (auto const kind : both_kinds) {
        initialize(bootstrap, gpu_of(bootstrap));
        auto const program  = shareable(bootstrap, kind, bytes);
        auto const states   = heap_states();
        char* const address = registered(program.address(), bytes);
        if (bootstrap.my_pe() == failing) {
          fake().fail("cuMemUnmap", CUDA_ERROR_UNKNOWN, refused, 1);
        }
        EXPECT_EQ(buffer_unregister_symmetric(address, bytes),
                  Status::internal);
        fake().heal();
        EXPECT_THAT(
            symm::last_error(),
            AllOf(HasSubstr("symm::buffer_unregister_symmetric: PE 1 failed: "),
                  HasSubstr("cuMemUnmap failed: CUDA_ERROR_UNKNOWN")));
        EXPECT_EQ(heap_states(), states) << "on every PE";
        EXPECT_EQ(buffer_unregister_symmetric(address, bytes),
                  Status::invalid_value);
        auto& its = heap(kind);
        expect_data_arrives(its, its.malloc(mib), mib);
        // What comes next works or fails on all PEs.
        auto* const again = static_cast<char*>(
            buffer_register_symmetric(program.address(), bytes, 0));
        for (int const theirs :
             symm::allgather(bootstrap, again == nullptr ? 1 : 0)) {
          EXPECT_EQ(theirs, again == nullptr ? 1 : 0);
        }
        expect_all_reach_all(its, again, program.address(), bytes);
        Runtime::finalize();
      }
    }
    EXPECT_EQ(held(), nothing) << "finalize() gives back what was refused";
    EXPECT_EQ(in_use(bootstrap), unused);
  });
}

TEST_F(CudaRegistration, R17_R21_a_lost_context_of_one_pe_fails_on_all) {
  expect_on_pes(n_pes, [](ForkedBootstrap& bootstrap) {
    initialize(bootstrap, gpu_of(bootstrap));
    auto const before   = shareable(bootstrap, MemoryKind::device, bytes);
    auto const after    = shareable(bootstrap, MemoryKind::device, bytes);
    char* const address = registered(before.address(), bytes);
    auto const words =
        AllOf(HasSubstr("PE 1"), HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS"));
    if (bootstrap.my_pe() == failing) fake().lose_context(1);
    EXPECT_EQ(buffer_register_symmetric(after.address(), bytes, 0), nullptr);
    EXPECT_THAT(symm::last_error(), words);
    EXPECT_EQ(buffer_unregister_symmetric(address, bytes), Status::internal);
    EXPECT_THAT(symm::last_error(), words);
    if (bootstrap.my_pe() == failing) {
      std::vector<char> ours(64);
      EXPECT_EQ(symm::buffer_register(ours.data(), 64), Status::internal);
      EXPECT_EQ(symm::buffer_unregister(ours.data()), Status::invalid_value);
    }
    EXPECT_THROW(Runtime::finalize(), symm::SystemError);
  });
}

}  // namespace
}  // namespace symm_test
