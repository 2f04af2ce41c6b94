// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_RMA_HPP
#define KOKKOS_SYMMETRICSPACE_RMA_HPP

#include <cstddef>
#include <type_traits>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace_Access.hpp>
#include <Kokkos_SymmetricSpace_Copy.hpp>
#include <Kokkos_SymmetricSpace_Ordering.hpp>
#include <Kokkos_SymmetricSpace_Space.hpp>

#include "../runtime/base/Types.hpp"
#include "../runtime/heap/SymmetricHeap.hpp"
#include "../runtime/memory/HeapMap.hpp"
#include "../runtime/memory/HostCopy.hpp"

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
// What may be polled: everything that OpenSHMEM programs poll. A word of 1, 2,
// 4 or 8 bytes, at a multiple of its size, that another PE puts comes whole and
// once: who has seen it may clear it, and does not see it again. It is one load
// and one store, in no order with the other words of the copy,
//
// - by p and g,
// - on CPUs, in copies of up to 64 bytes, and in iput and iget in each element
//   of up to 64 bytes; if it is aligned on one side only, one access there,
// - by kernels on GPUs, in copies of any size, if it is aligned on both sides,
//   and in iput and iget if it is an element.
//
// It may come in pieces, several times, in larger copies on CPUs (memcpy), and
// where CUDA copies: in the calls of the host for GPU memory, p too, and in
// what is enqueued on an instance of CUDA. Behind those wait for a signal, or
// for a word put after fence(). To look at another PE's word again and again,
// kernels on GPUs use g: what they get may be in a cache.
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

/// An element that need not be constructed.
template <class T>
struct alignas(T) BytesOf {
  char bytes[sizeof(T)];
};

/// What g() does, likewise.
template <class T>
[[nodiscard]] KOKKOS_INLINE_FUNCTION T load_element(T const* from) {
  if constexpr (is_one_access_v<T>) {
    return load_relaxed(from);
  } else {
    KOKKOS_IF_ON_HOST((BytesOf<T> element;
                       copy_host_memory<alignof(T)>(&element, from, sizeof(T));
                       return Kokkos::bit_cast<T>(element);))
    KOKKOS_IF_ON_DEVICE((return *from;))
  }
}

/// shmem_p: one element; of 1, 2, 4 or 8 bytes by a single store where the host
/// reaches it.
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

/// shmem_g: one element; of 1, 2, 4 or 8 bytes by a single load where the host
/// reaches it.
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

// Enqueued on an execution space instance, in the order of what else is there;
// done when that is, by exec.fence() say. On GPUs the copy engines do it, and
// no kernel is needed for a peer's memory. The side that is not symmetric must
// stay until then; for an instance that runs on the host and the symmetric heap
// in host memory it is memory that the host reaches.

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
                  void const* from, std::size_t bytes,
                  [[maybe_unused]] char const* call) {
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
      exec.fence(call);
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
  enqueue_copy(exec, heap, heap.map().peer_ptr(dest, pe), source, bytes, call);
}

template <class Exec>
requires Kokkos::is_execution_space_v<Exec>
void enqueue_get(Exec const& exec, void* dest, void const* source,
                 std::size_t bytes, Pe pe, char const* call) {
  if (bytes == 0) return;
  auto const& heap = heap_to_access(source, bytes, pe, call);
  check_private(dest, call);
  enqueue_copy(exec, heap, dest, heap.map().peer_ptr(source, pe), bytes, call);
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
