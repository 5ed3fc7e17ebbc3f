// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sw/app/boot/boot_command.h"
#include "sw/app/host/run_options.h"
#include "sw/app/measure/dma/dma_command.h"
#include "sw/app/measure/fidelity/fidelity_command.h"
#include "sw/app/measure/hbm/hbm_command.h"
#include "sw/config/load_chip_config.h"

namespace tern::app {

struct ConfigOptions {
  std::vector<std::string> chips;  // presets or YAML files
  std::vector<ConfigOverride> overrides;
  bool json = false;
};

struct KernelsOptions {
  std::string kernel;  // one of the catalogue; all unless given
  bool json = false;
};

// The commands; each returns the exit code. User errors are thrown as UserError, failed runs as
// RunError.
int kernels_command(const KernelsOptions& options);
int config_show(const ConfigOptions& options);
// The settings that differ between two chips.
int config_diff(const ConfigOptions& options);
int config_validate(const ConfigOptions& options);

}  // namespace tern::app
