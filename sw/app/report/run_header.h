// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sw/app/report/chip_values.h"

namespace tern::app {

// A result that the run wrote (key `output` of a workload).
struct WrittenFile {
  std::string result, path;
  std::string dtype;  // "float32"; empty: not an array
  std::vector<std::size_t> shape;
};

// The first part of the record of every kind of run.
struct RunHeader {
  std::string version, kind, workload, workload_path, description, chip, command;
  std::vector<ConfigOverride> overrides;  // of --set
  ChipValues values;
  std::uint64_t seed = 0;
  std::vector<std::string> warnings;               // of the chip's settings and of the inputs
  std::string report_path, trace_path, wave_path;  // empty: not written
  std::vector<WrittenFile> written;
};

}  // namespace tern::app
