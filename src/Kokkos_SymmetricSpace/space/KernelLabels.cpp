// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "KernelLabels.hpp"

#include <cstdint>

#include <Kokkos_Core.hpp>

#include "../../runtime/base/Check.hpp"

namespace symm::Impl {

namespace {

namespace Tools = Kokkos::Tools::Experimental;

Tools::EventSet s_before;  // of the tool

template <auto member>
void begin(char const* label, std::uint32_t device, std::uint64_t* kernel) {
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
  is_done   = true;
  s_before  = Tools::get_callbacks();
  using Set = Tools::EventSet;
  Tools::set_begin_parallel_for_callback(begin<&Set::begin_parallel_for>);
  Tools::set_end_parallel_for_callback(end<&Set::end_parallel_for>);
  Tools::set_begin_parallel_reduce_callback(begin<&Set::begin_parallel_reduce>);
  Tools::set_end_parallel_reduce_callback(end<&Set::end_parallel_reduce>);
  Tools::set_begin_parallel_scan_callback(begin<&Set::begin_parallel_scan>);
  Tools::set_end_parallel_scan_callback(end<&Set::end_parallel_scan>);
}

}  // namespace symm::Impl
