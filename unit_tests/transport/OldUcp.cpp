// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
// A libucp.so.0 that says how old it is, and has nothing else.

extern "C" void ucp_get_version(unsigned* major, unsigned* minor,
                                unsigned* patch);

extern "C" void ucp_get_version(unsigned* major, unsigned* minor,
                                unsigned* patch) {
  *major = SYMM_TEST_UCP_MAJOR;
  *minor = SYMM_TEST_UCP_MINOR;
  *patch = 1;
}
