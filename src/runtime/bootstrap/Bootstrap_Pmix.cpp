// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Bootstrap_Pmix.hpp"

#include <dlfcn.h>
#include <pmix.h>

#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "../base/Deadline.hpp"
#include "../base/Env.hpp"
#include "../base/Text.hpp"
#include "../symm_errors.hpp"
#include "Bootstrap_Tcp.hpp"

namespace symm::Impl {

namespace {

/// The functions in libpmix.so, which is loaded at run time.
struct Pmix {
  decltype(&PMIx_Init) init                 = nullptr;
  decltype(&PMIx_Finalize) finalize         = nullptr;
  decltype(&PMIx_Put) put                   = nullptr;
  decltype(&PMIx_Commit) commit             = nullptr;
  decltype(&PMIx_Fence_nb) fence_nb         = nullptr;
  decltype(&PMIx_Get) get                   = nullptr;
  decltype(&PMIx_Error_string) error_string = nullptr;
};

template <class Function>
void find_in_pmix(void* library, char const* symbol, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, symbol));
  if (function == nullptr) {
    throw SystemError(
        Text("symm::initialize by PMIx: the libpmix.so.2 on this "
             "machine lacks ",
             symbol));
  }
}

Pmix load_pmix() {
  // Never close the library, because MPI may also be using it.
  void* const library = ::dlopen("libpmix.so.2", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    char const* const reason = ::dlerror();
    throw SystemError(Text(
        "symm::initialize by PMIx: no PMIx on this machine: ",
        reason != nullptr ? reason : "libpmix.so.2",
        "; install it (Debian's libpmix2), or start over TCP (SYMM_ROOT)"));
  }
  Pmix pmix;
  find_in_pmix(library, "PMIx_Init", pmix.init);
  find_in_pmix(library, "PMIx_Finalize", pmix.finalize);
  find_in_pmix(library, "PMIx_Put", pmix.put);
  find_in_pmix(library, "PMIx_Commit", pmix.commit);
  find_in_pmix(library, "PMIx_Fence_nb", pmix.fence_nb);
  find_in_pmix(library, "PMIx_Get", pmix.get);
  find_in_pmix(library, "PMIx_Error_string", pmix.error_string);
  return pmix;
}

Pmix const& pmix_library() {
  static Pmix const pmix = load_pmix();
  return pmix;
}

void check_pmix(pmix_status_t status, char const* call) {
  if (status == PMIX_SUCCESS) return;
  throw SystemError(Text("symm::initialize by PMIx: ", call,
                         " failed: ", pmix_library().error_string(status)));
}

/// A value that PMIx has allocated. A string in it is a separate allocation.
class PmixValue {
 public:
  PmixValue(pmix_proc_t const& proc, char const* key) {
    check_pmix(pmix_library().get(&proc, key, nullptr, 0, &m_value),
               "PMIx_Get");
  }
  PmixValue(PmixValue const&)            = delete;
  PmixValue& operator=(PmixValue const&) = delete;
  ~PmixValue() {
    if (m_value->type == PMIX_STRING) std::free(m_value->data.string);
    std::free(m_value);
  }
  [[nodiscard]] pmix_value_t const& get() const { return *m_value; }

 private:
  pmix_value_t* m_value = nullptr;
};

/// The completion status of a fence. PMIx reports it from a separate thread.
struct FenceEnd {
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<pmix_status_t> status;

  static void tell(pmix_status_t status, void* data) {
    std::unique_ptr<std::shared_ptr<FenceEnd>> const end(
        static_cast<std::shared_ptr<FenceEnd>*>(data));
    std::lock_guard const lock((*end)->mutex);
    (*end)->status = status;
    (*end)->changed.notify_all();
  }
};

/// Collective: after this call, every PE sees all values that the PEs have put
/// so far.
/// \throws SystemError on this PE if not all PEs call it in time.
void exchange_puts(Deadline const& deadline) {
  pmix_info_t collects{};
  std::string_view(PMIX_COLLECT_DATA).copy(collects.key, PMIX_MAX_KEYLEN);
  collects.value.type      = PMIX_BOOL;
  collects.value.data.flag = true;
  auto const end           = std::make_shared<FenceEnd>();
  auto told                = std::make_unique<std::shared_ptr<FenceEnd>>(end);
  check_pmix(pmix_library().fence_nb(nullptr, 0, &collects, 1, FenceEnd::tell,
                                     told.get()),
             "PMIx_Fence_nb");
  static_cast<void>(told.release());  // FenceEnd::tell() now owns it
  std::unique_lock lock(end->mutex);
  auto const is_over = [&] { return end->status.has_value(); };
  if (!deadline.end()) {
    end->changed.wait(lock, is_over);
  } else if (!end->changed.wait_until(lock, *deadline.end(), is_over)) {
    throw SystemError(
        "symm::initialize by PMIx: not all PEs have called it within "
        "SYMM_START_TIMEOUT seconds");
  }
  check_pmix(*end->status, "PMIx_Fence_nb");
}

class StartByPmix final : public JobStart {
 public:
  [[nodiscard]] char const* name() const override { return "PMIx"; }

  [[nodiscard]] bool begin(int* /*argc*/, char*** /*argv*/,
                           Communicator const& communicator) override {
    refuse_communicator(communicator, "by PMIx");
    if (!is_pmix_offered()) {
      throw UsageError(
          "symm::initialize: SYMM_START=pmix, but this process was not started "
          "by a launcher with PMIx (PMIX_RANK is not set); use one, such as "
          "srun --mpi=pmix, or start over TCP (SYMM_ROOT)");
    }
    check_pmix(pmix_library().init(&m_self, nullptr, 0), "PMIx_Init");
    return true;
  }

  [[nodiscard]] JobPes make_pes(Communicator const& /*all*/) override {
    auto everybody = m_self;
    everybody.rank = PMIX_RANK_WILDCARD;
    PmixValue const n_pes(everybody, PMIX_JOB_SIZE);
    TcpJob job;
    job.root    = "PMIx";
    job.my_pe   = static_cast<Pe>(m_self.rank);
    job.n_pes   = static_cast<int>(n_pes.get().data.uint32);
    job.timeout = start_timeout();
    job.share   = [this](std::string const& text) { return share(text); };
    return make_tcp_pes(job);
  }

  void end() override {
    check_pmix(pmix_library().finalize(nullptr, 0), "PMIx_Finalize");
  }

  [[noreturn]] void abort(int status) noexcept override {
    abort_tcp_job(status);
  }

 private:
  std::string share(std::string text) {
    // Use one key per job, because a put does not replace an earlier job's
    // value.
    auto const key = "symm.place." + std::to_string(m_n_jobs++);
    if (m_self.rank == 0) {
      pmix_value_t value{};
      value.type        = PMIX_STRING;
      value.data.string = text.data();
      check_pmix(pmix_library().put(PMIX_GLOBAL, key.c_str(), &value),
                 "PMIx_Put");
      check_pmix(pmix_library().commit(), "PMIx_Commit");
    }
    exchange_puts(Deadline(start_timeout()));
    if (m_self.rank == 0) return text;
    auto first = m_self;
    first.rank = 0;
    PmixValue const entry(first, key.c_str());
    if (entry.get().type != PMIX_STRING)
      throw SystemError(
          "symm::initialize by PMIx: the value from PE 0 is not a string");
    return entry.get().data.string;
  }

  pmix_proc_t m_self{};
  int m_n_jobs = 0;
};

}  // namespace

bool is_pmix_offered() {
  return setting_of({.names = {"PMIX_RANK"}, .type = VariableType::count})
      .has_value();
}

JobStart& start_by_pmix() {
  static StartByPmix start;
  return start;
}

}  // namespace symm::Impl
