// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Memory of the program as a part of the heap when the driver refuses something
// on one PE.

#include <iterator>
#include <ostream>
#include <string>
#include <vector>

#include "CudaRegistration.hpp"
#include "GpuNames.hpp"

namespace symm_test {
namespace cuda_registration_faults {
namespace {

using symm::buffer_register_symmetric;
using symm::buffer_unregister_symmetric;
using symm::MemoryKind;
using symm::Pe;
using symm::Status;
using symm::Impl::ErrorKind;
using symm::Impl::Runtime;
using testing::AllOf;

constexpr std::size_t bytes = 2 * unit;
constexpr Pe failing        = 1;
constexpr int n_pes         = 3;

/// A function of the driver that fails, from its call number `first` on.
struct Fault {
  char const* function;
  int first;
  CUresult result;
  char const* text;
  bool has_fabric;
  char const* name;

  [[nodiscard]] std::string full_name() const {
    return std::string(name) + (has_fabric ? "_with_fabric" : "");
  }
  friend std::ostream& operator<<(std::ostream& out, Fault const& fault) {
    return out << fault.full_name();
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
      auto& its         = heap(kind);
      auto const states = heap_states();
      auto const before = held();
      for (int round = 0; round < 2; ++round) {
        if (bootstrap.my_pe() == failing) {
          fake().fail(fault.function, fault.result, fault.first);
        }
        auto const failure = failure_text([&] {
          static_cast<void>(its.register_memory(program.address(), bytes));
        });
        fake().heal();
        EXPECT_EQ(failure.kind, fault.result == CUDA_ERROR_OUT_OF_MEMORY
                                    ? ErrorKind::out_of_memory
                                    : ErrorKind::system);
        EXPECT_THAT(
            failure.message,
            AllOf(HasSubstr("symm::buffer_register_symmetric(bytes = 4194304"),
                  HasSubstr("PE 1"), HasSubstr(fault.function),
                  HasSubstr(fault.text)));
        EXPECT_EQ(heap_states(), states);
        EXPECT_EQ(held(), before);
      }
      char* const address = registered(program.address(), bytes);
      expect_all_reach_all(its, address, program.address(), bytes);
      unregister(address, bytes);
      EXPECT_EQ(held(), before);
    }
    Runtime::finalize();
    EXPECT_EQ(held(), nothing);
    expect_nothing_in_use(bootstrap);
  });
}

std::vector<Fault> all_faults() {
  constexpr auto unknown = CUDA_ERROR_UNKNOWN;
  constexpr auto text    = "CUDA_ERROR_UNKNOWN";
  std::vector<Fault> faults;
  for (bool const has_fabric : {false, true}) {
    Fault const these[] = {
        // The memory is looked for by the check, and again when it is retained.
        {"cuMemRetainAllocationHandle", 0, unknown, text, has_fabric, "check"},
        {"cuMemRetainAllocationHandle", 1, unknown, text, has_fabric, "retain"},
        {"cuMemRetainAllocationHandle", 2, unknown, text, has_fabric, "handle"},
        {"cuMemGetAllocationPropertiesFromHandle", 0, unknown, text, has_fabric,
         "properties"},
        {"cuMemGetAllocationPropertiesFromHandle", 1, unknown, text, has_fabric,
         "properties_of_retained"},
        {"cuMemGetAddressRange", 0, unknown, text, has_fabric, "range"},
        {"cuMemGetAddressRange", 1, unknown, text, has_fabric,
         "range_of_retained"},
        {"cuMemExportToShareableHandle", 0, unknown, text, has_fabric,
         "export"},
        {"cuMemImportFromShareableHandle", 0, unknown, text, has_fabric,
         "import_first_peer"},
        {"cuMemImportFromShareableHandle", 1, CUDA_ERROR_OUT_OF_MEMORY,
         "CUDA_ERROR_OUT_OF_MEMORY", has_fabric, "import_second_peer"},
        {"cuMemMap", 0, CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE",
         has_fabric, "map_own"},
        {"cuMemMap", 2, CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY",
         has_fabric, "map_second_peer"},
        {"cuMemSetAccess", 0, CUDA_ERROR_NOT_SUPPORTED,
         "CUDA_ERROR_NOT_SUPPORTED", has_fabric, "access_own"},
        {"cuMemSetAccess", 2, CUDA_ERROR_INVALID_DEVICE,
         "CUDA_ERROR_INVALID_DEVICE", has_fabric, "access_second_peer"},
        {"cuCtxSynchronize", 0, unknown, text, has_fabric, "synchronize"}};
    faults.insert(faults.end(), std::begin(these), std::end(these));
  }
  return faults;
}

INSTANTIATE_TEST_SUITE_P(Functions, CudaRegistrationFaults,
                         testing::ValuesIn(all_faults()), [](auto const& test) {
                           return test.param.full_name();
                         });

// Which heap is to have it is asked before, by each PE for itself.
TEST_F(CudaRegistration, R17_a_question_without_an_answer_fails_on_all) {
  expect_on_pes(n_pes, [](ForkedBootstrap& bootstrap) {
    initialize(bootstrap, gpu_of(bootstrap));
    for (auto const kind : both_kinds) {
      auto const program = shareable(bootstrap, kind, bytes);
      auto const before  = held();
      for (char const* function :
           {"cuMemRetainAllocationHandle", "cuMemGetAddressRange",
            "cuMemGetAllocationPropertiesFromHandle"}) {
        if (bootstrap.my_pe() == failing) {
          fake().fail(function, CUDA_ERROR_UNKNOWN);
        }
        EXPECT_EQ(buffer_register_symmetric(program.address(), bytes, 0),
                  nullptr);
        EXPECT_THAT(
            symm::last_error(),
            AllOf(HasSubstr("symm::buffer_register_symmetric(bytes = 4194304"),
                  HasSubstr("failed: on PE 1: "), HasSubstr(function)));
        fake().heal();
        EXPECT_EQ(held(), before);
      }
      unregister(registered(program.address(), bytes), bytes);
    }
    Runtime::finalize();
  });
}

/// The registered memory's handle is released when the memory is unmapped.
class CudaUnregistration : public CudaRegistration,
                           public testing::WithParamInterface<char const*> {};
INSTANTIATE_TEST_SUITE_P(Functions, CudaUnregistration,
                         testing::Values("cuMemUnmap", "cuMemRelease"),
                         [](auto const& test) {
                           return std::string(test.param);
                         });

TEST_P(CudaUnregistration, R21_what_is_refused_on_one_pe_is_everybodys) {
  expect_on_pes(n_pes, [](ForkedBootstrap& bootstrap) {
    auto const function = std::string(GetParam());
    auto const nothing  = held();
    auto const unused   = in_use(bootstrap);
    for (int refused = 0; refused < n_pes; ++refused) {
      for (auto const kind : both_kinds) {
        initialize(bootstrap, gpu_of(bootstrap));
        auto const program  = shareable(bootstrap, kind, bytes);
        auto const states   = heap_states();
        char* const address = registered(program.address(), bytes);
        if (bootstrap.my_pe() == failing) {
          fake().fail(function.c_str(), CUDA_ERROR_UNKNOWN, refused, 1);
        }
        EXPECT_EQ(buffer_unregister_symmetric(address, bytes),
                  Status::internal);
        fake().heal();
        EXPECT_THAT(
            symm::last_error(),
            AllOf(HasSubstr("symm::buffer_unregister_symmetric: PE 1 failed: "),
                  HasSubstr(function + " failed: CUDA_ERROR_UNKNOWN")));
        EXPECT_EQ(heap_states(), states) << "on every PE";
        EXPECT_EQ(buffer_unregister_symmetric(address, bytes),
                  Status::invalid_value);
        auto& its = heap(kind);
        expect_data_arrives(its, its.malloc(mib), mib);
        // What comes next works or fails on all PEs.
        auto* const again = static_cast<char*>(
            buffer_register_symmetric(program.address(), bytes, 0));
        for (int const theirs :
             symm::Impl::allgather(bootstrap, again == nullptr ? 1 : 0)) {
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

TEST_P(CudaUnregistration, R21_only_what_was_refused_stays_mapped) {
  expect_on_pes(n_pes, [](ForkedBootstrap& bootstrap) {
    for (int refused = 0; refused < n_pes; ++refused) {
      initialize(bootstrap, gpu_of(bootstrap));
      auto const program  = shareable(bootstrap, MemoryKind::device, bytes);
      bool const is_it    = bootstrap.my_pe() == failing;
      auto const before   = held();
      char* const address = registered(program.address(), bytes);
      if (is_it) fake().fail(GetParam(), CUDA_ERROR_UNKNOWN, refused, 1);
      EXPECT_EQ(buffer_unregister_symmetric(address, bytes), Status::internal);
      fake().heal();
      EXPECT_EQ(held().counts.mappings,
                before.counts.mappings + (is_it ? 1U : 0U))
          << "unmapping " << refused;
      Runtime::finalize();
    }
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
}  // namespace cuda_registration_faults
}  // namespace symm_test
