// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "sw/config/load_chip_config.h"
#include "sw/kernels/builder/kernel_builder.h"
#include "sw/platform/chips/chip_system.h"
#include "sw/runtime/runtime.h"
#include "systemc/chip/simulation.h"
#include "tb/chips/pipe_transport.h"

namespace tern::tb {

// Some chips of a system, connected by a PipeTransport.
struct ChipsBench {
  ChipsBench(const char* name, unsigned chips);
  runtime::Runtime& runtime(unsigned chip);

  Simulation simulation;
  const system::Fabric fabric;
  const ChipConfig config;
  PipeTransport* pipe = nullptr;
  std::unique_ptr<ChipSystem> chip_system;
  std::map<unsigned, std::unique_ptr<runtime::Runtime>> runtimes;  // of chips
};

constexpr fabric::Time kPipeLatency = 500'000'000;  // 500 ns

using Values = std::vector<float>;
// [128, columns] of each part, with fractions, of the test's seed.
std::vector<Values> random_values(unsigned parts, unsigned columns);

// A part of a program that adds up what all parts hold, [128, columns] FP32: inputs "x", outputs
// "y". anywhere: the parts are on any chips, otherwise on cores of one.
Executable sum_part(const ChipConfig& chip, unsigned part, unsigned parts, unsigned columns,
                    bool anywhere);

// Chip and core of each part.
using Places = std::vector<std::pair<unsigned, unsigned>>;
// The outputs "y", as large as the inputs "x", of programs of parts that run together; their other
// tensors are zero.
std::vector<Values> run_parts(ChipsBench& bench, const Places& places, const std::vector<Values>& x,
                              bool anywhere,
                              const std::function<Executable(unsigned part)>& program,
                              double* us = nullptr);
// The outputs of parts that add up.
std::vector<Values> sums(ChipsBench& bench, const Places& places, const std::vector<Values>& x,
                         bool anywhere);

}  // namespace tern::tb
