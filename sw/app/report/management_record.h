// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sw/app/report/blocks.h"
#include "sw/spec/generated/mgmt.h"

namespace tern::app {

// What the management core of a run's chip has seen.
struct ManagementRecord {
  std::string board;
  bool degraded = false;
  double ready_us = 0;                                            // after power on
  std::array<std::uint32_t, TERN_ERROR_CLASS_COUNT> errors = {};  // by class, at the end
};

// What became of a fault of the plan.
struct FaultRecord {
  std::string name, source;  // "hbm_bits", "faults.yaml:3"
  std::string state;         // "happened", "waits", "nowhere"
  double at_us = 0;          // of simulated time, if it happened
};

// "ecc_corrected 2, dma_abort 1", or "no errors".
std::string errors_text(const std::array<std::uint32_t, TERN_ERROR_CLASS_COUNT>& errors);

Lines lines_of(const std::optional<ManagementRecord>& management,
               const std::vector<FaultRecord>& faults);
void add_data(const std::optional<ManagementRecord>& management,
              const std::vector<FaultRecord>& faults, nlohmann::ordered_json* data);

}  // namespace tern::app
