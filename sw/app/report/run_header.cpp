// SPDX-License-Identifier: Apache-2.0
#include "sw/app/report/run_header.h"

#include <nlohmann/json.hpp>

namespace tern::app {

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
