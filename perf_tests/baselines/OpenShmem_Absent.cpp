// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include <stdexcept>

#include "baselines/OpenShmem.hpp"

namespace perf::openshmem {
namespace {

[[noreturn]] void absent() {
  throw std::logic_error("this program was built without OpenSHMEM");
}

}  // namespace

bool available() { return false; }

Job::Job()  = default;
Job::~Job() = default;

void* allocate(std::size_t /*bytes*/) { absent(); }
void deallocate(void* /*p*/) { absent(); }
void barrier() { absent(); }
void put(void* /*target*/, void const* /*source*/, std::size_t /*bytes*/,
         int /*pe*/, std::int64_t /*iterations*/) {
  absent();
}
void post(void* /*target*/, void const* /*source*/, std::size_t /*bytes*/,
          int /*pe*/, std::int64_t /*iterations*/) {
  absent();
}
void get(void* /*target*/, void const* /*source*/, std::size_t /*bytes*/,
         int /*pe*/, std::int64_t /*iterations*/) {
  absent();
}
void put_word(std::uint64_t* /*target*/, std::uint64_t /*value*/, int /*pe*/,
              std::int64_t /*iterations*/) {
  absent();
}
std::uint64_t get_word(std::uint64_t const* /*source*/, int /*pe*/,
                       std::int64_t /*iterations*/) {
  absent();
}
void post_word(std::uint64_t* /*target*/, std::uint64_t /*value*/, int /*pe*/) {
  absent();
}
void post_words(std::uint64_t* /*target*/, std::uint64_t /*value*/, int /*pe*/,
                std::int64_t /*iterations*/) {
  absent();
}
void wait_word(std::uint64_t* /*word*/, std::uint64_t /*value*/) { absent(); }
std::uint64_t fetch_add_word(std::uint64_t* /*target*/, int /*pe*/,
                             std::int64_t /*iterations*/) {
  absent();
}
std::uint64_t fetch_word(std::uint64_t const* /*source*/, int /*pe*/,
                         std::int64_t /*iterations*/) {
  absent();
}
void set_word(std::uint64_t* /*target*/, int /*pe*/,
              std::int64_t /*iterations*/) {
  absent();
}
std::uint64_t compare_swap_word(std::uint64_t* /*target*/,
                                std::uint64_t /*value*/, int /*pe*/,
                                std::int64_t /*iterations*/) {
  absent();
}
void add_word(std::uint64_t* /*target*/, int /*pe*/,
              std::int64_t /*iterations*/) {
  absent();
}
void xor_words(std::uint64_t* /*words*/,
               std::span<std::uint64_t const> /*numbers*/,
               Spread const& /*spread*/) {
  absent();
}

}  // namespace perf::openshmem
