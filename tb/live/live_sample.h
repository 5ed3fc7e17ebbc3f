// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/live/live_state.h"

namespace tern::tb {

// A state in which every value differs from its default.
inline live::State live_sample(int pid, std::uint64_t start_ticks) {
  live::State state;
  state.pid = pid;
  state.start_ticks = start_ticks;
  state.command = "tern run w.yaml";
  state.kind = "mlp";
  state.version = "1.2.3";
  state.started_s = 1.7e9;
  state.updated_s = 1.7e9 + 2;
  state.wall_s = 2;
  state.simulated_us = 1000;
  state.speed = 500;
  live::Device device;
  device.name = "chip";
  device.chip = "trn3";
  device.connected = {3, 12};
  device.sbuf_bytes = 32 << 20;
  device.host_read_bytes = 11;
  device.host_write_bytes = 12;
  live::Core core;
  core.state = live::CoreState::kRunning;
  for (unsigned q = 0; q < TERN_QUEUE_COUNT; ++q)
    core.engines[q] = {100 + q, 10.0 * (q + 1), 0.1 * (q + 1)};
  core.macs = 1'000'000;
  core.dma_bytes = 4096;
  core.dma_descriptors = 7;
  core.dma_busy_us = 123.5;
  core.dma_utilization = 0.25;
  core.programs = 5;
  core.failed_programs = 1;
  core.errors = 2;
  core.program_us = {1, 2, 3, 4, 5, 6, 7};
  device.cores = {core, {}};
  device.stacks = {{std::uint64_t{36} << 30, 1 << 20, 100, 200, 3, 4}};
  state.devices = {device};
  live::Management management;
  management.board = "tern";
  management.phase = "ready";
  management.harts = 2;
  management.instructions = 12345;
  management.errors[TERN_ERROR_CLASS_HANG] = 9;
  management.power_permille = 750;
  management.sensors = {{"die", "C", 51.5}, {"margin", "V", -0.25}};
  state.management = management;
  return state;
}

}  // namespace tern::tb
