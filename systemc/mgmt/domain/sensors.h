// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "sw/spec/generated/mgmt.h"
#include "systemc/mgmt/domain/domain_config.h"
#include "systemc/mgmt/domain/word_device.h"

namespace tern::mgmt {

// Temperatures, powers and voltages that follow the power level, without noise. README.md.
class Sensors : public WordDevice {
 public:
  // The power level in permille at a time.
  using Level = std::function<std::uint32_t(const sc_core::sc_time& at)>;
  // Of a sensor with a rate: it moves from `from` towards the value of the newest power target.
  struct Motion {
    std::int32_t from = 0, to = 0, offset = 0;
    sc_core::sc_time since;  // in a snapshot how long ago
  };
  struct State {
    std::vector<Motion> motions;  // of each sensor
  };

  Sensors(sc_core::sc_module_name name, std::vector<SensorConfig> sensors, Level level);

  std::size_t count() const { return sensors_.size(); }
  const SensorConfig& config(std::size_t i) const { return sensors_[i]; }
  std::int32_t value(std::size_t i, const sc_core::sc_time& at) const;
  // The power that sensors with a rate move to.
  void set_target(std::uint32_t permille, const sc_core::sc_time& at);
  // For a test: added to what sensor i shows.
  void set_offset(std::size_t i, std::int32_t offset) { motions_.at(i).offset = offset; }

  // They have their values at power level 0.
  void reset();
  State save() const;
  // Throws RunError for another number of sensors.
  void restore(const State& state);

 private:
  std::uint32_t word(std::uint64_t offset, const sc_core::sc_time& at) const override;
  void set_word(std::uint64_t, std::uint32_t, const sc_core::sc_time&) override {}
  std::int32_t moved(std::size_t i, const sc_core::sc_time& at) const;

  const std::vector<SensorConfig> sensors_;
  const Level level_;
  std::vector<Motion> motions_;
};

}  // namespace tern::mgmt
