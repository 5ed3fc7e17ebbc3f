// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "systemc/config/load_chip_config.h"
#include "systemc/engines/wave_options.h"

namespace tern::app {

struct RunOptions {
  std::string workload;
  std::string chip = "trn3";  // preset or YAML file
  // Of core 0; the configuration's own unless given.
  std::optional<TensorBackend> tensor, exp;
  std::vector<ConfigOverride> overrides;
  WaveOptions wave;
  std::string trace;   // file
  std::string report;  // folder
  std::uint64_t seed = 0;
  bool json = false;
  bool quiet = false;
  std::string command;  // as typed, for the report
};

struct ConfigOptions {
  std::vector<std::string> chips;  // presets or YAML files
  std::vector<ConfigOverride> overrides;
  bool json = false;
};

struct KernelsOptions {
  std::string kernel;  // one of the catalogue; all unless given
  bool json = false;
};

// The commands; each returns the exit code. Faults of the user are thrown as UserError, failed runs
// as RunError.
int run_command(const RunOptions& options);
int kernels_command(const KernelsOptions& options);
int config_show(const ConfigOptions& options);
int config_validate(const ConfigOptions& options);

}  // namespace tern::app
