// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "TcpPlace.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sstream>
#include <string_view>

#include "../base/Interrupted.hpp"
#include "../base/RandomNumber.hpp"
#include "../base/Text.hpp"
#include "../base/UniqueFd.hpp"
#include "../symm_errors.hpp"

namespace symm::Impl {

namespace {

constexpr auto finding_place           = "symm::initialize by TCP";
constexpr std::string_view file_prefix = "file:";

/// Returns nullopt for an address that other hosts cannot use: a link-local
/// address (fe80::) is valid only together with the name of a network
/// interface.
std::optional<std::string> text_of_address(sockaddr const& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  void const* bytes = nullptr;
  if (address.sa_family == AF_INET) {
    bytes = &reinterpret_cast<sockaddr_in const&>(address).sin_addr;
  } else if (address.sa_family == AF_INET6) {
    auto const& ipv6 = reinterpret_cast<sockaddr_in6 const&>(address).sin6_addr;
    if (IN6_IS_ADDR_LINKLOCAL(&ipv6)) return std::nullopt;
    bytes = &ipv6;
  }
  if (bytes == nullptr || ::inet_ntop(address.sa_family, bytes, text.data(),
                                      text.size()) == nullptr)
    return std::nullopt;
  return text.data();
}

/// The loopback interface's addresses come last; otherwise, IPv4 precedes IPv6.
std::vector<std::string> addresses_of_this_host() {
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0)
    throw SystemError(finding_place, "getifaddrs", errno);
  std::vector<std::string> found;
  for (bool const is_own : {false, true}) {
    for (int const family : {AF_INET, AF_INET6}) {
      for (auto const* it = all; it != nullptr; it = it->ifa_next) {
        if (it->ifa_addr == nullptr || it->ifa_addr->sa_family != family ||
            (it->ifa_flags & IFF_UP) == 0 ||
            ((it->ifa_flags & IFF_LOOPBACK) != 0) != is_own)
          continue;
        if (auto const text = text_of_address(*it->ifa_addr))
          found.push_back(*text);
      }
    }
  }
  ::freeifaddrs(all);
  return found;
}

constexpr std::string_view no_regular_file = "it is not a regular file";
/// The maximum size of the file, in bytes. A host has at most a few hundred
/// addresses, each of up to 46 characters.
constexpr std::size_t max_of_tcp_file = std::size_t{64} << 10U;

/// The reason why the file cannot be from PE 0, which runs as the same user;
/// empty if the file can be from PE 0.
Text reason_to_distrust(struct stat const& status) {
  if (!S_ISREG(status.st_mode)) return no_regular_file;
  if (status.st_uid != ::geteuid()) {
    return Text("it belongs to user ", status.st_uid,
                ", but this process to user ", ::geteuid());
  }
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return "other users may write to it";
  return {};
}

/// \param part the file's temporary name, used until the file is complete.
void write_new_file(std::string const& path, std::string const& part,
                    std::string_view text) {
  auto const check = [&](bool is_done, char const* call) {
    if (is_done) return;
    throw SystemError("SYMM_ROOT=file:" + path + ": PE 0 cannot write it", call,
                      errno);
  };
  UniqueFd const file(uninterrupted([&] {
    return ::open(part.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC,
                  S_IRUSR | S_IWUSR);
  }));
  check(static_cast<bool>(file), "open");
  while (!text.empty()) {
    auto const n = uninterrupted(
        [&] { return ::write(file.get(), text.data(), text.size()); });
    check(n >= 0, "write");
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  check(uninterrupted([&] { return ::fsync(file.get()); }) == 0, "fsync");
  check(
      uninterrupted([&] { return ::rename(part.c_str(), path.c_str()); }) == 0,
      "rename");
}

}  // namespace

bool is_tcp_file(std::string const& root) {
  return root.starts_with(file_prefix);
}
std::string path_of_tcp_file(std::string const& root) {
  return root.substr(file_prefix.size());
}

TcpPlace tcp_place_of(std::string const& root) {
  auto const colon = root.rfind(':');
  auto host        = root.substr(0, colon);
  auto const port  = colon == std::string::npos ? "" : root.substr(colon + 1);
  if (host.size() > 1 && host.front() == '[' && host.back() == ']')
    host = host.substr(1, host.size() - 2);
  bool const is_number =
      !port.empty() && port.size() < 6 &&
      port.find_first_not_of("0123456789") == std::string::npos;
  if (host.empty() || !is_number || std::stoi(port) < 1 ||
      std::stoi(port) > 65535) {
    throw UsageError(Text("SYMM_ROOT=", root,
                          ": it must be host:port of PE 0, with a port from 1 "
                          "to 65535, or file:path, a file for PE 0 to write"));
  }
  return {{host}, port};
}

TcpPlace tcp_place_here(std::string const& port) {
  return {addresses_of_this_host(), port, draw_number()};
}

std::string text_of(TcpPlace const& place) {
  auto text = std::to_string(place.key) + " " + place.port;
  for (auto const& host : place.hosts) text += " " + host;
  return text;
}

std::optional<TcpPlace> place_of_text(std::string const& text) {
  std::istringstream in(text);
  TcpPlace place;
  if (!(in >> place.key >> place.port)) return std::nullopt;
  for (std::string host; in >> host;) place.hosts.push_back(host);
  return place;
}

TcpPlace write_tcp_file(std::string const& path, std::string const& port) {
  struct stat there {};
  if (::stat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode)) {
    throw UsageError(Text("SYMM_ROOT=file:", path, ": ", no_regular_file,
                          "; give the path of a file for PE 0 to write"));
  }
  auto const place = tcp_place_here(port);
  auto const part  = path + ".part";
  static_cast<void>(::unlink(part.c_str()));  // an earlier job may have left it
  try {
    write_new_file(path, part, text_of(place) + "\n");
  } catch (SystemError const&) {
    static_cast<void>(::unlink(part.c_str()));
    throw;
  }
  return place;
}

std::optional<TcpPlace> read_tcp_file(std::string const& path, Text& why_not) {
  // Without O_NONBLOCK, opening a FIFO would block.
  UniqueFd const file(uninterrupted(
      [&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); }));
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0) {
    why_not = Text("it cannot be read (", std::strerror(errno), ")");
    return std::nullopt;
  }
  why_not = reason_to_distrust(status);
  if (!why_not.empty()) return std::nullopt;
  std::array<char, max_of_tcp_file> text{};
  std::size_t bytes = 0;
  while (bytes < text.size()) {
    auto const got = uninterrupted([&] {
      return ::read(file.get(), text.data() + bytes, text.size() - bytes);
    });
    if (got <= 0) break;  // an incomplete text is rejected below
    bytes += static_cast<std::size_t>(got);
  }
  std::string_view const all(text.data(), bytes);
  auto const end = all.find('\n');
  auto place     = end == all.npos ? std::optional<TcpPlace>()
                                   : place_of_text(std::string(all.substr(0, end)));
  if (!place) why_not = Text("it does not have the contents that PE 0 writes");
  return place;
}

}  // namespace symm::Impl
