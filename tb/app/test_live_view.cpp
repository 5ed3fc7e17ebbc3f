// SPDX-License-Identifier: Apache-2.0
// Live states as operators see them: no control character, the right rates, lines that fit.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "sw/app/live/monitor_json.h"
#include "sw/app/live/top_view.h"
#include "sw/app/report/json_text.h"
#include "sw/app/report/text.h"
#include "tb/live/live_sample.h"

using namespace tern;  // NOLINT: test file
using Catch::Contains;

namespace {

std::string all_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

// Every text that a process chooses.
live::State hostile(const std::string& text) {
  live::State state = tb::live_sample(42, 7);
  state.command = state.kind = text;
  state.devices[0].name = state.devices[0].chip = text;
  state.management->board = state.management->phase = text;
  state.management->sensors[0].name = state.management->sensors[0].unit = text;
  return state;
}

bool is_harmless(const std::string& text) {
  return text.find("\u202e") == std::string::npos && text.find("\u009b") == std::string::npos &&
         std::none_of(text.begin(), text.end(), [](char c) {
           return (static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7F;
         });
}

}  // namespace

TEST_CASE("top view: no control character of a state reaches the terminal") {
  const std::string bad = "a\033[2J\007\r\n\x7f\u009b31m\u202e\xff z";
  const std::string text = all_of(app::top_lines(hostile(bad), nullptr, {}));
  CHECK(is_harmless(text));
  CHECK_THAT(text, Contains("a\uFFFD[2J"));
  const auto line = app::json_line(app::monitor_json({hostile(bad)}, {}, 1));
  CHECK(std::count(line.begin(), line.end(), '\n') == 1);
  CHECK(is_harmless(line));
}

TEST_CASE("top view: states, bars, rates and counts") {
  live::State now = tb::live_sample(42, 7);
  const std::string first = all_of(app::top_lines(now, nullptr, {}));
  CHECK_THAT(first, Contains("42  tern run w.yaml"));
  CHECK_THAT(first, Contains("mlp  simulated 1.000 ms, 500.000 us/s; wall time 2.0 s"));
  CHECK_THAT(first, Contains("   0 running"));
  CHECK_THAT(first, Contains("##......  20%"));
  CHECK_THAT(first, Contains("idle: core 1"));
  CHECK_THAT(first, Contains("tern: ready, 12,345 instructions, power level 75.0 %"));
  CHECK_THAT(first, Contains("die 51.50 C"));
  CHECK_THAT(first, Contains("hang 9"));
  // Rates are since the sample before: 4 GB in 1 ms of simulated time.
  const live::State before = now;
  now.simulated_us += 1000;
  now.updated_s += 1;
  now.devices[0].cores[0].dma_bytes += 4'000'000;
  now.devices[0].stacks[0].read_bytes += 123'000'000;
  const std::string later = all_of(app::top_lines(now, &before, {}));
  CHECK_THAT(later, Contains("  4.0  "));
  CHECK_THAT(later, Contains(" 123.0  "));
  // A process that takes counts back, or has another start, makes no nonsense.
  live::State back = now;
  back.devices[0].cores[0].dma_bytes = 0;
  back.devices[0].stacks.clear();
  back.management.reset();
  CHECK_THAT(all_of(app::top_lines(back, &now, {})), !Contains("-"));
}

TEST_CASE("top view: lines fit the terminal, styles end") {
  app::TopLook look;
  look.style = app::Style(true);
  look.blocks = true;
  for (const std::size_t columns : {1, 7, 20, 80, 300}) {
    look.columns = columns;
    for (const std::string& line : app::top_lines(tb::live_sample(42, 7), nullptr, look)) {
      std::string plain;
      for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '\033') {
          i = line.find('m', i);
          REQUIRE(i != std::string::npos);
        } else {
          plain += line[i];
        }
      }
      CHECK(app::display_width(plain) <= columns);
      const std::size_t last = line.rfind('\033');
      if (last != std::string::npos) CHECK(line.substr(last, 4) == "\033[0m");
    }
  }
}

TEST_CASE("monitor: the documented groups, counts since the line before") {
  const live::State before = tb::live_sample(42, 7);
  live::State now = before;
  now.simulated_us += 100;
  live::Core& core = now.devices[0].cores[0];
  core.engines[TERN_QUEUE_TENSOR].busy_us += 40;
  core.macs += 1'000'000;
  core.programs += 3;
  core.failed_programs += 1;
  core.dma_bytes += 64;
  now.devices[0].stacks[0].read_bytes += 10;
  now.devices[0].host_write_bytes += 5;
  const auto json = app::monitor_json({now}, {before}, 2.5);
  REQUIRE(json["neuron_runtime_data"].size() == 1);
  const auto& runtime = json["neuron_runtime_data"][0];
  CHECK(runtime["pid"] == 42);
  const auto& report = runtime["report"];
  const auto& counters = report["neuroncore_counters"];
  CHECK(counters["period"] == 2.5);
  const auto& core0 = counters["neuroncores_in_use"]["0"];
  CHECK(core0["neuroncore_utilization"].get<double>() == Approx(40));
  CHECK(core0["flops"].get<double>() == Approx(2e6 / 100e-6));
  CHECK(core0["engine_utilization"]["vector"].get<double>() == Approx(0));
  CHECK(core0["dma_bytes"] == 64);
  CHECK(core0["state"] == "running");
  const auto& executions = report["execution_stats"];
  CHECK(executions["execution_summary"]["completed"] == 2);
  CHECK(executions["execution_summary"]["completed_with_err"] == 1);
  CHECK(executions["error_summary"]["hardware"] == 1);
  CHECK(executions["latency_stats"]["device_latency"]["p100"].get<double>() == Approx(7e-6));
  CHECK(report["memory_used"]["neuron_runtime_used_bytes"]["neuron_device"] == 1 << 20);
  CHECK(report["memory_used"]["hbm_read_bytes"] == 10);
  CHECK(report["memory_used"]["host_to_device_bytes"] == 5);
  CHECK(report["tern_simulation"]["management"]["errors"]["hang"] == 9);
  const auto& ecc = json["system_data"]["neuron_hw_counters"]["neuron_devices"][0];
  CHECK(ecc["mem_ecc_corrected"] == 3);
  CHECK(ecc["mem_ecc_uncorrected"] == 4);
  CHECK(json["neuron_hardware_info"]["neuron_device_count"] == 1);
  CHECK(json["neuron_hardware_info"]["neuron_devices"][0]["neuroncore_per_device_count"] == 2);
  // Without a line before: since the start, utilisation as the process says.
  const auto first = app::monitor_json({now}, {}, 1);
  const auto& alone = first["neuron_runtime_data"][0]["report"]["neuroncore_counters"];
  CHECK(alone["neuroncores_in_use"]["0"]["neuroncore_utilization"].get<double>() == Approx(10));
}

TEST_CASE("top view: a screen of few rows says how much it leaves out") {
  const std::vector<std::string> lines = {"a", "b", "c"};
  CHECK(app::fitted(lines, 3) == lines);
  CHECK(app::fitted(lines, 24) == lines);
  const auto screen = app::fitted(lines, 2);
  REQUIRE(screen.size() == 2);
  CHECK(screen.front() == "a");
  CHECK_THAT(screen.back(), Contains("2 more lines") && Contains("--pid N"));
  CHECK(app::fitted(lines, 1).size() == 1);
  CHECK(app::fitted(lines, 0) == lines);
}
