// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Sites.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <string_view>

#include "../base/Interrupted.hpp"
#include "../base/UniqueFd.hpp"

namespace symm::Impl::check {

thread_local ThreadState s_thread;
std::atomic<char const*> s_kernel{nullptr};

namespace {

std::atomic<std::uint64_t> s_tables_number{0};

constexpr std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e37'79b9'7f4a'7c15U;
  return hash ^ hash >> 32U;
}

std::uint64_t mix_text(std::uint64_t hash, char const* text) {
  if (text == nullptr) return hash;
  for (; *text != '\0'; ++text) {
    hash = mix(hash, static_cast<unsigned char>(*text));
  }
  return hash;
}

template <std::size_t n>
void copy_text(std::array<char, n>& to, char const* text) {
  to = {};
  std::string_view const from(text == nullptr ? "" : text);
  from.copy(to.data(), n - 1);
}

/// Returns a module's index in the table that all PEs share; n_modules if the
/// module is not in the table.
std::uint64_t module_of(Tables& tables, char const* path) {
  std::array<char, 512> real{};
  if (::access(path, R_OK) != 0 || std::strchr(path, '/') == nullptr) {
    if (::readlink("/proc/self/exe", real.data(), real.size() - 1) < 0) {
      return Tables::n_modules;
    }
    path = real.data();
  }
  std::string_view const name(path);
  auto const n = tables.n_modules_used.load(std::memory_order_acquire);
  for (std::uint32_t i = 0; i < n && i < Tables::n_modules; ++i) {
    if (name == tables.modules[i].data()) return i;
  }
  // Two PEs may add the same module.
  auto const i = tables.n_modules_used.fetch_add(1);
  if (i >= Tables::n_modules) return Tables::n_modules;
  copy_text(tables.modules[i], path);
  return i;
}

std::uint64_t offset_in_module(Tables& tables, void const* place) {
  Dl_info info{};
  if (::dladdr(place, &info) == 0) return 0;
  auto const* const header = static_cast<ElfW(Ehdr) const*>(info.dli_fbase);
  auto const offset =
      reinterpret_cast<std::uintptr_t>(place) -
      (header->e_type == ET_EXEC ? 0
                                 : reinterpret_cast<std::uintptr_t>(header));
  auto const module = module_of(tables, info.dli_fname);
  return module == Tables::n_modules ? 0 : module << 48U | offset;
}

/// Finds a site in the table, or adds one.
std::uint16_t find_site(Tables& tables, void const* place, char const* call,
                        char const* kernel) {
  auto const& thread = s_thread;
  std::array<std::uint64_t, Site::n_frames> frames{};
  frames[0]         = offset_in_module(tables, place);
  auto const n_kept = std::min(thread.n_frames, ThreadState::max_frames);
  for (std::size_t i = 1; i < Site::n_frames && i <= n_kept; ++i) {
    frames[i] = offset_in_module(tables, thread.frames[n_kept - i]);
  }
  std::uint64_t key = mix_text(mix_text(1, call), kernel);
  for (auto const frame : frames) key = mix(key, frame);
  key |= 1U;
  for (std::size_t i = 0; i < Tables::n_sites; ++i) {
    // Site 0 represents all sites that do not fit in the table.
    auto const at       = 1 + (key + i) % (Tables::n_sites - 1);
    auto& site          = tables.sites[at];
    std::uint64_t found = 0;
    if (site.key.compare_exchange_strong(found, key)) {
      site.frames = frames;
      copy_text(site.call, call);
      copy_text(site.kernel, kernel);
      site.is_ready.store(1, std::memory_order_release);
      return static_cast<std::uint16_t>(at);
    }
    if (found == key) return static_cast<std::uint16_t>(at);
  }
  return 0;
}

/// Whether a file belongs to this library, to Kokkos or to the compiler.
bool is_of_library(std::string_view file) {
  auto const name = file.substr(file.rfind('/') + 1);
  if (name.substr(0, 7) == "Kokkos_" || file.substr(0, 5) == "/usr/" ||
      file.substr(0, 2) == "??") {
    return true;
  }
  for (std::string_view const folder :
       {"/src/runtime/", "/src/Kokkos_SymmetricSpace/",
        "/KokkosSymmetricSpace/", "/desul/"}) {
    if (file.find(folder) != file.npos) return true;
  }
  return false;
}

/// Runs a program and returns its output, which is incomplete if the program
/// cannot be run or its output cannot be read. Uses no shell, because a path
/// may contain any characters.
std::string output_of(std::vector<std::string>& arguments) {
  std::vector<char*> argv;
  for (auto& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return {};
  UniqueFd const output(ends[0]);
  UniqueFd input(ends[1]);
  pid_t program = 0;
  posix_spawn_file_actions_t actions;
  if (::posix_spawn_file_actions_init(&actions) != 0) return {};
  bool const is_begun =
      ::posix_spawn_file_actions_adddup2(&actions, input.get(),
                                         STDOUT_FILENO) == 0 &&
      ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null",
                                         O_WRONLY, 0) == 0 &&
      ::posix_spawnp(&program, argv[0], &actions, nullptr, argv.data(),
                     environ) == 0;
  static_cast<void>(::posix_spawn_file_actions_destroy(&actions));
  if (!is_begun) return {};
  input.reset();  // so that read() can return 0 at the end of the output
  std::string text;
  std::array<char, 8192> part{};
  auto const read_part = [&] {
    return ::read(output.get(), part.data(), part.size());
  };
  for (ssize_t n = 0; (n = uninterrupted(read_part)) > 0;) {
    text.append(part.data(), static_cast<std::size_t>(n));
  }
  // Fails with ECHILD if this process ignores its children's exits. This is
  // harmless.
  uninterrupted([&] { return ::waitpid(program, nullptr, 0); });
  return text;
}

/// Uses addr2line to look up the source lines for offsets in a module. Each
/// offset yields pairs of a function and "file:line", starting with the
/// innermost inlined function.
std::map<std::uint64_t, std::vector<std::array<std::string, 2>>> look_up(
    char const* module, std::vector<std::uint64_t> const& offsets) {
  std::map<std::uint64_t, std::vector<std::array<std::string, 2>>> found;
  std::vector<std::string> arguments{"addr2line", "-aifC", "-e", module};
  std::array<char, 32> text{};
  for (auto const offset : offsets) {
    // A return address points past the call.
    std::snprintf(text.data(), text.size(), "0x%llx",
                  static_cast<unsigned long long>(offset - 1));
    arguments.emplace_back(text.data());
  }
  std::istringstream output(output_of(arguments));
  std::string part;
  std::uint64_t offset = 0;
  std::string function;
  bool is_file = false;
  while (std::getline(output, part)) {
    if (part.substr(0, 2) == "0x") {
      offset  = std::strtoull(part.c_str(), nullptr, 16) + 1;
      is_file = false;
    } else if (!is_file) {
      function = part;
      is_file  = true;
    } else {
      auto const file = part.substr(0, part.find(" ("));
      found[offset].push_back(
          {function, std::filesystem::path(file).lexically_normal().string()});
      is_file = false;
    }
  }
  return found;
}

std::string line_text(std::array<std::string, 2> const& pair) {
  auto function = pair[0];
  for (std::string_view const noise : {"(anonymous namespace)::", "void "}) {
    for (auto at = function.find(noise); at != function.npos;
         at      = function.find(noise)) {
      function.erase(at, noise.size());
    }
  }
  return pair[1] + " (" + function.substr(0, function.find_first_of("(<")) +
         ")";
}

}  // namespace

char const* kept_label(char const* label) {
  static std::mutex mutex;
  static auto& labels = *new std::set<std::string, std::less<>>;
  std::lock_guard const lock(mutex);
  auto found = labels.find(std::string_view(label));
  if (found == labels.end()) found = labels.emplace(label).first;
  return found->c_str();
}

void forget_sites() { ++s_tables_number; }

std::uint16_t site_at(Tables& tables, void const* place, char const* call) {
  auto& thread       = s_thread;
  auto const* kernel = s_kernel.load(std::memory_order_relaxed);
  auto const n       = std::min(thread.n_frames, ThreadState::max_frames);
  auto const top     = n == 0 ? nullptr : thread.frames[n - 1];
  auto const above   = n < 2 ? nullptr : thread.frames[n - 2];
  auto const key =
      mix(mix(reinterpret_cast<std::uintptr_t>(place) ^
                  reinterpret_cast<std::uintptr_t>(above) << 16U,
              reinterpret_cast<std::uintptr_t>(top)),
          reinterpret_cast<std::uintptr_t>(kernel) ^
              reinterpret_cast<std::uintptr_t>(call) ^
              s_tables_number.load(std::memory_order_relaxed) << 48U) |
      1U;
  auto& cached = thread.cached[(key >> 1U) % ThreadState::n_cached];
  if (cached.key != key) {
    cached.site = find_site(tables, place, call, kernel);
    cached.key  = key;
  }
  return cached.site;
}

bool is_guess_of_atomics(Tables const& tables, std::uint16_t site) {
  auto const frame  = tables.sites[site].frames[0];
  auto const offset = frame << 16U >> 16U;
  auto const found  = look_up(tables.modules[frame >> 48U].data(), {offset});
  auto const entry  = found.find(offset);
  return entry != found.end() && !entry->second.empty() &&
         entry->second.front()[1].find("/desul/") != std::string::npos;
}

std::vector<std::string> lines_of(Tables const& tables,
                                  std::vector<std::uint16_t> const& sites) {
  std::map<std::uint64_t, std::vector<std::uint64_t>> offsets;  // by module
  for (auto const site : sites) {
    for (auto const frame : tables.sites[site].frames) {
      if (frame != 0) offsets[frame >> 48U].push_back(frame << 16U >> 16U);
    }
  }
  std::map<std::uint64_t,
           std::map<std::uint64_t, std::vector<std::array<std::string, 2>>>>
      found;
  for (auto& [module, in_module] : offsets) {
    std::sort(in_module.begin(), in_module.end());
    in_module.erase(std::unique(in_module.begin(), in_module.end()),
                    in_module.end());
    found[module] = look_up(tables.modules[module].data(), in_module);
  }
  std::vector<std::string> lines;
  for (auto const site : sites) {
    std::string line;
    std::string other;  // a line in the library, used if no other is found
    for (auto const frame : tables.sites[site].frames) {
      if (frame == 0) break;
      for (auto const& pair : found[frame >> 48U][frame << 16U >> 16U]) {
        if (!is_of_library(pair[1])) {
          line = line_text(pair);
          break;
        }
        if (other.empty()) other = line_text(pair);
      }
      if (!line.empty()) break;
    }
    lines.push_back(line.empty() ? other : line);
  }
  return lines;
}

}  // namespace symm::Impl::check
