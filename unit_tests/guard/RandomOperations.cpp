// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <guard/RandomOperations.hpp>
#include <utility>

namespace symm_test {

using symm::Impl::AtomicOp;
using symm::Impl::Stage;
using symm::Impl::WordType;

namespace {
/// Of fill_window(): up to where the tests' windows are full.
constexpr std::size_t max_filled = std::size_t{128} << 10U;
}  // namespace

RandomOperations::RandomOperations(Job job)
    : m_job(std::move(job)), m_random(m_job.seed) {
  m_targets.resize(m_job.far_pes.size());
  for (std::size_t i = 0; i < m_targets.size(); ++i) {
    m_targets[i].pe = m_job.far_pes[i];
  }
}

void RandomOperations::step() {
  auto& target = any_target();
  switch (below(24)) {
    case 0:
    case 1:
    case 2:
    case 3: put(target, below(600), Completion::none); break;
    case 4:
    case 5: put(target, any_size(), any_until()); break;
    case 6: put_strided(target); break;
    case 7:
    case 8: put_signal(target, any_size(), any_until()); break;
    case 9:
    case 10: get(target, any_size(), Completion::none); break;
    case 11: get(target, any_size(), Completion::local); break;
    case 12: get_strided(target); break;
    case 13:
    case 14:
    case 15:
    case 16: change_word(target); break;
    case 17:
    case 18: fence(); break;
    case 19: static_cast<void>(m_job.transport.poll()); break;
    case 20: pass(target); break;
    case 21: fill_window(target); break;
    case 22: quiet(); break;
    default:
      if (below(16) == 0) check_all();
  }
}

void RandomOperations::check_all() {
  quiet();
  std::vector<std::byte> there_now(region_bytes);
  for (auto& target : m_targets) {
    channel().get(there_now.data(), there(target, 0), region_bytes);
    auto const wrong =
        std::mismatch(there_now.begin(), there_now.end(), target.model.begin());
    EXPECT_EQ(wrong.first - there_now.begin(),
              static_cast<std::ptrdiff_t>(region_bytes))
        << "is the first byte at PE " << target.pe << " that is wrong";
  }
}

std::size_t RandomOperations::any_size() {
  // Of words, of copies by words, of batches' entries, of messages' own copies,
  // of batches, of copied payloads, and of UCX's rendezvous.
  constexpr std::array<std::size_t, 8> limits{
      8, 64, 256, 512, 16U << 10U, 64U << 10U, 128U << 10U, 256U << 10U};
  auto const limit = limits[std::min(below(16), limits.size() - 1 - below(2))];
  return below(3) == 0 ? below(limit) : limit - 2 + below(5);
}

symm::Impl::Strides RandomOperations::any_strides() {
  Strides strides;
  strides.element_bytes = below(8) == 0 ? 1 + below(9000) : 1 + below(40);
  auto const step       = strides.element_bytes + below(50);
  strides.count         = below(std::min<std::size_t>(region_bytes / 2 / step,
                                              below(4) == 0 ? 10'000 : 200));
  strides.remote_bytes  = step;
  strides.local_bytes   = strides.element_bytes + below(9);
  return strides;
}

std::uint64_t RandomOperations::word_of(Target const& target,
                                        std::size_t at) const {
  std::uint64_t word = 0;
  std::memcpy(&word, target.model.data() + at, sizeof word);
  return word;
}

void RandomOperations::set_word(Target& target, std::size_t at,
                                std::uint64_t word) {
  std::memcpy(target.model.data() + at, &word, sizeof word);
}

void RandomOperations::fence() {
  channel().fence();
  ++m_n_fences;
}

void RandomOperations::quiet() {
  channel().quiet();
  for (auto const& got : m_gots) {
    EXPECT_TRUE(std::equal(
        got.bytes.begin(), got.bytes.end(),
        got.target->model.begin() + static_cast<std::ptrdiff_t>(got.at)))
        << "a get of " << got.bytes.size() << " bytes from PE "
        << got.target->pe;
  }
  m_gots.clear();
  m_sources.clear();
  for (auto& target : m_targets) target.uses.clear();
}

std::size_t RandomOperations::take_place(Target& target, std::size_t bytes,
                                         Kind kind) {
  auto const at    = blocks_at + below(region_bytes - blocks_at - bytes + 1);
  bool needs_fence = false;
  bool needs_quiet = false;
  for (auto const& use : target.uses) {
    if (use.end <= at || at + bytes <= use.begin) continue;
    // Puts to one place are ordered by a fence, a get and a put by nothing but
    // quiet().
    bool const are_puts = kind == Kind::put && use.kind == Kind::put;
    bool const are_gets = kind == Kind::get && use.kind == Kind::get;
    needs_fence = needs_fence || (are_puts && use.n_fences == m_n_fences);
    needs_quiet = needs_quiet || (!are_puts && !are_gets);
  }
  if (needs_quiet) {
    quiet();
  } else if (needs_fence) {
    fence();
  }
  target.uses.push_back({at, at + bytes, kind, m_n_fences});
  return at;
}

std::byte const* RandomOperations::source_of(std::size_t bytes) {
  std::vector<std::byte> source(bytes + 8);
  for (std::size_t i = 0; i < bytes; i += 8) {
    auto const word = m_random();
    std::memcpy(source.data() + i, &word, sizeof word);
  }
  m_sources.push_back(std::move(source));
  return m_sources.back().data();
}

symm::Impl::HostCall RandomOperations::any_request(Completion completion) {
  m_has_request = completion == Completion::none && below(8) == 0;
  if (!m_has_request) return {};
  m_operation = {};
  return {nullptr, nullptr, &m_operation};
}

void RandomOperations::complete_request() {
  if (!std::exchange(m_has_request, false) || below(4) == 0) return;
  auto const stage = below(2) == 0 ? Stage::side : Stage::operation;
  if (below(2) == 0) {
    channel().wait(m_operation, stage);
  } else {
    while (!channel().test(m_operation, stage)) {
    }
  }
}

void RandomOperations::put(Target& target, std::size_t bytes,
                           Completion completion) {
  auto const at    = take_place(target, bytes, Kind::put);
  auto const* from = source_of(bytes);
  channel().put(there(target, at), from, bytes, completion,
                any_request(completion));
  std::copy_n(from, bytes, target.model.data() + at);
  complete_request();
}

void RandomOperations::put_strided(Target& target) {
  auto const strides = any_strides();
  auto const at =
      take_place(target, strides.count * strides.remote_bytes, Kind::put);
  auto const* from =
      source_of(strides.count * strides.local_bytes + strides.element_bytes);
  channel().put_strided(there(target, at), from, strides);
  for (std::size_t i = 0; i < strides.count; ++i) {
    std::copy_n(from + i * strides.local_bytes, strides.element_bytes,
                target.model.data() + at + i * strides.remote_bytes);
  }
}

void RandomOperations::put_signal(Target& target, std::size_t bytes,
                                  Completion completion) {
  auto const at     = take_place(target, bytes, Kind::put);
  auto const* from  = source_of(bytes);
  auto const signal = (n_words / 2 + below(n_words / 2)) * 8;
  channel().put_signal(there(target, at), from, bytes, there(target, signal), 3,
                       AtomicOp::add, completion, any_request(completion));
  set_word(target, signal, word_of(target, signal) + 3);
  std::copy_n(from, bytes, target.model.data() + at);
  complete_request();
}

void RandomOperations::get(Target& target, std::size_t bytes,
                           Completion completion) {
  auto const at = take_place(target, bytes, Kind::get);
  m_gots.push_back({&target, at, std::vector<std::byte>(bytes)});
  channel().get(m_gots.back().bytes.data(), there(target, at), bytes,
                completion, any_request(completion));
  complete_request();
}

void RandomOperations::get_strided(Target& target) {
  auto const strides = any_strides();
  auto const at =
      take_place(target, strides.count * strides.remote_bytes, Kind::get);
  std::vector<std::byte> got(strides.count * strides.local_bytes +
                             strides.element_bytes);
  channel().get_strided(got.data(), there(target, at), strides);
  bool is_right = true;
  for (std::size_t i = 0; i < strides.count; ++i) {
    is_right = is_right &&
               std::memcmp(got.data() + i * strides.local_bytes,
                           target.model.data() + at + i * strides.remote_bytes,
                           strides.element_bytes) == 0;
  }
  EXPECT_TRUE(is_right) << "a strided get from PE " << target.pe;
}

void RandomOperations::change_word(Target& target) {
  auto const at    = below(n_words / 2) * 8;
  auto const value = below(1000);
  auto const word  = word_of(target, at);
  if (below(2) == 0) {
    channel().post_atomic(there(target, at), AtomicOp::add, WordType::u64,
                          value);
  } else if (below(3) == 0) {
    std::uint64_t was = 0;
    channel().fetch_nbi(there(target, at), AtomicOp::add, WordType::u64, value,
                        0, &was, {nullptr, nullptr, &m_operation});
    channel().wait(m_operation, Stage::operation);
    EXPECT_LE(was, word);
  } else {
    // Posted ones may not be there yet.
    EXPECT_LE(channel().atomic(there(target, at), AtomicOp::add, WordType::u64,
                               value),
              word);
  }
  set_word(target, at, word + value);
}

void RandomOperations::fill_window(Target& target) {
  auto const bytes = below(max_filled);
  for (std::size_t done = 0; done < bytes;) {
    auto const block = 1 + below(8000);
    put(target, block, Completion::local);
    done += block;
  }
  switch (below(5)) {
    case 0: put(target, below(3000), Completion::local); break;
    case 1: put_signal(target, below(600), Completion::local); break;
    case 2: put_strided(target); break;
    case 3: change_word(target); break;
    default: channel().fence();
  }
}

void RandomOperations::pass(Target& target) {
  if (!m_job.pass) return;
  auto const bytes = any_size();
  m_job.pass(target.pe, m_job.seed << 32U | ++m_n_notes,
             {source_of(bytes), bytes});
}

}  // namespace symm_test
