// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_PROCESS_RESOURCES_HPP
#define SYMM_TEST_PROCESS_RESOURCES_HPP

#include <cstddef>
#include <string>

/// The resources that this process holds, as the kernel counts them.
namespace symm_test {

/// Number of open file descriptors.
std::size_t n_open_descriptors();
/// From now on, this process can open only `more` additional descriptors.
void limit_descriptors(std::size_t more);

/// Number of mappings that overlap [address, address + bytes).
std::size_t n_mappings_in(void const* address, std::size_t bytes);

/// Number of descriptors and of mappings of files created with
/// memfd_create(name). As long as there are any, the file's memory is not
/// freed.
std::size_t n_memfd_descriptors(std::string const& name);
std::size_t n_memfd_mappings(std::string const& name);

/// This process's resident memory that it shares with no other process, in
/// bytes.
std::size_t private_resident_bytes();

/// Whether a load from `address`, or a load and a store, works. A fault ends
/// only a forked copy of this process.
bool can_read(char const* address);
bool can_write(char* address);

}  // namespace symm_test

#endif
