// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// compare_solutions A B
//
// Succeeds if two dumps of a solver by conjugate gradients have the same x, to
// what the solvers' tolerance leaves open, and numbers of iterations that
// differ by one at most.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

namespace {

constexpr double tolerance = 1e-6;

std::vector<double> read(std::string const& name) {
  std::ifstream file(name);
  std::vector<double> numbers;
  for (double number = 0; file >> number;) numbers.push_back(number);
  return numbers;
}

}  // namespace

int main(int argc, char* argv[]) {
  if (argc != 3) return 2;
  auto const a = read(argv[1]);
  auto const b = read(argv[2]);
  if (a.size() < 2 || a.size() != b.size()) {
    std::fprintf(stderr, "%zu and %zu numbers\n", a.size(), b.size());
    return 1;
  }
  double largest    = 0;
  double difference = 0;
  for (std::size_t n = 1; n < a.size(); ++n) {
    largest = std::max(largest, std::abs(a[n]));
    if (!(std::abs(a[n] - b[n]) <= difference))
      difference = std::abs(a[n] - b[n]);
  }
  std::printf("iterations: %.0f and %.0f; x differs by %.3e\n", a[0], b[0],
              difference / largest);
  return std::abs(a[0] - b[0]) <= 1 && difference <= tolerance * largest ? 0
                                                                         : 1;
}
