// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include <stdexcept>

#include "baselines/Nvshmem.hpp"

namespace perf::nvshmem {
namespace {

[[noreturn]] void absent() {
  throw std::logic_error("this program was built without NVSHMEM");
}

}  // namespace

bool available() { return false; }

Job::Job()  = default;
Job::~Job() = default;

std::string version() { absent(); }
void* allocate(std::size_t /*bytes*/) { absent(); }
void deallocate(void* /*p*/) { absent(); }
void barrier() { absent(); }
void put_blocks(void* /*target*/, void const* /*source*/, std::size_t /*bytes*/,
                int /*pe*/, int /*blocks*/, Stream /*stream*/) {
  absent();
}
void get_blocks(void* /*target*/, void const* /*source*/, std::size_t /*bytes*/,
                int /*pe*/, int /*blocks*/, Stream /*stream*/) {
  absent();
}
void put_elements(double* /*target*/, double const* /*source*/,
                  std::size_t /*count*/, int /*pe*/, Stream /*stream*/) {
  absent();
}
void get_elements(double* /*target*/, double const* /*source*/,
                  std::size_t /*count*/, int /*pe*/, Stream /*stream*/) {
  absent();
}
void put_on_stream(void* /*target*/, void const* /*source*/,
                   std::size_t /*bytes*/, int /*pe*/, Stream /*stream*/) {
  absent();
}
void get_on_stream(void* /*target*/, void const* /*source*/,
                   std::size_t /*bytes*/, int /*pe*/, Stream /*stream*/) {
  absent();
}
void put_words(std::uint64_t* /*target*/, std::uint64_t /*value*/, int /*pe*/,
               std::int64_t /*iterations*/, Stream /*stream*/) {
  absent();
}
void walk(std::uint64_t const* /*words*/, int /*pe*/,
          std::int64_t /*iterations*/, std::uint64_t* /*reached*/,
          Stream /*stream*/) {
  absent();
}
void ping_pong(std::uint64_t* /*ring*/, std::uint64_t /*before*/, int /*other*/,
               bool /*begins*/, std::int64_t /*iterations*/,
               Stream /*stream*/) {
  absent();
}
void fetch_add(std::uint64_t* /*ring*/, std::uint64_t /*first*/, int /*pe*/,
               std::int64_t /*iterations*/, std::uint64_t* /*last*/,
               Stream /*stream*/) {
  absent();
}
void add(std::uint64_t* /*word*/, std::int64_t /*threads*/,
         std::int64_t /*adds_each*/, int /*pe*/, Stream /*stream*/) {
  absent();
}
void xor_words(std::uint64_t* /*words*/, std::uint64_t const* /*numbers*/,
               std::size_t /*count*/, Spread const& /*spread*/,
               Stream /*stream*/) {
  absent();
}

}  // namespace perf::nvshmem
