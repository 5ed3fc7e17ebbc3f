// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sw/app/report/blocks.h"
#include "sw/app/report/run_header.h"

namespace tern::app {

// What it takes to do it again. Empty texts are left out.
struct HowItRan {
  std::string command, workload_path, chip, version;
  std::string seed;  // empty: nothing random
};

// What a run or a measurement has to say: blocks for people, data for programs. A kind builds it
// once; render.h and write_report.h do the rest.
struct Report {
  struct Verdict {
    bool good = false;
    std::string text;  // "PASSED"
  };

  void add(Block block) { blocks.push_back(std::move(block)); }

  std::string name = "report";  // of its files
  std::string title, subtitle;
  std::optional<Verdict> verdict;  // none where nothing is judged
  std::vector<Block> blocks;
  Lines last_lines;  // after the blocks: what else was written, and where
  HowItRan how;
  nlohmann::ordered_json data;
};

// The report of a workload, still without blocks: title, verdict, files, and the first keys of the
// data. `more` ends the subtitle: ", core 0".
Report make_report(const RunHeader& header, std::optional<bool> passed,
                   const std::string& more = "");

// The last keys of some kinds' data: what was written.
void add_paths(const RunHeader& header, nlohmann::ordered_json* data);
// Of these only the results.
void add_written(const RunHeader& header, nlohmann::ordered_json* data);

}  // namespace tern::app
