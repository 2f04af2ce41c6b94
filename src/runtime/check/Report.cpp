// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Report.hpp"

#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "../base/Env.hpp"
#include "../base/EnvironmentTable.hpp"
#include "../base/Hints.hpp"
#include "../base/Interrupted.hpp"
#include "Epoch.hpp"
#include "Sites.hpp"

namespace symm::Impl::check {

namespace {

bool s_has_races = false;
int s_status     = 66;

struct Side {
  Epoch epoch;
  bool is_write;
  Site const& site;
  std::string where;
};

bool is_of_network(Epoch epoch) { return epoch.kind() >= Part::network; }

std::string pe_text(Pe pe) { return "PE " + std::to_string(pe); }

/// Describes one side's action, such as "loads in the kernel "update"".
std::string action(Side const& side) {
  std::string text;
  if (side.site.call[0] != '\0') {
    text = std::string(side.site.call.data()) +
           (side.is_write ? " writes" : " reads");
  } else if (side.epoch.is_atomic()) {
    text = side.is_write ? "an atomic operation" : "an atomic load";
  } else {
    text = side.is_write ? "stores" : "loads";
  }
  if (side.site.kernel[0] != '\0') {
    text += " in the kernel \"" + std::string(side.site.kernel.data()) + "\"";
  }
  return text;
}

std::string missing(Race const& race, Side const& first, Side const& second) {
  auto const a = pe_text(first.epoch.pe());
  auto const b = pe_text(second.epoch.pe());
  if (first.epoch.time() == Epoch::latest) {
    return "quiet() of the context of " + a +
           " after the first, then a barrier of both before the second";
  }
  if (first.epoch.pe() == second.epoch.pe()) {
    if (is_of_network(second.epoch) && is_of_network(first.epoch)) {
      return "fence() of " + a + " between the two";
    }
    return "quiet() of " + a +
           ", or a barrier, after the first and before the second";
  }
  std::string const barrier = "a barrier of both between the two; or ";
  if (!first.is_write && !is_of_network(first.epoch)) {
    return barrier + "a signal of " + a + " after it has read, for which " + b +
           " waits before it writes";
  }
  if (!race.is_first_write) {
    return barrier + "quiet() of " + a + " and a signal, for which " + b +
           " waits";
  }
  return barrier + "fence() of " + a + " after the first, then a signal for " +
         "which " + b + " waits before the second";
}

std::string place_text(Race const& race) {
  if (race.is_private) return "private memory of " + pe_text(race.pe);
  if (race.view[0] == '\0') {
    return "byte " + std::to_string(race.offset) + " of the heap of " +
           pe_text(race.pe);
  }
  auto const bytes = race.bytes == 0 ? 1 : race.bytes;
  return "\"" + std::string(race.view.data()) + "\" of " + pe_text(race.pe) +
         ", element " + std::to_string(race.offset / bytes) + " of " +
         std::to_string(bytes) + " bytes";
}

std::string quoted(std::string const& text) {
  std::string result = "\"";
  for (char const c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return result + "\"";
}

void print_side(char const* name, Side const& side) {
  std::fprintf(stderr, "  %s: PE %d: %s\n", name, side.epoch.pe(),
               action(side).c_str());
  if (!side.where.empty()) {
    std::fprintf(stderr, "          at %s\n", side.where.c_str());
  }
}

std::string json_of(Side const& side) {
  return "{\"pe\": " + std::to_string(side.epoch.pe()) +
         ", \"what\": " + quoted(action(side)) +
         ", \"where\": " + quoted(side.where) + "}";
}

std::string text_of(Limit limit, std::string const& pes) {
  switch (limit) {
    case Limit::time:
      return "accesses of " + pes + " after " + std::to_string(Epoch::last) +
             " fences, barriers or signals are not checked";
    case Limit::teams:
      return "barriers of more than " + std::to_string(Tables::n_places) +
             " PE teams: barriers of the others count as barriers of one team";
    case Limit::variables:
      return "too many variables are changed by signals, atomic operations or "
             "small puts: a wait for one of the others counts as a wait for "
             "all of them";
    case Limit::reads:
      return "too many places are read by several PEs: only one reader of each "
             "of the others is recorded";
    case Limit::registered:
      return pes +
             ": too many registered Views: accesses to the others by the "
             "program's own addresses are not checked";
    case Limit::messages:
      return "too many MPI messages are in flight: each of the others counts "
             "as all of them";
    case Limit::races:
      return "more races than " + std::to_string(Tables::n_races) +
             ": the rest are not listed";
  }
  return "";
}

/// Lists the PEs for which `is_one` holds, such as "PE 1, PE 3". Empty if there
/// are none.
template <class IsOne>
std::string pes_text(IsOne const& is_one) {
  std::string text;
  for (Pe pe = 0; pe < max_pes; ++pe) {
    if (is_one(pe)) text += (text.empty() ? "" : ", ") + pe_text(pe);
  }
  return text;
}

bool has_reached(std::uint32_t bits, Limit limit) {
  return (bits >> static_cast<std::uint32_t>(limit) & 1U) != 0;
}

std::vector<std::string> limits_of_all(Tables const& tables) {
  std::vector<std::string> texts;
  for (std::uint32_t i = 0; i < n_limits; ++i) {
    auto const limit = static_cast<Limit>(i);
    auto const pes   = pes_text(
        [&](Pe pe) { return has_reached(tables.limits[pe].load(), limit); });
    if (!pes.empty()) texts.push_back(text_of(limit, pes));
  }
  return texts;
}

/// Writes the report as JSON to the file given by the environment. Without such
/// a file, does nothing.
class JsonFile {
 public:
  JsonFile() {
    auto const file = setting_of(environment::check_report);
    if (!file || file->text.empty()) return;
    m_name = file->text;
    m_file.reset(
        uninterrupted([&] { return std::fopen(m_name.c_str(), "w"); }));
    if (m_file) {
      std::fputs("{\"symm_check\": 1, \"races\": [", m_file.get());
    } else {
      say_not_written();
    }
  }

  void add(Race const& race, Side const& first, Side const& second,
           std::string const& order) {
    if (!m_file) return;
    auto const bytes = race.bytes == 0 ? 1 : race.bytes;
    std::fprintf(m_file.get(),
                 "%s\n {\"view\": %s, \"pe\": %d, \"index\": %llu, "
                 "\"bytes\": %u,\n  \"first\": %s,\n  \"second\": %s,\n  "
                 "\"missing\": %s}",
                 m_is_first ? "" : ",", quoted(race.view.data()).c_str(),
                 race.pe, static_cast<unsigned long long>(race.offset / bytes),
                 race.bytes, json_of(first).c_str(), json_of(second).c_str(),
                 quoted(order).c_str());
    m_is_first = false;
  }

  void end(std::vector<std::string> const& limits, std::string const& slow) {
    if (!m_file) return;
    std::fputs("], \"missed\": [", m_file.get());
    for (auto const& limit : limits) {
      std::fprintf(m_file.get(), "%s\n %s", &limit == limits.data() ? "" : ",",
                   quoted(limit).c_str());
    }
    std::fprintf(m_file.get(), "], \"slow\": [%s]}\n",
                 slow.empty() ? "" : quoted(slow + got_one_by_one).c_str());
    bool const has_error = std::ferror(m_file.get()) != 0;
    if (std::fclose(m_file.release()) != 0 || has_error) say_not_written();
  }

 private:
  void say_not_written() const {
    std::fprintf(stderr,
                 "symm: SYMM_CHECK_REPORT=%s cannot be written: %s; the races "
                 "are listed only here\n",
                 m_name.c_str(), std::strerror(errno));
  }

  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string m_name;
  std::unique_ptr<std::FILE, Close> m_file;
  bool m_is_first = true;
};

std::vector<Race const*> named_races(Tables const& tables) {
  std::vector<Race const*> races;
  for (auto const& race : tables.races) {
    if (race.state.load(std::memory_order_acquire) == Race::named)
      races.push_back(&race);
  }
  return races;
}

void print_end(std::size_t n_races, std::vector<std::string> const& limits,
               std::string const& slow) {
  if (!slow.empty()) {
    std::fprintf(stderr, "symm: slow: %s%s\n", slow.c_str(), got_one_by_one);
  }
  for (auto const& limit : limits) {
    std::fprintf(stderr, "symm: races may have been missed: %s\n",
                 limit.c_str());
  }
  if (n_races == 0 && limits.empty()) {
    std::fputs("symm: no races found\n", stderr);
  } else {
    std::fprintf(stderr, "symm: %zu race%s found%s\n", n_races,
                 n_races == 1 ? "" : "s",
                 limits.empty() ? "" : ", and some may have been missed");
  }
}

}  // namespace

void report(Tables const& tables) {
  auto const races = named_races(tables);
  std::vector<std::uint16_t> sites;
  for (auto const* race : races) {
    sites.push_back(Epoch(race->first).site());
    sites.push_back(Epoch(race->second).site());
  }
  auto const lines = lines_of(tables, sites);
  JsonFile json;
  for (std::size_t i = 0; i < races.size(); ++i) {
    auto const& race = *races[i];
    Epoch const a(race.first);
    Epoch const b(race.second);
    Side const first{a, race.is_first_write, tables.sites[a.site()],
                     lines[2 * i]};
    Side const second{b, race.is_second_write, tables.sites[b.site()],
                      lines[2 * i + 1]};
    auto const order = missing(race, first, second);
    std::fprintf(stderr, "symm: race %zu: %s\n", i + 1,
                 place_text(race).c_str());
    print_side("first ", first);
    print_side("second", second);
    std::fprintf(stderr, "  missing: %s\n", order.c_str());
    json.add(race, first, second, order);
  }
  auto const limits = limits_of_all(tables);
  auto const slow =
      pes_text([&](Pe pe) { return tables.gets_elements[pe].load() != 0; });
  json.end(limits, slow);
  print_end(races.size(), limits, slow);
}

void say_limits(Tables& tables, Pe me) {
  auto const my_limits = tables.limits[me].load();
  auto const fresh     = my_limits & ~tables.said_limits.fetch_or(my_limits);
  for (std::uint32_t i = 0; i < n_limits; ++i) {
    auto const limit = static_cast<Limit>(i);
    if (!has_reached(fresh, limit)) continue;
    std::fprintf(stderr, "symm: races may be missed from now on: %s\n",
                 text_of(limit, pe_text(me)).c_str());
  }
}

void keep_result(Tables const& tables) {
  s_has_races = s_has_races || tables.n_found.load() != 0;
}

void end_with_status() {
  static bool is_done = false;
  if (is_done) return;
  is_done  = true;
  s_status = env_count(environment::check_status).value();
  ::on_exit(
      [](int status, void*) {
        if (status != 0 || !s_has_races || s_status == 0) return;
        std::fflush(nullptr);
        ::_exit(s_status);
      },
      nullptr);
}

}  // namespace symm::Impl::check
