// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// What the contract of the providers does not say of their ledger: its
// messages, and that a step which failed is forgotten.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <memory>
#include <string>

#include <runtime/base/Failure.hpp>
#include <runtime/memory/VmmLedger.hpp>

namespace symm_test {
namespace {

using symm::Impl::Vmm;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

struct Memory {
  std::size_t bytes    = 0;
  Vmm::Sharing sharing = Vmm::Sharing::none;
};

constexpr std::size_t page = 4096;
constexpr std::size_t unit = 4 * page;

class VmmLedger : public testing::Test {
 protected:
  /// An address; nothing is ever there.
  static char* at(std::size_t offset) {
    return reinterpret_cast<char*>((std::size_t{1} << 40U) + offset);
  }

  template <class Call>
  static std::string refusal(Call const& call) {
    auto const failure = symm::Impl::failure_of(call);
    if (!failure) return "allowed";
    EXPECT_EQ(failure->kind, symm::Impl::ErrorKind::usage);
    return failure->message;
  }

  Vmm::Handle new_handle(std::size_t bytes) {
    return m_ledger.add_handle(std::make_shared<Memory>(Memory{bytes}));
  }

  symm::Impl::VmmLedger<Memory> m_ledger{"Vmm_X", page, unit};
};

TEST_F(VmmLedger, messages_name_the_provider_the_call_and_the_values) {
  EXPECT_THAT(refusal([&] { m_ledger.check_reserve(page + 1, 0, nullptr); }),
              AllOf(StartsWith("Vmm_X::reserve: "), HasSubstr("4097"),
                    HasSubstr("multiple of 4096")));
  EXPECT_THAT(refusal([&] { m_ledger.check_reserve(page, 24, nullptr); }),
              HasSubstr("alignment 24"));
  EXPECT_THAT(refusal([&] { m_ledger.check_create(page); }),
              AllOf(StartsWith("Vmm_X::create: "), HasSubstr("16384")));
  auto const handle = new_handle(unit);
  EXPECT_THAT(
      refusal([&] { static_cast<void>(m_ledger.memory_to_export(handle)); }),
      AllOf(StartsWith("Vmm_X::export_handle: "),
            HasSubstr("Sharing::by_descriptor")));
  m_ledger.add_reservation(at(0), 4 * unit);
  EXPECT_THAT(refusal([&] { m_ledger.add_mapping(at(0), unit, 8, handle); }),
              HasSubstr("offset 8 must be 0"));
  EXPECT_THAT(
      refusal([&] { m_ledger.add_mapping(at(0), 2 * unit, 0, handle); }),
      AllOf(HasSubstr("32768 bytes"), HasSubstr("16384")));
  m_ledger.add_mapping(at(unit), unit, 0, handle);
  EXPECT_THAT(refusal([&] { m_ledger.check_address_free(at(0), 4 * unit); }),
              AllOf(HasSubstr("still mapped"), HasSubstr("0x10000004000")));
}

TEST_F(VmmLedger, a_mapping_that_failed_is_forgotten) {
  auto const handle = new_handle(unit);
  m_ledger.add_reservation(at(0), 2 * unit);
  m_ledger.add_mapping(at(0), unit, 0, handle);
  m_ledger.forget_mapping(at(0));
  EXPECT_TRUE(m_ledger.mappings().empty());
  EXPECT_NO_THROW(m_ledger.add_mapping(at(0), unit, 0, handle));
}

TEST_F(VmmLedger, a_refused_mapping_is_not_noted) {
  auto const handle = new_handle(unit);
  m_ledger.add_reservation(at(0), unit);
  EXPECT_NE(refusal([&] { m_ledger.add_mapping(at(unit), unit, 0, handle); }),
            "allowed");
  EXPECT_TRUE(m_ledger.mappings().empty());
  EXPECT_NO_THROW(m_ledger.check_address_free(at(0), unit));
}

TEST_F(VmmLedger, neighboring_reservations_are_not_one) {
  auto const handle = new_handle(2 * unit);
  m_ledger.add_reservation(at(0), unit);
  m_ledger.add_reservation(at(unit), unit);
  EXPECT_THAT(
      refusal([&] { m_ledger.add_mapping(at(0), 2 * unit, 0, handle); }),
      HasSubstr("not inside one reserved range"));
}

TEST_F(VmmLedger, the_largest_sizes_do_not_wrap_around) {
  auto const handle = new_handle(std::numeric_limits<std::size_t>::max());
  m_ledger.add_reservation(at(0), 4 * unit);
  auto const most =
      symm::Impl::round_down(std::numeric_limits<std::size_t>::max(), unit);
  EXPECT_NE(refusal([&] { m_ledger.add_mapping(at(unit), most, 0, handle); }),
            "allowed");
}

TEST_F(VmmLedger, memory_is_found_inside_its_mapping_only) {
  auto const handle = new_handle(unit);
  m_ledger.add_reservation(at(0), 3 * unit);
  m_ledger.add_mapping(at(unit), unit, 0, handle);
  auto const& memory = m_ledger.memory_of(handle, "test");
  EXPECT_EQ(m_ledger.memory_at(at(unit), "test"), memory);
  EXPECT_EQ(m_ledger.memory_at(at(2 * unit - 1), "test"), memory);
  for (auto const offset : {std::size_t{0}, unit - 1, 2 * unit}) {
    EXPECT_THAT(refusal([&] {
                  static_cast<void>(m_ledger.memory_at(at(offset), "retain"));
                }),
                StartsWith("Vmm_X::retain: "));
  }
}

TEST_F(VmmLedger, V37_a_number_is_never_used_again) {
  auto const first = new_handle(unit);
  m_ledger.remove_handle(first);
  auto const second = new_handle(unit);
  EXPECT_NE(first, second);
  EXPECT_THAT(
      refusal([&] { static_cast<void>(m_ledger.memory_of(first, "map")); }),
      AllOf(StartsWith("Vmm_X::map: handle "),
            HasSubstr("not a handle of this process, or was released")));
}

}  // namespace
}  // namespace symm_test
