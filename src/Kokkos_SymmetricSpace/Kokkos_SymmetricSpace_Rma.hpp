// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_RMA_HPP
#define KOKKOS_SYMMETRICSPACE_RMA_HPP

#include <cstddef>
#include <type_traits>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace_Access.hpp>
#include <Kokkos_SymmetricSpace_Copy.hpp>
#include <Kokkos_SymmetricSpace_DeepCopy.hpp>
#include <Kokkos_SymmetricSpace_MemorySpace.hpp>
#include <Kokkos_SymmetricSpace_Ordering.hpp>

#include "../runtime/HeapMap.hpp"
#include "../runtime/HostCopy.hpp"
#include "../runtime/SymmetricHeap.hpp"
#include "../runtime/Types.hpp"

// Remote memory access (OpenSHMEM 1.5, 9.5 and 9.6): what is put goes to PE
// `pe`'s copy of the symmetric object `dest`, what is got comes from its copy
// of `source`. The other side is any memory of this PE that the caller reaches:
// private or symmetric.
//
//   who                first arguments       returns when
//   the host                                 it is done
//   one thread         heap                  it is done
//   a thread team      member, heap          it is done: the team's barrier
//   a thread's lanes   lanes(member), heap   it is done, for all lanes
//   a space instance   exec                  it is in the queue of `exec`
//
// All take: elements of a type that is trivially copyable, and their number;
// 0 copies nothing and looks at nothing else. `pe` may be this PE. Dest and
// source must not overlap.
//
// Ordering. "Done" is: `source` may be used again, and a get's data are there.
// Other PEs see what is put after quiet() or barrier_all(), two puts in an
// order after fence(). The _nbi forms may return before that (9.6); here they
// are the blocking ones, and callers that rely on no more than OpenSHMEM says
// wait by quiet().
//
// Errors. The host and the enqueued forms throw UsageError on this PE if there
// is no such PE or the bytes are not in this PE's part of the symmetric heap
// (null, private memory, a peer's part), SystemError if the copy fails. In
// kernels the same stops the program where Kokkos checks its preconditions.
//
// GPU memory. On the host all but the enqueued forms wait for the kernels of
// this PE: not a way to answer a kernel that waits. For the symmetric heap in
// host memory, the other side is memory that the host reaches.

namespace symm {

/// Size in bytes of `count` elements, each `stride` elements behind the one
/// before; the largest number, if it is none: that is in no heap.
KOKKOS_INLINE_FUNCTION constexpr std::size_t bytes_of(std::size_t size,
                                                      std::size_t count,
                                                      std::size_t stride = 1) {
  constexpr auto all = ~std::size_t{0};
  if (count == 0) return 0;
  if (stride != 0 && count - 1 > (all / size - 1) / stride) return all;
  return ((count - 1) * stride + 1) * size;
}

/// What travels as bytes.
template <class T>
KOKKOS_FUNCTION constexpr void check_element() {
  static_assert(std::is_trivially_copyable_v<T> && !std::is_volatile_v<T>,
                "the elements must be trivially copyable: they travel as "
                "bytes");
}

/// \throws UsageError on this PE, if `address` is null.
void check_private(void const* address, char const* call);
/// \throws UsageError on this PE, if a stride is 0.
void check_strides(std::size_t dest_stride, std::size_t source_stride,
                   char const* call);

// On the host.

/// putmem() and getmem() with the name of the call, for messages.
void put_bytes(void* dest, void const* source, std::size_t bytes, Pe pe,
               char const* call);
void get_bytes(void* dest, void const* source, std::size_t bytes, Pe pe,
               char const* call);

/// shmem_put. \param count in elements.
template <class T>
void put(T* dest, std::type_identity_t<T> const* source, std::size_t count,
         Pe pe) {
  check_element<T>();
  put_bytes(dest, source, bytes_of(sizeof(T), count), pe, "symm::put");
}

/// shmem_get. \param count in elements.
template <class T>
void get(T* dest, std::type_identity_t<T> const* source, std::size_t count,
         Pe pe) {
  check_element<T>();
  get_bytes(dest, source, bytes_of(sizeof(T), count), pe, "symm::get");
}

/// shmem_put_nbi.
template <class T>
void put_nbi(T* dest, std::type_identity_t<T> const* source, std::size_t count,
             Pe pe) {
  check_element<T>();
  put_bytes(dest, source, bytes_of(sizeof(T), count), pe, "symm::put_nbi");
}

/// shmem_get_nbi.
template <class T>
void get_nbi(T* dest, std::type_identity_t<T> const* source, std::size_t count,
             Pe pe) {
  check_element<T>();
  get_bytes(dest, source, bytes_of(sizeof(T), count), pe, "symm::get_nbi");
}

/// shmem_putmem, shmem_getmem and their _nbi.
inline void putmem(void* dest, void const* source, std::size_t bytes, Pe pe) {
  put_bytes(dest, source, bytes, pe, "symm::putmem");
}
inline void getmem(void* dest, void const* source, std::size_t bytes, Pe pe) {
  get_bytes(dest, source, bytes, pe, "symm::getmem");
}
inline void putmem_nbi(void* dest, void const* source, std::size_t bytes,
                       Pe pe) {
  put_bytes(dest, source, bytes, pe, "symm::putmem_nbi");
}
inline void getmem_nbi(void* dest, void const* source, std::size_t bytes,
                       Pe pe) {
  get_bytes(dest, source, bytes, pe, "symm::getmem_nbi");
}

/// Whether an element is one word that Ordering has loads and stores for, which
/// no cache answers.
template <class T>
inline constexpr bool is_one_access_v = MachineWord<T> &&
                                        alignof(T) == sizeof(T);

/// What p() does at the element itself. In kernels it is in global memory.
template <class T>
KOKKOS_INLINE_FUNCTION void store_element(T* to, T const& value) {
  if constexpr (is_one_access_v<T>) {
    store_relaxed(to, value);
  } else {
    KOKKOS_IF_ON_HOST((copy_host_memory<alignof(T)>(to, &value, sizeof(T));))
    KOKKOS_IF_ON_DEVICE((*to = value;))
  }
}

/// What g() does, likewise.
template <class T>
[[nodiscard]] KOKKOS_INLINE_FUNCTION T load_element(T const* from) {
  if constexpr (is_one_access_v<T>) {
    return load_relaxed(from);
  } else {
    KOKKOS_IF_ON_HOST((struct alignas(T) { char bytes[sizeof(T)]; } element;
                       copy_host_memory<alignof(T)>(&element, from, sizeof(T));
                       return Kokkos::bit_cast<T>(element);))
    KOKKOS_IF_ON_DEVICE((return *from;))
  }
}

/// shmem_p: one element, by a single store where the host reaches it.
template <class T>
void p(T* dest, std::type_identity_t<T> const& value, Pe pe) {
  check_element<T>();
  auto const& heap = heap_to_access(dest, sizeof(T), pe, "symm::p");
  T* const target  = heap.map().peer_ptr(dest, pe);
  if (heap.memory() == MemoryKind::host) {
    store_element(target, value);
  } else {
    heap.copy(target, &value, sizeof(T));
  }
}

/// shmem_g: one element, by a single load where the host reaches it.
template <class T>
[[nodiscard]] std::remove_const_t<T> g(T* source, Pe pe) {
  check_element<T>();
  auto const& heap = heap_to_access(source, sizeof(T), pe, "symm::g");
  T* const from    = heap.map().peer_ptr(source, pe);
  if (heap.memory() == MemoryKind::host) {
    return load_element<std::remove_const_t<T>>(from);
  }
  std::remove_const_t<T> value;
  heap.copy(&value, from, sizeof(T));
  return value;
}

/// Element i * source_stride of `source` to element i * dest_stride of `dest`,
/// for all i below `count`.
template <class T>
struct StridedCopy {
  T* dest;
  T const* source;
  std::size_t dest_stride;
  std::size_t source_stride;
  std::size_t count;

  KOKKOS_FUNCTION T const& from(std::size_t i) const {
    return source[i * source_stride];
  }
  KOKKOS_FUNCTION T& to(std::size_t i) const { return dest[i * dest_stride]; }
};

/// By loads and stores, shared by the threads of a group, which all call; no
/// barrier.
template <class Group, class T>
KOKKOS_INLINE_FUNCTION void run_strided(Group const& group,
                                        StridedCopy<T> const& copy) {
  KOKKOS_IF_ON_HOST((group.for_each(copy.count, [&](std::size_t i) {
    copy_host_memory<alignof(T)>(&copy.to(i), &copy.from(i), sizeof(T));
  });))
  KOKKOS_IF_ON_DEVICE(
      (copy_each_with_loads_in_flight(
           group, copy.count, [=](std::size_t i) { return copy.from(i); },
           [=](std::size_t i, T const& value) { copy.to(i) = value; });))
}

#ifdef KOKKOS_ENABLE_CUDA
/// Enqueues it, for any memory: one copy of the device if no stride is above
/// what that takes (2 GiB), else one for each element.
/// \param copy of the first bytes of elements of `size` bytes.
/// \throws SystemError on this PE.
void copy_by_device(Kokkos::Cuda const& exec, StridedCopy<char> const& copy,
                    std::size_t size, char const* call);

template <class T>
void enqueue_strided(Kokkos::Cuda const& exec, SymmetricHeap const&,
                     StridedCopy<T> const& copy, char const* call) {
  copy_by_device(exec,
                 {reinterpret_cast<char*>(copy.dest),
                  reinterpret_cast<char const*>(copy.source), copy.dest_stride,
                  copy.source_stride, copy.count},
                 sizeof(T), call);
}
#endif

/// It is done on return.
template <class T>
void copy_strided(SymmetricHeap const& heap, StridedCopy<T> const& copy,
                  [[maybe_unused]] char const* call) {
#ifdef KOKKOS_ENABLE_CUDA
  if (heap.memory() == MemoryKind::device) {
    Kokkos::fence(call);
    Kokkos::Cuda const exec;
    try {
      enqueue_strided(exec, heap, copy, call);
    } catch (...) {
      exec.fence(call);  // nothing of it is still under way
      throw;
    }
    exec.fence(call);
    return;
  }
#endif
  static_cast<void>(heap);
  run_strided(OneThread(), copy);
}

/// For an instance that runs on the host.
template <class Exec, class T>
void enqueue_strided(Exec const& exec, SymmetricHeap const& heap,
                     StridedCopy<T> const& copy, char const* call) {
  exec.fence(call);
  copy_strided(heap, copy, call);
}

/// Calls copy_it(heap, copy, call) with what iput() and iget() are to copy, if
/// there is anything.
template <class T, class CopyIt>
void iput_by(T* dest, T const* source, std::size_t dest_stride,
             std::size_t source_stride, std::size_t count, Pe pe,
             CopyIt const& copy_it) {
  constexpr char const* call = "symm::iput";
  check_element<T>();
  check_strides(dest_stride, source_stride, call);
  if (count == 0) return;
  auto const& heap =
      heap_to_access(dest, bytes_of(sizeof(T), count, dest_stride), pe, call);
  check_private(source, call);
  copy_it(heap,
          StridedCopy<T>{heap.map().peer_ptr(dest, pe), source, dest_stride,
                         source_stride, count},
          call);
}
template <class T, class CopyIt>
void iget_by(T* dest, T const* source, std::size_t dest_stride,
             std::size_t source_stride, std::size_t count, Pe pe,
             CopyIt const& copy_it) {
  constexpr char const* call = "symm::iget";
  check_element<T>();
  check_strides(dest_stride, source_stride, call);
  if (count == 0) return;
  auto const& heap = heap_to_access(
      source, bytes_of(sizeof(T), count, source_stride), pe, call);
  check_private(dest, call);
  copy_it(heap,
          StridedCopy<T>{dest, heap.map().peer_ptr(source, pe), dest_stride,
                         source_stride, count},
          call);
}

/// shmem_iput: element i * source_stride of `source` to element i * dest_stride
/// of `dest`; what is between them is left alone.
/// \param dest_stride, source_stride in elements, at least 1.
/// \param count in elements.
/// \throws UsageError on this PE, also if a stride is 0.
template <class T>
void iput(T* dest, std::type_identity_t<T> const* source,
          std::size_t dest_stride, std::size_t source_stride, std::size_t count,
          Pe pe) {
  iput_by(dest, source, dest_stride, source_stride, count, pe,
          [](auto const& heap, auto const& copy, char const* call) {
            copy_strided(heap, copy, call);
          });
}

/// shmem_iget, as iput().
template <class T>
void iget(T* dest, std::type_identity_t<T> const* source,
          std::size_t dest_stride, std::size_t source_stride, std::size_t count,
          Pe pe) {
  iget_by(dest, source, dest_stride, source_stride, count, pe,
          [](auto const& heap, auto const& copy, char const* call) {
            copy_strided(heap, copy, call);
          });
}

// Enqueued on an execution space instance, in the order of what else is there;
// done when that is, by exec.fence() say. On GPUs the copy engines do it, and
// no kernel is needed for a peer's memory. The side that is not symmetric must
// stay until then.

/// Enqueues a copy between what this process reaches. With CUDA it may be of
/// any memory: the CUDA runtime looks which.
template <class Space, class Exec>
void enqueue_copy_in(Exec const& exec, void* to, void const* from,
                     std::size_t bytes) {
  using Kokkos::MemoryUnmanaged, Kokkos::View;
  Kokkos::deep_copy(
      exec, View<char*, Space, MemoryUnmanaged>(static_cast<char*>(to), bytes),
      View<char const*, Space, MemoryUnmanaged>(static_cast<char const*>(from),
                                                bytes));
}

template <class Exec>
void enqueue_copy(Exec const& exec, SymmetricHeap const& heap, void* to,
                  void const* from, std::size_t bytes) {
#ifdef KOKKOS_ENABLE_CUDA
  if (heap.memory() == MemoryKind::device) {
    enqueue_copy_in<SymmetricCudaSpace>(exec, to, from, bytes);
    return;
  }
#endif
  static_cast<void>(heap);
  if constexpr (Kokkos::SpaceAccessibility<Exec,
                                           Kokkos::HostSpace>::accessible) {
    if (bytes <= most_bytes_by_words) {  // Kokkos has memcpy for them
      exec.fence("symm::enqueue_copy");
      copy_host_memory(to, from, bytes);
      return;
    }
  }
  enqueue_copy_in<SymmetricHostSpace>(exec, to, from, bytes);
}

template <class Exec>
requires Kokkos::is_execution_space_v<Exec>
void enqueue_put(Exec const& exec, void* dest, void const* source,
                 std::size_t bytes, Pe pe, char const* call) {
  if (bytes == 0) return;
  auto const& heap = heap_to_access(dest, bytes, pe, call);
  check_private(source, call);
  enqueue_copy(exec, heap, heap.map().peer_ptr(dest, pe), source, bytes);
}

template <class Exec>
requires Kokkos::is_execution_space_v<Exec>
void enqueue_get(Exec const& exec, void* dest, void const* source,
                 std::size_t bytes, Pe pe, char const* call) {
  if (bytes == 0) return;
  auto const& heap = heap_to_access(source, bytes, pe, call);
  check_private(dest, call);
  enqueue_copy(exec, heap, dest, heap.map().peer_ptr(source, pe), bytes);
}

template <class Exec, class T>
requires Kokkos::is_execution_space_v<Exec>
void put(Exec const& exec, T* dest, std::type_identity_t<T> const* source,
         std::size_t count, Pe pe) {
  check_element<T>();
  enqueue_put(exec, dest, source, bytes_of(sizeof(T), count), pe, "symm::put");
}

template <class Exec, class T>
requires Kokkos::is_execution_space_v<Exec>
void get(Exec const& exec, T* dest, std::type_identity_t<T> const* source,
         std::size_t count, Pe pe) {
  check_element<T>();
  enqueue_get(exec, dest, source, bytes_of(sizeof(T), count), pe, "symm::get");
}

/// As iput(), enqueued. On an instance that runs on the host, the other side is
/// memory that the host's iput() takes.
template <class Exec, class T>
requires Kokkos::is_execution_space_v<Exec>
void iput(Exec const& exec, T* dest, std::type_identity_t<T> const* source,
          std::size_t dest_stride, std::size_t source_stride, std::size_t count,
          Pe pe) {
  iput_by(dest, source, dest_stride, source_stride, count, pe,
          [&](auto const& heap, auto const& copy, char const* call) {
            enqueue_strided(exec, heap, copy, call);
          });
}

template <class Exec, class T>
requires Kokkos::is_execution_space_v<Exec>
void iget(Exec const& exec, T* dest, std::type_identity_t<T> const* source,
          std::size_t dest_stride, std::size_t source_stride, std::size_t count,
          Pe pe) {
  iget_by(dest, source, dest_stride, source_stride, count, pe,
          [&](auto const& heap, auto const& copy, char const* call) {
            enqueue_strided(exec, heap, copy, call);
          });
}

template <class Exec>
requires Kokkos::is_execution_space_v<Exec>
void putmem(Exec const& exec, void* dest, void const* source, std::size_t bytes,
            Pe pe) {
  enqueue_put(exec, dest, source, bytes, pe, "symm::putmem");
}

template <class Exec>
requires Kokkos::is_execution_space_v<Exec>
void getmem(Exec const& exec, void* dest, void const* source, std::size_t bytes,
            Pe pe) {
  enqueue_get(exec, dest, source, bytes, pe, "symm::getmem");
}

}  // namespace symm

#endif
