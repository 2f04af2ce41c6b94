// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_GPU_DRIVER_HPP
#define SYMM_GPU_DRIVER_HPP

#include <string>
#include <type_traits>

#include <symm_gpu/DriverNames.hpp>

namespace symm::Impl::gpu {

/// A function of the driver.
template <class Pointer>
struct DriverFunction;

template <class Returned, class... Parameters>
struct DriverFunction<Returned (*)(Parameters...)> {
  char const* name;  // in the vendor's documentation
  Returned (*function)(Parameters...) = nullptr;

  Returned operator()(Parameters... arguments) const {
    return function(arguments...);
  }
};

/// The vendor's driver, loaded at run time instead of linked. A program built
/// for GPUs can therefore start on a machine without one, and report what is
/// missing.
struct Driver {
#define SYMM_DECLARE_DRIVER_FUNCTION(member, function) \
  DriverFunction<decltype(&::function)> member{#function};
  SYMM_FOR_EACH_DRIVER_FUNCTION(SYMM_DECLARE_DRIVER_FUNCTION)
#undef SYMM_DECLARE_DRIVER_FUNCTION

  /// The driver on this machine, loaded and initialized. Local; callable from
  /// any thread.
  /// \throws SystemError if there is no driver, if it is too old, or if it
  ///         finds no GPU; the next call tries again.
  static Driver const& instance();

  /// Throws unless `result` is `success`. The message is "<what>: <call>
  /// failed: CUDA_ERROR_X (<text>)".
  /// \param what what() returns the text. It is called only after a failure: a
  ///        text needs memory, and after a success, nothing may throw.
  /// \throws OutOfMemory, SystemError.
  template <class What>
  void check(Result result, char const* call, What const& what) const {
    if (result != success) fail(result, what(), call);
  }
  [[noreturn]] void fail(Result result, std::string const& what,
                         char const* call) const;

  /// Calls function(arguments...) and checks the result.
  /// \throws OutOfMemory, SystemError.
  template <class... Parameters>
  void run(std::string const& what,
           DriverFunction<Result (*)(Parameters...)> const& function,
           std::type_identity_t<Parameters>... arguments) const {
    check(function(arguments...), function.name, [&] { return what; });
  }

  // Each vendor defines these functions. \throws SystemError.

  /// An attribute of a device; 0 if the driver does not know the attribute and
  /// therefore lacks the feature.
  /// \param place names the device in error messages.
  [[nodiscard]] int attribute(Device device, DeviceAttribute which,
                              std::string const& place) const;
  /// Name and text of an error: "CUDA_ERROR_X (<text>)".
  [[nodiscard]] std::string text_of(Result result) const;
  /// The driver and its version, such as "CUDA driver 13.0".
  [[nodiscard]] std::string version() const;
  /// Such as "9.0".
  [[nodiscard]] std::string architecture(Device device,
                                         std::string const& place) const;
  /// Whether the GPU runs kernels of several processes at the same time.
  [[nodiscard]] bool has_mps(Device device, std::string const& place) const;
  /// Whether mem_retain_allocation_handle() keeps memory, and can be asked
  /// about any address.
  [[nodiscard]] bool can_retain_memory() const;
};

/// Converts an address to the type of the driver's parameters.
inline Pointer device_pointer(void const* address) {
  return reinterpret_cast<Pointer>(const_cast<void*>(address));
}

}  // namespace symm::Impl::gpu

#endif
