// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// The MPI functions that send and receive messages. The receiver learns of the
// sender's earlier actions. The sender learns nothing, whatever the send mode.
#include <utility>

#include "MpiRequests.hpp"
#include "MpiStart.hpp"

using symm::Impl::check::MpiCommunicator;
using symm::Impl::check::MpiRequest;

namespace {

void send(MPI_Comm communicator, int to, int tag) {
  auto const record = MpiCommunicator::of(communicator);
  if (record != nullptr) record->send(to, tag);
}

void receive(MPI_Comm communicator, MPI_Status const& status,
             bool is_only_there = false) {
  auto const record = MpiCommunicator::of(communicator);
  if (record != nullptr) {
    record->receive(status.MPI_SOURCE, status.MPI_TAG, is_only_there);
  }
}

/// Records a receive. Forgets any earlier request that used the same handle.
void remember_receive(MPI_Comm communicator, MPI_Request request, int from,
                      bool is_persistent) {
  static_cast<void>(symm::Impl::check::forget(request));
  auto record = MpiCommunicator::of(communicator);
  // Requests that do nothing may share a handle, so do not record them.
  if (record == nullptr || from == MPI_PROC_NULL) return;
  symm::Impl::check::remember(request, {.communicator = std::move(record),
                                        .kind = MpiRequest::Kind::receive,
                                        .is_persistent = is_persistent});
}

void remember_send(MPI_Comm communicator, MPI_Request request, int to,
                   int tag) {
  static_cast<void>(symm::Impl::check::forget(request));
  auto record = MpiCommunicator::of(communicator);
  if (record == nullptr || to == MPI_PROC_NULL) return;
  symm::Impl::check::remember(request, {.communicator  = std::move(record),
                                        .kind          = MpiRequest::Kind::send,
                                        .is_persistent = true,
                                        .to            = to,
                                        .tag           = tag});
}

}  // namespace

void symm::Impl::check::see_mpi_messages() noexcept {}

// MPI functions.

extern "C" {

#define SYMM_SENDS(kind, now_kind)                                             \
  int MPI_##kind(void const* data, int count, MPI_Datatype type, int to,       \
                 int tag, MPI_Comm communicator) {                             \
    send(communicator, to, tag);                                               \
    return PMPI_##kind(data, count, type, to, tag, communicator);              \
  }                                                                            \
  int MPI_I##now_kind(void const* data, int count, MPI_Datatype type, int to,  \
                      int tag, MPI_Comm communicator, MPI_Request* request) {  \
    send(communicator, to, tag);                                               \
    int const result =                                                         \
        PMPI_I##now_kind(data, count, type, to, tag, communicator, request);   \
    if (result == MPI_SUCCESS) {                                               \
      static_cast<void>(symm::Impl::check::forget(*request));                  \
    }                                                                          \
    return result;                                                             \
  }                                                                            \
  int MPI_##kind##_init(void const* data, int count, MPI_Datatype type,        \
                        int to, int tag, MPI_Comm communicator,                \
                        MPI_Request* request) {                                \
    int const result =                                                         \
        PMPI_##kind##_init(data, count, type, to, tag, communicator, request); \
    if (result == MPI_SUCCESS) {                                               \
      remember_send(communicator, *request, to, tag);                          \
    }                                                                          \
    return result;                                                             \
  }

SYMM_SENDS(Send, send)
SYMM_SENDS(Bsend, bsend)
SYMM_SENDS(Ssend, ssend)
SYMM_SENDS(Rsend, rsend)

int MPI_Recv(void* data, int count, MPI_Datatype type, int from, int tag,
             MPI_Comm communicator, MPI_Status* status) {
  MPI_Status own_status;
  auto* const used_status = status == MPI_STATUS_IGNORE ? &own_status : status;
  int const result =
      PMPI_Recv(data, count, type, from, tag, communicator, used_status);
  if (result == MPI_SUCCESS) receive(communicator, *used_status);
  return result;
}
int MPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag,
              MPI_Comm communicator, MPI_Request* request) {
  int const result =
      PMPI_Irecv(data, count, type, from, tag, communicator, request);
  if (result == MPI_SUCCESS)
    remember_receive(communicator, *request, from, false);
  return result;
}
int MPI_Recv_init(void* data, int count, MPI_Datatype type, int from, int tag,
                  MPI_Comm communicator, MPI_Request* request) {
  int const result =
      PMPI_Recv_init(data, count, type, from, tag, communicator, request);
  if (result == MPI_SUCCESS)
    remember_receive(communicator, *request, from, true);
  return result;
}

int MPI_Sendrecv(void const* source, int n_sent, MPI_Datatype type_sent, int to,
                 int tag_sent, void* dest, int n_received,
                 MPI_Datatype type_received, int from, int tag_received,
                 MPI_Comm communicator, MPI_Status* status) {
  MPI_Status own_status;
  auto* const used_status = status == MPI_STATUS_IGNORE ? &own_status : status;
  send(communicator, to, tag_sent);
  int const result = PMPI_Sendrecv(source, n_sent, type_sent, to, tag_sent,
                                   dest, n_received, type_received, from,
                                   tag_received, communicator, used_status);
  if (result == MPI_SUCCESS) receive(communicator, *used_status);
  return result;
}
int MPI_Sendrecv_replace(void* data, int count, MPI_Datatype type, int to,
                         int tag_sent, int from, int tag_received,
                         MPI_Comm communicator, MPI_Status* status) {
  MPI_Status own_status;
  auto* const used_status = status == MPI_STATUS_IGNORE ? &own_status : status;
  send(communicator, to, tag_sent);
  int const result =
      PMPI_Sendrecv_replace(data, count, type, to, tag_sent, from, tag_received,
                            communicator, used_status);
  if (result == MPI_SUCCESS) receive(communicator, *used_status);
  return result;
}

// If a probe finds a message, that message is the next one to be received.
int MPI_Probe(int from, int tag, MPI_Comm communicator, MPI_Status* status) {
  MPI_Status own_status;
  auto* const used_status = status == MPI_STATUS_IGNORE ? &own_status : status;
  int const result        = PMPI_Probe(from, tag, communicator, used_status);
  if (result == MPI_SUCCESS) receive(communicator, *used_status, true);
  return result;
}
int MPI_Iprobe(int from, int tag, MPI_Comm communicator, int* is_there,
               MPI_Status* status) {
  MPI_Status own_status;
  auto* const used_status = status == MPI_STATUS_IGNORE ? &own_status : status;
  int const result =
      PMPI_Iprobe(from, tag, communicator, is_there, used_status);
  if (result == MPI_SUCCESS && *is_there != 0) {
    receive(communicator, *used_status, true);
  }
  return result;
}
// After these functions, only MPI_Mrecv() and MPI_Imrecv() can receive the
// message.
int MPI_Mprobe(int from, int tag, MPI_Comm communicator, MPI_Message* message,
               MPI_Status* status) {
  MPI_Status own_status;
  auto* const used_status = status == MPI_STATUS_IGNORE ? &own_status : status;
  int const result = PMPI_Mprobe(from, tag, communicator, message, used_status);
  if (result == MPI_SUCCESS) receive(communicator, *used_status);
  return result;
}
int MPI_Improbe(int from, int tag, MPI_Comm communicator, int* is_there,
                MPI_Message* message, MPI_Status* status) {
  MPI_Status own_status;
  auto* const used_status = status == MPI_STATUS_IGNORE ? &own_status : status;
  int const result =
      PMPI_Improbe(from, tag, communicator, is_there, message, used_status);
  if (result == MPI_SUCCESS && *is_there != 0)
    receive(communicator, *used_status);
  return result;
}
int MPI_Imrecv(void* data, int count, MPI_Datatype type, MPI_Message* message,
               MPI_Request* request) {
  int const result = PMPI_Imrecv(data, count, type, message, request);
  if (result == MPI_SUCCESS) {
    static_cast<void>(symm::Impl::check::forget(*request));
  }
  return result;
}

}  // extern "C"
