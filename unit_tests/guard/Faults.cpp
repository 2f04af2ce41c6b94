// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Faults.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <tuple>

namespace symm_test {

namespace {

/// A function of the system, and the error that it is made to fail with.
struct Function {
  char const* name;
  int error               = 0;
  bool can_be_interrupted = false;
  void* real              = nullptr;
  int n_calls             = 0;  // while calls are interrupted
};
constexpr bool interruptible = true;

Function s_new{"new", ENOMEM};
Function s_accept4{"accept4", EMFILE, interruptible};
Function s_bind{"bind", EADDRINUSE};
Function s_close{"close", EIO};
Function s_connect{"connect", ECONNREFUSED, interruptible};
Function s_fcntl{"fcntl", EMFILE};
Function s_fopen{"fopen", EMFILE, interruptible};
Function s_fstat{"fstat", ENOMEM};
Function s_fsync{"fsync", EIO, interruptible};
Function s_ftruncate{"ftruncate", ENOSPC, interruptible};
Function s_gethostname{"gethostname", EFAULT};
Function s_getrlimit{"getrlimit", EINVAL};
Function s_pidfd_open{"pidfd_open", EMFILE};
Function s_syscall{"syscall"};
Function s_getrandom{"getrandom", ENOSYS, interruptible};
Function s_getsockopt{"getsockopt", ENOBUFS};
Function s_listen{"listen", EADDRINUSE};
Function s_memfd_create{"memfd_create", EMFILE};
Function s_mincore{"mincore", EAGAIN};
Function s_mmap{"mmap", ENOMEM};
Function s_mprotect{"mprotect", ENOMEM};
Function s_munmap{"munmap", ENOMEM};
Function s_open{"open", EMFILE, interruptible};
Function s_poll{"poll", ENOMEM, interruptible};
Function s_process_vm_readv{"process_vm_readv", ENOMEM, interruptible};
Function s_read{"read", EIO, interruptible};
Function s_recv{"recv", ENOMEM, interruptible};
Function s_recvmsg{"recvmsg", ENOMEM, interruptible};
Function s_sched_getaffinity{"sched_getaffinity", EINVAL};
Function s_send{"send", ENOBUFS, interruptible};
Function s_sendmsg{"sendmsg", ENOBUFS, interruptible};
Function s_setsockopt{"setsockopt", ENOMEM};
Function s_socket{"socket", EMFILE};
Function s_stat{"stat", ENOMEM};
Function s_write{"write", ENOSPC, interruptible};

constexpr std::array functions{
    &s_new,          &s_accept4,    &s_bind,        &s_close,
    &s_connect,      &s_fcntl,      &s_fopen,       &s_fstat,
    &s_fsync,        &s_ftruncate,  &s_gethostname, &s_getrandom,
    &s_getrlimit,    &s_pidfd_open, &s_getsockopt,  &s_listen,
    &s_memfd_create, &s_mincore,    &s_mmap,        &s_mprotect,
    &s_munmap,       &s_open,       &s_poll,        &s_process_vm_readv,
    &s_read,         &s_recv,       &s_recvmsg,     &s_sched_getaffinity,
    &s_send,         &s_sendmsg,    &s_setsockopt,  &s_socket,
    &s_stat,         &s_write};

Function const* s_armed = nullptr;
int s_first             = 0;
int s_last              = 0;
bool s_interrupts       = false;
FaultCount* s_count     = nullptr;  // null: not armed
pthread_t s_thread;                 // whose calls fail

std::size_t index_of(Function const& function) {
  return static_cast<std::size_t>(
      std::find(functions.begin(), functions.end(), &function) -
      functions.begin());
}

bool is_interrupted(Function& function) {
  if (!function.can_be_interrupted) return false;
  ++s_count->n_calls;
  if (++function.n_calls % 2 == 0) return false;
  ++s_count->n_failed;
  errno = EINTR;
  return true;
}

bool fails(Function& function) {
  if (s_count == nullptr || ::pthread_equal(::pthread_self(), s_thread) == 0)
    return false;
  s_count->called.set(index_of(function));
  if (s_interrupts) return is_interrupted(function);
  if (s_armed != &function) return false;
  int const call = ++s_count->n_calls;
  if (call < s_first || call > s_last) return false;
  ++s_count->n_failed;
  errno = function.error;
  return true;
}

/// What the system defines under that name.
void* real(Function& function) {
  if (function.real == nullptr) {
    function.real = ::dlsym(RTLD_NEXT, function.name);
    if (function.real == nullptr) std::abort();
  }
  return function.real;
}

template <class Result, class... Arguments>
Result call(Function& function, Result failed, Arguments... arguments) {
  if (fails(function)) return failed;
  return reinterpret_cast<Result (*)(Arguments...)>(real(function))(
      arguments...);
}

/// Null if it fails.
void* try_to_allocate(std::size_t bytes, std::size_t alignment) {
  return fails(s_new)
             ? nullptr
             : std::aligned_alloc(alignment,
                                  (bytes + alignment) / alignment * alignment);
}

void* allocate(std::size_t bytes, std::size_t alignment) {
  void* const result = try_to_allocate(bytes, alignment);
  return result != nullptr ? result : throw std::bad_alloc();
}

}  // namespace

std::vector<std::string> faulty_functions() {
  std::vector<std::string> names;
  for (auto const* function : functions) names.emplace_back(function->name);
  return names;
}

void interrupt_calls(FaultCount& count) {
  for (auto* const function : functions) function->n_calls = 0;
  s_interrupts = true;
  s_thread     = ::pthread_self();
  count        = {};
  s_count      = &count;
}

void arm(Fault const& fault, FaultCount& count) {
  auto const function =
      std::find_if(functions.begin(), functions.end(),
                   [&](auto const* f) { return fault.function == f->name; });
  s_armed      = function == functions.end() ? nullptr : *function;
  s_first      = fault.call;
  s_last       = fault.call + fault.times - 1;
  s_interrupts = false;
  s_thread     = ::pthread_self();
  count        = {};
  s_count      = &count;
}

void disarm() noexcept { s_count = nullptr; }

}  // namespace symm_test

// The definitions that the program calls instead of the system's.

using namespace symm_test;  // NOLINT

extern "C" {

int accept4(int fd, sockaddr* address, socklen_t* bytes, int flags) {
  return call(s_accept4, -1, fd, address, bytes, flags);
}

int bind(int fd, sockaddr const* address, socklen_t bytes) noexcept {
  return call(s_bind, -1, fd, address, bytes);
}

/// Closes in any case, as Linux does when it returns an error.
int close(int fd) {
  bool const is_to_fail = fails(s_close);
  int const result      = reinterpret_cast<int (*)(int)>(real(s_close))(fd);
  if (is_to_fail) errno = s_close.error;
  return is_to_fail ? -1 : result;
}

/// A connection that is interrupted goes on to be made, unless by a Unix
/// socket.
int connect(int fd, sockaddr const* address, socklen_t bytes) {
  bool const has_failed = fails(s_connect);
  int const error       = errno;
  if (has_failed && (error != EINTR || address->sa_family == AF_UNIX))
    return -1;
  int const result = reinterpret_cast<int (*)(int, sockaddr const*, socklen_t)>(
      real(s_connect))(fd, address, bytes);
  if (!has_failed || result == 0) return result;
  if (errno == EINPROGRESS) errno = EINTR;
  return -1;
}

int fcntl(int fd, int command, ...) {
  if (fails(s_fcntl)) return -1;
  va_list more;
  va_start(more, command);
  void* const argument = va_arg(more, void*);
  va_end(more);
  return reinterpret_cast<int (*)(int, int, ...)>(real(s_fcntl))(fd, command,
                                                                 argument);
}

FILE* fopen(char const* name, char const* mode) {
  return call<FILE*>(s_fopen, nullptr, name, mode);
}

int fstat(int fd, struct stat* status) noexcept {
  return call(s_fstat, -1, fd, status);
}

int fsync(int fd) { return call(s_fsync, -1, fd); }

int ftruncate(int fd, off_t bytes) noexcept {
  return call(s_ftruncate, -1, fd, bytes);
}

int gethostname(char* name, std::size_t bytes) noexcept {
  return call(s_gethostname, -1, name, bytes);
}

ssize_t getrandom(void* buffer, std::size_t bytes, unsigned flags) {
  return call(s_getrandom, ssize_t{-1}, buffer, bytes, flags);
}

int getrlimit(__rlimit_resource_t resource, rlimit* limit) noexcept {
  return call(s_getrlimit, -1, resource, limit);
}

int getsockopt(int fd, int level, int option, void* value,
               socklen_t* bytes) noexcept {
  return call(s_getsockopt, -1, fd, level, option, value, bytes);
}

int listen(int fd, int backlog) noexcept {
  return call(s_listen, -1, fd, backlog);
}

int memfd_create(char const* name, unsigned flags) noexcept {
  return call(s_memfd_create, -1, name, flags);
}

int mincore(void* address, std::size_t bytes, unsigned char* pages) noexcept {
  return call(s_mincore, -1, address, bytes, pages);
}

void* mmap(void* address, std::size_t bytes, int protection, int flags, int fd,
           off_t offset) noexcept {
  return call(s_mmap, MAP_FAILED, address, bytes, protection, flags, fd,
              offset);
}

int mprotect(void* address, std::size_t bytes, int protection) noexcept {
  return call(s_mprotect, -1, address, bytes, protection);
}

int munmap(void* address, std::size_t bytes) noexcept {
  return call(s_munmap, -1, address, bytes);
}

int open(char const* path, int flags, ...) {
  if (fails(s_open)) return -1;
  va_list more;
  va_start(more, flags);
  auto const mode = va_arg(more, mode_t);
  va_end(more);
  return reinterpret_cast<int (*)(char const*, int, ...)>(real(s_open))(
      path, flags, mode);
}

int poll(pollfd* entries, nfds_t count, int milliseconds) {
  return call(s_poll, -1, entries, count, milliseconds);
}

ssize_t process_vm_readv(pid_t process, iovec const* mine,
                         unsigned long n_mine,  // NOLINT: as declared
                         iovec const* theirs,
                         unsigned long n_theirs,          // NOLINT
                         unsigned long flags) noexcept {  // NOLINT
  return call(s_process_vm_readv, ssize_t{-1}, process, mine, n_mine, theirs,
              n_theirs, flags);
}

ssize_t read(int fd, void* buffer, std::size_t bytes) {
  return call(s_read, ssize_t{-1}, fd, buffer, bytes);
}

ssize_t recv(int fd, void* buffer, std::size_t bytes, int flags) {
  return call(s_recv, ssize_t{-1}, fd, buffer, bytes, flags);
}

ssize_t recvmsg(int fd, msghdr* message, int flags) {
  return call(s_recvmsg, ssize_t{-1}, fd, message, flags);
}

int sched_getaffinity(pid_t process, std::size_t bytes,
                      cpu_set_t* cpus) noexcept {
  return call(s_sched_getaffinity, -1, process, bytes, cpus);
}

ssize_t send(int fd, void const* buffer, std::size_t bytes, int flags) {
  return call(s_send, ssize_t{-1}, fd, buffer, bytes, flags);
}

ssize_t sendmsg(int fd, msghdr const* message, int flags) {
  return call(s_sendmsg, ssize_t{-1}, fd, message, flags);
}

int setsockopt(int fd, int level, int option, void const* value,
               socklen_t bytes) noexcept {
  return call(s_setsockopt, -1, fd, level, option, value, bytes);
}

int socket(int domain, int type, int protocol) noexcept {
  return call(s_socket, -1, domain, type, protocol);
}

int stat(char const* path, struct stat* status) noexcept {
  return call(s_stat, -1, path, status);
}

ssize_t write(int fd, void const* buffer, std::size_t bytes) {
  return call(s_write, ssize_t{-1}, fd, buffer, bytes);
}

/// What has no function of its own.
long syscall(long number, ...) noexcept {  // NOLINT: as declared
  if (number == SYS_pidfd_open && fails(s_pidfd_open)) return -1;
  std::array<long, 6> arguments{};  // NOLINT
  va_list more;
  va_start(more, number);
  for (auto& argument : arguments) argument = va_arg(more, long);  // NOLINT
  va_end(more);
  return std::apply(
      [&](auto... argument) {
        return call(s_syscall, -1L, number, argument...);
      },
      arguments);
}

}  // extern "C"

void* operator new(std::size_t bytes) {
  return allocate(bytes, alignof(std::max_align_t));
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
// Under a sanitizer the library's would not be ours, and ours deletes.
void* operator new(std::size_t bytes, std::nothrow_t const&) noexcept {
  return try_to_allocate(bytes, alignof(std::max_align_t));
}
void* operator new(std::size_t bytes, std::align_val_t alignment,
                   std::nothrow_t const&) noexcept {
  return try_to_allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* address) noexcept { std::free(address); }
void operator delete(void* address, std::size_t) noexcept {
  std::free(address);
}
void operator delete(void* address, std::align_val_t) noexcept {
  std::free(address);
}
void operator delete(void* address, std::size_t, std::align_val_t) noexcept {
  std::free(address);
}
