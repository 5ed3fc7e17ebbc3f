// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sw/app/host/measured_chip.h"
#include "sw/app/measure/dma/transfer_program.h"

namespace tern::app {

// The results of a sweep for one size of a transfer on one chip. Rates in 1e9 bytes per second.
struct DmaPoint {
  std::uint32_t bytes = 0;  // per partition
  std::uint32_t run = 0;    // contiguous bytes at the source
  // A transfer on an idle chip: from its trigger to the instruction that waits for its +16.
  double alone_ns = 0, alone_gb_per_s = 0;
  // Many in flight: one core's share of the time, in the steady state.
  double transfer_ns = 0, gb_per_s = 0;
  double share = 0;       // of the practical rate of the core's 16 engines
  double formula_ns = 0;  // of transfer_ns (docs/data-movement.md); 0: it does not apply, as with
                          // few in flight
};

// The steps of one transfer on an otherwise idle chip, in ns after its trigger was executed.
struct DmaSteps {
  struct Step {
    double ns = 0;
    std::string what;
  };
  std::vector<Step> steps;
  std::uint64_t bytes = 0;
  unsigned pairs = 0, packets = 0;  // on all engines
  double end_ns = 0;                // the program continues
  double engine_ns = 0;             // of the slowest engine, from its first packet to its last
  double begin_us = 0;              // simulated time of the trigger, as in a trace
  // Of several starts at different moments of the memory's refresh this is the one whose end is in
  // the middle.
  unsigned starts = 1;
  double least_end_ns = 0, most_end_ns = 0;
};

struct DmaQuestion;

// ns per transfer with many in flight on one core: the time of its engines, or of its network port
// if that is longer.
double formula_ns(const ChipConfig& chip, const DmaQuestion& question);

struct DmaQuestion {
  TransferPath path = TransferPath::kHbmToSbuf;
  std::uint32_t bytes = 2048, element = 0;
  unsigned in_flight = 32;
  DescriptorMaker descriptors = DescriptorMaker::kHost;
  unsigned generators = 1, engines = 16;
  unsigned starts = 9;  // of a transfer alone
  unsigned cores = 1;   // that run the same series at the same time
};

// Both run in the host's SystemC thread.
DmaPoint measure_point(MeasuredChip& chip, const DmaQuestion& question);
DmaSteps measure_steps(MeasuredChip& chip, const DmaQuestion& question);

}  // namespace tern::app
