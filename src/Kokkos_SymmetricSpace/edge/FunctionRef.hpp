// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_EDGE_FUNCTION_REF_HPP
#define SYMM_EDGE_FUNCTION_REF_HPP

#include <concepts>
#include <memory>
#include <type_traits>

namespace symm::Impl {

/// A function object of the caller, as C++26's std::function_ref. It takes no
/// private memory, which a std::function may: one PE that has none left must
/// not leave a call that others wait in.
template <class Result>
class FunctionRef {
 public:
  template <class F>
  requires(!std::same_as<std::remove_cvref_t<F>, FunctionRef>)
      FunctionRef(F&& f)
      : m_object(std::addressof(f)), m_call([](void const* object) -> Result {
          using Object = std::remove_reference_t<F>;
          return (*static_cast<Object*>(const_cast<void*>(object)))();
        }) {}

  Result operator()() const { return m_call(m_object); }

 private:
  void const* m_object;
  Result (*m_call)(void const*);
};

}  // namespace symm::Impl

#endif
