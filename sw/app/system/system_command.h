// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tern::app {

// The options of `tern system`.
struct SystemOptions {
  std::string system;  // preset or YAML file
  std::optional<unsigned> units;
  std::string from, to, element;  // names of chips and others
  std::string output;             // of draw; empty: the standard output
  bool bill = false, json = false;
  std::vector<double> switch_tb_per_s = {51.2};  // of scaleout: of each layer, or of all
  double port_gb_per_s = 100, chip_gb_per_s = 200;
};

// The subcommands; each prints and returns the exit code. Throw UserError.
int system_list(const SystemOptions& options);
int system_show(const SystemOptions& options);
int system_hops(const SystemOptions& options);
int system_routes(const SystemOptions& options);
int system_blast_radius(const SystemOptions& options);
int system_draw(const SystemOptions& options);
int system_scaleout(const SystemOptions& options);

}  // namespace tern::app
