// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_FAKE_HIP_OLDER_HIP_HPP
#define SYMM_FAKE_HIP_OLDER_HIP_HPP

// Kokkos 5 calls this function, which HIP has since version 5.6. With
// `-include` of this header, Kokkos compiles with the HIP 5.2.3 of Debian 12.
// Programs built in this manner need the stand-in for HIP (FakeHip.cpp).

#ifdef __HIP__
#include <hip/hip_runtime_api.h>

extern "C" hipError_t hipStreamGetDevice(hipStream_t stream,
                                         hipDevice_t* device);
#endif

#endif
