// SPDX-License-Identifier: Apache-2.0
#include "sw/platform/live/chip_sampler.h"

#include <algorithm>

#include "sw/platform/managed/own_firmware.h"
#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/registers.h"

namespace tern::live {

namespace {

double us(std::uint64_t fs) {
  return static_cast<double>(fs) * 1e-9;
}

// Without effects on the chip: a register over the debug path.
CoreState state_of(Chip& chip, unsigned core) {
  std::uint32_t status = 0;
  const std::uint64_t address =
      TERN_CORE_BASE + core * TERN_CORE_STRIDE + TERN_CORE_REGS_BASE + TERN_REG_CORE_CORE_STATUS;
  if (!chip.peek(address, &status, sizeof status)) return CoreState::kIdle;
  if ((status & TERN_REG_CORE_CORE_STATUS_RESETTING_MASK) != 0) return CoreState::kResetting;
  if (chip.core(core).errors().any()) return CoreState::kError;
  if ((status & TERN_REG_CORE_CORE_STATUS_HELD_MASK) != 0) return CoreState::kHeld;
  if ((status & TERN_REG_CORE_CORE_STATUS_STALLED_MASK) != 0) return CoreState::kStalled;
  return (status & TERN_REG_CORE_CORE_STATUS_RUNNING_MASK) != 0 ? CoreState::kRunning
                                                                : CoreState::kIdle;
}

Core core_of(Chip& chip, unsigned number) {
  NeuronCore& core = chip.core(number);
  Core sample;
  sample.state = state_of(chip, number);
  for (unsigned q = 0; q < TERN_QUEUE_COUNT; ++q) {
    sample.engines[q].instructions = core.queue(q).executed_instructions();
    sample.engines[q].busy_us = us(core.queue(q).busy_fs());
  }
  sample.macs = core.tensor_counters().macs;
  for (unsigned e = 0; e < NeuronCore::kDmaEngines; ++e) {
    const dma::Engine::Counters& counters = core.dma(e).counters();
    sample.dma_bytes += counters.bytes;
    sample.dma_descriptors += counters.descriptors;
    sample.dma_busy_us += us(counters.busy_fs) / NeuronCore::kDmaEngines;
  }
  const ProgramTimes& programs = core.program_times();
  sample.programs = programs.ended();
  sample.failed_programs = programs.failed();
  for (std::size_t p = 0; p < kPercentiles.size() && programs.ended() != 0; ++p)
    sample.program_us[p] =
        us(p == 0 ? programs.times().min_fs() : programs.times().percentile_fs(kPercentiles[p]));
  std::uint32_t errors = 0;
  if (chip.health().read(TERN_REG_CHIP_CORE_ERRORS + 4 * number, &errors)) sample.errors = errors;
  return sample;
}

// Of the counters of its memory, not of its registers: reading those makes pending faults happen.
Stack stack_of(const HbmMemory& hbm, unsigned number) {
  const hbm::Stack& stack = hbm.stack(number);
  const HbmMemory::StackCounters& counters = hbm.counters(number);
  const hbm::EccCounters& ecc = stack.memory().counters();
  return {
      stack.memory().bytes().size(), stack.memory().bytes().allocated_bytes(), counters.read_bytes,
      counters.write_bytes,          ecc.corrected_reads + ecc.scrubbed,       ecc.uncorrectable};
}

const char* unit_of(unsigned kind) {
  switch (kind) {
    case TERN_SENSOR_KIND_TEMPERATURE:
      return "C";
    case TERN_SENSOR_KIND_POWER:
      return "W";
    default:
      return "V";
  }
}

}  // namespace

Device ChipSampler::sample() {
  Chip& chip = chip_->chip();
  Device device;
  device.name = name_;
  device.chip = chip.config().name;
  device.sbuf_bytes = chip.config().core.sbuf_partition_bytes * TERN_CORE_SBUF_COUNT;
  // Over the link: through the BARs, and by the chip's own accesses to the host's memory.
  device.host_read_bytes =
      chip.host_port().counters().read_bytes + chip.bus_master().counters().write_bytes;
  device.host_write_bytes =
      chip.host_port().counters().write_bytes + chip.bus_master().counters().read_bytes;
  const double now_us = sc_core::sc_time_stamp().to_seconds() * 1e6;
  const double passed = now_us - last_us_;
  const auto share = [passed](double busy, double before) {
    // An instruction counts when it ends, with all of its time.
    return passed > 0 ? std::clamp((busy - before) / passed, 0.0, 1.0) : 0.0;
  };
  last_.resize(chip.cores());
  for (unsigned n = 0; n < chip.cores(); ++n) {
    Core core = core_of(chip, n);
    for (unsigned q = 0; q < TERN_QUEUE_COUNT; ++q)
      core.engines[q].utilization = share(core.engines[q].busy_us, last_[n].engines[q].busy_us);
    core.dma_utilization = share(core.dma_busy_us, last_[n].dma_busy_us);
    device.cores.push_back(core);
  }
  last_ = device.cores;
  last_us_ = now_us;
  for (unsigned s = 0; s < chip.hbm().stacks(); ++s)
    device.stacks.push_back(stack_of(chip.hbm(), s));
  return device;
}

Management sample_of(mgmt::Board& board) {
  Management sample;
  sample.board = board.config().name;
  sample.harts = board.harts();
  sample.instructions = board.instructions();
  mgmt::Domain* domain = board.domain();
  if (domain == nullptr) return sample;
  sample.phase = phase_name(domain->control().phase());
  const mgmt::ControlBlock::State control = domain->control().save();
  for (unsigned c = 0; c < TERN_ERROR_CLASS_COUNT; ++c) sample.errors[c] = control.errors[c].count;
  sample.power_permille = domain->power().level(board.now());
  const mgmt::Sensors& sensors = domain->sensors();
  for (std::size_t i = 0; i < sensors.count(); ++i)
    sample.sensors.push_back({sensors.config(i).name, unit_of(sensors.config(i).kind),
                              sensors.value(i, board.now()) * 1e-3});
  return sample;
}

}  // namespace tern::live
