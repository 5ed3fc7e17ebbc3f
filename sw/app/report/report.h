// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sw/app/report/blocks.h"
#include "sw/app/report/chip_values.h"
#include "sw/app/report/run_header.h"

namespace tern::app {

// The data needed to repeat the run. Empty texts are left out.
struct HowItRan {
  std::string command, workload_path, chip, version;
  std::string seed;  // empty: nothing random
  std::vector<ConfigOverride> overrides = {};
};

// The report of a run or a measurement: blocks for people, data for programs. A kind builds it
// once; render.h and write_report.h do the rest.
struct Report {
  struct Verdict {
    bool good = false;
    std::string text;  // "PASSED"
  };

  void add(Block block) { blocks.push_back(std::move(block)); }

  std::string name = "report";  // of its files
  std::string kind;             // of the workload, or the command: "dma"
  std::string title, subtitle;
  std::optional<Verdict> verdict;  // none for measurements
  std::vector<Block> blocks;
  Lines last_lines;  // after the blocks: other files written
  HowItRan how;
  std::vector<ChipValues> chips;
  bool several_chips = false;  // the form of report.json: lists of one have it, too
  nlohmann::ordered_json data;
};

// The report of a workload, still without blocks: title, verdict, files, and the first keys of the
// data. `more` ends the subtitle: ", core 0".
Report make_report(const RunHeader& header, std::optional<bool> passed,
                   const std::string& more = "");

// The last keys of some kinds' data: the files written.
void add_paths(const RunHeader& header, nlohmann::ordered_json* data);
// Of these only the results.
void add_written(const RunHeader& header, nlohmann::ordered_json* data);

}  // namespace tern::app
