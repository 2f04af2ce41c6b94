// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Initialize.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../runtime/access/KernelQueue.hpp"
#include "../../runtime/base/Check.hpp"
#include "../../runtime/job/Job.hpp"
#include "../../runtime/symm_errors.hpp"
#include "KernelLabels.hpp"
#include "KokkosDevice.hpp"
#include "KokkosTools.hpp"

namespace symm {

namespace {

class KokkosHooks final : public Impl::LibraryHooks {
 public:
  /// \param start initializes Kokkos. Its argument is the device to use, if
  ///        choose_device() returns one. `start` is not called after begin().
  KokkosHooks(bool has_user_chosen,
              std::function<void(std::optional<int>)> start)
      : m_has_user_chosen(has_user_chosen), m_start(std::move(start)) {}

  void check() const override {
    if (!Kokkos::is_finalized()) return;
    throw UsageError(
        "symm::initialize: Kokkos has been finalized and cannot be initialized "
        "again; call symm::initialize() before Kokkos::finalize()");
  }
  void begin(int number_on_node) override {
    // m_start refers to local variables of initialize(), which this object
    // outlives.
    auto const start = std::exchange(m_start, nullptr);
    if (!Kokkos::is_initialized()) {
      start(Impl::choose_device(number_on_node, m_has_user_chosen));
      m_has_begun = true;
    }
    Impl::use_queue_of_kokkos();
    Impl::observe_for_tools();
    if constexpr (Impl::check::has_detector) Impl::tell_check_of_kernels();
  }
  [[nodiscard]] std::optional<int> gpu() const override {
    return Impl::device_of_kokkos();
  }
  void end() override {
    Impl::end_observing_for_tools();
    Impl::set_kernel_queue(nullptr);  // the next runtime may run without Kokkos
    if (m_has_begun && Kokkos::is_initialized()) Kokkos::finalize();
  }

 private:
  bool m_has_user_chosen;
  std::function<void(std::optional<int>)> m_start;
  bool m_has_begun = false;
};

}  // namespace

void initialize(int& argc, char* argv[], Communicator const& communicator) {
  auto const chooses = [](std::string_view argument) {
    return argument.starts_with("--kokkos-device-id") ||
           argument.starts_with("--kokkos-map-device-id-by");
  };
  bool const has_user_chosen = std::any_of(argv, argv + argc, chooses);
  auto const start           = [&](std::optional<int> device) {
    std::vector<char*> arguments(argv, argv + argc);
    auto option = "--kokkos-device-id=" + std::to_string(device.value_or(0));
    if (device) arguments.push_back(option.data());
    int count = static_cast<int>(arguments.size());
    arguments.push_back(nullptr);
    Kokkos::initialize(count, arguments.data());
    // Kokkos has removed its options, including the one added above.
    std::copy_n(arguments.begin(), count, argv);
    if (count < argc) argv[count] = nullptr;
    argc = count;
  };
  Impl::begin_job(&argc, &argv, communicator,
                  std::make_unique<KokkosHooks>(has_user_chosen, start));
}

void initialize(Kokkos::InitializationSettings const& settings,
                Communicator const& communicator) {
  bool const has_user_chosen =
      settings.has_device_id() || settings.has_map_device_id_by();
  auto const start = [&](std::optional<int> device) {
    auto complete = settings;
    if (device) complete.set_device_id(*device);
    Kokkos::initialize(complete);
  };
  Impl::begin_job(nullptr, nullptr, communicator,
                  std::make_unique<KokkosHooks>(has_user_chosen, start));
}

ScopeGuard::~ScopeGuard() { Impl::end_scope("ScopeGuard"); }

}  // namespace symm
