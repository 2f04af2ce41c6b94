// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_REGISTERED_VIEW_HPP
#define SYMM_REGISTERED_VIEW_HPP

#include <cstddef>
#include <exception>
#include <optional>
#include <string>
#include <type_traits>

#include <Kokkos_Core.hpp>
#include <symm_gpu/Views.hpp>

#include "../kokkos_impl/OwnedView.hpp"
#include "../space/SymmetricSpaceBase.hpp"
#include "ViewBytes.hpp"

#include "../../runtime/base/Types.hpp"
#include "../../runtime/symm_memory.hpp"

/// Functions that register an application's existing Views as local operands or
/// as symmetric memory. symm_memory.hpp contains the same functions for
/// addresses.
namespace symm {

namespace Impl {

template <class View, unsigned Traits = View::memory_traits::impl_value &
                                        ~unsigned{Kokkos::Unmanaged}>
struct RegisteredViewOf {
  using space = typename SymmetricSpaceOf<typename View::memory_space>::type;
  using type =
      Kokkos::View<typename View::data_type, typename View::array_layout, space,
                   Kokkos::MemoryTraits<Traits>>;
};
template <class View>
struct RegisteredViewOf<View, 0> {
  using space = typename SymmetricSpaceOf<typename View::memory_space>::type;
  using type  = Kokkos::View<typename View::data_type,
                            typename View::array_layout, space>;
};

/// Frees memory from allocate_registrable() when the last copy of a View is
/// destroyed.
struct FreeRegistrable {
  MemoryKind kind     = MemoryKind::host;
  void const* address = nullptr;

  void destroy_shared_allocation() const noexcept;
};

/// Retires memory from register_symmetric() when the last copy of a View is
/// destroyed.
struct RetireRegistered {
  void* address = nullptr;

  void destroy_shared_allocation() const noexcept;
};

// The non-template parts of the templates below.
/// Checks that the runtime is initialized. The templates call this function
/// first because constructing a View before Kokkos is initialized aborts the
/// program.
/// \throws UsageError if the runtime is not initialized.
void require_runtime(char const* call);
/// \param space the name of the View's memory space, for Kokkos Tools.
void* allocate_registrable(MemoryKind kind, char const* space,
                           std::string const& label, ViewBytes bytes);
void* register_symmetric(MemoryKind kind, std::string const& label,
                         void const* data, ViewBytes bytes,
                         std::exception_ptr const& error);
void register_local(std::string const& label, void const* data,
                    ViewBytes bytes);
void unregister_local(std::string const& label, void const* data,
                      ViewBytes bytes);

}  // namespace Impl

/// The type of register_symmetric_view()'s result: a symmetric View that owns
/// its memory. It has the elements, layout and memory traits (such as Atomic)
/// of `View`.
template <class View>
using RegisteredView = typename Impl::RegisteredViewOf<View>::type;

/// Registers the elements of `view`, and the gaps between them, as a local
/// operand for kernels, like buffer_register(). The call is local and ignores
/// empty Views. Kernels on a GPU must use view.data(), because Kokkos does not
/// allow Views in HostSpace there.
///
/// \throws UsageError, OutOfMemory or SystemError on this PE, for the errors
///         that buffer_register() returns.
template <class T, class... Properties>
void register_view(Kokkos::View<T, Properties...> const& view) {
  Impl::register_local(view.label(), view.data(), Impl::bytes_of_view(view));
}

/// Ends the registration, like buffer_unregister(). The call is local. Make it
/// after all kernels that use the View have finished, and before the View's
/// memory is freed.
/// \throws UsageError, SystemError on this PE.
template <class T, class... Properties>
void unregister_view(Kokkos::View<T, Properties...> const& view) {
  Impl::unregister_local(view.label(), view.data(), Impl::bytes_of_view(view));
}

/// Creates a View in an ordinary memory space. The View's memory can later be
/// registered with register_symmetric_view(). This function is for applications
/// that want to keep their View types. Elements are initialized as in any View:
/// numbers are set to zero. The call is local. The memory is private to this
/// PE. It consists of whole granules (2 MiB), starting at the View's first
/// element, and is freed when the last copy of the View is destroyed. On the
/// host, each such View keeps a file descriptor open (ulimit -n).
///
/// \tparam Properties as for Kokkos::View; the space, if given, must be
///         HostSpace, CudaSpace or CudaHostPinnedSpace.
/// \param extents as for Kokkos::View's constructor, or a layout.
/// \throws OutOfMemory, SystemError on this PE. UsageError before initialize()
///         and after finalize().
template <class DataType, class... Properties, class... Extents>
[[nodiscard]] Kokkos::View<DataType, Properties...> make_registrable_view(
    std::string const& label, Extents const&... extents) {
  using View    = Kokkos::View<DataType, Properties...>;
  using Element = typename View::non_const_value_type;
  using Shape =
      Kokkos::View<DataType, typename View::array_layout,
                   typename View::device_type, Kokkos::MemoryUnmanaged>;
  static_assert(
      !View::memory_traits::is_unmanaged,
      "a registrable View owns its memory: remove the Unmanaged trait");
  static_assert(std::is_trivially_copyable_v<Element>,
                "the elements of a registrable View must be trivially "
                "copyable, because their destructors are not called");
  constexpr auto kind =
      Impl::SymmetricSpaceOf<typename View::memory_space>::type::memory_kind;
  Impl::require_runtime("symm::make_registrable_view");
  auto const bytes = Impl::bytes_of_extents<View>(extents...);
  Impl::OwnedViewMaker<View, Impl::FreeRegistrable> maker({}, label);
  auto* const data = static_cast<Element*>(Impl::allocate_registrable(
      kind, View::memory_space::name(), label, bytes));
  auto const view  = maker.make_view(
       data, Shape(data, Impl::extent_or_layout(extents)...), {kind, data});
  // The memory is already zeroed.
  if constexpr (std::is_default_constructible_v<Element> &&
                !std::is_trivially_default_constructible_v<Element>) {
    using Elements = Kokkos::View<Element*, typename View::device_type,
                                  Kokkos::MemoryUnmanaged>;
    Kokkos::deep_copy(Elements(data, *bytes / sizeof(Element)), Element{});
  }
  return view;
}

/// Adds the memory of `view` to the symmetric heap on all PEs. Afterward, every
/// PE can access every PE's memory through global_view() and peer_view() of the
/// result. Collective, with a barrier on exit: each PE passes its own View, and
/// all Views have equal layouts and extents.
///
/// A kernel on a GPU that writes to the memory must access it through only one
/// of the two Views. The kernel's writes are visible through the other View
/// after the kernel has finished.
///
/// \param view must not be empty or already registered. It is either a View
///        from make_registrable_view(), or an unmanaged View over a single
///        allocation that the program has created with CUDA virtual memory
///        management (cuMem* functions). The whole allocation is registered.
///        The offset of the first element in the allocation must be the same on
///        all PEs.
/// \returns a managed View over the same memory, at its symmetric address. The
///          heap keeps the memory alive: the two Views may be destroyed in any
///          order, at different times on different PEs. Once all PEs have
///          destroyed the returned View, the next call that allocates, frees,
///          registers or trims in the heap removes the memory from the heap.
///          (At the latest, heap_trim() does so; a barrier does not.)
/// \throws UsageError, OutOfMemory, SystemError on every PE. The message states
///         the PE, the View and the reason. Nothing has changed on any PE in
///         that case.
template <class T, class... Properties>
[[nodiscard]] RegisteredView<Kokkos::View<T, Properties...>>
register_symmetric_view(Kokkos::View<T, Properties...> const& view) {
  using Result = RegisteredView<Kokkos::View<T, Properties...>>;
  using Space  = typename Result::memory_space;
  Impl::require_runtime("symm::register_symmetric_view");
  std::string label;
  std::optional<Impl::OwnedViewMaker<Result, Impl::RetireRegistered>> maker;
  // If this PE runs out of private memory, all PEs must throw.
  std::exception_ptr failure;
  try {
    label = view.label();
    maker.emplace(Space(Impl::HeadersOnly{}), label);
  } catch (...) {
    failure = std::current_exception();
  }
  auto* const address =
      Impl::register_symmetric(Space::memory_kind, label, view.data(),
                               Impl::bytes_of_view(view), failure);
  return maker->make_view(static_cast<typename Result::pointer_type>(address),
                          view, {address});
}

}  // namespace symm

#endif
