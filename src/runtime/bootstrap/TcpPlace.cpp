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
#include <fstream>
#include <sstream>
#include <string_view>

#include "../base/RandomNumber.hpp"
#include "../base/Text.hpp"
#include "../base/UniqueFd.hpp"
#include "../symm_errors.hpp"

namespace symm::Impl {

namespace {

constexpr auto finding_place           = "symm::initialize by TCP";
constexpr std::string_view file_prefix = "file:";

/// Nothing for an address that other hosts cannot use as it is: one of a link
/// (fe80::) is known with the name of a network interface only.
std::optional<std::string> text_of_address(sockaddr const& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  void const* bytes = nullptr;
  if (address.sa_family == AF_INET) {
    bytes = &reinterpret_cast<sockaddr_in const&>(address).sin_addr;
  } else if (address.sa_family == AF_INET6) {
    auto const& its = reinterpret_cast<sockaddr_in6 const&>(address).sin6_addr;
    if (IN6_IS_ADDR_LINKLOCAL(&its)) return std::nullopt;
    bytes = &its;
  }
  if (bytes == nullptr || ::inet_ntop(address.sa_family, bytes, text.data(),
                                      text.size()) == nullptr)
    return std::nullopt;
  return text.data();
}

/// Those of the loopback interface last, IPv4 before IPv6.
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
                          ": it must be host:port of PE 0, the port a number "
                          "from 1 to 65535, or file:path of a file that PE 0 "
                          "is to write"));
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
  auto const place = tcp_place_here(port);
  auto const part  = path + ".part";
  static_cast<void>(::unlink(part.c_str()));  // of an earlier job, maybe
  UniqueFd const file(::open(part.c_str(),
                             O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC,
                             S_IRUSR | S_IWUSR));
  auto const text = text_of(place) + "\n";
  if (!file ||
      ::write(file.get(), text.data(), text.size()) !=
          static_cast<ssize_t>(text.size()) ||
      ::fsync(file.get()) != 0 || ::rename(part.c_str(), path.c_str()) != 0) {
    throw SystemError("SYMM_ROOT=file:" + path + ": PE 0 cannot write it",
                      "open, write or rename", errno);
  }
  return place;
}

std::optional<TcpPlace> read_tcp_file(std::string const& path) {
  std::ifstream in(path);
  std::string line;
  if (!std::getline(in, line)) return std::nullopt;
  return place_of_text(line);
}

}  // namespace symm::Impl
