// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "harness/Report.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>

#include "harness/Statistics.hpp"

namespace perf {
namespace {

/// Three significant digits and a unit that suits: "812 ns", "1.25 us".
std::string time_text(double seconds) {
  struct Unit {
    double seconds;
    std::string_view name;
  };
  static constexpr std::array<Unit, 4> units{
      {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}}};
  auto const unit =
      std::find_if(units.begin(), units.end() - 1,
                   [&](Unit const& u) { return seconds >= u.seconds; });
  std::array<char, 32> text{};
  int const length =
      std::snprintf(text.data(), text.size(), "%.3g", seconds / unit->seconds);
  return std::string(text.data(), static_cast<std::size_t>(length)) + " " +
         std::string(unit->name);
}

using Json = nlohmann::ordered_json;

/// What every record begins with.
Json record(char const* kind, std::string const& benchmark, int pes) {
  return {{"record", kind}, {"benchmark", benchmark}, {"pes", pes}};
}

/// On one line. (What is not UTF-8, in the name of a machine, ends no run.)
std::string line_of(Json const& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Series const* find(std::vector<Series> const& all, std::string const& name) {
  auto const found = std::find_if(
      all.begin(), all.end(), [&](Series const& s) { return s.name == name; });
  return found == all.end() ? nullptr : &*found;
}

void print_series(Series const& series, Summary const& time,
                  std::int64_t payload_bytes) {
  std::printf("    %-44s %10s  [%s .. %s]", series.name.c_str(),
              time_text(time.median).c_str(), time_text(time.q1).c_str(),
              time_text(time.q3).c_str());
  if (payload_bytes > 0)
    std::printf("  %.2f GB/s",
                static_cast<double>(payload_bytes) / time.median * 1e-9);
}

}  // namespace

Report::Report(std::string benchmark, int pes, bool writes, bool quick,
               std::string const& json_file)
    : m_benchmark(std::move(benchmark)),
      m_pes(pes),
      m_writes(writes),
      m_quick(quick) {
  if (!m_writes || json_file.empty()) return;
  m_json.open(json_file, std::ios::app);
  if (!m_json) throw std::runtime_error("cannot write to '" + json_file + "'");
}

void Report::write_json_line(std::string const& object) {
  if (m_json.is_open()) m_json << object << std::endl;
}

void Report::environment(Environment const& environment) {
  if (!m_writes) return;
  std::printf("%s, %d PEs\n", m_benchmark.c_str(), m_pes);
  Json json     = record("environment", m_benchmark, m_pes);
  json["quick"] = m_quick;
  for (auto const& [key, value] : environment) {
    std::printf("  %-14s %s\n", key.c_str(), value.c_str());
    json[key] = value;
  }
  std::printf(
      "  every line: median [quartiles] of the slowest PE's time per "
      "iteration;\n"
      "  ratios: median [quartiles] of sample by sample ratios\n");
  write_json_line(line_of(json));
}

void Report::comparison(Case const& measured, std::vector<Series> const& all) {
  if (!m_writes) return;
  std::string heading;
  for (auto const& [key, value] : measured.parameters)
    heading += "  " + key + " " + std::to_string(value);
  if (!heading.empty()) std::printf("%s\n", heading.c_str());
  for (auto const& series : all) {
    Summary const time = summarize(series.seconds);
    print_series(series, time, measured.payload_bytes);
    Json json    = record("result", m_benchmark, m_pes);
    json["what"] = series.name;
    json["case"] = Json::object();
    for (auto const& [key, value] : measured.parameters)
      json["case"][key] = value;
    json["iterations"] = series.iterations;
    json["median"]     = time.median;
    json["q1"]         = time.q1;
    json["q3"]         = time.q3;
    json["min"]        = time.min;
    json["max"]        = time.max;
    if (auto const* baseline = find(all, series.baseline)) {
      auto const ratio = summarize(ratios(series.seconds, baseline->seconds));
      std::printf("  %.2f x [%.2f .. %.2f] of %s", ratio.median, ratio.q1,
                  ratio.q3, baseline->name.c_str());
      json["baseline"] = baseline->name;
      json["ratio"]    = ratio.median;
      json["ratio_q1"] = ratio.q1;
      json["ratio_q3"] = ratio.q3;
    }
    std::printf("\n");
    json["seconds"] = series.seconds;
    write_json_line(line_of(json));
  }
  static_cast<void>(std::fflush(stdout));
}

void Report::value(std::string const& what, std::string const& unit,
                   double value) {
  if (!m_writes) return;
  std::printf("    %-58s %14.1f %s\n", what.c_str(), value, unit.c_str());
  Json json     = record("value", m_benchmark, m_pes);
  json["what"]  = what;
  json["unit"]  = unit;
  json["value"] = value;
  write_json_line(line_of(json));
}

void Report::note(std::string const& text) {
  if (!m_writes) return;
  std::printf("  note: %s\n", text.c_str());
  Json json    = record("note", m_benchmark, m_pes);
  json["text"] = text;
  write_json_line(line_of(json));
}

void Report::verification(std::string const& what, std::int64_t wrong) {
  if (!m_writes) return;
  if (wrong != 0)
    std::printf("  FAILED: %s: %lld elements are wrong\n", what.c_str(),
                static_cast<long long>(wrong));
  Json json     = record("verification", m_benchmark, m_pes);
  json["what"]  = what;
  json["wrong"] = wrong;
  write_json_line(line_of(json));
}

}  // namespace perf
