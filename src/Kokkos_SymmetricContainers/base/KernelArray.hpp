// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_BASE_KERNEL_ARRAY_HPP
#define SYMM_BASE_KERNEL_ARRAY_HPP

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace_Space.hpp>

namespace symm::Impl {

/// A list that the host creates and that kernels in SymmetricSpace's execution
/// space read through data(). If these kernels run on the host, they read the
/// host's std::vector, which keeps small lists cheap.
template <class T>
class KernelArray {
 public:
  using Memory = SymmetricSpace::execution_space::memory_space;
  static constexpr bool is_on_host = std::is_same_v<Memory, Kokkos::HostSpace>;

  KernelArray() = default;
  /// \param label a label for the kernels' copy of the list, shown by tools.
  /// \throws the same errors as a View's constructor.
  KernelArray([[maybe_unused]] char const* label, std::vector<T> list)
      : m_list(std::move(list)) {
    if constexpr (!is_on_host) {
      m_copy = Copy(
          Kokkos::view_alloc(Kokkos::WithoutInitializing, std::string(label)),
          m_list.size());
      update();
    }
  }

  [[nodiscard]] std::size_t size() const {
    if constexpr (is_on_host) {
      return m_list.size();
    } else {
      return m_copy.extent(0);
    }
  }
  [[nodiscard]] T const* data() const {
    if constexpr (is_on_host) {
      return m_list.data();
    } else {
      return m_copy.data();
    }
  }
  /// The host's copy of the list. Must not be used after forget_on_host().
  [[nodiscard]] std::vector<T> const& on_host() const { return m_list; }
  /// Frees the host's copy if kernels have a separate one. From then on, only
  /// kernels can read the list.
  void forget_on_host() {
    if constexpr (!is_on_host) m_list = std::vector<T>();
  }
  /// Changes the list by calling f(list), which must not change its length.
  template <class F>
  void change(F const& f) {
    f(m_list);
    if constexpr (!is_on_host) update();
  }

 private:
  using Copy = Kokkos::View<T*, Memory>;
  struct None {};

  void update() {
    Kokkos::deep_copy(
        m_copy,
        Kokkos::View<T const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
            m_list.data(), m_list.size()));
  }

  std::vector<T> m_list;
  [[no_unique_address]] std::conditional_t<is_on_host, None, Copy> m_copy;
};

}  // namespace symm::Impl

#endif
