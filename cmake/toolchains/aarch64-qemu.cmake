# For CPUs of the architecture aarch64, on a machine of another one: compiled by
# Debian's cross compiler (g++-aarch64-linux-gnu), run by QEMU's user-mode emulation
# (qemu-user-static).
#
#   cmake --toolchain cmake/toolchains/aarch64-qemu.cmake \
#     -DCMAKE_SYSROOT=... ...
#
# CMAKE_SYSROOT, also as an environment variable, is a folder with what the programs
# use of Debian for arm64, as scripts/matrix.sh makes it. Programs there use its MPICH;
# this machine's mpiexec.mpich starts them. Nothing of arm64 need be installed here,
# nor does the kernel have to know the emulator.
if(NOT CMAKE_SYSROOT)
  set(CMAKE_SYSROOT "$ENV{CMAKE_SYSROOT}")
endif()
if(NOT EXISTS "${CMAKE_SYSROOT}/usr/lib/aarch64-linux-gnu")
  message(FATAL_ERROR "CMAKE_SYSROOT=${CMAKE_SYSROOT} is not a folder with Debian's "
                      "packages for arm64 (see scripts/matrix.sh).")
endif()
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES CMAKE_SYSROOT)

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static;-L;${CMAKE_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

# The compiler wrapper there would name folders of this machine.
set(MPI_CXX_COMPILER "${CMAKE_CXX_COMPILER}")
set(MPI_CXX_HEADER_DIR "${CMAKE_SYSROOT}/usr/include/aarch64-linux-gnu/mpich")
set(MPI_CXX_LIB_NAMES mpich)
set(MPI_mpich_LIBRARY "${CMAKE_SYSROOT}/usr/lib/aarch64-linux-gnu/libmpich.so")
