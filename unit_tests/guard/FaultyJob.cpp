// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "FaultyJob.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <support/Shared.hpp>

#include <runtime/job/Runtime.hpp>
#include <runtime/symm_job.hpp>
#include <runtime/symm_memory.hpp>

namespace symm_test {

namespace {

using symm::Pe;
using symm::Impl::Runtime;

constexpr std::size_t mib         = std::size_t{1} << 20U;
constexpr std::size_t small_words = 1000;

/// Well above what a run takes on a loaded machine, a few hundredths of a
/// second.
constexpr JobLimits limits{std::chrono::seconds(15), std::chrono::seconds(4)};

std::uint64_t value(Pe from, Pe to, std::size_t i) {
  return static_cast<std::uint64_t>(from * 64 + to) * 1'000'000 + i;
}

symm::Impl::SymmetricHeap& heap() { return Runtime::instance("guard").heap(); }

/// Fails like the functions of the heap.
void* checked(void* address) {
  if (address == nullptr) throw symm::Error(symm::last_error());
  return address;
}

/// Collective: every PE writes to all, and finds what all have written: at both
/// ends of the block the same memory is behind it on all PEs.
void check_puts(void* block, std::size_t bytes) {
  auto const& map     = heap().map();
  auto* const first   = static_cast<std::uint64_t*>(block);
  std::size_t const n = static_cast<std::size_t>(map.n_pes);
  std::size_t const starts[]{0, bytes / sizeof(std::uint64_t) - n};
  for (auto const start : starts) {
    auto* const words = first + start;
    for (Pe pe = 0; pe < map.n_pes; ++pe) {
      *map.peer_ptr(words + map.my_pe, pe) = value(map.my_pe, pe, start);
    }
    symm::barrier_all();
    for (Pe pe = 0; pe < map.n_pes; ++pe) {
      EXPECT_EQ(words[pe], value(pe, map.my_pe, start)) << "from PE " << pe;
    }
    symm::barrier_all();
  }
}

class FaultyPe {
 public:
  FaultyPe(ForkedBootstrap& bootstrap, PeReport& report)
      : m_bootstrap(bootstrap), m_report(report) {}

  void run(FaultyCase const& one) {
    if (!one.call->is_start) {
      enter("the start");
      start();
      enter("the preparation");
      if (one.call->prepare) one.call->prepare(m_belongings);
    } else {
      one.call->prepare(m_belongings);
    }
    enter(one.call->name);
    attack(one);
    if (!Runtime::is_initialized()) {
      enter("another start");
      start();
    }
    enter("further calls");
    use_heap();
    enter("finalize");
    Runtime::finalize();
    enter("the end");
  }

 private:
  void enter(char const* phase) { m_report.phase = phase; }

  void start() {
    Runtime::initialize(std::make_unique<ForkedBootstrap>(m_bootstrap));
    fill();
  }

  /// What must survive.
  void fill() {
    m_words = static_cast<std::uint64_t*>(
        checked(symm::malloc(small_words * sizeof(std::uint64_t))));
    for (std::size_t i = 0; i < small_words; ++i) {
      m_words[i] = value(symm::my_pe(), 0, i);
    }
  }

  void attack(FaultyCase const& one) {
    std::optional<symm::HeapStats> before;
    if (Runtime::is_initialized()) before = symm::heap_stats();
    auto bootstrap = std::make_unique<ForkedBootstrap>(m_bootstrap);
    if (m_bootstrap.my_pe() == one.pe) {
      if (one.is_interrupted) {
        interrupt_calls(m_report.count);
      } else {
        arm(one.fault, m_report.count);
      }
    }
    try {
      if (one.call->is_start) {
        Runtime::initialize(std::move(bootstrap));
      } else {
        one.call->call(m_belongings);
      }
      disarm();
    } catch (...) {
      disarm();
      auto const failure  = symm::Impl::current_failure();
      m_report.has_thrown = true;
      m_report.kind       = failure.kind;
      std::snprintf(m_report.message.data(), m_report.message.size(), "%.1023s",
                    failure.message.c_str());
    }
    if (one.call->is_start && Runtime::is_initialized()) fill();
    if (m_report.has_thrown && before && Runtime::is_initialized()) {
      auto const after     = symm::heap_stats();
      m_report.has_changed = after.live_blocks != before->live_blocks ||
                             after.live_bytes != before->live_bytes;
    }
    m_report.is_over = true;
  }

  void use_heap() {
    symm::barrier_all();
    for (std::size_t i = 0; i < small_words; ++i) {
      ASSERT_EQ(m_words[i], value(symm::my_pe(), 0, i)) << "survives";
    }
    std::size_t n_new = 0;
    std::vector<void*> blocks;
    for (std::size_t const bytes : {40 * mib, mib, small_words}) {
      auto* const block                = checked(symm::malloc(bytes));
      m_report.new_offsets.at(n_new++) = heap().map().offset_of(block);
      check_puts(block, bytes);
      blocks.push_back(block);
    }
    auto* const view = heap().allocate_view("view", 3 * mib, 64, 0);
    check_puts(view, 3 * mib);
    heap().retire(view);
    heap().free(blocks[0]);
    heap().trim();
    m_report.stats = heap().stats();
  }

  ForkedBootstrap& m_bootstrap;
  PeReport& m_report;
  Belongings m_belongings;
  std::uint64_t* m_words = nullptr;
};

}  // namespace

FaultyRun run_faulty(FaultyCase const& one) {
  Shared<PeReports> const reports;
  auto const results =
      try_pes(n_faulty_pes, limits, [&](ForkedBootstrap& bootstrap) {
        auto const me = static_cast<std::size_t>(bootstrap.my_pe());
        FaultyPe(bootstrap, reports->at(me)).run(one);
      });
  auto const faulty = static_cast<std::size_t>(one.pe);
  return {reports->at(faulty).count, complaint_about(one, results, *reports),
          reports->at(0).message.data()};
}

namespace {

std::string name_of(std::size_t pe) { return "PE " + std::to_string(pe); }

std::optional<std::string> complaint_about_ends(
    Pe faulty_pe, std::vector<PeResult> const& results,
    PeReports const& reports) {
  std::string said;
  bool has_ended_job = false;
  for (std::size_t pe = 0; pe < results.size(); ++pe) {
    auto const& result = results[pe];
    auto const who     = name_of(pe) + ", in " + reports.at(pe).phase;
    if (result.is_timed_out) return who + ", hangs";
    if (WIFSIGNALED(result.wait_status)) {
      return who + ", was ended by signal " +
             std::to_string(WTERMSIG(result.wait_status));
    }
    if (!result.has_succeeded() && !result.has_exited_with(aborted_status)) {
      return who + ", cannot go on: " + result.output;
    }
    has_ended_job = has_ended_job || result.has_exited_with(aborted_status);
    said += result.output;
  }
  if (!has_ended_job) return std::nullopt;
  for (std::size_t pe = 0; pe < results.size(); ++pe) {
    if (results[pe].has_succeeded()) {
      return name_of(pe) + " goes on where the job ended";
    }
  }
  if (said.find(name_of(static_cast<std::size_t>(faulty_pe))) ==
      std::string::npos) {
    return "the job ended without the name of " +
           name_of(static_cast<std::size_t>(faulty_pe)) + ": " + said;
  }
  return "";  // allowed, and nothing more to look at
}

}  // namespace

std::optional<std::string> complaint_about(FaultyCase const& one,
                                           std::vector<PeResult> const& results,
                                           PeReports const& reports) {
  if (auto const ends = complaint_about_ends(one.pe, results, reports)) {
    return ends->empty() ? std::nullopt : ends;
  }
  auto const faulty  = static_cast<std::size_t>(one.pe);
  auto const& first  = reports[one.pe == 0 ? 1 : 0];
  auto const outcome = [](PeReport const& report) {
    return report.has_thrown ? std::string("\"") + report.message.data() + "\""
                             : std::string("success");
  };
  for (std::size_t pe = 0; pe < reports.size(); ++pe) {
    auto const& report = reports[pe];
    auto const who     = name_of(pe);
    // Without memory for the words of an error, a PE says that.
    bool const is_alike =
        pe == faulty && one.fault.function == "new" && first.has_thrown
            ? report.has_thrown
            : outcome(report) == outcome(first) && report.kind == first.kind;
    auto const after = " after " + outcome(first);
    if (!is_alike) {
      return who + " has " + outcome(report) + ", another " + outcome(first);
    }
    if (report.has_changed) return who + " has other blocks" + after;
    if (report.new_offsets != first.new_offsets) {
      return who + " is given other places" + after;
    }
    if (report.stats != first.stats) return who + " has another heap" + after;
  }
  if (one.call->is_wrong) {
    return first.has_thrown ? std::nullopt
                            : std::optional("no PE says what is wrong");
  }
  if (first.has_thrown && reports[faulty].count.n_failed == 0) {
    return "nothing has failed, and yet: " + outcome(first);
  }
  if (first.has_thrown &&
      outcome(first).find(name_of(faulty)) == std::string::npos) {
    return "the error does not name " + name_of(faulty) + ": " + outcome(first);
  }
  return std::nullopt;
}

}  // namespace symm_test
