// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// The collective calls that are attacked.

#include <array>
#include <cstddef>
#include <cstdlib>
#include <guard/FaultyJob.hpp>

#include <runtime/job/Runtime.hpp>
#include <runtime/symm_job.hpp>
#include <runtime/symm_memory.hpp>
#include <runtime/symm_shared_buffers.hpp>

namespace symm_test {

namespace {

using symm::Impl::Runtime;

constexpr std::size_t mib     = std::size_t{1} << 20U;
constexpr std::size_t n_views = 200;
constexpr char const* long_label =
    "a label that is longer than what a string keeps in itself";

std::array<long, 64> s_words{};  // shared by SharedHostBuffer

symm::Impl::SymmetricHeap& heap() { return Runtime::instance("guard").heap(); }

void set(char const* variable, char const* value) {
  if (::setenv(variable, value, 1) != 0) std::abort();
}

void* checked(void* address) {
  if (address == nullptr) throw symm::Error(symm::last_error());
  return address;
}

char* allocate_private() {
  return Runtime::instance("guard")
      .private_memory(symm::MemoryKind::host, "guard")
      .allocate(long_label, 4 * mib);
}

void share(Belongings& mine) {
  mine.buffer.emplace(s_words.data(), s_words.size());
}

/// So that only the call itself needs private memory.
void make_room(Belongings& mine) { mine.views.reserve(n_views); }

/// As the Kokkos layer does: a PE that has no memory tells the others why.
void register_view(Belongings& mine) {
  auto const failure =
      symm::Impl::failure_of([&] { mine.memory = allocate_private(); });
  mine.views.push_back(
      heap().register_view(long_label, mine.memory, 4 * mib, failure));
}

void retire_all(Belongings& mine) {
  for (auto* const view : mine.views) heap().retire(view);
  mine.block = checked(symm::malloc(64));
}

}  // namespace

std::vector<AttackedCall> const& attacked_calls() {
  static std::vector<AttackedCall> const calls{
      {"initialize", [](Belongings&) {}, {}, true},
      {"initialize_static",
       [](Belongings&) {
         set("SYMM_STATIC_HEAP", "1");
         set("SYMM_SYMMETRIC_SIZE", "64M");
       },
       {},
       true},
      {"malloc",
       {},
       [](Belongings& mine) { mine.block = checked(symm::malloc(1000)); }},
      {"malloc_that_grows",
       {},
       [](Belongings& mine) { mine.block = checked(symm::malloc(24 * mib)); }},
      {"calloc_that_grows",
       {},
       [](Belongings& mine) {
         mine.block = checked(symm::calloc(mib / 2, 8));
       }},
      {"realloc_that_grows",
       [](Belongings& mine) { mine.block = checked(symm::malloc(1000)); },
       [](Belongings& mine) {
         mine.block = checked(symm::realloc(mine.block, 24 * mib));
       }},
      {"free",
       [](Belongings& mine) { mine.block = checked(symm::malloc(1000)); },
       [](Belongings& mine) { heap().free(mine.block); }},
      {"allocate_view", make_room,
       [](Belongings& mine) {
         mine.views.push_back(
             heap().allocate_view(long_label, 24 * mib, 128, 128));
       }},
      {"retire",
       [](Belongings& mine) {
         for (std::size_t i = 0; i < n_views; ++i) {
           mine.views.push_back(heap().allocate_view("view", 64, 16, 0));
         }
       },
       retire_all},
      {"heap_trim",
       [](Belongings& mine) {
         auto* const first = checked(symm::malloc(8 * mib));
         mine.block        = checked(symm::malloc(24 * mib));
         heap().free(first);
         heap().free(checked(symm::malloc(64 * mib)));
       },
       [](Belongings&) { symm::heap_trim(); }},
      {"register_memory",
       [](Belongings& mine) { mine.memory = allocate_private(); },
       [](Belongings& mine) {
         mine.block = heap().register_memory(mine.memory, 4 * mib);
       }},
      {"unregister_memory",
       [](Belongings& mine) {
         mine.block = heap().register_memory(allocate_private(), 4 * mib);
       },
       [](Belongings& mine) { heap().unregister_memory(mine.block, 4 * mib); }},
      {"register_view", make_room, register_view},
      {"retire_registered_view", register_view, retire_all},
      {"share_buffer", {}, share},
      {"close_shared_buffer", share,
       [](Belongings& mine) { mine.buffer->close(); }},
      {"barrier_all", {}, [](Belongings&) { symm::barrier_all(); }},
      {"different_calls",
       {},
       [](Belongings& mine) {
         auto const bytes = symm::my_pe() == 0 ? std::size_t{100} : 200;
         mine.block       = checked(symm::malloc(bytes));
       },
       false,
       true},
      {"finalize", {}, [](Belongings&) { Runtime::finalize(); }},
  };
  return calls;
}

}  // namespace symm_test
