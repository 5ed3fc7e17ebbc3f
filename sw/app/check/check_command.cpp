// SPDX-License-Identifier: Apache-2.0
// tern check: a chip's memories, its bits in a training, and every core's datapaths.
#include "sw/app/check/check_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "sw/app/check/check_run.h"
#include "sw/app/host/interrupt.h"
#include "sw/app/host/progress.h"
#include "sw/app/report/chip_values.h"
#include "sw/app/report/report_folder.h"
#include "sw/app/report/version.h"
#include "sw/app/report/write_report.h"
#include "sw/base/seconds_since.h"
#include "sw/base/user_error.h"
#include "sw/platform/live/live_publisher.h"
#include "systemc/chip/simulation.h"

namespace tern::app {

namespace {

std::vector<unsigned> cores_of(const CheckOptions& options, const ChipConfig& chip) {
  std::vector<unsigned> cores;
  for (const std::uint64_t core : options.cores) {
    if (core >= chip.cores)
      throw UserError(fmt::format("--core: expected 0 to {} of chip '{}', got {}", chip.cores - 1,
                                  chip.name, core));
    cores.push_back(static_cast<unsigned>(core));
  }
  for (unsigned n = 0; options.cores.empty() && n < chip.cores; ++n) cores.push_back(n);
  std::sort(cores.begin(), cores.end());
  cores.erase(std::unique(cores.begin(), cores.end()), cores.end());
  return cores;
}

// What the tests do not reach would not be found.
void check_reach(const StuckBit& bit, const std::string& text, const CheckRecord& record,
                 const ChipConfig& chip, bool march) {
  const bool core_tested =
      std::find(record.cores.begin(), record.cores.end(), bit.core) != record.cores.end();
  if (bit.block != StuckBit::Block::kHbm && !core_tested)
    throw UserError(fmt::format("--inject {}: core {} is not tested (--core)", text, bit.core));
  if (bit.block == StuckBit::Block::kHbm && !march)
    throw UserError(
        fmt::format("--inject {}: found by the march, which is left out (--only)", text));
  if (bit.block != StuckBit::Block::kSbuf) return;
  const std::uint64_t bytes = marched_sbuf_bytes(record.full), byte = bit.bit / 8;
  const std::uint64_t partition = chip.core.sbuf_partition_bytes;
  if (march && (byte < bytes || byte >= partition - bytes)) return;
  throw UserError(
      fmt::format("--inject {}: the march tests the first and the last {} bytes of a partition{}",
                  text, bytes, record.full ? "" : " (--full: 1024)"));
}

int print_bits(CheckBench& bench, Simulation& simulation, CheckRecord* record) {
  std::map<unsigned, GoldenBits> bits;
  record->cores = {0};
  CheckRun run(bench, {false, false, true}, record);
  std::map<unsigned, std::string> failures;
  simulation.run([&] { failures = run.train(&bits); });
  if (!failures[0].empty()) throw RunError(failures[0]);
  std::string losses;
  for (const std::uint32_t loss : bits[0].losses) losses += fmt::format("{:#010x}, ", loss);
  fmt::print("{{{{{}}}, {:#010x}}}\n", losses.substr(0, losses.size() - 2), bits[0].state_crc32);
  return 0;
}

}  // namespace

int check_command(const CheckOptions& options) {
  const ChipConfig chip = load_chip_config(options.chip, options.overrides).chip;
  CheckRun::Parts parts;
  if (!options.only.empty()) {
    const auto given = [&](const char* name) {
      return std::find(options.only.begin(), options.only.end(), name) != options.only.end();
    };
    parts = {given("march"), given("screen"), given("training")};
  }
  CheckRecord record;
  record.version = kVersion;
  record.command = options.command;
  record.chip = chip.name;
  record.overrides = options.overrides;
  record.values = chip_values(options.chip, options.overrides);
  record.full = options.full;
  record.cores = cores_of(options, chip);
  record.stacks = chip.hbm.stacks;
  record.cores_per_stack = std::max(1u, chip.cores / chip.hbm.stacks);
  for (const std::string& text : options.inject) {
    const StuckBit bit = parse_stuck_bit(text);
    check_stuck_bit(bit, chip);
    check_reach(bit, text, record, chip, parts.march);
    record.injected.push_back(bit);
  }
  prepare_report_folder(options.report, "check");

  const auto begin = std::chrono::steady_clock::now();
  Simulation simulation;
  CheckBench bench(chip, record.injected);
  if (options.record) return print_bits(bench, simulation, &record);
  CheckRun run(bench, parts, &record);
  live::description().kind = "check";
  live::Publisher live;
  live.add(bench.hosted(), chip.name);
  live.watch(simulation);
  {
    Progress progress("check " + chip.name, options.quiet);
    Simulation::Options simulating;
    simulating.stop = catch_interrupts();
    simulating.progress = [&](std::uint64_t) { progress.update(run.progress(), run.current()); };
    simulation.run([&] { run.run(); }, simulating);
  }
  record.simulated_us = sc_core::sc_time_stamp().to_seconds() * 1e6;
  record.wall_s = base::seconds_since(begin);
  return write_report(report_of(record), options.report, options.json);
}

}  // namespace tern::app
