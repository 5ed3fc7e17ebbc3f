// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sw/app/report/execution.h"

namespace tern::app {

// Runs with RTL against the same runs on the twin of models.
struct TwinCheck {
  std::uint64_t words = 0, mismatches = 0;
  std::uint64_t tensor_cycles = 0;  // of the twin
  bool cycles_agree = true;         // of the tensor engine and of the Vector engine's units
  bool times_agree = true;          // first instruction to the program's end

  bool good() const { return mismatches == 0 && cycles_agree && times_agree; }
  // "= model", or what differs: "NOT model: 3 of 40 words, time".
  std::string text() const;
};

// Adds a job's executions, the twin's second; without a twin nothing.
void add_twin(const std::vector<Execution>& executions, std::optional<TwinCheck>* check);

// Its keys in a row of a report: model_cycles, model_mismatches, cycles_agree, times_agree.
void add_twin(const std::optional<TwinCheck>& check, nlohmann::ordered_json* row);

}  // namespace tern::app
