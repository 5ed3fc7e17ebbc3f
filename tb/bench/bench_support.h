// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace tern::bench {

struct Options {
  unsigned rounds = 0;
  std::string json;  // file for the flat figures; empty: none
};

// Runs a benchmark's main: [--rounds N] [--json FILE]; returns the exit code (2: bad use, 1: it
// threw).
int run_bench(int argc, char** argv, const char* name, unsigned rounds,
              const std::function<int(const Options&)>& body);

double median(std::vector<double> values);

template <typename Work>
double seconds(Work work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Flat "name": number pairs; nothing without a file name.
void write_figures(const std::string& path,
                   const std::vector<std::pair<std::string, double>>& figures);

}  // namespace tern::bench
