// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "baselines/Nccl.hpp"

#include <mpi.h>
#include <nccl.h>

#include <cstdlib>
#include <stdexcept>
#include <string_view>

#include "harness/MpiCheck.hpp"

namespace perf::nccl {
namespace {

constexpr char const* nvls_variable = "NCCL_NVLS_ENABLE";

/// \throws std::runtime_error if the variable cannot be set.
void set_environment(char const* variable, char const* value, bool overwrite) {
  if (setenv(variable, value, overwrite ? 1 : 0) != 0)
    throw std::runtime_error(std::string("cannot set ") + variable);
}

/// Multicast objects are not to be made, by nobody.
void turn_nvls_off() {
  char const* const given = std::getenv(nvls_variable);
  if (given != nullptr && std::string_view(given) != "0")
    throw std::runtime_error(std::string(nvls_variable) + " is '" + given +
                             "'; it must be 0 or unset");
  set_environment(nvls_variable, "0", true);
}

void check_nvls_is_off() {
  char const* const given = std::getenv(nvls_variable);
  if (given == nullptr || std::string_view(given) != "0")
    throw std::runtime_error(std::string(nvls_variable) + " is not 0");
}

/// What went wrong; empty: nothing.
std::string problem_of(ncclResult_t code, char const* call) {
  if (code == ncclSuccess) return {};
  return std::string(call) + " failed: " + ncclGetErrorString(code);
}

void check(ncclResult_t code, char const* call) {
  if (code != ncclSuccess) throw std::runtime_error(problem_of(code, call));
}

ncclComm_t handle(void* communicator) {
  return static_cast<ncclComm_t>(communicator);
}

/// Whether it is true on all PEs. Collective.
bool is_everywhere(bool here) {
  int const mine = here ? 1 : 0;
  int all        = 0;
  check_mpi(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD),
            "MPI_Allreduce");
  return all != 0;
}

}  // namespace

bool available() {
  char const* const given = std::getenv("SYMM_PERF_NCCL");
  return given == nullptr ||
         (std::string_view(given) != "OFF" && std::string_view(given) != "0");
}

std::string version() {
  int code = 0;
  check(ncclGetVersion(&code), "ncclGetVersion");
  return std::to_string(code / 10000) + "." + std::to_string(code / 100 % 100) +
         "." + std::to_string(code % 100);
}

Communicator::Communicator() {
  turn_nvls_off();
  // PEs of one machine only: no search for network cards.
  set_environment("NCCL_IB_DISABLE", "1", false);
  check_nvls_is_off();
  int pe = 0;
  check_mpi(MPI_Comm_rank(MPI_COMM_WORLD, &pe), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(MPI_COMM_WORLD, &m_n_pes), "MPI_Comm_size");
  ncclUniqueId id{};
  if (pe == 0) m_problem = problem_of(ncclGetUniqueId(&id), "ncclGetUniqueId");
  if (is_everywhere(m_problem.empty())) {
    check_mpi(MPI_Bcast(&id, static_cast<int>(sizeof(id)), MPI_BYTE, 0,
                        MPI_COMM_WORLD),
              "MPI_Bcast");
    ncclComm_t communicator = nullptr;
    m_problem = problem_of(ncclCommInitRank(&communicator, m_n_pes, id, pe),
                           "ncclCommInitRank");
    m_communicator = m_problem.empty() ? communicator : nullptr;
  }
  if (is_everywhere(m_problem.empty())) return;
  if (m_problem.empty()) m_problem = "NCCL failed to initialize on another PE";
  if (m_communicator != nullptr)
    static_cast<void>(ncclCommAbort(handle(m_communicator)));
  m_communicator = nullptr;
}

Communicator::~Communicator() {
  if (m_communicator != nullptr)
    static_cast<void>(ncclCommDestroy(handle(m_communicator)));
}

void Communicator::broadcast(float* dest, float const* source,
                             std::size_t count, int root, Stream stream) const {
  check(ncclBroadcast(source, dest, count, ncclFloat, root,
                      handle(m_communicator), stream),
        "ncclBroadcast");
}

void Communicator::all_gather(float* dest, float const* source,
                              std::size_t count, Stream stream) const {
  check(ncclAllGather(source, dest, count, ncclFloat, handle(m_communicator),
                      stream),
        "ncclAllGather");
}

void Communicator::all_to_all(float* dest, float const* source,
                              std::size_t count, Stream stream) const {
  auto* const communicator = handle(m_communicator);
  check(ncclGroupStart(), "ncclGroupStart");
  for (int pe = 0; pe < m_n_pes; ++pe) {
    std::size_t const first = static_cast<std::size_t>(pe) * count;
    check(ncclSend(source + first, count, ncclFloat, pe, communicator, stream),
          "ncclSend");
    check(ncclRecv(dest + first, count, ncclFloat, pe, communicator, stream),
          "ncclRecv");
  }
  check(ncclGroupEnd(), "ncclGroupEnd");
}

void Communicator::all_reduce(float* dest, float const* source,
                              std::size_t count, Stream stream) const {
  check(ncclAllReduce(source, dest, count, ncclFloat, ncclSum,
                      handle(m_communicator), stream),
        "ncclAllReduce");
}

}  // namespace perf::nccl
