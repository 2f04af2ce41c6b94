// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_EDGE_FUNCTION_REF_HPP
#define SYMM_EDGE_FUNCTION_REF_HPP

#include <concepts>
#include <memory>
#include <type_traits>

namespace symm::Impl {

/// A reference to a function object that the caller owns, like
/// std::function_ref in C++26. Unlike a std::function, a FunctionRef allocates
/// no memory. Therefore, a PE that is out of memory does not fail in a call in
/// which other PEs are waiting for that PE.
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
