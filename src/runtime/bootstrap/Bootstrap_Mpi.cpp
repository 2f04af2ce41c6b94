// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Bootstrap_Mpi.hpp"

#include <mpi.h>
#include <unistd.h>

#include <chrono>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "../symm_errors.hpp"
#include "OtherLauncher.hpp"

namespace symm::Impl {

namespace {

/// The time limit for MPI to end the job.
constexpr auto time_to_abort = std::chrono::seconds(3);

/// The time given to the launcher to read this process's output. MPICH's
/// launcher ends a job immediately and loses unread output, such as the message
/// that says why the job ends.
constexpr auto time_to_read = std::chrono::milliseconds(100);

void check(int result, char const* call) {
  if (result == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "unknown error";
  int length                      = 0;
  // If this call fails, `text` is still "unknown error".
  static_cast<void>(MPI_Error_string(result, text, &length));
  throw SystemError(std::string(call) + " failed: " + text);
}

bool is_set(int (*query)(int*), char const* call) {
  int flag = 0;
  check(query(&flag), call);
  return flag != 0;
}

MPI_Comm mpi_of(Communicator const& communicator) {
  auto const handle = communicator.handle();
  if (!handle) return MPI_COMM_WORLD;
  MPI_Comm mpi = MPI_COMM_NULL;
  std::memcpy(&mpi, &*handle, sizeof(mpi));
  return mpi;
}

/// Waits for a nonblocking collective and yields the core meanwhile. MPI may
/// not know that there are more PEs than cores, for example when several nodes
/// share a machine. MPI_Wait() would then occupy the core for a whole time
/// slice.
void wait(MPI_Request& request, char const* call) {
  for (;;) {
    int is_done = 0;
    check(MPI_Test(&request, &is_done, MPI_STATUS_IGNORE), call);
    if (is_done != 0) return;
    std::this_thread::yield();
  }
}

[[noreturn]] void abort_mpi(int status) noexcept {
  // Exit after a timeout, because MPI would wait forever for a node that it
  // cannot reach.
  try {
    std::thread([status] {
      std::this_thread::sleep_for(time_to_abort);
      ::_exit(status);
    }).detach();
  } catch (std::system_error const&) {
    ::_exit(status);
  }
  std::this_thread::sleep_for(time_to_read);
  // Do not use the duplicated communicator: MPICH might end only that
  // communicator's processes and wait forever for a process that has already
  // exited.
  static_cast<void>(MPI_Abort(MPI_COMM_WORLD, status));
  std::abort();
}

class Bootstrap_Mpi final : public Bootstrap {
 public:
  explicit Bootstrap_Mpi(MPI_Comm communicator) {
    check(MPI_Comm_dup(communicator, &m_communicator), "MPI_Comm_dup");
    check(MPI_Comm_set_errhandler(m_communicator, MPI_ERRORS_RETURN),
          "MPI_Comm_set_errhandler");
    check(MPI_Comm_rank(m_communicator, &m_rank), "MPI_Comm_rank");
    check(MPI_Comm_size(m_communicator, &m_size), "MPI_Comm_size");
    find_node();
  }

  [[nodiscard]] Pe my_pe() const override { return m_rank; }
  [[nodiscard]] int n_pes() const override { return m_size; }
  [[nodiscard]] int node() const override { return m_node; }
  [[nodiscard]] int number_on_node() const { return m_number_on_node; }
  [[nodiscard]] bool is_one_node() const { return m_n_on_node == m_size; }

  void barrier() override {
    run("MPI_Ibarrier", [&](MPI_Request* request) {
      return MPI_Ibarrier(m_communicator, request);
    });
  }

  void allgather(void const* mine, void* all, std::size_t bytes) override {
    int const count = count_of(bytes, "allgather");
    run("MPI_Iallgather", [&](MPI_Request* request) {
      return MPI_Iallgather(mine, count, MPI_BYTE, all, count, MPI_BYTE,
                            m_communicator, request);
    });
  }

  [[nodiscard]] int min(int mine) override {
    int lowest = 0;
    run("MPI_Iallreduce", [&](MPI_Request* request) {
      return MPI_Iallreduce(&mine, &lowest, 1, MPI_INT, MPI_MIN, m_communicator,
                            request);
    });
    return lowest;
  }

  void broadcast(void* data, std::size_t bytes, Pe from) override {
    int const count = count_of(bytes, "broadcast");
    run("MPI_Ibcast", [&](MPI_Request* request) {
      return MPI_Ibcast(data, count, MPI_BYTE, from, m_communicator, request);
    });
  }

  /// If MPI is finalized, it has freed everything. Freeing a communicator may
  /// involve all PEs, so skip it after a failed step.
  void close() override {
    if (m_gate.has_failed()) return;
    if (is_set(MPI_Finalized, "MPI_Finalized")) return;
    check(MPI_Comm_free(&m_communicator), "MPI_Comm_free");
  }

  using Bootstrap::abort;
  [[noreturn]] void abort(int status) noexcept override { abort_mpi(status); }

 private:
  template <class Begin>
  void run(char const* call, Begin const& begin) {
    m_gate.run([&] {
      MPI_Request request = MPI_REQUEST_NULL;
      check(begin(&request), call);
      wait(request, call);
    });
  }

  static int count_of(std::size_t bytes, char const* call) {
    if (bytes > INT_MAX) {
      throw UsageError(std::string("Bootstrap_Mpi::") + call + ": " +
                       std::to_string(bytes) +
                       " bytes per PE; the limit is 2147483647");
    }
    return static_cast<int>(bytes);
  }

  /// A node's number is the lowest rank on that node.
  void find_node() {
    MPI_Comm node = MPI_COMM_NULL;
    check(MPI_Comm_split_type(m_communicator, MPI_COMM_TYPE_SHARED, 0,
                              MPI_INFO_NULL, &node),
          "MPI_Comm_split_type");
    check(MPI_Comm_rank(node, &m_number_on_node), "MPI_Comm_rank");
    check(MPI_Comm_size(node, &m_n_on_node), "MPI_Comm_size");
    m_node = m_rank;
    check(MPI_Bcast(&m_node, 1, MPI_INT, 0, node), "MPI_Bcast");
    check(MPI_Comm_free(&node), "MPI_Comm_free");
  }

  StepGate m_gate;
  MPI_Comm m_communicator = MPI_COMM_NULL;
  int m_rank              = 0;
  int m_size              = 0;
  int m_node              = 0;
  int m_number_on_node    = 0;
  int m_n_on_node         = 0;
};

/// Warns if another MPI's mpiexec has started this program. Each process is
/// then a single-process job, and nothing else would alert the user.
void report_another_launcher() {
  int size = 0;
  check(MPI_Comm_size(MPI_COMM_WORLD, &size), "MPI_Comm_size");
  auto const other = size == 1 ? other_launcher() : std::nullopt;
  if (!other) return;
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = "unknown";
  int length                                   = 0;
  check(MPI_Get_library_version(version, &length), "MPI_Get_library_version");
  version[std::strcspn(version, ",\n")] = '\0';
  for (char& c : version) c = c == '\t' ? ' ' : c;
  std::fprintf(
      stderr,
      "symm: this process is a job of one PE, but was started as one of %d "
      "(%s): the launcher belongs to a different MPI than the program's, "
      "which is %s. Use the mpiexec of the program's MPI.\n",
      other->n_processes, other->variable, version);
}

class StartByMpi final : public JobStart {
 public:
  [[nodiscard]] char const* name() const override { return "MPI"; }

  [[nodiscard]] bool begin(int* argc, char*** argv,
                           Communicator const& communicator) override {
    if (mpi_of(communicator) == MPI_COMM_NULL) {  // MPI would end the job
      throw UsageError(
          "symm::initialize: the communicator is MPI_COMM_NULL; call "
          "initialize() only in the processes of the communicator");
    }
    if (is_set(MPI_Finalized, "MPI_Finalized")) {
      throw UsageError(
          "symm::initialize: MPI is finalized and cannot be restarted; call "
          "initialize() before MPI_Finalize()");
    }
    bool const begins = !is_set(MPI_Initialized, "MPI_Initialized");
    if (begins) {
      int provided = 0;
      check(MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided),
            "MPI_Init_thread");
    }
    report_another_launcher();
    return begins;
  }

  [[nodiscard]] JobPes make_pes(Communicator const& communicator) override {
    auto bootstrap = std::make_unique<Bootstrap_Mpi>(mpi_of(communicator));
    int const number_on_node = bootstrap->number_on_node();
    bool const is_one_node   = bootstrap->is_one_node();
    return {std::move(bootstrap), number_on_node, is_one_node};
  }

  void end() override {
    if (is_set(MPI_Finalized, "MPI_Finalized")) return;
    check(MPI_Finalize(), "MPI_Finalize");
  }

  [[noreturn]] void abort(int status) noexcept override { abort_mpi(status); }
};

}  // namespace

JobStart& start_by_mpi() {
  static StartByMpi start;
  return start;
}

}  // namespace symm::Impl
