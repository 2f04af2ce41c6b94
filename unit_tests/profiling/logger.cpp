// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// A tool of Kokkos Tools (KOKKOS_TOOLS_LIBS) that writes each event as a line
// to the file SYMM_TEST_TOOL_LOG.pe. It needs no header of Kokkos: the C
// interface is all there is.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

std::FILE* s_file      = nullptr;
std::uint64_t s_fences = 0;

std::string rank() {
  for (char const* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"}) {
    if (char const* const text = std::getenv(name)) return text;
  }
  return "0";
}

}  // namespace

extern "C" {

struct SpaceHandle {
  char name[64];
};
struct ToolSettings {
  bool requires_global_fencing;
  bool padding[255];
};

void kokkosp_request_tool_settings(std::uint32_t /*number*/,
                                   ToolSettings* settings) {
  settings->requires_global_fencing = false;
}
void kokkosp_init_library(int /*sequence*/, std::uint64_t /*version*/,
                          std::uint32_t /*devices*/, void* /*infos*/) {
  char const* const name = std::getenv("SYMM_TEST_TOOL_LOG");
  if (name == nullptr) std::abort();
  s_file = std::fopen((std::string(name) + "." + rank()).c_str(), "w");
  if (s_file == nullptr) std::abort();
}
void kokkosp_finalize_library() { std::fclose(s_file); }

void kokkosp_push_profile_region(char const* name) {
  std::fprintf(s_file, "push|%s\n", name);
}
void kokkosp_pop_profile_region() { std::fprintf(s_file, "pop\n"); }
void kokkosp_allocate_data(SpaceHandle space, char const* label,
                           void const* /*address*/, std::uint64_t bytes) {
  std::fprintf(s_file, "allocate|%s|%s|%llu\n", space.name, label,
               static_cast<unsigned long long>(bytes));
}
void kokkosp_deallocate_data(SpaceHandle space, char const* label,
                             void const* /*address*/, std::uint64_t bytes) {
  std::fprintf(s_file, "deallocate|%s|%s|%llu\n", space.name, label,
               static_cast<unsigned long long>(bytes));
}
void kokkosp_begin_deep_copy(SpaceHandle to, char const* to_label,
                             void const* /*to_address*/, SpaceHandle from,
                             char const* from_label,
                             void const* /*from_address*/,
                             std::uint64_t bytes) {
  std::fprintf(s_file, "copy|%s|%s|%s|%s|%llu\n", to.name, to_label, from.name,
               from_label, static_cast<unsigned long long>(bytes));
}
void kokkosp_end_deep_copy() { std::fprintf(s_file, "end_copy\n"); }
void kokkosp_begin_fence(char const* name, std::uint32_t /*device*/,
                         std::uint64_t* handle) {
  *handle = ++s_fences;
  std::fprintf(s_file, "fence|%s|%llu\n", name,
               static_cast<unsigned long long>(*handle));
}
void kokkosp_end_fence(std::uint64_t handle) {
  std::fprintf(s_file, "end_fence|%llu\n",
               static_cast<unsigned long long>(handle));
}

}  // extern "C"
