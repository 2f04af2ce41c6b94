// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Allocation.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

namespace fake_cuda {

namespace {

namespace fs = std::filesystem;

/// How /proc shows the file: "/memfd:fake_cuda:<machine>:<place>:<types> (...".
std::string link_start(std::string const& machine) {
  return "/memfd:fake_cuda:" + machine + ":";
}

std::string link_of(fs::path const& path) {
  std::error_code is_gone;
  return fs::read_symlink(path, is_gone).string();
}

fs::path own_path(int descriptor) {
  return "/proc/self/fd/" + std::to_string(descriptor);
}

/// What is in a fabric handle, and in one of CUDA IPC.
struct Contents {
  char magic[8];
  pid_t process;
  int descriptor;
  ino_t file;
};
constexpr char fabric_magic[8] = "fabric!";
constexpr char ipc_magic[8]    = "cudaIPC";
static_assert(sizeof(Contents) <= sizeof(CUmemFabricHandle));
static_assert(sizeof(Contents) <= sizeof(CUipcMemHandle));

Contents contents_of(Allocation const& allocation, char const (&magic)[8]) {
  struct stat status {};
  static_cast<void>(::fstat(allocation.file.get(), &status));
  Contents contents{};
  std::memcpy(contents.magic, magic, sizeof magic);
  contents.process    = ::getpid();
  contents.descriptor = allocation.file.get();
  contents.file       = status.st_ino;
  return contents;
}

symm::Impl::UniqueFd open_contents(void const* bits, char const (&magic)[8]) {
  Contents contents{};
  std::memcpy(&contents, bits, sizeof contents);
  if (std::memcmp(contents.magic, magic, sizeof magic) != 0) return {};
  auto const path = "/proc/" + std::to_string(contents.process) + "/fd/" +
                    std::to_string(contents.descriptor);
  symm::Impl::UniqueFd file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0 ||
      status.st_ino != contents.file) {
    return {};
  }
  return file;
}

/// Adds the sizes of the files of one process, each file once.
std::size_t add_files(fs::path const& process, std::string const& start,
                      std::set<ino_t>& counted) {
  std::size_t bytes = 0;
  std::error_code is_gone;  // processes end, and some are not ours to look at
  fs::directory_iterator files(process / "fd", is_gone);
  for (; !is_gone && files != fs::directory_iterator();
       files.increment(is_gone)) {
    if (!link_of(files->path()).starts_with(start)) continue;
    struct stat status {};
    if (::stat(files->path().c_str(), &status) != 0) continue;
    if (!counted.insert(status.st_ino).second) continue;
    bytes += static_cast<std::size_t>(status.st_size);
  }
  return bytes;
}

}  // namespace

std::shared_ptr<Allocation> create_allocation(std::string const& machine,
                                              Place place, std::size_t bytes,
                                              int handle_types) {
  auto const name = "fake_cuda:" + machine + ":" + place.name() + ":" +
                    std::to_string(handle_types);
  auto result = std::make_shared<Allocation>();
  result->file =
      symm::Impl::UniqueFd(::memfd_create(name.c_str(), MFD_CLOEXEC));
  result->bytes        = bytes;
  result->place        = place;
  result->handle_types = handle_types;
  if (!result->file ||
      ::ftruncate(result->file.get(), static_cast<off_t>(bytes)) != 0) {
    return nullptr;
  }
  return result;
}

std::shared_ptr<Allocation> open_allocation(std::string const& machine,
                                            symm::Impl::UniqueFd file) {
  auto const link  = link_of(own_path(file.get()));
  auto const start = link_start(machine);
  struct stat status {};
  if (!link.starts_with(start) || ::fstat(file.get(), &status) != 0) {
    return nullptr;
  }
  auto const text      = link.substr(start.size());
  auto const is_gpu    = text.starts_with("gpu");
  auto result          = std::make_shared<Allocation>();
  result->file         = std::move(file);
  result->bytes        = static_cast<std::size_t>(status.st_size);
  result->place        = {is_gpu, std::stoi(text.substr(is_gpu ? 3 : 4))};
  result->handle_types = std::stoi(text.substr(text.find(':') + 1));
  return result;
}

CUmemFabricHandle fabric_handle_of(Allocation const& allocation) {
  auto const contents = contents_of(allocation, fabric_magic);
  CUmemFabricHandle result{};
  std::memcpy(result.data, &contents, sizeof contents);
  return result;
}

symm::Impl::UniqueFd open_fabric_handle(CUmemFabricHandle const& fabric) {
  return open_contents(fabric.data, fabric_magic);
}

CUipcMemHandle ipc_handle_of(Allocation const& allocation) {
  auto const contents = contents_of(allocation, ipc_magic);
  CUipcMemHandle result{};
  std::memcpy(result.reserved, &contents, sizeof contents);
  return result;
}

symm::Impl::UniqueFd open_ipc_handle(CUipcMemHandle const& ipc) {
  return open_contents(ipc.reserved, ipc_magic);
}

bool is_ipc_handle_of_this_process(CUipcMemHandle const& ipc) {
  Contents contents{};
  std::memcpy(&contents, ipc.reserved, sizeof contents);
  return contents.process == ::getpid();
}

std::size_t bytes_in_use(std::string const& machine, std::string const& place) {
  auto const start  = link_start(machine) + place + ":";
  std::size_t bytes = 0;
  std::set<ino_t> counted;
  std::error_code error;
  for (auto const& process : fs::directory_iterator("/proc", error)) {
    auto const name = process.path().filename().string();
    if (!std::all_of(name.begin(), name.end(),
                     [](char c) { return c >= '0' && c <= '9'; })) {
      continue;
    }
    bytes += add_files(process.path(), start, counted);
  }
  return bytes;
}

}  // namespace fake_cuda
