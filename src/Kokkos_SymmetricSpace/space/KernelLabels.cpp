// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "KernelLabels.hpp"

#include <cstddef>
#include <cstdint>

#include <Kokkos_Core.hpp>

#include <symm_gpu/ShadowKernels.hpp>
#include "../../runtime/base/Check.hpp"

namespace symm::Impl {

namespace {

namespace Tools = Kokkos::Tools::Experimental;

Tools::EventSet s_before;  // the tool's callbacks

#if defined(SYMM_CHECK_VIEWS) && !defined(SYMM_CHECK_VIEWS_ON_HOST)
// Reports copies and fills of GPU memory. Kernels report accesses element by
// element, through the element types of Views, but CUDA calls report nothing.
// Therefore, a copy without a kernel is reported as a whole.
struct DeepCopy {
  void const* to;
  void const* from;
  std::size_t bytes;
  bool has_kernel;
};
DeepCopy s_copy{};

void begin_copy(Kokkos::Tools::SpaceHandle to_space, char const* to_label,
                void const* to, Kokkos::Tools::SpaceHandle from_space,
                char const* from_label, void const* from, std::uint64_t bytes) {
  s_copy = {to, from, bytes, false};
  if (s_before.begin_deep_copy != nullptr) {
    s_before.begin_deep_copy(to_space, to_label, to, from_space, from_label,
                             from, bytes);
  }
}

void end_copy() {
  if (!s_copy.has_kernel && s_copy.bytes != 0) {
    [[maybe_unused]] check::Call const its_call("Kokkos::deep_copy");
    check::copy_here(s_copy.to, s_copy.from, s_copy.bytes);
  }
  s_copy = {};
  if (s_before.end_deep_copy != nullptr) s_before.end_deep_copy();
}

void note_kernel() { s_copy.has_kernel = true; }
#else
void note_kernel() {}
#endif

template <auto member>
void begin(char const* label, std::uint32_t device, std::uint64_t* kernel) {
  note_kernel();
  check::in_kernel(label);
  if (s_before.*member != nullptr) (s_before.*member)(label, device, kernel);
}

template <auto member>
void end(std::uint64_t kernel) {
  check::in_kernel(nullptr);
  if (s_before.*member != nullptr) (s_before.*member)(kernel);
}

}  // namespace

void tell_check_of_kernels() {
  static bool is_done = false;
  if (is_done) return;
  is_done = true;
  check::set_shadow_kernels(check::shadow_kernels);
  s_before  = Tools::get_callbacks();
  using Set = Tools::EventSet;
#if defined(SYMM_CHECK_VIEWS) && !defined(SYMM_CHECK_VIEWS_ON_HOST)
  Tools::set_begin_deep_copy_callback(begin_copy);
  Tools::set_end_deep_copy_callback(end_copy);
#endif
  Tools::set_begin_parallel_for_callback(begin<&Set::begin_parallel_for>);
  Tools::set_end_parallel_for_callback(end<&Set::end_parallel_for>);
  Tools::set_begin_parallel_reduce_callback(begin<&Set::begin_parallel_reduce>);
  Tools::set_end_parallel_reduce_callback(end<&Set::end_parallel_reduce>);
  Tools::set_begin_parallel_scan_callback(begin<&Set::begin_parallel_scan>);
  Tools::set_end_parallel_scan_callback(end<&Set::end_parallel_scan>);
}

}  // namespace symm::Impl
