// SPDX-License-Identifier: Apache-2.0
#include "sw/app/live/monitor_json.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <string>

#include "sw/spec/error_classes.h"

namespace tern::app {

namespace {

using Json = nlohmann::ordered_json;
using live::Core;

constexpr std::array<const char*, live::kPercentiles.size()> kPercentileNames = {
    "p0", "p1", "p25", "p50", "p75", "p99", "p100"};

std::uint64_t since(std::uint64_t now, std::uint64_t before) {
  return now > before ? now - before : 0;
}

// The newest sample of the same process in the line before; null: it is new.
const live::State* same(const std::vector<live::State>& states, const live::State& like) {
  for (const live::State& state : states) {
    if (state.pid == like.pid && state.start_ticks == like.start_ticks) return &state;
  }
  return nullptr;
}

// One simulation, with what it was in the line before.
class Runtime {
 public:
  Runtime(const live::State& now, const live::State* before, double period_s)
      : now_(now), before_(before), period_s_(period_s) {}

  Json report() const {
    return {{"neuroncore_counters", counters()},
            {"execution_stats", executions()},
            {"memory_used", memory()},
            {"tern_simulation", simulation()}};
  }

 private:
  Json group() const { return {{"period", period_s_}, {"error", ""}}; }

  const live::Device* before(std::size_t device) const {
    return before_ != nullptr && device < before_->devices.size() ? &before_->devices[device]
                                                                  : nullptr;
  }
  const Core* before(std::size_t device, std::size_t core) const {
    const live::Device* d = before(device);
    return d != nullptr && core < d->cores.size() ? &d->cores[core] : nullptr;
  }
  double simulated_us() const {
    return before_ != nullptr ? now_.simulated_us - before_->simulated_us : 0;
  }
  // In percent: of the simulated time since the line before; in the first line, and where no
  // sample has come since, as the simulation says.
  double utilization(double busy, double busy_before, double own) const {
    const double us = simulated_us();
    return 100 * (us > 0 ? std::clamp((busy - busy_before) / us, 0.0, 1.0) : own);
  }

  Json json_of(const Core& core, const Core* then) const {
    static const Core kNone;
    const Core& b = then != nullptr ? *then : kNone;
    Json engines;
    double tensor = 0;
    for (unsigned q = 0; q < TERN_QUEUE_COUNT; ++q) {
      const double percent =
          utilization(core.engines[q].busy_us, b.engines[q].busy_us, core.engines[q].utilization);
      engines[kQueueNames[q]] = percent;
      if (q == TERN_QUEUE_TENSOR) tensor = percent;
    }
    engines["dma"] = utilization(core.dma_busy_us, b.dma_busy_us, core.dma_utilization);
    const double us = simulated_us();
    const double macs = static_cast<double>(since(core.macs, b.macs));
    return {{"neuroncore_utilization", tensor},
            {"flops", us > 0 ? 2 * macs / us * 1e6 : 0.0},
            {"state", live::core_state_name(core.state)},
            {"engine_utilization", engines},
            {"dma_bytes", since(core.dma_bytes, b.dma_bytes)},
            {"errors", core.errors}};
  }

  // Cores of several chips are numbered through.
  Json counters() const {
    Json cores = Json::object();
    std::size_t number = 0;
    for (std::size_t d = 0; d < now_.devices.size(); ++d) {
      for (std::size_t n = 0; n < now_.devices[d].cores.size(); ++n)
        cores[std::to_string(number++)] = json_of(now_.devices[d].cores[n], before(d, n));
    }
    Json j = group();
    j["neuroncores_in_use"] = cores;
    return j;
  }

  Json executions() const {
    std::uint64_t programs = 0, failed = 0;
    const Core* busiest = nullptr;
    for (std::size_t d = 0; d < now_.devices.size(); ++d) {
      for (std::size_t n = 0; n < now_.devices[d].cores.size(); ++n) {
        const Core& core = now_.devices[d].cores[n];
        const Core* b = before(d, n);
        programs += since(core.programs, b != nullptr ? b->programs : 0);
        failed += since(core.failed_programs, b != nullptr ? b->failed_programs : 0);
        if (busiest == nullptr || core.programs > busiest->programs) busiest = &core;
      }
    }
    const std::uint64_t completed = since(programs, failed);
    Json latency = nullptr;
    if (busiest != nullptr && busiest->programs != 0) {
      latency = Json::object();
      for (std::size_t p = 0; p < kPercentileNames.size(); ++p)
        latency[kPercentileNames[p]] = busiest->program_us[p] * 1e-6;
    }
    Json j = group();
    j["error_summary"] = {{"generic", 0}, {"numerical", 0}, {"transient", 0},
                          {"model", 0},   {"runtime", 0},   {"hardware", failed}};
    j["execution_summary"] = {{"completed", completed},      {"completed_with_err", failed},
                              {"completed_with_num_err", 0}, {"timed_out", 0},
                              {"incorrect_input", 0},        {"failed_to_queue", 0}};
    j["latency_stats"] = {{"total_latency", nullptr}, {"device_latency", latency}};
    return j;
  }

  Json memory() const {
    std::uint64_t device = 0, read = 0, write = 0, in = 0, out = 0;
    for (std::size_t d = 0; d < now_.devices.size(); ++d) {
      const live::Device* b = before(d);
      for (std::size_t s = 0; s < now_.devices[d].stacks.size(); ++s) {
        const live::Stack& stack = now_.devices[d].stacks[s];
        const bool known = b != nullptr && s < b->stacks.size();
        device += stack.touched_bytes;
        read += since(stack.read_bytes, known ? b->stacks[s].read_bytes : 0);
        write += since(stack.write_bytes, known ? b->stacks[s].write_bytes : 0);
      }
      in += since(now_.devices[d].host_write_bytes, b != nullptr ? b->host_write_bytes : 0);
      out += since(now_.devices[d].host_read_bytes, b != nullptr ? b->host_read_bytes : 0);
    }
    Json j = group();
    j["neuron_runtime_used_bytes"] = {{"neuron_device", device}};
    j["hbm_read_bytes"] = read;
    j["hbm_write_bytes"] = write;
    j["host_to_device_bytes"] = in;
    j["device_to_host_bytes"] = out;
    return j;
  }

  Json simulation() const {
    Json j = {{"kind", now_.kind},
              {"command", now_.command},
              {"simulated_us", now_.simulated_us},
              {"wall_s", now_.wall_s},
              {"speed_us_per_s", now_.speed},
              {"updated", now_.updated_s}};
    if (now_.management) j["management"] = json_of(*now_.management);
    return j;
  }

  static Json json_of(const live::Management& management) {
    Json errors, sensors = Json::object();
    for (unsigned c = 0; c < TERN_ERROR_CLASS_COUNT; ++c)
      errors[kErrorClassNames[c]] = management.errors[c];
    for (const live::Sensor& sensor : management.sensors)
      sensors[sensor.name] = {{"value", sensor.value}, {"unit", sensor.unit}};
    return {{"board", management.board},
            {"phase", management.phase},
            {"harts", management.harts},
            {"instructions", management.instructions},
            {"power_permille", management.power_permille},
            {"errors", errors},
            {"sensors", sensors}};
  }

  const live::State& now_;
  const live::State* const before_;
  const double period_s_;
};

// SBUF has no code that could fail: its counters stay zero.
Json hardware_counters(const std::vector<live::State>& states, double period_s) {
  Json devices = Json::array();
  unsigned number = 0;
  for (const live::State& state : states) {
    for (const live::Device& device : state.devices) {
      std::uint64_t corrected = 0, uncorrected = 0;
      for (const live::Stack& stack : device.stacks) {
        corrected += stack.corrected;
        uncorrected += stack.uncorrectable;
      }
      devices.push_back({{"neuron_device_index", number++},
                         {"pid", state.pid},
                         {"mem_ecc_corrected", corrected},
                         {"mem_ecc_uncorrected", uncorrected},
                         {"sram_ecc_corrected", 0},
                         {"sram_ecc_uncorrected", 0}});
    }
  }
  return {{"period", period_s}, {"error", ""}, {"neuron_devices", devices}};
}

Json hardware_info(const std::vector<live::State>& states) {
  Json devices = Json::array();
  for (const live::State& state : states) {
    for (const live::Device& device : state.devices) {
      std::uint64_t bytes = 0;
      for (const live::Stack& stack : device.stacks) bytes += stack.bytes;
      devices.push_back({{"pid", state.pid},
                         {"name", device.name},
                         {"chip", device.chip},
                         {"neuroncore_per_device_count", device.cores.size()},
                         {"neuron_device_memory_size", bytes},
                         {"sbuf_size", device.sbuf_bytes}});
    }
  }
  return {{"error", ""}, {"neuron_device_count", devices.size()}, {"neuron_devices", devices}};
}

}  // namespace

Json monitor_json(const std::vector<live::State>& now, const std::vector<live::State>& before,
                  double period_s) {
  const auto clock = std::chrono::system_clock::now().time_since_epoch();
  Json runtimes = Json::array();
  for (const live::State& state : now) {
    runtimes.push_back({{"pid", state.pid},
                        {"address", ""},
                        {"neuron_runtime_tag", state.kind},
                        {"error", ""},
                        {"report", Runtime(state, same(before, state), period_s).report()}});
  }
  return {{"format", "tern-monitor"},
          {"format_version", 1},
          {"timestamp", std::chrono::duration<double>(clock).count()},
          {"neuron_runtime_data", runtimes},
          {"system_data", {{"neuron_hw_counters", hardware_counters(now, period_s)}}},
          {"neuron_hardware_info", hardware_info(now)}};
}

}  // namespace tern::app
