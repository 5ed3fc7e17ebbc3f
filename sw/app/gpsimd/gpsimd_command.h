// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sw/config/load_chip_config.h"

namespace tern::app {

// The options of `tern gpsimd`.
struct GpsimdOptions {
  std::string program;  // an ELF file
  std::string chip = "trn3";
  std::vector<ConfigOverride> overrides;
  std::vector<std::string> arguments;        // whole numbers, or numbers with a point: FP32
  std::vector<unsigned> processors;          // empty: all
  std::vector<std::string> inputs, outputs;  // sbuf_file.h
  std::optional<std::uint16_t> gdb;          // port; 0: any free one
  std::string trace;                         // file
  bool json = false, quiet = false;
  std::string command;  // as typed
};

// Runs one program on the GpSimd processors of core 0. Exit code 1: the program failed.
int gpsimd_command(const GpsimdOptions& options);

}  // namespace tern::app
