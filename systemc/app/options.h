// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "systemc/app/transfer_program.h"
#include "systemc/config/load_chip_config.h"
#include "systemc/engines/wave_options.h"

namespace tern::app {

struct RunOptions {
  std::string workload;
  std::string chip = "trn3";  // preset or YAML file
  // Of core 0; the configuration's own unless given.
  std::optional<TensorBackend> tensor, exp, dma;
  std::vector<ConfigOverride> overrides;
  WaveOptions wave;
  std::string trace;   // file
  std::string report;  // folder
  std::uint64_t seed = 0;
  bool json = false;
  bool quiet = false;
  std::string command;  // as typed, for the report
  struct {
    std::string checkpoint;  // file; by default in the report's folder or tern-out
    bool resume = false;
    std::vector<std::uint64_t> rtl_steps;
  } train;                           // kind: train
  std::vector<std::string> queries;  // kind: search; instead of those of the workload
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

struct DmaOptions {
  bool sweep = false, over_element = false;
  std::vector<std::string> chips;  // presets or YAML files
  TransferPath path = TransferPath::kHbmToSbuf;
  std::uint32_t bytes = 2048, element = 0;
  unsigned in_flight = 32, cores = 1;
  std::vector<ConfigOverride> overrides;
  std::string trace;   // file
  std::string report;  // folder
  bool json = false;
  bool quiet = false;
  std::string command;  // as typed, for the report
};

struct HbmOptions {
  std::string chip = "trn3";             // preset or YAML file
  std::string trace;                     // file; else one of the two generators
  std::uint64_t stream = 0, random = 0;  // requests
  std::uint32_t bytes = 64;
  unsigned write_percent = 0, traffic_class = 3;
  double gap_ns = 0;
  std::uint64_t seed = 0;
  bool no_refresh = false, channels = false;
  std::vector<ConfigOverride> overrides;
  bool json = false;
  bool quiet = false;
};

// The commands; each returns the exit code. Faults of the user are thrown as UserError, failed runs
// as RunError.
int run_command(const RunOptions& options);
int dma_command(const DmaOptions& options);
int hbm_command(const HbmOptions& options);
int kernels_command(const KernelsOptions& options);
int config_show(const ConfigOptions& options);
int config_validate(const ConfigOptions& options);

}  // namespace tern::app
