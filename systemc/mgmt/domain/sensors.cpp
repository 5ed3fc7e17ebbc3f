// SPDX-License-Identifier: Apache-2.0
#include "systemc/mgmt/domain/sensors.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "sw/base/user_error.h"

namespace tern::mgmt {

namespace {

using sc_core::sc_time;
using sc_core::sc_time_stamp;

constexpr std::int64_t kFull = 1000;
constexpr std::uint64_t kFsPerMs = 1'000'000'000'000;

constexpr RegisterArray of(std::uint64_t first) {
  return {first, TERN_REG_SENSORS_KIND_STRIDE, TERN_REG_SENSORS_KIND_COUNT};
}

// Between idle and full, rounded towards idle.
std::int32_t at_level(const SensorConfig& sensor, std::uint32_t permille) {
  const std::int64_t range = std::int64_t{sensor.full} - sensor.idle;
  return static_cast<std::int32_t>(sensor.idle + range * permille / kFull);
}

}  // namespace

Sensors::Sensors(sc_core::sc_module_name name, std::vector<SensorConfig> sensors, Level level)
    : WordDevice(name), sensors_(std::move(sensors)), level_(std::move(level)) {
  reset();
}

// Without its offset, of a sensor with a rate.
std::int32_t Sensors::moved(std::size_t i, const sc_time& at) const {
  const Motion& motion = motions_[i];
  const std::uint64_t passed = motion.since.until(at).value();
  // The distance is at most 2^32, and a rate at least 1 per ms: by then it has arrived.
  const std::uint64_t ms = std::min<std::uint64_t>(passed / kFsPerMs, std::uint64_t{1} << 32);
  const std::uint64_t rest_us = passed % kFsPerMs / 1'000'000'000;
  const auto rate = std::uint64_t{sensors_[i].rate_per_ms};
  const std::int64_t way = std::int64_t{motion.to} - motion.from;
  const std::uint64_t by = std::min<std::uint64_t>(ms * rate + rest_us * rate / 1000,
                                                   static_cast<std::uint64_t>(std::abs(way)));
  const auto step = static_cast<std::int64_t>(by);
  return static_cast<std::int32_t>(motion.from + (way < 0 ? -step : step));
}

std::int32_t Sensors::value(std::size_t i, const sc_time& at) const {
  const SensorConfig& sensor = sensors_[i];
  const std::int64_t value =
      std::int64_t{sensor.rate_per_ms == 0 ? at_level(sensor, level_(at)) : moved(i, at)} +
      motions_[i].offset;
  using Limits = std::numeric_limits<std::int32_t>;
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(value, Limits::min(), Limits::max()));
}

void Sensors::set_target(std::uint32_t permille, const sc_time& at) {
  for (std::size_t i = 0; i < sensors_.size(); ++i) {
    motions_[i].from = moved(i, at);
    motions_[i].to = at_level(sensors_[i], permille);
    motions_[i].since = Start(at);
  }
}

std::uint32_t Sensors::word(std::uint64_t offset, const sc_time& at) const {
  if (offset == TERN_REG_SENSORS_COUNT) return static_cast<std::uint32_t>(sensors_.size());
  const auto sensor = [&](std::uint64_t first) {
    const auto i = of(first).at(offset);
    return i && *i < sensors_.size() ? i : std::nullopt;
  };
  if (const auto i = sensor(TERN_REG_SENSORS_KIND)) return sensors_[*i].kind;
  if (const auto i = sensor(TERN_REG_SENSORS_VALUE))
    return static_cast<std::uint32_t>(value(*i, at));
  if (const auto i = sensor(TERN_REG_SENSORS_LOW))
    return static_cast<std::uint32_t>(sensors_[*i].low);
  if (const auto i = sensor(TERN_REG_SENSORS_HIGH))
    return static_cast<std::uint32_t>(sensors_[*i].high);
  return 0;
}

void Sensors::reset() {
  motions_.clear();
  for (const SensorConfig& sensor : sensors_)
    motions_.push_back({sensor.idle, sensor.idle, 0, Start(sc_time_stamp()), {}});
}

Sensors::State Sensors::save() const {
  State state{motions_};
  for (Motion& motion : state.motions) motion.passed = motion.since.before(sc_time_stamp());
  return state;
}

void Sensors::restore(const State& state) {
  if (state.motions.size() != motions_.size())
    throw RunError("sensors: the snapshot is one of another board");
  motions_ = state.motions;
  for (Motion& motion : motions_) motion.since = Start::ago(motion.passed);
}

}  // namespace tern::mgmt
