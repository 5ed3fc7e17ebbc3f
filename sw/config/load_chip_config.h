// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sw/config/chip_config.h"
#include "sw/config/yaml_reader.h"

namespace tern {

// One setting, as `tern config show` prints it.
struct ConfigValue {
  std::string key;     // "dma.efficiency"
  std::string value;   // as written
  std::string source;  // "sw/config/presets/trn3.yaml:12"
  std::string
      comment;  // the file's comment on it: the public source of the number, or "assumption"
};

struct ResolvedConfig {
  ChipConfig chip;
  std::string preset;               // the last one named; empty: built on none
  std::vector<ConfigValue> values;  // in the order of the schema, every key once
  // Settings of the user that do nothing on this chip, one line each.
  std::vector<std::string> warnings;
};

// A setting from outside any file: {"dma.efficiency", "0.9", "command line"}.
struct ConfigOverride {
  std::string key, value, source;
};

// The presets in the binary: trn1, trn2, trn3. The environment variable TERN_PRESET_DIR names a
// folder whose YAML files take precedence.
std::vector<std::string> preset_names();

// name_or_path: a preset, or a YAML file; a file may build on another with `preset: NAME_OR_FILE`.
// Later layers win: preset, file, overrides. Throws UserError.
ResolvedConfig load_chip_config(const std::string& name_or_path,
                                const std::vector<ConfigOverride>& overrides = {});
// The same for a mapping inside another file (key `chip` of a workload): a layer over the preset it
// names.
ResolvedConfig load_chip_config(const config::YamlMap& layer,
                                const std::vector<ConfigOverride>& overrides = {});

}  // namespace tern
