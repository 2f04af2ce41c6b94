// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICCONTAINERS_HASHMAP_HPP
#define KOKKOS_SYMMETRICCONTAINERS_HASHMAP_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <Kokkos_SymmetricSpace_Edge.hpp>

#include "../runtime/symm_collectives.hpp"
#include "../runtime/symm_errors.hpp"
#include "../runtime/symm_job.hpp"
#include "../runtime/symm_teams.hpp"
#include "Kokkos_SymmetricContainers_Mailbox.hpp"
#include "exchange/Replace.hpp"
#include "hash_map/LocalTable.hpp"

namespace symm {

/// A hash map whose keys are distributed over the PEs. insert(), find(),
/// find_or_insert() and erase() send messages through a Mailbox to the PE that
/// owns the key. All of these operations are complete when finish() returns.
///
///     symm::DistributedHashMap<long, int, symm::Sum> counts("counts");
///     for (long word : words) counts.insert(word, 1);
///     counts.finish();  // counts the words on all PEs
///
/// Between two calls to finish(), PEs carry out operations in any order,
/// possibly as soon as they are requested. See Mailbox for the calls in which a
/// PE carries out operations. Call a map's functions only on the host, from the
/// thread that created the map.
///
/// \tparam Key, Value trivially copyable, default-constructible types. Key must
///         have operator==.
/// \tparam Combine function object such as symm::Sum or symm::Max. If a key
///         exists, inserting `value` changes its value from `old` to
///         `Combine()(old, value)`.
/// \tparam Hash a function object like std::hash. The map mixes the hash
///         values, so Hash may be the identity.
template <class Key, class Value, class Combine = Replace,
          class Hash = std::hash<Key>>
class DistributedHashMap {
  static_assert(std::is_trivially_copyable_v<Key> &&
                    std::is_trivially_copyable_v<Value>,
                "keys and values must be trivially copyable, because they are "
                "sent as bytes");

 public:
  /// Creates a map. The call is collective over the world because it allocates
  /// symmetric memory.
  /// \param label a name for error messages and tools.
  /// \param n_keys the expected number of keys on each PE. If a PE has more
  ///        keys, its table grows.
  /// \param team the PEs that hold the keys, numbered as in this PE team; see
  ///        the constructor of Mailbox.
  /// \throws the same errors as the constructor of Mailbox.
  explicit DistributedHashMap(std::string const& label, std::size_t n_keys = 0,
                              MailboxOptions const& options = {},
                              PeTeam const& team            = team_world())
      : m_team(team),
        m_table(table_for(label, n_keys, m_finish_call)),
        m_answers(
            label + ", answers",
            [](Answer const& answer) { *answer.into = answer.value; }, options,
            team),
        m_inserts(
            label + ", inserts",
            [this](std::span<Insert const> block) { insert_all(block); },
            options, team),
        m_finds(
            label + ", finds",
            [this](std::span<Find const> block) { find_all(block); }, options,
            team) {}
  DistributedHashMap(DistributedHashMap const&)            = delete;
  DistributedHashMap& operator=(DistributedHashMap const&) = delete;
  ~DistributedHashMap()                                    = default;

  /// The PE that owns `key`.
  [[nodiscard]] Pe pe_of(Key const& key) const { return pe_of_hash(hash(key)); }

  /// Inserts `key` with `value`. If the key exists, combines its value with
  /// `value` instead.
  void insert(Key const& key, Value const& value) {
    m_inserts.send(pe_of(key), {key, value});
  }
  /// Finds the value of `key`.
  /// \param into receives the key's value; empty if the key does not exist.
  ///        `into` is set by the time finish() returns and must exist until
  ///        then.
  void find(Key const& key, std::optional<Value>& into) {
    m_finds.send(pe_of(key), {key, {}, &into, m_team.my_pe(), What::find});
  }
  /// Finds the value of `key`, or inserts the key with `value`.
  /// \param into receives the value that the key had; empty if this call
  ///        inserted the key. `into` is set by the time finish() returns and
  ///        must exist until then.
  void find_or_insert(Key const& key, Value const& value,
                      std::optional<Value>& into) {
    m_finds.send(pe_of(key), {key, value, &into, m_team.my_pe(), What::insert});
  }
  /// Erases `key` if it exists.
  void erase(Key const& key) {
    m_finds.send(pe_of(key), {key, {}, nullptr, m_team.my_pe(), What::erase});
  }
  /// Erases `key` if it exists.
  /// \param into receives the value that the key had; empty if the key did not
  ///        exist. `into` is set by the time finish() returns and must exist
  ///        until then.
  void erase(Key const& key, std::optional<Value>& into) {
    m_finds.send(pe_of(key), {key, {}, &into, m_team.my_pe(), What::erase});
  }

  /// Carries out all operations that PEs requested before the call, and none
  /// that PEs request afterward. The call is collective over the map's PEs and
  /// is a barrier: all these PEs see what any of them wrote before the call.
  /// When the call returns or throws, all answers have arrived, except answers
  /// for which there was no room (MailboxOptions::waiting_bytes).
  /// \throws UsageError on every PE if PEs make different calls, such as
  ///         finish() on different maps; in that case, the call has no effect.
  ///         OutOfMemory on every PE if any PE runs out of memory for its
  ///         table. An exception that Combine throws on a PE is reported as in
  ///         Mailbox::finish().
  void finish() { static_cast<void>(finish(std::nullopt)); }

  // The following functions make requests for all elements of Views at once,
  // then call finish(). The calls are collective over the map's PEs. The Views
  // must have rank 1 and be in memory that the host can access. The functions
  // throw UsageError on every PE if the Views on any PE have different lengths,
  // and OutOfMemory on every PE if any PE runs out of memory. In both cases,
  // the PEs on which the error occurred have requested nothing, and the next
  // finish() carries out the other PEs' requests.

  template <class Keys, class Values>
  void insert_all_of(Keys const& keys, Values const& values) {
    auto const failure = Impl::failure_of([&] {
      expect_as_many("insert_all_of", keys, values);
      for (std::size_t k = 0; k < keys.extent(0); ++k)
        insert(keys(k), values(k));
    });
    finish(failure);
  }
  /// \param values receives the values of the keys that exist; other elements
  ///        do not change.
  /// \param found a View of bool or integers; found(k) is set to whether key k
  ///        exists.
  template <class Keys, class Values, class Found>
  void find_all_of(Keys const& keys, Values const& values, Found const& found) {
    auto const failure = Impl::failure_of([&] {
      expect_as_many("find_all_of", keys, values);
      expect_as_many("find_all_of", keys, found);
      auto& result = m_results.emplace_back(keys.extent(0));
      for (std::size_t k = 0; k < result.size(); ++k) find(keys(k), result[k]);
    });
    auto const results = finish(failure);
    auto const& result = results.back();
    for (std::size_t k = 0; k < result.size(); ++k) {
      found(k) = result[k].has_value();
      if (result[k]) values(k) = *result[k];
    }
  }

  /// The number of keys on this PE. The call is local.
  [[nodiscard]] std::size_t local_size() const { return m_table.size(); }
  /// The total number of keys on all the map's PEs. The call is collective over
  /// these PEs.
  [[nodiscard]] std::size_t size() const {
    return reduce(m_team, m_table.size(), Sum{});
  }
  /// Calls f(key, value) for all keys on this PE, in any order; `f` may change
  /// values. The call is local.
  template <class F>
  void for_each_local(F const& f) {
    m_table.for_each(f);
  }
  /// Removes the keys on this PE. The call is local. All PEs must make the call
  /// between the same two calls to finish() and must not request any operations
  /// between these two calls.
  void clear_local() { m_table.clear(); }

 private:
  using Table = Impl::LocalTable<Key, Value>;
  /// The results of calls to find_all_of(): one vector per call.
  using Results = std::vector<std::vector<std::optional<Value>>>;

  static Impl::Text name_of(std::string const& label) {
    return Impl::Text("symm::DistributedHashMap \"", label, "\"");
  }
  /// Collective over the world.
  static Table table_for(std::string const& label, std::size_t n_keys,
                         std::string& finish_call) {
    Table table;
    auto const call    = name_of(label);
    auto const failure = Impl::failure_of([&] {
      table       = Table(n_keys);
      finish_call = std::string(call) + "::finish()";
    });
    Impl::agree({call.c_str(), "symm::DistributedHashMap"}, failure);
    return table;
  }

  /// \throws UsageError on this PE if the two Views have different lengths.
  template <class Keys, class Others>
  void expect_as_many(char const* call, Keys const& keys,
                      Others const& others) const {
    if (keys.extent(0) == others.extent(0)) return;
    throw UsageError(Impl::Text("symm::DistributedHashMap::", call, ": ",
                                keys.extent(0), " keys, but View \"",
                                others.label().c_str(), "\" has ",
                                others.extent(0), " elements"));
  }

  /// Completes all requested operations on all the map's PEs.
  /// \param failure the reason why this PE cannot take part; empty if it can.
  ///        If set on any PE, every PE throws it.
  /// \returns the results requested since the previous finish(), now complete.
  Results finish(std::optional<Impl::Failure> failure) {
    if (!failure) failure = m_inserts.failure_of_end();
    m_inserts.members().agree(
        {m_finish_call.c_str(), "symm::DistributedHashMap::finish",
         m_inserts.number()},
        failure);
    auto results       = std::exchange(m_results, {});
    auto const inserts = Impl::failure_of([this] { m_inserts.end_phase(); });
    auto const finds   = Impl::failure_of([this] { m_finds.end_phase(); });
    m_answers.end_phase();
    if (inserts) Impl::throw_failure(*inserts);
    if (finds) Impl::throw_failure(*finds);
    return results;
  }

  struct Insert {
    Key key;
    Value value;
  };
  enum class What : std::uint8_t { find, insert, erase };
  struct Find {
    Key key;
    Value value;
    std::optional<Value>* into;  // null if no answer is wanted
    Pe from;
    What what;
  };
  struct Answer {
    std::optional<Value>* into;
    std::optional<Value> value;
  };

  static std::uint64_t hash(Key const& key) {
    std::uint64_t x = Hash()(key);
    x               = (x ^ (x >> 32U)) * 0xd6e8'feb8'6659'fd93U;
    x               = (x ^ (x >> 32U)) * 0xd6e8'feb8'6659'fd93U;
    return x ^ (x >> 32U);
  }
  // (Uses the high bits of the hash because the low bits determine the position
  // in the table.)
  Pe pe_of_hash(std::uint64_t hash) const {
    return static_cast<Pe>((hash >> 32U) * m_n_pes >> 32U);
  }
  /// Calls f(message, hash) for all messages in `block`, even if some calls
  /// throw. Prefetches the table entries that the next calls need.
  template <class Message, class F>
  void for_all(std::span<Message const> block, F const& f) const {
    constexpr std::size_t ahead = 16;
    std::array<std::uint64_t, ahead> hashes;
    auto const n     = block.size();
    auto const begin = [&](std::size_t k) {
      auto& key_hash = hashes[k % ahead];
      key_hash       = hash(block[k].key);
      m_table.prefetch(key_hash);
    };
    for (std::size_t k = 0; k < std::min(n, ahead); ++k) begin(k);
    std::size_t next = 0;
    Impl::for_each_of_block(block, [&](auto const& message) {
      auto const k        = next++;
      auto const its_hash = hashes[k % ahead];
      if (k + ahead < n) begin(k + ahead);
      f(message, its_hash);
    });
  }
  void insert_all(std::span<Insert const> block) {
    for_all(block, [this](Insert const& message, std::uint64_t its_hash) {
      auto const [value, is_new] =
          m_table.insert(message.key, its_hash, message.value, hash);
      if (!is_new) *value = Combine()(*value, message.value);
    });
  }
  void find_all(std::span<Find const> block) {
    for_all(block, [this](Find const& request, std::uint64_t its_hash) {
      Answer answer{request.into, {}};
      if (request.what == What::insert) {
        auto const [value, is_new] =
            m_table.insert(request.key, its_hash, request.value, hash);
        if (!is_new) answer.value = *value;
      } else if (request.what == What::erase) {
        answer.value = m_table.erase(request.key, its_hash, hash);
        if (request.into == nullptr) return;
      } else if (auto const* const value =
                     m_table.find(request.key, its_hash)) {
        answer.value = *value;
      }
      m_answers.send(request.from, answer);
    });
  }

  PeTeam m_team;
  std::uint64_t m_n_pes = static_cast<std::uint64_t>(m_team.n_pes());
  std::string m_finish_call;
  Table m_table;
  // Answers to find_all_of() are stored here. If find_all_of() throws, its
  // answers stay here until the next finish().
  Results m_results;
  Mailbox<Answer> m_answers;
  Mailbox<Insert> m_inserts;
  Mailbox<Find> m_finds;
};

}  // namespace symm

#endif
