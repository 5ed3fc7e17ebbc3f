// SPDX-License-Identifier: Apache-2.0
#include "systemc/mgmt/board/board_config.h"

#include <fmt/format.h>

#include <cmath>

#include "sw/base/user_error.h"
#include "sw/config/yaml_reader.h"
#include "systemc/mgmt/board/presets.h"

namespace tern::mgmt {

namespace {

using config::YamlMap;

constexpr double kFsPerNs = 1e6, kFsPerUs = 1e9;
constexpr const char* kIsaText =
    "rv32 or rv64, then im and any of a, f, d, c in this order, d with f";
constexpr const char* kLetters = "imafdc";

const config::EmbeddedPreset* find_preset(const std::string& name) {
  for (const config::EmbeddedPreset& preset : board_presets()) {
    if (preset.name == name) return &preset;
  }
  return nullptr;
}

void read_uart(const YamlMap& map, BoardConfig& config) {
  if (const auto v = map.find("clock_hz"))
    config.uart_clock_hz = static_cast<std::uint64_t>(v->as_integer(1, 1'000'000'000));
  if (const auto v = map.find("baud_timing")) config.baud_timing = v->as_bool();
  if (const auto v = map.find("poll_us")) config.poll_us = v->as_number(1, 1e6);
}

void read_keys(const YamlMap& map, BoardConfig& config) {
  const auto whole = [&map](const char* key, std::int64_t least, std::int64_t most, auto& field) {
    using Field = std::remove_reference_t<decltype(field)>;
    if (const auto v = map.find(key)) field = static_cast<Field>(v->as_integer(least, most));
  };
  const auto number = [&map](const char* key, double least, double most, double& field) {
    if (const auto v = map.find(key)) field = v->as_number(least, most);
  };
  if (const auto v = map.find("name")) config.name = v->as_string();
  whole("harts", 1, BoardConfig::kMaxHarts, config.harts);
  if (const auto v = map.find("isa")) {
    config.isa = v->as_string();
    const std::string misfit = isa_misfit(config.isa);
    if (!misfit.empty()) v->fail(kIsaText);
  }
  if (const auto v = map.find("modes")) config.modes = v->as_choice({"m", "mu", "msu"});
  number("clock_ghz", 0.001, 100, config.clock_ghz);
  number("cpi", 0.1, 1000, config.cpi);
  number("quantum_us", 0.001, 1e6, config.quantum_us);
  whole("timebase_hz", 1, 1'000'000'000, config.timebase_hz);
  std::int64_t mib = 0;
  whole("ram_mib", 1, std::int64_t{1} << 20, mib);
  if (mib != 0) config.ram_bytes = static_cast<std::uint64_t>(mib) << 20;
  whole("plic_sources", kRtcSource, 1023, config.plic_sources);
  if (const auto v = map.find("uart")) read_uart(v->as_map(), config);
  if (const auto v = map.find("management")) {
    if (!config.management) config.management.emplace();
    read_domain(v->as_map(), *config.management);
  }
}

BoardConfig preset_config(const config::EmbeddedPreset& preset) {
  const YamlMap map = YamlMap::from_text(std::string(preset.text), std::string(preset.file));
  BoardConfig config;
  read_keys(map, config);
  map.finish();
  check_board(config, std::string(preset.file));
  return config;
}

}  // namespace

std::uint64_t BoardConfig::instruction_fs() const {
  return static_cast<std::uint64_t>(std::llround(cpi / clock_ghz * kFsPerNs));
}

std::uint64_t BoardConfig::quantum_fs() const {
  return static_cast<std::uint64_t>(std::llround(quantum_us * kFsPerUs));
}

riscv::HartConfig BoardConfig::hart() const {
  const auto has = [this](char letter) { return isa.find(letter, 4) != std::string::npos; };
  riscv::HartConfig hart;
  hart.xlen = isa.rfind("rv32", 0) == 0 ? 32 : 64;
  hart.atomics = has('a');
  hart.compressed = has('c');
  hart.floats = has('f');
  hart.doubles = has('d');
  hart.user = modes.find('u') != std::string::npos;
  hart.supervisor = modes.find('s') != std::string::npos;
  hart.reset_pc = kBootRomBase;
  return hart;
}

std::string isa_misfit(const std::string& isa) {
  std::string expected = std::string("expected ") + kIsaText;
  if (isa.rfind("rv32im", 0) != 0 && isa.rfind("rv64im", 0) != 0) return expected;
  std::size_t next = 0;
  const std::string letters = kLetters;
  for (const char letter : isa.substr(4)) {
    const std::size_t at = letters.find(letter, next);
    if (at == std::string::npos) return expected;
    next = at + 1;
  }
  const bool doubles = isa.find('d', 4) != std::string::npos;
  return doubles && isa.find('f', 4) == std::string::npos ? expected : "";
}

void check_board(const BoardConfig& config, const std::string& where) {
  const auto require = [&where](bool condition, const std::string& message) {
    if (!condition) throw UserError(where + ": " + message);
  };
  constexpr std::uint64_t kRv32Bytes = (std::uint64_t{1} << 32) - kMemoryBase;
  require(config.hart().xlen == 64 || config.ram_bytes <= kRv32Bytes,
          fmt::format("{} MiB of memory: {} reaches {}", config.ram_bytes >> 20, config.isa,
                      kRv32Bytes >> 20));
  const std::uint64_t least = BoardConfig::kMinQuantumInstructions * config.instruction_fs();
  require(config.quantum_fs() >= least,
          fmt::format("a quantum of {:g} us: expected at least {} instructions, {:g} us",
                      config.quantum_us, BoardConfig::kMinQuantumInstructions,
                      static_cast<double>(least) / kFsPerUs));
  require(!config.management || config.plic_sources >= TERN_MGMT_IRQ_MAILBOX,
          fmt::format("plic_sources {}: the management domain has sources up to {}",
                      config.plic_sources, TERN_MGMT_IRQ_MAILBOX));
  require(!config.management || config.timebase_hz == TERN_MGMT_TIMEBASE_HZ,
          fmt::format("timebase of {} Hz: the management domain has {}", config.timebase_hz,
                      TERN_MGMT_TIMEBASE_HZ));
  require(!config.management || config.hart().xlen == 64,
          config.isa + ": the management domain requires rv64");
  constexpr std::uint64_t kSecondFs = 1'000'000'000'000'000;
  require(kSecondFs % config.timebase_hz == 0,
          fmt::format("timebase of {} Hz: a tick must be a whole number of femtoseconds",
                      config.timebase_hz));
}

BoardConfig load_board_config(const std::string& name_or_path) {
  if (const config::EmbeddedPreset* preset = find_preset(name_or_path))
    return preset_config(*preset);
  const YamlMap map = YamlMap::from_file(name_or_path);
  const config::EmbeddedPreset* base = &board_presets().front();
  if (const auto v = map.find("preset")) {
    std::vector<std::string> names;
    for (const config::EmbeddedPreset& preset : board_presets()) names.emplace_back(preset.name);
    base = find_preset(v->as_choice(names));
  }
  BoardConfig config = preset_config(*base);
  read_keys(map, config);
  map.finish();
  check_board(config, name_or_path);
  return config;
}

}  // namespace tern::mgmt
