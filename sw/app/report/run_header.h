// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tern::app {

// A result that the run wrote (key `output` of a workload).
struct WrittenFile {
  std::string result, path;
  std::string dtype;  // "float32"; empty: not an array
  std::vector<std::size_t> shape;
};

// What the record of every kind of run begins with.
struct RunHeader {
  std::string version, workload, workload_path, description, chip, command;
  std::uint64_t seed = 0;
  std::string report_path, trace_path, wave_path;  // empty: not written
  std::vector<WrittenFile> written;
};

}  // namespace tern::app
