// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sw/spec/generated/mgmt.h"
#include "sw/spec/queues.h"

// What a simulation shows of itself to other processes (README.md). Counters are since the start of
// the process, times `_us` simulated; `utilization` is a share 0 .. 1 of the simulated time since
// the previous sample.
namespace tern::live {

constexpr unsigned kVersion = 1;  // of the format
// Refused beyond: files are made by any program of this user.
constexpr std::size_t kMaxCores = 64, kMaxStacks = 64, kMaxDevices = 16, kMaxSensors = 64,
                      kMaxText = 4096;

enum class CoreState : std::uint8_t { kIdle, kRunning, kStalled, kError, kHeld, kResetting };
const char* core_state_name(CoreState state);  // "running"

struct Engine {
  std::uint64_t instructions = 0;  // of the newest program of its queue
  double busy_us = 0, utilization = 0;
};

// Times of programs: percentiles 0, 1, 25, 50, 75, 99, 100.
constexpr std::array<double, 7> kPercentiles = {0, 0.01, 0.25, 0.5, 0.75, 0.99, 1};

struct Core {
  CoreState state = CoreState::kIdle;
  std::array<Engine, TERN_QUEUE_COUNT> engines;  // by queue
  std::uint64_t macs = 0;
  std::uint64_t dma_bytes = 0, dma_descriptors = 0;
  double dma_busy_us = 0, dma_utilization = 0;  // mean of its DMA engines
  std::uint64_t programs = 0, failed_programs = 0, errors = 0;
  std::array<double, kPercentiles.size()> program_us{};
};

struct Stack {
  std::uint64_t bytes = 0, touched_bytes = 0;  // capacity; pages that were ever written
  std::uint64_t read_bytes = 0, write_bytes = 0;
  std::uint64_t corrected = 0, uncorrectable = 0;  // bursts
};

// One chip.
struct Device {
  std::string name, chip;  // module and preset: "chip", "trn3"
  std::vector<unsigned> connected;
  std::vector<Core> cores;
  std::vector<Stack> stacks;
  std::uint64_t sbuf_bytes = 0;  // of a core
  std::uint64_t host_read_bytes = 0, host_write_bytes = 0;
};

struct Sensor {
  std::string name, unit;
  double value = 0;
};

// A management core.
struct Management {
  std::string board, phase;  // phase: empty: no management domain
  unsigned harts = 0;
  std::uint64_t instructions = 0;
  std::array<std::uint64_t, TERN_ERROR_CLASS_COUNT> errors{};  // that reached it, by class
  std::uint64_t power_permille = 0;
  std::vector<Sensor> sensors;
};

struct State {
  int pid = 0;
  std::uint64_t start_ticks = 0;        // of the process (process_start())
  std::string command, kind;            // as typed; "mlp", "boot"
  std::string version;                  // of tern
  double started_s = 0, updated_s = 0;  // since 1970
  double wall_s = 0;                    // of the process
  double simulated_us = 0;
  double speed = 0;  // simulated us per second of wall time, since the previous sample
  std::vector<Device> devices;
  std::optional<Management> management;
};

nlohmann::ordered_json to_json(const State& state);
// Throws UserError "expected ..." for what is no such state, whatever it is.
State from_json(const std::string& text);

}  // namespace tern::live
