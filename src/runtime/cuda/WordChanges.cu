// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// The kernel that changes words of this GPU for far PEs. The library does not
// compile it: cuda/WordChanges.hpp holds its PTX, which runs on any GPU, so
// that the library builds without a compiler for GPUs. To make the PTX, run
//
//   nvcc -ptx -arch=compute_75 WordChanges.cu
//
// and replace its directives by ".version 7.0" and ".target sm_70", which older
// drivers accept, too.

struct Change {  // CopyQueue::WordChange
  unsigned long long address;
  unsigned long long value;
  unsigned long long compare;
  unsigned long long was;
};

using u32 = unsigned int;
using u64 = unsigned long long;
using i64 = long long;

namespace {

__device__ u32 compare_swap(u32* word, u32 compare, u32 value) {
  return atomicCAS_system(word, compare, value);
}
__device__ u64 compare_swap(u64* word, u64 compare, u64 value) {
  return atomicCAS_system(word, compare, value);
}
__device__ float number(u32 bits) { return __uint_as_float(bits); }
__device__ double number(u64 bits) {
  return __longlong_as_double(static_cast<i64>(bits));
}

/// The minimum or maximum of floating-point numbers. A NaN changes nothing.
template <class Bits>
__device__ Bits extreme(Bits* word, Bits value, bool is_min) {
  Bits was = *static_cast<Bits volatile*>(word);
  for (;;) {
    auto const now = number(was);
    auto const its = number(value);
    if (!(is_min ? its < now : its > now)) return was;
    Bits const old = compare_swap(word, was, value);
    if (old == was) return was;
    was = old;
  }
}

}  // namespace

// `op` and `type` are those of memory/AtomicOp.hpp.
extern "C" __global__ void __launch_bounds__(128)
    symm_change_words(Change volatile* changes, u32 n, u32 op, u32 type) {
  for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += gridDim.x * blockDim.x) {
    u64 const address = __cvta_generic_to_global(
        reinterpret_cast<void const*>(changes[i].address));
    auto* const word =
        static_cast<u32*>(__cvta_global_to_generic(address));
    auto* const wide     = reinterpret_cast<u64*>(word);
    u64 const b          = changes[i].value;
    u64 const compare    = changes[i].compare;
    u32 const a          = static_cast<u32>(b);
    bool const is_narrow = type < 3;
    u64 was              = 0;
    switch (op) {
      case 0:
        was = is_narrow ? *static_cast<u32 volatile*>(word)
                        : *static_cast<u64 volatile*>(wide);
        break;
      case 1:
      case 2:
        was = is_narrow ? atomicExch_system(word, a)
                        : atomicExch_system(wide, b);
        break;
      case 3:
        was = is_narrow ? compare_swap(word, static_cast<u32>(compare), a)
                        : compare_swap(wide, compare, b);
        break;
      case 4:
        if (type == 2) {
          was = __float_as_uint(
              atomicAdd_system(reinterpret_cast<float*>(word), number(a)));
        } else if (type == 5) {
          was = static_cast<u64>(__double_as_longlong(
              atomicAdd_system(reinterpret_cast<double*>(wide), number(b))));
        } else {
          was = is_narrow ? atomicAdd_system(word, a)
                          : atomicAdd_system(wide, b);
        }
        break;
      case 5:
      case 6:
        if (type == 2) {
          was = extreme(word, a, op == 5);
        } else if (type == 5) {
          was = extreme(wide, b, op == 5);
        } else if (type == 0) {
          auto* const its = reinterpret_cast<int*>(word);
          auto const v    = static_cast<int>(a);
          was             = static_cast<u32>(op == 5 ? atomicMin_system(its, v)
                                                     : atomicMax_system(its, v));
        } else if (type == 1) {
          was = op == 5 ? atomicMin_system(word, a) : atomicMax_system(word, a);
        } else if (type == 3) {
          auto* const its = reinterpret_cast<i64*>(wide);
          auto const v    = static_cast<i64>(b);
          was             = static_cast<u64>(op == 5 ? atomicMin_system(its, v)
                                                     : atomicMax_system(its, v));
        } else {
          was = op == 5 ? atomicMin_system(wide, b) : atomicMax_system(wide, b);
        }
        break;
      case 7:
        was = is_narrow ? atomicAnd_system(word, a) : atomicAnd_system(wide, b);
        break;
      case 8:
        was = is_narrow ? atomicOr_system(word, a) : atomicOr_system(wide, b);
        break;
      default:
        was = is_narrow ? atomicXor_system(word, a) : atomicXor_system(wide, b);
        break;
    }
    changes[i].was = was;
  }
}
