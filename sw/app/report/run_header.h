// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace tern::app {

// The first part of the record of every kind of run.
struct RunHeader {
  std::string version, workload, workload_path, description, chip, command;
  std::uint64_t seed = 0;
  std::string report_path, trace_path, wave_path;  // empty: not written
};

}  // namespace tern::app
