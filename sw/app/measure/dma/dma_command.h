// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sw/app/measure/dma/transfer_program.h"
#include "sw/config/load_chip_config.h"

namespace tern::app {

// Per partition: a quarter of the largest that a chip may have (sw/config: 256 KiB).
constexpr unsigned kMaxTransferBytes = 64 << 10;

// The options of `tern dma`.
struct DmaOptions {
  bool sweep = false, over_element = false;
  std::vector<std::string> chips;  // presets or YAML files
  TransferPath path = TransferPath::kHbmToSbuf;
  std::uint32_t bytes = 2048, element = 0;
  unsigned in_flight = 32, cores = 1;
  std::optional<DescriptorMaker> descriptors;  // none: the chip's default
  unsigned generators = 1, engines = 16;
  std::vector<ConfigOverride> overrides;
  std::string trace;   // file
  std::string report;  // folder
  bool json = false;
  bool quiet = false;
  std::string command;  // as typed, for the report
};

// The exit code.
int dma_command(const DmaOptions& options);

}  // namespace tern::app
