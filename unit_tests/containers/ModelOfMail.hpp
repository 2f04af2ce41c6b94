// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_CONTAINERS_MODEL_OF_MAIL_HPP
#define SYMM_TEST_CONTAINERS_MODEL_OF_MAIL_HPP

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <Kokkos_SymmetricContainers.hpp>

#include <support/LackOfMemory.hpp>
#include "World.hpp"

/// Mailboxes, and what is made of them: maps, and queues whose tasks send.
namespace symm_test {

/// A mailbox, and all that must come in a phase of it.
class ModelOfMail {
 public:
  struct Message {
    std::uint64_t payload;
    std::uint64_t phase;
    std::uint64_t n_met;  // when it was sent
  };

  /// Collective over the world.
  ModelOfMail(World& world, Group const& group,
              symm::MailboxOptions const& options, LackOfMemory const* lack)
      : m_world(world), m_group(group) {
    LackOfMemory::in(lack, [&] {
      m_mail.emplace(
          "mail", [this](Message const& message) { handle(message); }, options,
          group.team);
    });
  }

  /// All PEs send to all. \param by_thread a second one.
  void send_to_all(unsigned most, bool by_thread) {
    auto const round = m_world.round();
    auto const n_to  = [&](int from, int to) {
      return number_from(round, 5, pair(from, to)) % most;
    };
    auto const payload = [&](int from, int to, std::uint64_t k) {
      // (A hop is a message that a handler sends.)
      return number_from(round, 6 + k, pair(from, to)) / 4 * 4 +
             (k % 5 == 0 ? number_from(round, k) % 3 : 0);
    };
    for (int from = 0; from < n(); ++from)
      for (int to = 0; to < n(); ++to)
        for (std::uint64_t k = 0; k < n_to(from, to); ++k)
          expect(to, payload(from, to, k));
    std::vector<int> to_pes;
    for (int to = 0; to < n(); ++to) to_pes.push_back(to);
    m_world.shuffle_mine(to_pes);
    if (by_thread) {
      auto const sender = m_mail->sender();
      Message const its = message();
      std::thread([&] {
        for (int const to : to_pes)
          for (std::uint64_t k = 0; k < n_to(me(), to); ++k)
            sender.send(to, with(its, payload(me(), to, k)));
      }).join();
      return;
    }
    for (int const to : to_pes) {
      for (std::uint64_t k = 0; k < n_to(me(), to); ++k)
        send(to, payload(me(), to, k));
      m_world.pause();
    }
  }

  /// Of a task of a queue, on whichever PE it runs.
  void send(int to, std::uint64_t payload) {
    m_mail->send(to, with(message(), payload));
  }
  /// A message to `to`, and those that handlers send for it.
  void expect(int to, std::uint64_t payload) {
    while (true) {
      if (to == me()) {
        ++m_expected;
        m_expected_sum += payload;
      }
      if (payload % 4 == 0) return;
      to      = next_pe(payload);
      payload = next(payload);
    }
  }

  void progress() { m_mail->progress(); }

  void finish() {
    // (From then on messages of the next phase may come.)
    auto const end_phase = [this] {
      m_world.expect(m_handled == m_expected && m_handled_sum == m_expected_sum,
                     "messages of a phase");
      ++m_phase;
      m_expected = m_handled = m_expected_sum = m_handled_sum = 0;
    };
    m_world.throws_on_all<symm::OutOfMemory>(
        [&] {
          try {
            auto const n = m_mail->finish();
            m_world.expect(n == m_handled, "number of messages of a phase");
          } catch (symm::OutOfMemory const&) {
            // A handler had none, while its PE was in another call.
            m_handled     = m_expected;
            m_handled_sum = m_expected_sum;
            end_phase();
            throw;
          }
          end_phase();
        },
        "finish() of a mailbox", m_group.team);
  }
  [[nodiscard]] bool has_part() const { return m_group.team.is_valid(); }
  [[nodiscard]] bool is_of_world() const { return m_group.is_world; }
  [[nodiscard]] symm::Mailbox<Message>& mailbox() { return *m_mail; }

 private:
  static std::uint64_t pair(int from, int to) {
    return static_cast<std::uint64_t>(from) * 1000 +
           static_cast<std::uint64_t>(to);
  }
  [[nodiscard]] int next_pe(std::uint64_t payload) const {
    return static_cast<int>(payload / 4 % static_cast<unsigned>(n()));
  }
  /// With a hop less.
  static std::uint64_t next(std::uint64_t payload) {
    return number_from(payload) / 4 * 4 + payload % 4 - 1;
  }
  [[nodiscard]] Message message() const {
    return {0, m_phase, m_world.n_met()};
  }
  static Message with(Message message, std::uint64_t payload) {
    message.payload = payload;
    return message;
  }
  void handle(Message const& message) {
    m_world.expect(message.phase == m_phase, "the phase of a message");
    m_world.expect(message.n_met <= m_world.n_met(),
                   "a message of a later time");
    ++m_handled;
    m_handled_sum += message.payload;
    if (message.payload % 4 != 0)
      send(next_pe(message.payload), next(message.payload));
  }

  [[nodiscard]] int n() const { return m_group.team.n_pes(); }
  [[nodiscard]] int me() const { return m_group.team.my_pe(); }

  World& m_world;
  Group m_group;
  std::uint64_t m_phase        = 0;
  std::uint64_t m_expected     = 0;
  std::uint64_t m_expected_sum = 0;
  std::uint64_t m_handled      = 0;
  std::uint64_t m_handled_sum  = 0;
  std::optional<symm::Mailbox<Message>> m_mail;
};

/// A map, and all that it must have. A phase inserts or finds: within one,
/// operations come in any order.
class ModelOfMap {
 public:
  using Key   = std::uint32_t;
  using Value = std::uint64_t;

  /// Collective over the world.
  ModelOfMap(World& world, Group const& group, std::size_t n_keys,
             symm::MailboxOptions const& options, LackOfMemory const* lack)
      : m_world(world), m_group(group) {
    LackOfMemory::in(
        lack, [&] { m_map.emplace("map", n_keys, options, group.team); });
  }

  [[nodiscard]] bool has_part() const { return m_group.team.is_valid(); }
  [[nodiscard]] bool is_of_world() const { return m_group.is_world; }

  void ask(unsigned most) {
    bool const inserts = m_phase % 2 == 0;
    auto const round   = m_world.round();
    for (int pe = 0; pe < n(); ++pe) {
      auto const its   = static_cast<unsigned>(pe);
      auto const count = number_from(round, 7, its) % most;
      for (std::uint64_t k = 0; k < count; ++k) {
        auto const word = number_from(round, 8, its, k);
        auto const key  = static_cast<Key>(word % 700);
        if (inserts) {
          m_all[key] += word;
          if (pe == me()) m_map->insert(key, word);
        } else if (pe == me() && k % 4 == 0) {
          // Nobody else has this key.
          auto const own =
              1000 + m_n_own++ * static_cast<Key>(n()) + static_cast<Key>(pe);
          auto& question = m_questions.emplace_back(own, true, 0);
          m_map->find_or_insert(own, 1, question.answer);
        } else if (pe == me()) {
          auto& question = m_questions.emplace_back(key, false, 0);
          m_map->find(key, question.answer);
        }
      }
    }
  }

  void finish() {
    m_world.throws_on_all<symm::OutOfMemory>(
        [this] {
          try {
            m_map->finish();
          } catch (symm::OutOfMemory const&) {
            // A handler had none, while its PE was in another call.
            clear();
            throw;
          }
          look();
        },
        "finish() of a map", m_group.team);
  }

 private:
  struct Question {
    Question(Key its_key, bool does_insert, Value wrong)
        : key(its_key), inserts(does_insert), answer(wrong) {}

    Key key;
    bool inserts;
    std::optional<Value> answer;
  };

  /// Before this PE waits anywhere: others may go on already.
  void look() {
    std::size_t n_wrong = 0;
    for (auto const& its : m_questions) {
      if (its.inserts) {
        n_wrong += its.answer.has_value();
        continue;
      }
      auto const at = m_all.find(its.key);
      n_wrong += its.answer.has_value() != (at != m_all.end()) ||
                 (its.answer && *its.answer != at->second);
    }
    m_world.expect(n_wrong == 0, "answers of a map");
    m_questions.clear();
    ++m_phase;
    std::size_t n_here = 0;
    for (auto const& [key, value] : m_all) n_here += m_map->pe_of(key) == me();
    std::size_t n_found = 0;
    m_map->for_each_local([&](Key key, Value value) {
      if (key >= 700) return;
      ++n_found;
      auto const at = m_all.find(key);
      n_wrong += at == m_all.end() || at->second != value;
    });
    m_world.expect(n_wrong == 0 && n_found == n_here, "elements of a map");
    if (m_phase % 8 == 0) clear();
  }

  void clear() {
    m_map->clear_local();
    m_all.clear();
    m_questions.clear();
    // All have cleared theirs before anybody inserts again.
    symm::barrier(m_group.team);
  }

  [[nodiscard]] int n() const { return m_group.team.n_pes(); }
  [[nodiscard]] int me() const { return m_group.team.my_pe(); }

  World& m_world;
  Group m_group;
  std::uint64_t m_phase = 0;
  std::map<Key, Value> m_all;
  std::deque<Question> m_questions;  // answers come to their addresses
  Key m_n_own = 0;
  std::optional<symm::DistributedHashMap<Key, Value, symm::Sum>> m_map;
};

/// A queue whose tasks make tasks, and send.
class ModelOfQueue {
 public:
  /// Collective over the world.
  ModelOfQueue(World& world, Group const& group, std::size_t shared_tasks,
               LackOfMemory const* lack)
      : m_world(world), m_group(group) {
    symm::WorkQueueOptions const options{.shared_tasks = shared_tasks};
    LackOfMemory::in(lack, [&] {
      m_queue.emplace(
          "queue", [this](Task const& task) { run(task); }, options,
          group.team);
    });
  }

  void push_all(unsigned most) {
    for (int pe = 0; pe < n(); ++pe) {
      auto const its   = static_cast<unsigned>(pe);
      auto const count = number_from(m_world.round(), 9, its) % most;
      for (std::uint64_t k = 0; k < count; ++k) {
        Task const task{number_from(m_world.round(), 10, its, k), 3};
        expect(task);
        if (pe == me()) m_queue->push(task);
      }
    }
  }
  [[nodiscard]] bool has_part() const { return m_group.team.is_valid(); }
  [[nodiscard]] bool is_of_world() const { return m_group.is_world; }
  /// \param mail that tasks send to; may be null.
  void finish(ModelOfMail* mail) {
    m_mail = mail;
    if (mail != nullptr)
      for (auto const& [to, payload] : m_mail_of_tasks)
        mail->expect(to, payload);
    m_queue->finish();
    if (m_group.is_world) m_world.has_met();
    auto const n_run = symm::reduce(m_group.team, m_n_run, symm::Sum{});
    auto const sum   = symm::reduce(m_group.team, m_sum, symm::Sum{});
    m_world.expect(n_run == m_n_expected && sum == m_sum_expected,
                   "tasks of a queue");
    m_n_run = m_sum = m_n_expected = m_sum_expected = 0;
    m_mail_of_tasks.clear();
    m_mail = nullptr;
  }

 private:
  struct Task {
    std::uint64_t number;
    std::uint64_t depth;
  };
  struct Sent {
    int to;
    std::uint64_t payload;
  };

  template <class F>
  static void for_each_child(Task const& task, F const& f) {
    if (task.depth == 0) return;
    for (std::uint64_t k = 0; k < task.number % 4; ++k)
      f(Task{number_from(task.number, k), task.depth - 1});
  }
  [[nodiscard]] std::optional<Sent> mail_of(Task const& task) const {
    if (task.number % 7 != 0) return {};
    return Sent{static_cast<int>(task.number / 7 % static_cast<unsigned>(n())),
                number_from(task.number, 77) / 4 * 4 + 1};
  }
  void expect(Task const& task) {
    ++m_n_expected;
    m_sum_expected += task.number;
    if (auto const its = mail_of(task)) m_mail_of_tasks.push_back(*its);
    for_each_child(task, [this](Task const& child) { expect(child); });
  }
  void run(Task const& task) {
    ++m_n_run;
    m_sum += task.number;
    if (m_n_run % 16 == 0) m_world.pause();
    if (auto const its = mail_of(task); its && m_mail != nullptr)
      m_mail->send(its->to, its->payload);
    for_each_child(task, [this](Task const& child) { m_queue->push(child); });
  }

  [[nodiscard]] int n() const { return m_group.team.n_pes(); }
  [[nodiscard]] int me() const { return m_group.team.my_pe(); }

  World& m_world;
  Group m_group;
  ModelOfMail* m_mail          = nullptr;
  std::uint64_t m_n_run        = 0;
  std::uint64_t m_sum          = 0;
  std::uint64_t m_n_expected   = 0;
  std::uint64_t m_sum_expected = 0;
  std::vector<Sent> m_mail_of_tasks;
  std::optional<symm::WorkQueue<Task>> m_queue;
};

}  // namespace symm_test

#endif
