// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Rma.hpp"

namespace symm::Impl {

template <Direction direction, Completion completion, class Call>
void copy_bytes_on_host(Call call, void* dest, void const* source,
                        std::size_t bytes, Pe pe) {
  observe(CopyOperation<direction>{name_of_call(call), dest, source, bytes, pe,
                                   completion},
          [=] {
            copy_memory<direction>(dest, source, bytes, pe, completion, call);
          });
}

#define SYMM_COPY_ON_HOST(direction, completion)                    \
  template void                                                     \
  copy_bytes_on_host<Direction::direction, Completion::completion>( \
      HostCall, void*, void const*, std::size_t, Pe);               \
  template void                                                     \
  copy_bytes_on_host<Direction::direction, Completion::completion>( \
      char const*, void*, void const*, std::size_t, Pe);
SYMM_COPY_ON_HOST(put, local)
SYMM_COPY_ON_HOST(put, none)
SYMM_COPY_ON_HOST(get, local)
SYMM_COPY_ON_HOST(get, none)
#undef SYMM_COPY_ON_HOST

}  // namespace symm::Impl
