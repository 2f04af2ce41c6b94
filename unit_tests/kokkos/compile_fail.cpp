// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Programs that must not compile. SYMM_CASE is the number of one of them; 0 is
// what they have in common, and must compile.

#include <Kokkos_Core.hpp>
#include <Kokkos_DynRankView.hpp>
#include <Kokkos_OffsetView.hpp>
#include <Kokkos_SymmetricSpace.hpp>
#include <string>

using Symmetric = Kokkos::View<int*, symm::SymmetricSpace>;
using Private   = Kokkos::View<int*, Kokkos::HostSpace>;
using Atomic    = Kokkos::View<int*, symm::SymmetricSpace,
                            Kokkos::MemoryTraits<Kokkos::Atomic>>;

/// Not trivially copyable, which global_view() can be told to accept.
struct Shareable {
  Shareable() {}
  Shareable(Shareable const& other) : number(other.number) {}
  int number = 0;
};
template <>
inline constexpr bool symm::elements_are_shareable_v<Shareable> = true;

int main() {
  Symmetric const symmetric;
  Private const own;
  Atomic const atomic;
#if SYMM_CASE == 0
  symm::global_view(symmetric);
  symm::peer_view(atomic, 0);
  symm::remote_view(symmetric)(0, 1) = symm::remote_view(atomic)(0, 2);
  Kokkos::View<Shareable*, symm::SymmetricSpace> const shareable;
  symm::global_view(shareable);
  long number = 0;
  symm::atomic_or(&number, 1, 0);
  int const one = 1;
  symm::share_view(own).put(0, &one, 1, 0);
#elif SYMM_CASE == 1
  symm::global_view(own);
#elif SYMM_CASE == 2
  symm::peer_view(own, 0);
#elif SYMM_CASE == 3
  symm::global_view(atomic);
#elif SYMM_CASE == 4
  Kokkos::complex<double> number;
  symm::atomic_add(&number, 1);
#elif SYMM_CASE == 5
  double number = 0;
  symm::atomic_or(&number, 1, 0);
#elif SYMM_CASE == 6
  Kokkos::View<Kokkos::complex<double>*, symm::SymmetricSpace,
               Kokkos::MemoryTraits<Kokkos::Atomic>> const numbers;
#elif SYMM_CASE == 7
  symm::SharedHostBuffer<int> const shared(own.data(), own.size());
  shared.peer(0);
#elif SYMM_CASE == 8
  Kokkos::View<int*, Kokkos::LayoutStride, Kokkos::HostSpace> const apart;
  static_cast<void>(symm::share_view(apart));
#elif SYMM_CASE == 9
  struct Named {
    std::string name;
  };
  Kokkos::View<Named*, Kokkos::HostSpace> const named;
  static_cast<void>(symm::share_view(named));
#elif SYMM_CASE == 10
  static_cast<void>(symm::share_view(symmetric));
#elif SYMM_CASE == 11
  Kokkos::View<int const*, Kokkos::HostSpace> const read_only(own);
  int const number = 0;
  symm::share_view(read_only).put(0, &number, 1, 0);
#elif SYMM_CASE == 12
  Kokkos::View<int*, Kokkos::CudaUVMSpace> const managed;
  static_cast<void>(symm::share_view(managed));
#elif SYMM_CASE == 13
  static_cast<void>(
      symm::make_registrable_view<int*, Kokkos::HostSpace,
                                  Kokkos::MemoryUnmanaged>("u", 10));
#elif SYMM_CASE == 14
  static_cast<void>(
      symm::make_registrable_view<std::string*, Kokkos::HostSpace>("u", 10));
#elif SYMM_CASE == 15
  static_cast<void>(symm::register_symmetric_view(symmetric));
#elif SYMM_CASE == 17
  Kokkos::Experimental::OffsetView<int*, symm::SymmetricSpace> const from_1;
  symm::global_view(from_1);
#elif SYMM_CASE == 22
  Kokkos::DynRankView<int, symm::SymmetricSpace> const of_any_rank;
  symm::remote_view(of_any_rank);
#elif SYMM_CASE == 18
  Kokkos::View<std::string*, symm::SymmetricHostSpace> const names;
  symm::peer_view(names, 0);
#elif SYMM_CASE == 16
  Kokkos::View<int*, Kokkos::CudaUVMSpace> const managed;
  static_cast<void>(symm::register_symmetric_view(managed));
#elif SYMM_CASE == 19
  Kokkos::View<int const*, symm::SymmetricSpace> const read_only(symmetric);
  auto const remote = symm::remote_view(read_only);
  remote(0, 1)      = remote(0, 2);
#elif SYMM_CASE == 20
  auto const remote = symm::remote_view(symmetric);
  auto a = remote(0, 1), b = remote(0, 2);
  std::swap(a, b);
#elif SYMM_CASE == 21
  Kokkos::View<Shareable*, symm::SymmetricSpace> const shareable;
  symm::remote_view(shareable);
#endif
}
