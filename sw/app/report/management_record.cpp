// SPDX-License-Identifier: Apache-2.0
#include "sw/app/report/management_record.h"

#include <fmt/format.h>

#include "sw/app/report/text.h"
#include "sw/spec/error_classes.h"

namespace tern::app {

std::string errors_text(const std::array<std::uint32_t, TERN_ERROR_CLASS_COUNT>& errors) {
  std::string text;
  for (unsigned c = 0; c < errors.size(); ++c) {
    if (errors[c] != 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", kErrorClassNames[c], errors[c]);
  }
  return text.empty() ? "no errors" : text;
}

Lines lines_of(const std::optional<ManagementRecord>& management,
               const std::vector<FaultRecord>& faults) {
  Lines lines;
  if (management) {
    lines.push_back(
        {"management core",
         fmt::format("{}: {} after {}, {}", printable(management->board),
                     management->degraded ? "ready, degraded," : "ready",
                     time_text(management->ready_us), errors_text(management->errors))});
  }
  for (const FaultRecord& fault : faults) {
    const std::string when = fault.state == "happened"
                                 ? fmt::format("happened at {}", time_text(fault.at_us))
                             : fault.state == "waits" ? "its time did not come"
                                                      : "there was nothing to break";
    lines.push_back(
        {"fault", fmt::format("{} ({}): {}", fault.name, printable(fault.source), when)});
  }
  return lines;
}

void add_data(const std::optional<ManagementRecord>& management,
              const std::vector<FaultRecord>& faults, nlohmann::ordered_json* data) {
  if (management) {
    nlohmann::ordered_json errors;
    for (unsigned c = 0; c < management->errors.size(); ++c)
      errors[kErrorClassNames[c]] = management->errors[c];
    (*data)["management"] = {{"board", management->board},
                             {"phase", management->degraded ? "degraded" : "ready"},
                             {"ready_us", management->ready_us},
                             {"errors", errors}};
  }
  for (const FaultRecord& fault : faults) {
    (*data)["faults"].push_back({{"fault", fault.name},
                                 {"source", fault.source},
                                 {"state", fault.state},
                                 {"at_us", fault.at_us}});
  }
}

}  // namespace tern::app
