// SPDX-License-Identifier: Apache-2.0
#include "systemc/app/run_header.h"

#include <nlohmann/json.hpp>

#include "systemc/app/version.h"

namespace tern::app {

RunHeader run_header(const RunOptions& options, const Workload& workload) {
  RunHeader header;
  header.version = kVersion;
  header.workload = workload.name;
  header.workload_path = workload.path;
  header.description = workload.describe();
  header.command = options.command;
  header.seed = options.seed;
  header.trace_path = options.trace;
  header.wave_path = options.wave.file;
  return header;
}

nlohmann::ordered_json header_json(const RunHeader& header, std::optional<bool> passed) {
  nlohmann::ordered_json j = {{"tern", header.version}};
  if (passed) j["passed"] = *passed;
  j["workload"] = header.workload;
  j["workload_file"] = header.workload_path;
  j["description"] = header.description;
  j["chip"] = header.chip;
  return j;
}

}  // namespace tern::app
