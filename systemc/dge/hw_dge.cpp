// SPDX-License-Identifier: Apache-2.0
#include "systemc/dge/hw_dge.h"

#include <fmt/format.h>

#include <algorithm>

#include "systemc/dge/copy_expansion.h"

namespace tern::dge {

namespace {
constexpr std::uint64_t kLookAgain = 16;  // cycles, while a ring has no room

double bytes_of(const tern_instr_dma_copy_t& instruction) {
  double bytes = instruction.length == 0 ? TERN_DESCRIPTOR_MAX_LENGTH : instruction.length;
  for (const auto count : instruction.count) bytes *= count;
  return bytes;
}
}  // namespace

HwDge::HwDge(sc_core::sc_module_name name, const DmaConfig& config, unsigned core, RingPort& rings,
             trace::Bus* bus, const std::string& trace_process, const std::string& track)
    : sc_module(name),
      core_(core),
      latency_(config.hwdge_latency_ns, sc_core::SC_NS),
      clock_(config.hwdge_clock_ghz),
      gb_per_s_(config.hwdge_gb_per_s),
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
    const tern_instr_dma_copy_t instruction = waiting_.front().instruction;
    waiting_.pop_front();
    busy_ = true;
    taken_.notify(sc_core::SC_ZERO_TIME);
    const sc_core::sc_time begin = sc_core::sc_time_stamp();
    const std::uint64_t before = pairs_;
    wait(latency_);
    make(instruction);
    if (gb_per_s_ > 0) {
      const sc_core::sc_time moved =
          begin + sc_core::sc_time(bytes_of(instruction) / gb_per_s_, sc_core::SC_NS);
      if (moved > sc_core::sc_time_stamp()) wait(moved - sc_core::sc_time_stamp());
    }
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
