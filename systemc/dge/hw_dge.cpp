// SPDX-License-Identifier: Apache-2.0
#include "systemc/dge/hw_dge.h"

#include <fmt/format.h>

#include <algorithm>

#include "systemc/dge/copy_expansion.h"

namespace tern::dge {

namespace {
constexpr std::uint64_t kLookAgain = 16;  // cycles, while a ring has no room

double runs_of(const tern_instr_dma_copy_t& instruction) {
  double runs = 1;
  for (const auto count : instruction.count) runs *= count;
  return runs;
}

double bytes_of(const tern_instr_dma_copy_t& instruction) {
  return runs_of(instruction) *
         (instruction.length == 0 ? TERN_DESCRIPTOR_MAX_LENGTH : instruction.length);
}

void wait_until(const sc_core::sc_time& time) {
  if (time > sc_core::sc_time_stamp()) wait(time - sc_core::sc_time_stamp());
}

sc_core::sc_time ns(double value) {
  return {value, sc_core::SC_NS};
}
}  // namespace

GeneratorTiming hardware_timing(const DmaConfig& config) {
  return {config.hwdge_latency_ns, 0, config.hwdge_clock_ghz, config.hwdge_gb_per_s, false};
}

// Each of the eight processors makes every eighth run's descriptors. Then the pairs go to the
// engines as from the hardware.
GeneratorTiming software_timing(const DmaConfig& config, double gpsimd_clock_ghz) {
  constexpr double kProcessors = 8;
  return {config.swdge_start_cycles / gpsimd_clock_ghz,
          config.swdge_row_cycles / kProcessors / gpsimd_clock_ghz, config.hwdge_clock_ghz, 0,
          true};
}

HwDge::HwDge(sc_core::sc_module_name name, const DmaConfig& config, unsigned core, RingPort& rings,
             trace::Bus* bus, const std::string& trace_process, const std::string& track)
    : HwDge(name, hardware_timing(config), core, rings, bus, trace_process, track) {}

HwDge::HwDge(sc_core::sc_module_name name, const GeneratorTiming& timing, unsigned core,
             RingPort& rings, trace::Bus* bus, const std::string& trace_process,
             const std::string& track)
    : sc_module(name),
      core_(core),
      timing_(timing),
      clock_(timing.clock_ghz),
      rings_(rings),
      bus_(bus) {
  if (bus_ != nullptr) track_ = bus_->add_track(trace_process, track);
  SC_THREAD(run);
}

void HwDge::execute(const tern_instr_dma_copy_t& instruction) {
  while (waiting_.size() >= kDepth) wait(taken_);
  waiting_.push_back({instruction, sc_core::sc_time_stamp()});
  arrived_.notify(sc_core::SC_ZERO_TIME);
}

void HwDge::run() {
  for (;;) {
    while (waiting_.empty()) wait(arrived_);
    const auto [instruction, since] = waiting_.front();
    waiting_.pop_front();
    busy_ = true;
    taken_.notify(sc_core::SC_ZERO_TIME);
    const sc_core::sc_time begin =
        timing_.pipelined ? std::max(since, free_at_) : sc_core::sc_time_stamp();
    const std::uint64_t before = pairs_;
    free_at_ = begin + ns(timing_.latency_ns + timing_.run_ns * runs_of(instruction));
    wait_until(free_at_);
    make(instruction);
    if (timing_.gb_per_s > 0) wait_until(begin + ns(bytes_of(instruction) / timing_.gb_per_s));
    busy_ = false;
    if (bus_ != nullptr && bus_->enabled()) {
      bus_->span({track_, "dma_copy", begin.value(), sc_core::sc_time_stamp().value(),
                  fmt::format(R"({{"ring":{},"pairs":{}}})", instruction.ring, pairs_ - before)});
    }
  }
}

// A pair per cycle; one that finds no room delays those after it.
void HwDge::make(const tern_instr_dma_copy_t& instruction) {
  CopyExpansion expansion(instruction, core_);
  std::uint64_t cycle = clock_.now();
  while (const auto made = expansion.next()) {
    std::uint8_t pair[2 * TERN_DESCRIPTOR_BYTES];
    pack_descriptor(pair, made->tx);
    pack_descriptor(pair + TERN_DESCRIPTOR_BYTES, made->rx);
    clock_.wait_for(cycle);
    while (!rings_.push_pair(made->engine, instruction.ring, pair) &&
           !rings_.stopped(made->engine, instruction.ring)) {
      cycle += kLookAgain;
      clock_.wait_for(cycle);
    }
    ++pairs_;
    ++cycle;
  }
  clock_.wait_for(cycle);
}

}  // namespace tern::dge
