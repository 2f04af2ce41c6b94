// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "baselines/RegisteredMemfd.hpp"

#include <cuda_runtime_api.h>
#include <fcntl.h>
#include <mpi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>

#include "harness/CudaCheck.hpp"
#include "harness/MpiCheck.hpp"

namespace perf {
namespace {

[[noreturn]] void throw_errno(std::string const& call) {
  throw std::runtime_error(call + " failed: " + std::strerror(errno));
}

class Descriptor {
 public:
  explicit Descriptor(int value, std::string const& call) : m_value(value) {
    if (value < 0) throw_errno(call);
  }
  ~Descriptor() { static_cast<void>(close(m_value)); }
  Descriptor(Descriptor const&)            = delete;
  Descriptor& operator=(Descriptor const&) = delete;
  [[nodiscard]] int value() const { return m_value; }

 private:
  int m_value;
};

}  // namespace

RegisteredMemfd::RegisteredMemfd(int owner, int my_pe, std::size_t bytes)
    : m_bytes(bytes) {
  // Where another process of the same user finds the owner's descriptor.
  std::array<int, 2> place{};
  if (my_pe == owner) {
    Descriptor const memory(memfd_create("perf", MFD_CLOEXEC), "memfd_create");
    if (ftruncate(memory.value(), static_cast<off_t>(bytes)) != 0)
      throw_errno("ftruncate");
    map(memory.value());  // first: the pages are the owner's
    place = {static_cast<int>(getpid()), memory.value()};
    check_mpi(MPI_Bcast(place.data(), 2, MPI_INT, owner, MPI_COMM_WORLD),
              "MPI_Bcast");
    check_mpi(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");  // PE 0 has opened
    return;
  }
  check_mpi(MPI_Bcast(place.data(), 2, MPI_INT, owner, MPI_COMM_WORLD),
            "MPI_Bcast");
  if (my_pe == 0) {
    std::string const file =
        "/proc/" + std::to_string(place[0]) + "/fd/" + std::to_string(place[1]);
    Descriptor const memory(open(file.c_str(), O_RDWR | O_CLOEXEC),
                            "open of the other PE's memfd");
    map(memory.value());
  }
  check_mpi(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
}

void RegisteredMemfd::map(int descriptor) {
  void* const address =
      mmap(nullptr, m_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (address == MAP_FAILED) throw_errno("mmap");
  m_address = address;
  // Touches all pages.
  check_cuda(
      cudaHostRegister(address, m_bytes,
                       cudaHostRegisterMapped | cudaHostRegisterPortable),
      "cudaHostRegister");
  m_registered = true;
}

RegisteredMemfd::~RegisteredMemfd() {
  cudaError_t code = cudaSuccess;
  if (m_registered) code = cudaHostUnregister(m_address);
  if (code != cudaSuccess ||
      (m_address != nullptr && munmap(m_address, m_bytes) != 0))
    static_cast<void>(std::fprintf(stderr,
                                   "RegisteredMemfd: cannot be freed: %s\n",
                                   cudaGetErrorName(code)));
}

}  // namespace perf
