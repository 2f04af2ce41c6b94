// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "RuntimeCall.hpp"

#include <cstddef>

namespace symm::Impl {

namespace {

struct Signature {
  char const* name;
  std::array<char const*, 3> arguments;  // null: unused
};

Signature signature_of(RuntimeCall operation) {
  switch (operation) {
    case RuntimeCall::barrier_all: return {"symm::barrier_all", {}};
    case RuntimeCall::malloc: return {"symm::malloc", {"bytes"}};
    case RuntimeCall::align: return {"symm::align", {"bytes", "alignment"}};
    case RuntimeCall::calloc:
      return {"symm::calloc", {"bytes", "count", "size"}};
    case RuntimeCall::realloc: return {"symm::realloc", {"bytes", "offset"}};
    case RuntimeCall::free: return {"symm::free", {"offset"}};
    case RuntimeCall::allocate_view:
      return {"allocation of a View", {"bytes", "alignment", "header"}};
    case RuntimeCall::finish_view:
      return {"end of the construction of a View", {}};
    case RuntimeCall::free_view: return {"destruction of a View", {"offset"}};
    case RuntimeCall::heap_trim: return {"symm::heap_trim", {}};
    case RuntimeCall::register_symmetric:
      return {"symm::buffer_register_symmetric", {"bytes", "flags"}};
    case RuntimeCall::register_view:
      return {"symm::register_symmetric_view",
              {"bytes", "memory bytes", "start"}};
    case RuntimeCall::unregister_symmetric:
      return {"symm::buffer_unregister_symmetric", {"bytes", "offset"}};
    case RuntimeCall::share_buffer:
      return {"construction of a shared buffer", {"bytes of an element"}};
    case RuntimeCall::close_shared_buffer:
      return {"close of a shared buffer", {"bytes of an element", "number"}};
    case RuntimeCall::object: return {"collective call", {}};
    case RuntimeCall::finalize: return {"symm::finalize", {}};
    case RuntimeCall::pool_create:
      return {"creation of a pool", {"pool", "place", "maximum"}};
    case RuntimeCall::pool_destroy: return {"destruction of a pool", {"pool"}};
    case RuntimeCall::pool_current:
      return {"symm::device_set_mem_pool", {"pool"}};
    case RuntimeCall::pool_attribute:
      return {"symm::mem_pool_set_attribute", {"pool", "attribute", "value"}};
    case RuntimeCall::pool_grow: return {"growth of a pool", {"pool", "bytes"}};
    case RuntimeCall::pool_trim:
      return {"symm::mem_pool_trim_to", {"pool", "bytes to hold"}};
    case RuntimeCall::malloc_async:
      return {"symm::malloc_async", {"pool", "bytes", "stream"}};
    case RuntimeCall::free_async:
      return {"symm::free_async", {"pool", "offset", "stream"}};
    case RuntimeCall::order_after:
      return {"symm::order_after", {"stream", "earlier stream"}};
    case RuntimeCall::stream_barrier:
      return {"symm::barrier on a stream", {"stream"}};
    case RuntimeCall::pool_failure:
      return {"failure of the previous call", {"pool"}};
    case RuntimeCall::agree: return {"end of the previous call", {}};
    case RuntimeCall::compare_trails:
      return {"comparison of stream-ordered calls", {}};
    default: return {"no collective call", {}};
  }
}

}  // namespace

char const* name_of(RuntimeCall operation) {
  return signature_of(operation).name;
}

OperationKind kind_of(RuntimeCall operation) {
  bool const is_barrier = operation == RuntimeCall::barrier_all ||
                          operation == RuntimeCall::finalize;
  return is_barrier ? OperationKind::barrier : OperationKind::allocation;
}

char const* advice_for(RuntimeCall operation) {
  if (operation != RuntimeCall::allocate_view) return "";
  return " (if PEs own different numbers of elements, create a "
         "symm::UnevenView, or allocate the largest View on every PE and use a "
         "part of it); Kokkos algorithms and containers allocate in the space "
         "of the View that they are given: to call them on one PE only, pass a "
         "View in HostSpace or CudaSpace that refers to the same memory";
}

Text to_string(RuntimeCall operation, RuntimeCallArguments const& arguments,
               char const* label, MemoryKind memory) {
  if (operation == RuntimeCall::object && *label != '\0') return label;
  auto const signature = signature_of(operation);
  Text text            = signature.name;
  if (*label != '\0') text.append(" \"", label, "\"");
  char const* separator = "(";
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (signature.arguments[i] == nullptr) break;
    text.append(separator, signature.arguments[i], " = ", arguments[i]);
    separator = ", ";
  }
  if (memory == MemoryKind::device) {
    text.append(separator, "memory = GPU");
    separator = ", ";
  }
  text.append(*separator == '(' ? "()" : ")");
  return text;
}

}  // namespace symm::Impl
