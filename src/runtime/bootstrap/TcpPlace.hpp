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

/// The address at which PE 0 listens when a job starts over TCP.
struct TcpPlace {
  std::vector<std::string> hosts;  // the host's addresses, to be tried in turn
  std::string port;
  std::uint64_t key = 0;  // the job's key; 0 if SYMM_ROOT is "host:port"
};

/// Whether `root`, a value of SYMM_ROOT, has the form "file:path".
[[nodiscard]] bool is_tcp_file(std::string const& root);
[[nodiscard]] std::string path_of_tcp_file(std::string const& root);

/// Parses a SYMM_ROOT of the form "host:port". The host may be in brackets.
/// \throws UsageError on this PE if `root` has another form.
[[nodiscard]] TcpPlace tcp_place_of(std::string const& root);

/// Called on PE 0. Returns this host's IPv4 and IPv6 addresses, `port` and a
/// new key.
/// \throws SystemError on this PE.
[[nodiscard]] TcpPlace tcp_place_here(std::string const& port);

/// `place` as one line of text, without the newline.
[[nodiscard]] std::string text_of(TcpPlace const& place);
/// Parses a line from text_of(); returns nullopt if `text` is not such a line.
[[nodiscard]] std::optional<TcpPlace> place_of_text(std::string const& text);

/// Called on PE 0. Writes tcp_place_here() to a file that only this user can
/// read. The file appears atomically and replaces any regular file with that
/// name.
/// \throws UsageError on this PE if `path` exists and is not a regular file.
/// \throws SystemError on this PE.
[[nodiscard]] TcpPlace write_tcp_file(std::string const& path,
                                      std::string const& port);

/// Reads the file that PE 0 has written. Accepts only a regular file that
/// belongs to this user and that no other user can write. The call never
/// blocks, whatever `path` is, and reads a limited number of bytes.
/// \param why_not receives the reason if the result is nullopt.
[[nodiscard]] std::optional<TcpPlace> read_tcp_file(std::string const& path,
                                                    Text& why_not);

}  // namespace symm::Impl

#endif
