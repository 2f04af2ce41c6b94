// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Requests, and the MPI functions that complete, start and free them.
#include "MpiRequests.hpp"

#include <mutex>
#include <unordered_map>
#include <utility>

#include "Checker.hpp"

namespace symm::Impl::check {

namespace {

std::mutex s_mutex;
std::unordered_map<MPI_Request, MpiRequest>& requests() {
  static auto& all = *new std::unordered_map<MPI_Request, MpiRequest>;
  return all;
}

void receive(MpiRequest const& what, MPI_Status status) {
  for (auto const key : what.keys) s_checker.receive(key);
  if (what.kind != MpiRequest::Kind::receive) return;
  int is_canceled = 0;
  if (PMPI_Test_cancelled(&status, &is_canceled) == MPI_SUCCESS &&
      is_canceled == 0) {
    // An inactive persistent request has no source.
    what.communicator->receive(status.MPI_SOURCE, status.MPI_TAG);
  }
}

/// The requests of a call that may complete some of them. Their records are
/// removed during the call, because once a request is complete, another thread
/// may obtain a request with the same handle.
class Completion {
 public:
  Completion(int count, MPI_Request const* requests) {
    for (int i = 0; i < count; ++i) {
      auto what =
          requests[i] == MPI_REQUEST_NULL ? std::nullopt : forget(requests[i]);
      if (what) m_begun.push_back({i, requests[i], std::move(*what)});
    }
  }
  Completion(Completion const&)            = delete;
  Completion& operator=(Completion const&) = delete;
  /// Restores the records of requests that are not complete or that are
  /// persistent.
  ~Completion() {
    for (auto& begun : m_begun) {
      if (!begun.is_complete || begun.what.is_persistent) {
        remember(begun.request, std::move(begun.what));
      }
    }
  }

  void complete(int i, MPI_Status const& status) {
    for (auto& begun : m_begun) {
      if (begun.i != i) continue;
      receive(begun.what, status);
      begun.is_complete = true;
    }
  }
  void complete_all(MPI_Status const* statuses) {
    for (auto& begun : m_begun) {
      receive(begun.what, statuses[begun.i]);
      begun.is_complete = true;
    }
  }

 private:
  struct Begun {
    int i;
    MPI_Request request;
    MpiRequest what;
    bool is_complete = false;
  };
  std::vector<Begun> m_begun;
};

/// The program's statuses, or temporary ones if the program ignores them.
class Statuses {
 public:
  Statuses(int count, MPI_Status* of_program, MPI_Status const* ignored)
      : m_mine(of_program == ignored ? static_cast<std::size_t>(count) : 0),
        m_all(of_program == ignored ? m_mine.data() : of_program) {}

  [[nodiscard]] MPI_Status* get() { return m_all; }

 private:
  std::vector<MPI_Status> m_mine;
  MPI_Status* m_all;
};

void start(MPI_Request request) {
  std::unique_lock lock(s_mutex);
  auto const found = requests().find(request);
  if (found == requests().end()) return;
  auto const what = found->second;
  lock.unlock();
  if (what.kind == MpiRequest::Kind::send) {
    what.communicator->send(what.to, what.tag);
  }
}

}  // namespace

void remember(MPI_Request request, MpiRequest what) {
  std::lock_guard const lock(s_mutex);
  requests().insert_or_assign(request, std::move(what));
}

std::optional<MpiRequest> forget(MPI_Request request) {
  std::lock_guard const lock(s_mutex);
  auto found = requests().extract(request);
  if (found.empty()) return std::nullopt;
  return std::move(found.mapped());
}

}  // namespace symm::Impl::check

using symm::Impl::check::Completion;
using symm::Impl::check::Statuses;

// MPI functions.

extern "C" {

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  Completion completion(1, request);
  Statuses statuses(1, status, MPI_STATUS_IGNORE);
  int const result = PMPI_Wait(request, statuses.get());
  if (result == MPI_SUCCESS) completion.complete_all(statuses.get());
  return result;
}
int MPI_Waitall(int count, MPI_Request all[], MPI_Status status[]) {
  Completion completion(count, all);
  Statuses statuses(count, status, MPI_STATUSES_IGNORE);
  int const result = PMPI_Waitall(count, all, statuses.get());
  if (result == MPI_SUCCESS) completion.complete_all(statuses.get());
  return result;
}
int MPI_Waitany(int count, MPI_Request all[], int* i, MPI_Status* status) {
  Completion completion(count, all);
  Statuses statuses(1, status, MPI_STATUS_IGNORE);
  int const result = PMPI_Waitany(count, all, i, statuses.get());
  if (result == MPI_SUCCESS) completion.complete(*i, *statuses.get());
  return result;
}
int MPI_Waitsome(int count, MPI_Request all[], int* n, int which[],
                 MPI_Status status[]) {
  Completion completion(count, all);
  Statuses statuses(count, status, MPI_STATUSES_IGNORE);
  int const result = PMPI_Waitsome(count, all, n, which, statuses.get());
  for (int i = 0; result == MPI_SUCCESS && i < *n; ++i) {
    completion.complete(which[i], statuses.get()[i]);
  }
  return result;
}
int MPI_Test(MPI_Request* request, int* is_done, MPI_Status* status) {
  Completion completion(1, request);
  Statuses statuses(1, status, MPI_STATUS_IGNORE);
  int const result = PMPI_Test(request, is_done, statuses.get());
  if (result == MPI_SUCCESS && *is_done != 0) {
    completion.complete_all(statuses.get());
  }
  return result;
}
int MPI_Testall(int count, MPI_Request all[], int* is_done,
                MPI_Status status[]) {
  Completion completion(count, all);
  Statuses statuses(count, status, MPI_STATUSES_IGNORE);
  int const result = PMPI_Testall(count, all, is_done, statuses.get());
  if (result == MPI_SUCCESS && *is_done != 0) {
    completion.complete_all(statuses.get());
  }
  return result;
}
int MPI_Testany(int count, MPI_Request all[], int* i, int* is_done,
                MPI_Status* status) {
  Completion completion(count, all);
  Statuses statuses(1, status, MPI_STATUS_IGNORE);
  int const result = PMPI_Testany(count, all, i, is_done, statuses.get());
  if (result == MPI_SUCCESS && *is_done != 0) {
    completion.complete(*i, *statuses.get());
  }
  return result;
}
int MPI_Testsome(int count, MPI_Request all[], int* n, int which[],
                 MPI_Status status[]) {
  Completion completion(count, all);
  Statuses statuses(count, status, MPI_STATUSES_IGNORE);
  int const result = PMPI_Testsome(count, all, n, which, statuses.get());
  for (int i = 0; result == MPI_SUCCESS && i < *n; ++i) {
    completion.complete(which[i], statuses.get()[i]);
  }
  return result;
}

int MPI_Start(MPI_Request* request) {
  symm::Impl::check::start(*request);
  return PMPI_Start(request);
}
int MPI_Startall(int count, MPI_Request all[]) {
  for (int i = 0; i < count; ++i) symm::Impl::check::start(all[i]);
  return PMPI_Startall(count, all);
}
int MPI_Request_free(MPI_Request* request) {
  static_cast<void>(symm::Impl::check::forget(*request));
  return PMPI_Request_free(request);
}

}  // extern "C"
