// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "harness/Report.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <span>
#include <stdexcept>
#include <string_view>

#include "harness/Json.hpp"
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
  JsonObject json;
  json.add("record", "environment")
      .add("benchmark", m_benchmark)
      .add("pes", std::int64_t{m_pes})
      .add("quick", m_quick);
  for (auto const& [key, value] : environment) {
    std::printf("  %-14s %s\n", key.c_str(), value.c_str());
    json.add(key, value);
  }
  std::printf(
      "  every line: median [quartiles] of the slowest PE's time per "
      "iteration;\n"
      "  ratios: median [quartiles] of sample by sample ratios\n");
  write_json_line(json.str());
}

void Report::comparison(Case const& measured, std::vector<Series> const& all) {
  if (!m_writes) return;
  std::string heading;
  for (auto const& [key, value] : measured.parameters)
    heading += "  " + key + " " + std::to_string(value);
  if (!heading.empty()) std::printf("%s\n", heading.c_str());
  for (auto const& series : all) {
    Summary const time = summarise(series.seconds);
    print_series(series, time, measured.payload_bytes);
    JsonObject json;
    json.add("record", "result").add("benchmark", m_benchmark);
    json.add("pes", std::int64_t{m_pes}).add("what", series.name);
    for (auto const& [key, value] : measured.parameters) json.add(key, value);
    json.add("iterations", series.iterations)
        .add("median", time.median)
        .add("q1", time.q1)
        .add("q3", time.q3)
        .add("min", time.min)
        .add("max", time.max);
    if (auto const* baseline = find(all, series.baseline)) {
      auto const ratio = summarise(ratios(series.seconds, baseline->seconds));
      std::printf("  %.2f x [%.2f .. %.2f] of %s", ratio.median, ratio.q1,
                  ratio.q3, baseline->name.c_str());
      json.add("baseline", baseline->name)
          .add("ratio", ratio.median)
          .add("ratio_q1", ratio.q1)
          .add("ratio_q3", ratio.q3);
    }
    std::printf("\n");
    json.add("seconds", std::span<double const>(series.seconds));
    write_json_line(json.str());
  }
  static_cast<void>(std::fflush(stdout));
}

void Report::value(std::string const& what, std::string const& unit,
                   double value) {
  if (!m_writes) return;
  std::printf("    %-58s %14.1f %s\n", what.c_str(), value, unit.c_str());
  write_json_line(JsonObject()
                      .add("record", "value")
                      .add("benchmark", m_benchmark)
                      .add("pes", std::int64_t{m_pes})
                      .add("what", what)
                      .add("unit", unit)
                      .add("value", value)
                      .str());
}

void Report::note(std::string const& text) {
  if (!m_writes) return;
  std::printf("  note: %s\n", text.c_str());
  write_json_line(JsonObject()
                      .add("record", "note")
                      .add("benchmark", m_benchmark)
                      .add("pes", std::int64_t{m_pes})
                      .add("text", text)
                      .str());
}

void Report::verification(std::string const& what, std::int64_t wrong) {
  if (!m_writes) return;
  if (wrong != 0)
    std::printf("  FAILED: %s: %lld elements are wrong\n", what.c_str(),
                static_cast<long long>(wrong));
  write_json_line(JsonObject()
                      .add("record", "verification")
                      .add("benchmark", m_benchmark)
                      .add("pes", std::int64_t{m_pes})
                      .add("what", what)
                      .add("wrong", wrong)
                      .str());
}

}  // namespace perf
