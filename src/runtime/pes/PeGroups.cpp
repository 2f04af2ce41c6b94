// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "PeGroups.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "../symm_errors.hpp"

namespace symm::Impl {

namespace {

[[noreturn]] void throw_no_message() {
  throw SystemError(
      "a message from another node is not a valid list of calls; do all PEs "
      "run the same program?");
}

class Writer {
 public:
  template <class T>
  void put(T const& value) {
    put(&value, sizeof value);
  }
  void put(std::string_view text) {
    put(static_cast<std::uint32_t>(text.size()));
    put(text.data(), text.size());
  }
  std::vector<std::byte> take() { return std::move(m_written); }

 private:
  void put(void const* from, std::size_t bytes) {
    auto const* const first = static_cast<std::byte const*>(from);
    m_written.insert(m_written.end(), first, first + bytes);
  }

  std::vector<std::byte> m_written;
};

class Reader {
 public:
  explicit Reader(std::span<std::byte const> message) : m_left(message) {}

  template <class T>
  T get() {
    T value;
    std::memcpy(&value, take(sizeof value), sizeof value);
    return value;
  }
  std::string_view get_text() {
    std::size_t const bytes = get<std::uint32_t>();
    return {static_cast<char const*>(take(bytes)), bytes};
  }
  [[nodiscard]] bool is_at_end() const { return m_left.empty(); }

 private:
  void const* take(std::size_t bytes) {
    if (bytes > m_left.size()) throw_no_message();
    auto const* const taken = m_left.data();
    m_left                  = m_left.subspan(bytes);
    return taken;
  }

  std::span<std::byte const> m_left;
};

}  // namespace

Text PeGroups::PeGroup::names() const {
  Text text(n_pes == 1 ? "PE " : "PEs ", pes[0]);
  for (Pe const pe : named().subspan(1)) text.append(", ", pe);
  if (named().size() < static_cast<std::size_t>(n_pes)) {
    text.append(", ... (", n_pes, " in all)");
  }
  return text;
}

void PeGroups::add(Pe pe, ComparedCall const& call, std::string_view words,
                   std::string_view host) {
  if (words.empty()) return;
  PeGroup group;
  group.pes[0]    = pe;
  group.n_pes     = 1;
  group.operation = call.operation;
  group.failure   = call.failure;
  group.host      = Host(host);
  group.words     = Words(words);
  add(group);
}

void PeGroups::add(PeGroup const& group) {
  auto* const begin = m_groups.data();
  auto* const end   = begin + m_n_groups;
  auto* const same  = std::find_if(
       begin, end, [&](PeGroup const& one) { return one.words == group.words; });
  if (same != end) {
    std::array<Pe, 2 * max_named> pes{};
    auto const old_pes = same->named();
    auto const more    = group.named();
    std::merge(old_pes.begin(), old_pes.end(), more.begin(), more.end(),
               pes.begin());
    bool const is_lower = group.pes[0] < same->pes[0];
    std::copy_n(pes.begin(), max_named, same->pes.begin());
    auto const n_pes = same->n_pes + group.n_pes;
    if (is_lower) {
      same->operation = group.operation;
      same->failure   = group.failure;
      same->host      = group.host;
    }
    same->n_pes = n_pes;
  } else if (m_n_groups < max_groups) {
    m_groups[m_n_groups++] = group;
  } else {
    // Keep the groups that contain the lowest-numbered PEs.
    auto* last = end - 1;
    if (group.pes[0] < last->pes[0]) {
      m_n_other_pes += last->n_pes;
      *last = group;
    } else {
      m_n_other_pes += group.n_pes;
    }
  }
  std::sort(begin, begin + m_n_groups, [](PeGroup const& a, PeGroup const& b) {
    return a.pes[0] < b.pes[0];
  });
}

void PeGroups::add(std::span<std::byte const> message) {
  Reader reader(message);
  auto const n_groups = reader.get<std::uint64_t>();
  auto const n_others = reader.get<int>();
  if (n_groups > max_groups || n_others < 0) throw_no_message();
  PeGroups const mine = *this;
  PeGroups theirs;
  theirs.m_n_groups    = n_groups;
  theirs.m_n_other_pes = n_others;
  for (auto& group : std::span(theirs.m_groups).first(n_groups)) {
    group.n_pes     = reader.get<int>();
    group.operation = reader.get<RuntimeCall>();
    group.failure   = reader.get<ErrorKind>();
    if (group.n_pes < 1) throw_no_message();
    for (std::size_t i = 0; i < group.named().size(); ++i) {
      group.pes[i] = reader.get<Pe>();
    }
    group.host  = Host(reader.get_text());
    group.words = Words(reader.get_text());
  }
  if (!reader.is_at_end()) throw_no_message();
  // Both sides add the lower-numbered PEs first, so they obtain the same
  // groups.
  bool const are_lower = n_groups > 0 && m_n_groups > 0 &&
                         theirs.m_groups[0].pes[0] < m_groups[0].pes[0];
  auto const& low  = are_lower ? theirs : mine;
  auto const& high = are_lower ? mine : theirs;
  *this            = low;
  for (auto const& group : high.groups()) add(group);
  m_n_other_pes += high.m_n_other_pes;
}

void PeGroups::assign(std::span<std::byte const> message) {
  m_n_groups    = 0;
  m_n_other_pes = 0;
  add(message);
}

std::vector<std::byte> PeGroups::message() const {
  Writer writer;
  writer.put(static_cast<std::uint64_t>(m_n_groups));
  writer.put(m_n_other_pes);
  for (auto const& group : groups()) {
    writer.put(group.n_pes);
    writer.put(group.operation);
    writer.put(group.failure);
    for (Pe const pe : group.named()) writer.put(pe);
    writer.put(std::string_view(group.host));
    writer.put(std::string_view(group.words));
  }
  return writer.take();
}

Text PeGroups::others() const {
  return m_n_other_pes == 0 ? Text()
                            : Text("; and ", m_n_other_pes, " other PE",
                                   m_n_other_pes == 1 ? "" : "s");
}

Text PeGroups::hosts() const {
  Text text;
  char const* separator = " (";
  for (auto const& group : groups()) {
    if (group.host.empty()) continue;
    text.append(separator, "PE ", group.pes[0], " is on host ", group.host);
    separator = ", ";
  }
  if (!text.empty()) text.append(")");
  return text;
}

}  // namespace symm::Impl
