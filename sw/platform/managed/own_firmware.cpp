// SPDX-License-Identifier: Apache-2.0
#include "sw/platform/managed/own_firmware.h"

#include <fmt/format.h>

#include <filesystem>

#include "sw/base/input_file.h"
#include "sw/base/user_error.h"
#include "sw/firmware/firmware.h"
#include "sw/spec/generated/mgmt.h"

namespace tern {

namespace {

std::string slot_of(const std::string& file) {
  if (file.empty()) return firmware::image();
  if (file == kNoImage) return "";
  std::error_code error;
  const auto bytes = std::filesystem::file_size(file, error);
  if (!error && bytes > TERN_MGMT_FLASH_SLOT)
    throw UserError(
        fmt::format("{}: {} bytes, a slot of the flash has {}", file, bytes, TERN_MGMT_FLASH_SLOT));
  return base::read_input(file);
}

}  // namespace

void check_runs_own_firmware(const mgmt::BoardConfig& board) {
  const riscv::HartConfig hart = board.hart();
  if (hart.xlen == 64 && hart.atomics && hart.compressed) return;
  throw UserError(
      fmt::format("Tern's own firmware is built for rv64imac, the harts are {}", board.isa));
}

void fill_slots(mgmt::BoardImages& images, const std::string& slot_a, const std::string& slot_b) {
  images.slots = {slot_of(slot_a), slot_of(slot_b)};
}

mgmt::BoardImages own_firmware(const std::string& slot_a, const std::string& slot_b) {
  mgmt::BoardImages images;
  images.rom = firmware::boot_rom();
  fill_slots(images, slot_a, slot_b);
  return images;
}

std::string phase_name(std::uint32_t phase) {
  // In the order of TERN_PHASE_...
  constexpr const char* kNames[] = {
      "reset", "boot ROM",   "verify image", "firmware starts", "HBM training", "die link",
      "cores", "power ramp", "ready",        "ready, degraded", "shutdown"};
  static_assert(std::size(kNames) == TERN_PHASE_COUNT);
  return phase < std::size(kNames) ? kNames[phase] : fmt::format("phase {}", phase);
}

bool is_last(std::uint32_t phase) {
  return phase == TERN_PHASE_READY || phase == TERN_PHASE_DEGRADED;
}

}  // namespace tern
