// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "systemc/mgmt/board/board.h"

namespace tern {

// In place of a slot's file: the slot is erased.
constexpr const char* kNoImage = "none";

// The boot ROM of sw/firmware and two images: files, kNoImage, or empty for the built-in one.
// Throws UserError.
mgmt::BoardImages own_firmware(const std::string& slot_a, const std::string& slot_b);
// Throws UserError for harts that it is not built for.
void check_runs_own_firmware(const mgmt::BoardConfig& board);
// Only the slots.
void fill_slots(mgmt::BoardImages& images, const std::string& slot_a, const std::string& slot_b);

// A phase of the boot as the firmware reported it.
struct BootPhase {
  std::uint32_t phase = 0;
  std::uint64_t at_fs = 0;  // simulated time
};
std::string phase_name(std::uint32_t phase);
// The boot has come to its end, good or bad.
bool is_last(std::uint32_t phase);

}  // namespace tern
