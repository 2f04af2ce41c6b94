// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Rma.hpp"

namespace symm::Impl {

template <Direction direction, Until until, class Call>
void copy_bytes_on_host(Call call, void* dest, void const* source,
                        std::size_t bytes, Pe pe) {
  if (bytes == 0) return;
  constexpr bool is_put = direction == Direction::put;
  observe(is_put ? OperationKind::put : OperationKind::get, name_of_call(call),
          pe, bytes, is_put ? dest : source, is_put ? source : dest, [=] {
            copy_memory<direction>(dest, source, bytes, pe, until, call);
          });
}

#define SYMM_COPY_ON_HOST(direction, until)                             \
  template void copy_bytes_on_host<Direction::direction, Until::until>( \
      HostCall, void*, void const*, std::size_t, Pe);                   \
  template void copy_bytes_on_host<Direction::direction, Until::until>( \
      char const*, void*, void const*, std::size_t, Pe);
SYMM_COPY_ON_HOST(put, is_safe)
SYMM_COPY_ON_HOST(put, is_begun)
SYMM_COPY_ON_HOST(get, is_safe)
SYMM_COPY_ON_HOST(get, is_begun)
#undef SYMM_COPY_ON_HOST

}  // namespace symm::Impl
