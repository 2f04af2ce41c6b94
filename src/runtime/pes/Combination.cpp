// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Combination.hpp"

#include <cstring>

#include "../base/Text.hpp"
#include "../symm_errors.hpp"

namespace symm::Impl {

Summary Summary::of(Pe pe, ComparedCall const& said, std::uint64_t its_bits,
                    bool has_more) {
  Summary summary;
  summary.call           = said;
  summary.call.failure   = ErrorKind::none;
  summary.bits           = its_bits;
  summary.lowest_first   = said.arguments[0];
  summary.highest_second = said.arguments[1];
  summary.lowest_pe      = pe;
  if (said.failure != ErrorKind::none) summary.flags |= has_failed;
  if (has_more) summary.flags |= has_more_notices;
  return summary;
}

void Summary::add(Summary const& others) {
  if (lowest_pe < 0) {
    *this = others;
    return;
  }
  flags |= others.flags;
  if (call.operation != others.call.operation) flags |= other_operation;
  if (call.memory != others.call.memory ||
      call.arguments != others.call.arguments) {
    flags |= other_arguments;
  }
  if (call.trail != others.call.trail) flags |= other_trail;
  bits &= others.bits;
  lowest_first   = std::min(lowest_first, others.lowest_first);
  highest_second = std::max(highest_second, others.highest_second);
  if (lowest_pe < others.lowest_pe) return;
  call      = others.call;
  lowest_pe = others.lowest_pe;
}

void Combination::add(Summary const& said,
                      std::span<std::uint32_t const> its_notices) {
  parts().summary.add(said);
  if (its_notices.empty()) return;
  // Add up to max_notices notices at a time, which gives the same result.
  while (!its_notices.empty()) {
    auto const n = std::min(its_notices.size(), max_notices);
    auto& sorted = m_received.notices;
    std::transform(its_notices.begin(),
                   its_notices.begin() + static_cast<std::ptrdiff_t>(n),
                   sorted.begin(), [](std::uint32_t number) {
                     return NoticeCount{number, 1};
                   });
    auto const end = sorted.begin() + static_cast<std::ptrdiff_t>(n);
    std::sort(sorted.begin(), end,
              [](NoticeCount const& a, NoticeCount const& b) {
                return a.number < b.number;
              });
    add_notices(std::span(sorted).first(n), told_all);
    its_notices = its_notices.subspan(n);
  }
}

/// \param more Sorted; a number may occur several times.
/// \param last The highest number up to which `more` is complete.
void Combination::add_notices(std::span<NoticeCount const> more,
                              std::uint32_t last) {
  parts().last_told     = std::min(parts().last_told, last);
  auto const my_notices = notices();
  auto one              = my_notices.begin();
  auto other            = more.begin();
  auto& merged          = spare();
  merged.summary        = parts().summary;
  merged.last_told      = parts().last_told;
  merged.n_notices      = 0;
  auto const take       = [&](auto& next) {
    NoticeCount const notice = *next++;
    auto& n                  = merged.n_notices;
    if (n > 0 && merged.notices[n - 1].number == notice.number) {
      merged.notices[n - 1].n_pes += notice.n_pes;
    } else if (n == max_notices) {
      merged.last_told = merged.notices[n - 1].number;
    } else if (notice.number <= merged.last_told) {
      merged.notices[n++] = notice;
    }
  };
  while (one != my_notices.end() || other != more.end()) {
    bool const is_mine = other == more.end() || (one != my_notices.end() &&
                                                 one->number <= other->number);
    is_mine ? take(one) : take(other);
  }
  if (merged.last_told != told_all) {
    merged.summary.flags |= Summary::has_more_notices;
  }
  m_current = 1 - m_current;
}

void Combination::add(std::span<std::byte const> message) {
  auto const& others = parts_of(message, m_received);
  parts().summary.add(others.summary);
  if (others.n_notices == 0 && others.last_told == told_all) return;
  add_notices(std::span(others.notices).first(others.n_notices),
              others.last_told);
}

void Combination::assign(std::span<std::byte const> message) {
  static_cast<void>(parts_of(message, parts()));
}

std::span<std::byte const> Combination::message() const {
  return std::as_bytes(std::span(&parts(), 1))
      .first(offsetof(Parts, notices) +
             parts().n_notices * sizeof(NoticeCount));
}

Combination::Parts const& Combination::parts_of(
    std::span<std::byte const> message, Parts& copy) {
  constexpr auto least = offsetof(Parts, notices);
  auto const bytes     = message.size();
  if (bytes >= least && bytes <= sizeof copy) {
    std::memcpy(static_cast<void*>(&copy), message.data(), bytes);
    if (bytes == least + copy.n_notices * sizeof(NoticeCount)) return copy;
  }
  throw SystemError(Text("a message of ", bytes,
                         " bytes from another node is not a valid combination "
                         "of calls; do all PEs run the same program?"));
}

}  // namespace symm::Impl
