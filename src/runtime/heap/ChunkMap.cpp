// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "ChunkMap.hpp"

#include <utility>

namespace symm::Impl {

namespace {

constexpr std::size_t initial_capacity = 8;

}  // namespace

ChunkMap::ChunkMap(std::size_t limit, std::size_t unit)
    : m_limit(limit), m_unit(unit) {
  m_tables.push_back(std::make_unique<Table>(initial_capacity));
  m_table.store(m_tables.back().get(), std::memory_order_release);
}

void ChunkMap::Table::set(std::size_t i, Chunk const& chunk) {
  auto& entry = m_entries[i];
  entry.offset.store(chunk.offset, std::memory_order_release);
  entry.bytes.store(chunk.bytes, std::memory_order_release);
  entry.kind.store(chunk.kind, std::memory_order_release);
}

/// All stores in `make` are release stores. A reader that sees any of them also
/// sees the odd version.
template <class Change>
void ChunkMap::change(Change const& make) {
  auto const version = m_version.load(std::memory_order_relaxed);
  m_version.store(version + 1, std::memory_order_relaxed);
  make(table());
  m_version.store(version + 2, std::memory_order_release);
}

void ChunkMap::enlarge() {
  auto const& old = table();
  m_tables.reserve(m_tables.size() + 1);
  auto larger = std::make_unique<Table>(2 * old.capacity());
  for (std::size_t i = 0; i < old.size(); ++i) larger->set(i, old.at(i));
  larger->resize(old.size());
  m_tables.push_back(std::move(larger));
  m_table.store(m_tables.back().get(), std::memory_order_release);
}

void ChunkMap::add(Chunk const& chunk) {
  prepare();
  auto const i = table().first_behind(chunk.offset);
  change([&](Table& table) {
    auto const size = table.size();
    table.resize(size + 1);
    for (auto at = size; at > i; --at) table.set(at, table.at(at - 1));
    table.set(i, chunk);
  });
  count(chunk, 1);
}

void ChunkMap::remove(std::size_t offset) noexcept {
  auto const i = index_of(offset);
  count(chunk(i), -1);
  change([&](Table& table) {
    auto const size = table.size();
    for (auto at = i + 1; at < size; ++at) table.set(at - 1, table.at(at));
    table.resize(size - 1);
  });
}

void ChunkMap::lose(std::size_t offset) noexcept {
  auto const i = index_of(offset);
  auto lost    = chunk(i);
  count(lost, -1);
  lost.kind = Kind::lost;
  change([&](Table& table) { table.set(i, lost); });
}

std::optional<std::size_t> ChunkMap::place_for_registered(
    std::size_t bytes) const {
  std::size_t end = m_limit;
  for (auto i = size(); i > 0; --i) {
    auto const below = chunk(i - 1);
    if (bytes <= end - below.end()) break;
    end = below.offset;
  }
  if (bytes > end) return std::nullopt;
  return end - bytes;
}

void ChunkMap::count(Chunk const& chunk, int sign) {
  if (chunk.kind == Kind::lost) return;
  auto& sum       = chunk.kind == Kind::registered ? m_registered : m_own;
  auto const step = static_cast<std::size_t>(sign);  // -1 wraps around
  sum.n_chunks += step;
  sum.bytes += step * chunk.bytes;
}

}  // namespace symm::Impl
