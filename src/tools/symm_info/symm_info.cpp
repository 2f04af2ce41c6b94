// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Prints how the library was built, what this machine provides, and the
// settings in effect. Use the output for troubleshooting and for bug reports.

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string_view>

#include "Report.hpp"
#include "Sections.hpp"

namespace {

constexpr char const* usage =
    "Usage: symm_info [--json | --environment-table]\n"
    "\n"
    "Prints the version, build, GPUs, network, system limits, NUMA nodes and\n"
    "environment variables that matter to Kokkos SymmetricSpace.\n"
    "\n"
    "  --json               print the same as one JSON object\n"
    "  --environment-table  print all variables and their meanings as a\n"
    "                       Markdown table\n"
    "\n"
    "Exit status 1: a variable has an invalid value, which programs would\n"
    "reject.\n";

int run(std::string_view option) {
  if (option == "--environment-table") {
    symm_info::print_environment_table(std::cout);
    return EXIT_SUCCESS;
  }
  bool is_valid = true;
  std::vector<symm_info::Section> const sections{
      symm_info::build(),
      symm_info::gpu_driver(),
      symm_info::gpus(),
      symm_info::network(),
      symm_info::limits(),
      symm_info::numa(),
      symm_info::variables(is_valid)};
  if (option == "--json") {
    symm_info::print_json(std::cout, sections);
  } else {
    symm_info::print_text(std::cout, sections);
  }
  return is_valid ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int main(int argc, char* argv[]) try {
  std::string_view const option = argc > 1 ? argv[1] : "";
  if (option == "--help") {
    std::fputs(usage, stdout);
    return EXIT_SUCCESS;
  }
  bool const is_known =
      argc == 1 || option == "--json" || option == "--environment-table";
  if (argc > 2 || !is_known) {
    std::fputs(usage, stderr);
    return 2;
  }
  return run(option);
} catch (std::exception const& error) {
  std::fprintf(stderr, "symm_info: %s\n", error.what());
  return EXIT_FAILURE;
}
