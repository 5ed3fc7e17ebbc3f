// SPDX-License-Identifier: Apache-2.0
#include "tb/bench/bench_support.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "sw/base/atomic_file.h"
#include "sw/base/user_error.h"

namespace tern::bench {

int run_bench(int argc, char** argv, const char* name, unsigned rounds,
              const std::function<int(const Options&)>& body) {
  Options options;
  options.rounds = rounds;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--rounds" && i + 1 < argc) {
      options.rounds = std::max(1u, static_cast<unsigned>(std::strtoul(argv[++i], nullptr, 10)));
    } else if (option == "--json" && i + 1 < argc) {
      options.json = argv[++i];
    } else {
      std::fprintf(stderr, "use: %s [--rounds N] [--json FILE]\n", name);
      return 2;
    }
  }
  try {
    return body(options);
  } catch (const UserError& error) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
    return 1;
  }
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 != 0 ? values[half] : (values[half - 1] + values[half]) / 2;
}

void write_figures(const std::string& path,
                   const std::vector<std::pair<std::string, double>>& figures) {
  if (path.empty()) return;
  nlohmann::ordered_json j;
  for (const auto& [name, value] : figures) j[name] = value;
  base::write_file(path, j.dump(2) + "\n");
}

}  // namespace tern::bench
