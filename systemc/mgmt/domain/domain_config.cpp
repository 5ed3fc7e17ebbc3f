// SPDX-License-Identifier: Apache-2.0
#include "systemc/mgmt/domain/domain_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "sw/base/checksum.h"
#include "sw/spec/error_classes.h"

namespace tern::mgmt {

namespace {

using config::YamlMap;
using config::YamlValue;

constexpr double kMostUs = 1e9;
constexpr std::int64_t kMost32 = std::numeric_limits<std::int32_t>::max();
constexpr unsigned kMostInList = 4096;

const std::vector<std::string> kErrors(std::begin(kErrorClassNames), std::end(kErrorClassNames));
// In the order of TERN_SENSOR_KIND_..., from 1.
const std::vector<std::string> kKinds = {"temperature", "power", "voltage"};
static_assert(TERN_SENSOR_KIND_COUNT == 3);

void read_us(const YamlMap& map, const char* key, double& us) {
  if (const auto v = map.find(key)) us = v->as_number(0, kMostUs);
}

template <typename T>
void read_whole(const YamlMap& map, const char* key, std::int64_t least, std::int64_t most,
                T& value) {
  if (const auto v = map.find(key)) value = static_cast<T>(v->as_integer(least, most));
}

std::vector<YamlValue> list_of(const YamlValue& value) {
  std::vector<YamlValue> list = value.as_list();
  if (list.size() > kMostInList) value.fail("at most 4096 entries");
  return list;
}

void read_key_hash(const YamlValue& value, DomainConfig& config) {
  const std::string text = value.as_string();
  constexpr std::size_t kDigits = 64;
  if (text.size() != kDigits || text.find_first_not_of("0123456789abcdef") != std::string::npos)
    value.fail("64 hexadecimal digits, in lower case");
  for (std::size_t byte = 0; byte < kDigits / 2; ++byte) {
    unsigned bits = 0;
    std::from_chars(&text[2 * byte], &text[2 * byte] + 2, bits, 16);
    std::uint32_t& word = config.fuses[TERN_MGMT_OTP_KEY_HASH + byte / 4];
    word = (word & ~(0xFFu << (byte % 4 * 8))) | bits << (byte % 4 * 8);
  }
}

void read_otp(const YamlMap& map, DomainConfig& config) {
  if (const auto v = map.find("key_hash")) read_key_hash(*v, config);
  std::int64_t ones = -1;
  read_whole(map, "rollback", 0, 32 * TERN_MGMT_OTP_ROLLBACK_WORDS, ones);
  for (unsigned w = 0; ones >= 0 && w < TERN_MGMT_OTP_ROLLBACK_WORDS; ++w) {
    const std::int64_t here = std::clamp<std::int64_t>(ones - 32 * w, 0, 32);
    config.fuses[TERN_MGMT_OTP_ROLLBACK + w] =
        static_cast<std::uint32_t>((std::uint64_t{1} << here) - 1);
  }
  if (const auto v = map.find("life_cycle"))
    config.fuses[TERN_MGMT_OTP_LIFE_CYCLE] =
        std::array{0u, 1u, 3u}.at(v->as_index({"test", "production", "returned"}));
  read_us(map, "burn_us", config.burn_us);
}

void read_training(const YamlMap& map, TrainingConfig& training) {
  read_us(map, "training_us", training.us);
  read_whole(map, "margin", 0, 1000, training.margin);
}

// "hbm0", "die", "link3".
unsigned unit_of(const YamlValue& value, const DomainConfig& config) {
  const std::string name = value.as_string();
  for (unsigned unit = 0; unit < DomainConfig::kUnits; ++unit) {
    const std::string expected = unit == TERN_MGMT_UNIT_DIE ? "die"
                                 : unit >= TERN_MGMT_UNIT_LINK
                                     ? "link" + std::to_string(unit - TERN_MGMT_UNIT_LINK)
                                     : "hbm" + std::to_string(unit - TERN_MGMT_UNIT_HBM);
    if (config.has_unit(unit) && name == expected) return unit;
  }
  value.fail("a unit of the chip such as hbm0, die or link0");
}

ChipEvent read_event(const YamlMap& map) {
  ChipEvent event;
  event.at_us = map.get("at_us").as_number(0, kMostUs);
  event.error.error = static_cast<std::uint8_t>(map.get("error").as_index(kErrors));
  read_whole(map, "unit", 0, 0xFFFE, event.error.unit);
  read_whole(map, "address", 0, std::numeric_limits<std::int64_t>::max(), event.error.address);
  read_whole(map, "count", 1, kMost32, event.error.count);
  return event;
}

void read_chip(const YamlMap& map, DomainConfig& config) {
  read_whole(map, "hbm_stacks", 1, DomainConfig::kMaxStacks, config.hbm_stacks);
  read_whole(map, "cores", 1, DomainConfig::kMaxCores, config.cores);
  read_whole(map, "dies", 1, 2, config.dies);
  read_whole(map, "links", 0, DomainConfig::kMaxLinks, config.links);
  read_us(map, "core_ready_us", config.core_ready_us);
  read_us(map, "hang_us", config.hang_us);
  read_whole(map, "spare_rows", 0, 1024, config.spare_rows);
  const auto units = [&](const char* key, unsigned first, unsigned count) {
    const auto v = map.find(key);
    if (!v) return;
    const YamlMap training = v->as_map();
    for (unsigned i = 0; i < count; ++i) read_training(training, config.training[first + i]);
  };
  units("hbm", TERN_MGMT_UNIT_HBM, DomainConfig::kMaxStacks);
  units("die", TERN_MGMT_UNIT_DIE, 1);
  units("link", TERN_MGMT_UNIT_LINK, DomainConfig::kMaxLinks);
  if (const auto v = map.find("faults")) {
    for (TrainingConfig& training : config.training) {
      training.fail_attempts = 0;
      training.dead = false;
    }
    for (const YamlValue& item : list_of(*v)) {
      const YamlMap fault = item.as_map();
      TrainingConfig& training = config.training[unit_of(fault.get("unit"), config)];
      read_whole(fault, "fail_attempts", 0, 1'000'000, training.fail_attempts);
      if (const auto dead = fault.find("dead")) training.dead = dead->as_bool();
    }
  }
  if (const auto v = map.find("events")) {
    config.events.clear();
    for (const YamlValue& item : list_of(*v)) config.events.push_back(read_event(item.as_map()));
  }
}

SensorConfig read_sensor(const YamlMap& map) {
  SensorConfig sensor;
  sensor.name = map.get("name").as_string();
  sensor.kind = static_cast<unsigned>(map.get("kind").as_index(kKinds)) + 1;
  const auto value = [&](const char* key, std::int32_t& field) {
    field = static_cast<std::int32_t>(map.get(key).as_integer(-kMost32, kMost32));
  };
  value("idle", sensor.idle);
  value("full", sensor.full);
  value("low", sensor.low);
  value("high", sensor.high);
  read_whole(map, "rate_per_ms", 0, kMost32, sensor.rate_per_ms);
  return sensor;
}

}  // namespace

bool DomainConfig::has_unit(unsigned unit) const {
  if (unit < TERN_MGMT_UNIT_DIE) return unit < hbm_stacks;
  if (unit == TERN_MGMT_UNIT_DIE) return dies == 2;
  return unit >= TERN_MGMT_UNIT_LINK && unit - TERN_MGMT_UNIT_LINK < links;
}

std::string fingerprint(const DomainConfig& c) {
  std::string text =
      fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {}", fmt::join(c.fuses, ","),
                  c.burn_us, c.erase_us, c.program_us, c.crypto_ghz, c.hash_block_cycles,
                  c.verify_cycles, c.hbm_stacks, c.cores, c.dies, c.links, c.core_ready_us,
                  c.hang_us, c.spare_rows, c.power_max_step, c.power_interval_us);
  for (const TrainingConfig& t : c.training)
    text += fmt::format(" {} {} {} {}", t.us, t.margin, t.fail_attempts, t.dead);
  for (const ChipEvent& e : c.events)
    text += fmt::format(" {} {} {} {} {}", e.at_us, e.error.error, e.error.unit, e.error.address,
                        e.error.count);
  for (const SensorConfig& s : c.sensors)
    text += fmt::format(" {} {} {} {} {} {}", s.kind, s.idle, s.full, s.low, s.high, s.rate_per_ms);
  return fmt::format("{:08x}", base::crc32_of(text));
}

void read_domain(const YamlMap& map, DomainConfig& config) {
  if (const auto v = map.find("otp")) read_otp(v->as_map(), config);
  if (const auto v = map.find("flash")) {
    const YamlMap flash = v->as_map();
    read_us(flash, "erase_us", config.erase_us);
    read_us(flash, "program_us", config.program_us);
  }
  if (const auto v = map.find("crypto")) {
    const YamlMap crypto = v->as_map();
    if (const auto ghz = crypto.find("clock_ghz")) config.crypto_ghz = ghz->as_number(0.001, 100);
    read_whole(crypto, "hash_block_cycles", 1, kMost32, config.hash_block_cycles);
    read_whole(crypto, "verify_cycles", 1, kMost32, config.verify_cycles);
  }
  if (const auto v = map.find("chip")) read_chip(v->as_map(), config);
  if (const auto v = map.find("power")) {
    const YamlMap power = v->as_map();
    read_whole(power, "max_step", 1, 1000, config.power_max_step);
    if (const auto us = power.find("interval_us")) config.power_interval_us = us->as_number(1, 1e6);
  }
  if (const auto v = map.find("sensors")) {
    config.sensors.clear();
    for (const YamlValue& item : v->as_list()) {
      if (config.sensors.size() == DomainConfig::kMaxSensors) v->fail("at most 32 sensors");
      config.sensors.push_back(read_sensor(item.as_map()));
    }
  }
}

}  // namespace tern::mgmt
