// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sw/app/host/run_options.h"
#include "sw/app/kinds/output_file.h"
#include "sw/app/report/run_header.h"
#include "sw/base/user_error.h"
#include "sw/config/yaml_reader.h"

namespace tern::app {

// What a comparison of several runs shows of a kind's report.json (compare_runs.h).
struct Compared {
  struct Number {
    std::string title, pointer;  // "/executions/0/simulated_us", within the entry
    bool percent = false;        // a share, 0 .. 1
    unsigned digits = 2;         // after the point, or kScientific
  };
  static constexpr unsigned kScientific = ~0u;
  std::string list;                // an entry a row, "/rows"; empty: the report is the entry
  std::vector<std::string> names;  // what tells the entries apart, "/format"
  std::vector<Number> numbers;
  bool checkpoints = false;  // a run writes files beside its report
};

// What `tern run FILE.yaml` runs (schema: docs/workloads.md), with every tensor loaded and checked.
// Each kind derives its own.
struct Workload {
  virtual ~Workload() = default;
  virtual std::string describe() const = 0;  // "mlp 784-128-10, 1,000 inputs"

  std::string path, name, kind;
  std::vector<OutputRequest> outputs;  // of the key `output`
  std::vector<std::string> inputs;     // its file, and all files and folders that it names
  std::vector<std::string> warnings;   // what the run does not stop for
  std::optional<Compared> compared;    // instead of its kind's, for a report of another form
};

// A value of `kind:`. Adding one takes a folder beside this file (docs/howto/kind.md).
struct Kind {
  std::string name;
  // Options of `tern run` that only some kinds take, such as "--query": those of this one.
  std::vector<std::string> options;
  // Faults of the file, or of a tensor it names, are UserErrors "FILE:LINE: ...". `seed` feeds
  // random tensors.
  std::function<std::unique_ptr<Workload>(const config::YamlMap& top, std::uint64_t seed)> load;
  // Runs it, prints, writes reports; the exit code.
  std::function<int(const RunOptions& options, const Workload& workload)> run;
  Compared compared;
  // The chip where the command line names none: that of the workload's system. Null, or empty: the
  // default of RunOptions.
  std::function<std::string(const config::YamlMap& top)> chip;
};

template <typename OwnWorkload>
Kind make_kind(std::string name, OwnWorkload (*load)(const config::YamlMap&, std::uint64_t),
               int (*run)(const RunOptions&, const OwnWorkload&), Compared compared,
               std::vector<std::string> options = {}) {
  return {std::move(name),
          std::move(options),
          [load](const config::YamlMap& top, std::uint64_t seed) {
            return std::make_unique<OwnWorkload>(load(top, seed));
          },
          [run](const RunOptions& options, const Workload& workload) {
            return run(options, static_cast<const OwnWorkload&>(workload));
          },
          std::move(compared),
          {}};
}

// All but the name of the chip.
RunHeader run_header(const RunOptions& options, const Workload& workload);

// Why a chip cannot run something (a feature it lacks, a tile that does not fit): the kernel's
// message without its source line.
std::string reason_of(const UserError& error);

}  // namespace tern::app
