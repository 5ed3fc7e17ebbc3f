// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sw/config/yaml_reader.h"
#include "sw/spec/generated/mgmt.h"

namespace tern::mgmt {

// Of a unit's training.
struct TrainingConfig {
  double us = 1000;            // of an attempt
  std::uint32_t margin = 0;    // permille of the unit interval
  unsigned fail_attempts = 0;  // the first ones after a reset fail
  bool dead = false;           // all of them fail
};

// An error that the chip reports, by itself or for a test.
struct ChipError {
  std::uint8_t error = 0;     // TERN_ERROR_CLASS_...
  std::uint16_t unit = 0;     // HBM stack or core
  std::uint64_t address = 0;  // where, or a detail
  std::uint32_t count = 1;
};

struct ChipEvent {
  double at_us = 0;  // since the start of the simulation
  ChipError error;
};

struct SensorConfig {
  std::string name;
  unsigned kind = TERN_SENSOR_KIND_TEMPERATURE;
  std::int32_t idle = 0, full = 0;  // at power level 0 and 1000
  std::int32_t low = 0, high = 0;   // limits
  std::uint32_t rate_per_ms = 0;    // how fast it follows; 0: at once
};

// What the management domain is made of. Keys, units and defaults: ../board/presets/tern.yaml.
struct DomainConfig {
  static constexpr unsigned kMaxStacks = 8, kMaxCores = 32, kMaxLinks = 16, kUnits = 32;
  static constexpr unsigned kMaxSensors = 32;

  std::array<std::uint32_t, TERN_MGMT_OTP_WORDS> fuses = {};
  double burn_us = 50;
  double erase_us = 45'000, program_us = 10;
  double crypto_ghz = 0.5;
  std::uint32_t hash_block_cycles = 80, verify_cycles = 400'000;
  unsigned hbm_stacks = 4, cores = 8, dies = 2, links = 0;
  double core_ready_us = 50;
  double hang_us = 10'000;                      // a running core without progress for so long hangs
  unsigned spare_rows = 0;                      // of an HBM stack: so many bursts can be repaired
  std::array<TrainingConfig, kUnits> training;  // by training unit
  std::vector<ChipEvent> events;
  std::uint32_t power_max_step = 50;
  double power_interval_us = 10;
  std::vector<SensorConfig> sensors;

  bool has_unit(unsigned unit) const;
};

// Equal for equal configurations: for messages and snapshots.
std::string fingerprint(const DomainConfig& config);

// The key `management` of a board: changes what it names.
void read_domain(const config::YamlMap& map, DomainConfig& config);

}  // namespace tern::mgmt
