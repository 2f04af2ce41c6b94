// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_PROCESS_RESOURCES_HPP
#define SYMM_TEST_PROCESS_RESOURCES_HPP

#include <cstddef>
#include <string>

/// What this process holds, as the kernel counts it.
namespace symm_test {

/// Open file descriptors.
std::size_t n_open_descriptors();
/// From now on this process can open `more` besides.
void limit_descriptors(std::size_t more);

/// Mappings that touch [address, address + bytes).
std::size_t n_mappings_in(void const* address, std::size_t bytes);

/// Descriptors and mappings of files created with memfd_create(name). As long
/// as there is one, the file's memory is not given back.
std::size_t n_memfd_descriptors(std::string const& name);
std::size_t n_memfd_mappings(std::string const& name);

/// Resident memory of this process that it shares with nobody, in bytes.
std::size_t private_resident_bytes();

/// Whether a load from `address`, or a load and a store, works; a fault ends
/// only a forked copy of this process.
bool can_read(char const* address);
bool can_write(char* address);

}  // namespace symm_test

#endif
