// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// A call that throws because the host lacks memory changes nothing, even if
// the driver has already done its part. On the fake driver.

#include <gtest/gtest.h>
#include <support/FakeCuda.hpp>
#include <support/LackOfMemory.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <runtime/gpu/Vmm_Gpu.hpp>

namespace symm_test {
namespace {

namespace gpu = symm::Impl::gpu;
using gpu::Driver;
using symm::Impl::Vmm;

constexpr std::size_t unit = std::size_t{2} << 20U;

/// A function of the driver, whose own allocations neither fail nor count.
template <auto member, class Function>
struct Uncounted;
template <auto member, class Returned, class... Parameters>
struct Uncounted<member, gpu::DriverFunction<Returned (*)(Parameters...)>> {
  static Returned call(Parameters... arguments) {
    int const fails_at    = std::exchange(CountedAllocations::fails_at, 0);
    Returned const result = (Driver::instance().*member)(arguments...);
    CountedAllocations::fails_at = fails_at;
    return result;
  }
};

Driver const& uncounted_driver() {
  static Driver const s_driver = [] {
    Driver driver = Driver::instance();
#define SYMM_COUNT_NOT(member, name) \
  driver.member.function =           \
      &Uncounted<&Driver::member,    \
                 std::remove_cvref_t<decltype(driver.member)>>::call;
    SYMM_FOR_EACH_DRIVER_FUNCTION(SYMM_COUNT_NOT)
#undef SYMM_COUNT_NOT
    return driver;
  }();
  return s_driver;
}

/// What a ContextGuard changes.
int current_device() {
#ifdef SYMM_TEST_HIP
  int device = -1;
  EXPECT_EQ(Driver::instance().get_device(&device), gpu::success);
  return device;
#else
  return FakeCuda::instance().n_current_contexts();
#endif
}

class GpuLackOfMemory : public testing::Test {
 protected:
  void SetUp() override {
    FakeCuda::set_machine(2);
    // On another GPU than the thread's current one.
    m_vmm = std::make_unique<symm::Impl::Vmm_Gpu>(uncounted_driver(),
                                                  symm::MemoryKind::device, 1);
  }

  /// In each call, another allocation fails, until none does.
  void expect_nothing_changes(std::function<void()> const& call,
                              std::function<void()> const& undo) const {
    auto const before = FakeCuda::instance().counts();
    auto const device = current_device();
    bool has_failed   = true;
    for (int which = 1; has_failed; ++which) {
      ASSERT_LT(which, 100);
      has_failed = false;
      try {
        LackOfMemory(which, 0).in(call);
      } catch (std::bad_alloc const&) {
        has_failed = true;
      }
      ASSERT_EQ(current_device(), device) << "allocation " << which;
      if (has_failed) {
        ASSERT_EQ(FakeCuda::instance().counts(), before)
            << "allocation " << which;
      }
    }
    undo();
    EXPECT_EQ(FakeCuda::instance().counts(), before);
  }

  std::unique_ptr<symm::Impl::Vmm_Gpu> m_vmm;
};

TEST_F(GpuLackOfMemory, V05_no_addresses_stay_reserved) {
  for (std::size_t const alignment : {std::size_t{0}, 64 * unit}) {
    char* start = nullptr;
    expect_nothing_changes([&] { start = m_vmm->reserve(unit, alignment); },
                           [&] { m_vmm->address_free(start, unit); });
  }
}

TEST_F(GpuLackOfMemory, V10_no_memory_stays_created_or_imported) {
  Vmm::Handle handle{};
  for (auto const sharing : {Vmm::Sharing::none, Vmm::Sharing::by_descriptor}) {
    expect_nothing_changes([&] { handle = m_vmm->create(unit, sharing); },
                           [&] { m_vmm->release(handle); });
  }
  auto const shared = m_vmm->create(unit, Vmm::Sharing::by_descriptor);
  expect_nothing_changes(
      [&] {
        handle = m_vmm->import_handle(m_vmm->export_handle(shared), unit);
      },
      [&] { m_vmm->release(handle); });
}

TEST_F(GpuLackOfMemory, V43_memory_stays_mapped_if_unmap_throws) {
  char* const start = m_vmm->reserve(unit);
  auto const map    = [&] {
    auto const handle = m_vmm->create(unit, Vmm::Sharing::none);
    m_vmm->map(start, unit, 0, handle);
    m_vmm->release(handle);
  };
  map();
  expect_nothing_changes([&] { m_vmm->unmap(start, unit); }, map);
  m_vmm->unmap(start, unit);
  m_vmm->address_free(start, unit);
}

TEST_F(GpuLackOfMemory, B02_no_memory_stays_page_locked) {
  std::vector<char> ours(4096);
  expect_nothing_changes(
      [&] { EXPECT_TRUE(m_vmm->pin(ours.data(), ours.size())); },
      [&] { m_vmm->unpin(ours.data()); });
}

TEST_F(GpuLackOfMemory, B13_memory_stays_page_locked_if_unpin_throws) {
  std::vector<char> ours(4096);
  ASSERT_TRUE(m_vmm->pin(ours.data(), ours.size()));
  expect_nothing_changes(
      [&] { m_vmm->unpin(ours.data()); },
      [&] { ASSERT_TRUE(m_vmm->pin(ours.data(), ours.size())); });
  m_vmm->unpin(ours.data());
}

TEST_F(GpuLackOfMemory, the_current_device_of_the_thread_stays_as_it_was) {
  expect_nothing_changes([&] { m_vmm->synchronize(); }, [] {});
  expect_nothing_changes(
      [&] { EXPECT_FALSE(m_vmm->describe(nullptr).empty()); }, [] {});
}

}  // namespace
}  // namespace symm_test
