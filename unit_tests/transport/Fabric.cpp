// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
// Which of libfabric's networks are for jobs of several nodes.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include <runtime/engines/Fabric.hpp>

namespace {

class FabricChoice : public testing::Test {
 protected:
  FabricChoice() { ::unsetenv("FI_PROVIDER"); }
  ~FabricChoice() override { ::unsetenv("FI_PROVIDER"); }

  static bool is_for_nodes(std::string provider) {
    fi_fabric_attr attributes{};
    attributes.prov_name = provider.data();
    fi_info network{};
    network.fabric_attr = &attributes;
    return symm::Impl::Fabric::is_for_nodes(network);
  }
};

TEST_F(FabricChoice, without_a_name_it_is_one_that_reaches_other_machines) {
  EXPECT_TRUE(is_for_nodes("tcp;ofi_rxm"));
  EXPECT_FALSE(is_for_nodes("shm"));
}

TEST_F(FabricChoice, a_provider_that_is_named_is_taken) {
  ::setenv("FI_PROVIDER", "shm", 1);
  EXPECT_TRUE(is_for_nodes("shm"));
}

TEST_F(FabricChoice, to_exclude_one_does_not_choose_the_others) {
  ::setenv("FI_PROVIDER", "^verbs", 1);
  EXPECT_TRUE(is_for_nodes("tcp;ofi_rxm"));
  EXPECT_FALSE(is_for_nodes("shm"));
}

}  // namespace
