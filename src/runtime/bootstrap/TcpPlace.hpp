// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TCP_PLACE_HPP
#define SYMM_TCP_PLACE_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../base/Text.hpp"

namespace symm::Impl {

/// Where PE 0 listens in a start by TCP.
struct TcpPlace {
  std::vector<std::string> hosts;  // names of one host, to be tried in turn
  std::string port;
  std::uint64_t key = 0;  // of the job; 0 without a file
};

/// Whether SYMM_ROOT has the form "file:path".
[[nodiscard]] bool is_tcp_file(std::string const& root);
[[nodiscard]] std::string path_of_tcp_file(std::string const& root);

/// Of a SYMM_ROOT of the form "host:port", the host maybe in brackets.
/// \throws UsageError on this PE, if it has another form.
[[nodiscard]] TcpPlace tcp_place_of(std::string const& root);

/// On PE 0: the addresses of this host, IPv4 and IPv6, with a new key.
/// \throws SystemError on this PE.
[[nodiscard]] TcpPlace tcp_place_here(std::string const& port);

/// As one line, without its end.
[[nodiscard]] std::string text_of(TcpPlace const& place);
/// Nothing if it is no such line.
[[nodiscard]] std::optional<TcpPlace> place_of_text(std::string const& text);

/// On PE 0: tcp_place_here(), in a file that only this user can read. Nobody
/// sees half of it. It replaces a regular file.
/// \throws UsageError on this PE, if something else is there. SystemError.
[[nodiscard]] TcpPlace write_tcp_file(std::string const& path,
                                      std::string const& port);

/// What PE 0 has written: a regular file of this user, which nobody else can
/// write. Whatever else is there, the call does not wait, and reads little.
/// \param why_not is set if the result is nothing.
[[nodiscard]] std::optional<TcpPlace> read_tcp_file(std::string const& path,
                                                    Text& why_not);

}  // namespace symm::Impl

#endif
