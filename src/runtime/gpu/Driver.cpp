// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Driver.hpp"

#include <dlfcn.h>

#include "../base/EnvironmentTable.hpp"
#include "../base/Text.hpp"
#include "../symm_errors.hpp"

namespace symm::Impl::gpu {

namespace {

template <class Function>
void find(void* library, char const* symbol, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, symbol));
  if (function == nullptr) {
    throw SystemError(std::string("the ") + text::driver +
                      " of this machine has no " + symbol + "; update it (" +
                      text::oldest_driver + " or later)");
  }
}

Driver load() {
  // Never closed: the driver does not work after dlclose().
  void* const library = ::dlopen(text::library, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    char const* const reason = ::dlerror();
    throw SystemError(std::string("no ") + text::driver + " on this machine: " +
                      (reason != nullptr ? reason : text::library) +
                      "; GPU memory needs " + text::needed);
  }
  Driver driver;
// The symbol's name after a macro of the vendor's header has renamed it.
#define SYMM_SYMBOL_OF(name) #name
#define SYMM_FIND_DRIVER_FUNCTION(member, name) \
  find(library, SYMM_SYMBOL_OF(name), driver.member.function);
  SYMM_FOR_EACH_DRIVER_FUNCTION(SYMM_FIND_DRIVER_FUNCTION)
#undef SYMM_FIND_DRIVER_FUNCTION
#undef SYMM_SYMBOL_OF

  if (Result const result = driver.init(0); result != success) {
    auto const visible = setting_of(environment::visible_gpus);
    throw SystemError(
        Text("no GPU that can be used: ", driver.init.name,
             " failed: ", driver.text_of(result),
             visible ? Text("; ", visible->name, "=", visible->text) : Text()));
  }
  return driver;
}

}  // namespace

Driver const& Driver::instance() {
  static Driver const driver = load();
  return driver;
}

void Driver::fail(Result result, std::string const& what,
                  char const* call) const {
  auto const message = what + ": " + call + " failed: " + text_of(result);
  if (result == out_of_memory) throw OutOfMemory(message);
  throw SystemError(message);
}

}  // namespace symm::Impl::gpu
