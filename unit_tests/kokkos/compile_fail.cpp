// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// What must not compile: with SYMM_REFUSED, each function behind a line with
// "refused:" must be an error with that text (compile_fail.py). Without it all
// must compile.

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

using ShareableView = Kokkos::View<Shareable*, symm::SymmetricSpace>;

void what_compiles(Symmetric const& symmetric, Private const& own,
                   Atomic const& atomic) {
  symm::global_view(symmetric);
  symm::peer_view(atomic, 0);
  symm::remote_view(symmetric)(0, 1) = symm::remote_view(atomic)(0, 2);
  symm::global_view(ShareableView());
  long number = 0;
  symm::atomic_or(&number, 1, 0);
  int const one = 1;
  symm::share_view(own).put(0, &one, 1, 0);
}

#ifdef SYMM_REFUSED

// refused: the View must be in a symmetric space
void global_view_of_a_private_View() { symm::global_view(Private()); }

// refused: the View must be in a symmetric space
void peer_view_of_a_private_View() {
  symm::peer_view(Kokkos::View<long*, Kokkos::HostSpace>(), 0);
}

// refused: elements of an Atomic View are proxies
void global_view_of_an_Atomic_View() { symm::global_view(Atomic()); }

// refused: numbers of 4 or 8 bytes: other sizes would need a lock
void atomic_add_of_a_complex_number(Kokkos::complex<double>* number) {
  symm::atomic_add(number, 1);
}

// refused: integers of 4 or 8 bytes: other sizes would need a lock
void atomic_or_of_a_double(double* number) { symm::atomic_or(number, 1, 0); }

// refused: have 4 or 8 bytes and be aligned to their size: others would
void Atomic_View_of_complex_numbers() {
  Kokkos::View<Kokkos::complex<double>*, symm::SymmetricSpace,
               Kokkos::MemoryTraits<Kokkos::Atomic>>
      view;
  view(0) = {};  // a legacy View alone is no error
}

// refused: a SharedHostBuffer has no peer.*memory of another process
void peer_of_a_SharedHostBuffer(symm::SharedHostBuffer<int> const& shared) {
  shared.peer(0);
}

// refused: the elements of a LayoutStride View need not be contiguous
void share_view_of_a_strided_View() {
  symm::share_view(
      Kokkos::View<int*, Kokkos::LayoutStride, Kokkos::HostSpace>());
}

struct Named {
  std::string name;
};

// refused: must be trivially copyable
void share_view_of_elements_with_pointers() {
  symm::share_view(Kokkos::View<Named*, Kokkos::HostSpace>());
}

// refused: a View in a symmetric space is already shared
void share_view_of_a_symmetric_View() { symm::share_view(Symmetric()); }

// refused: SharedHostBuffer<T const> is read-only
void put_of_const_elements(Private const& own, int const& number) {
  Kokkos::View<int const*, Kokkos::HostSpace> const read_only(own);
  symm::share_view(read_only).put(0, &number, 1, 0);
}

// refused: a registrable View owns its memory
void registrable_View_that_owns_nothing() {
  symm::make_registrable_view<int*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
      "u", 10);
}

// refused: a registrable View must be trivially copyable
void registrable_View_of_strings() {
  symm::make_registrable_view<std::string*, Kokkos::HostSpace>("u", 10);
}

// refused: a View in a symmetric space needs no registration
void registration_of_a_symmetric_View() {
  symm::register_symmetric_view(Symmetric());
}

// refused: pass a Kokkos::View.*for an OffsetView.*.view
void global_view_of_an_OffsetView() {
  symm::global_view(
      Kokkos::Experimental::OffsetView<int*, symm::SymmetricSpace>());
}

// refused: elements that are not trivially copyable may refer to memory of
void peer_view_of_strings() {
  symm::peer_view(Kokkos::View<std::string*, symm::SymmetricHostSpace>(), 0);
}

// refused: remote_view of a View of const elements is read-only
void assignment_to_a_const_element_of_a_remote_view(
    Kokkos::View<int const*, symm::SymmetricSpace> const& read_only) {
  auto const remote = symm::remote_view(read_only);
  remote(0, 1)      = remote(0, 2);
}

// refused: no matching function for call to .*swap
void swap_of_proxies_of_a_remote_view(Symmetric const& symmetric) {
  auto const remote = symm::remote_view(symmetric);
  auto a = remote(0, 1), b = remote(0, 2);
  std::swap(a, b);
}

// refused: elements of a symm::remote_view must be trivially copyable
void remote_view_of_elements_that_are_no_bytes() {
  symm::remote_view(ShareableView());
}

// refused: pass a Kokkos::View.*for a DynRankView, whose rank is not part
void remote_view_of_a_DynRankView() {
  symm::remote_view(Kokkos::DynRankView<int, symm::SymmetricSpace>());
}

// refused: incomplete type .symm::ExchangePlan
void plan_without_its_header(Symmetric const& symmetric) {
  auto plan = symm::ExchangePlan::from_imports(1, symmetric, symmetric);
}

// refused: in <Kokkos_SymmetricContainers.hpp>
void mailbox_without_its_header() {
  symm::Mailbox<int>("numbers", [](int) {});
}

// refused: in <Kokkos_SymmetricContainers.hpp>
void hash_map_without_its_header() {
  symm::DistributedHashMap<int, int> map("numbers");
}

// refused: in <Kokkos_SymmetricContainers.hpp>
void distributed_view_without_its_header() {
  symm::DistributedView<Symmetric> const whole("whole", 10);
}

#endif
