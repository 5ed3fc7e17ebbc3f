// SPDX-License-Identifier: Apache-2.0
#include "systemc/chip/chip_health.h"

#include <cmath>
#include <optional>
#include <utility>

#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/isa.h"
#include "sw/spec/generated/registers.h"
#include "systemc/trace/sim_time.h"

namespace tern {

namespace {

constexpr double kMbPerGb = 1000;
// Ten times what a stack would be scrubbed with; each piece of a KiB costs the simulation time.
constexpr std::uint32_t kMostScrubMb = 10'000;

// The element of a register array, of those that exist.
std::optional<std::size_t> element(std::uint64_t offset, std::uint64_t first, std::uint64_t stride,
                                   std::size_t count) {
  if (offset < first || offset >= first + stride * count || offset % 4 != 0) return {};
  return (offset - first) / stride;
}

ChipFault fault_of_core(unsigned core, std::uint32_t code, std::uint32_t queue,
                        std::uint32_t index) {
  if (queue >= TERN_REG_CORE_ERROR_QUEUE_DMA)
    return {ChipFault::Kind::kDmaAbort, core,
            std::uint64_t{queue - TERN_REG_CORE_ERROR_QUEUE_DMA} << 8 | index};
  return {code == TERN_ERROR_SEMAPHORE_RANGE ? ChipFault::Kind::kSemaphore
                                             : ChipFault::Kind::kSequencer,
          core, std::uint64_t{queue} << 32 | index};
}

}  // namespace

ChipHealth::ChipHealth(HbmMemory& hbm, const std::vector<std::unique_ptr<NeuronCore>>& cores)
    : hbm_(hbm), stacks_(hbm.stacks()), core_errors_(cores.size()) {
  hbm_.observe_ecc([this](unsigned stack, std::uint64_t offset, bool corrected) {
    found_bits(stack, offset, corrected);
  });
  for (unsigned n = 0; n < cores.size(); ++n) {
    cores[n]->set_error_observer([this, n](std::uint32_t code, std::uint32_t queue,
                                           std::uint32_t index, std::uint32_t /*detail*/) {
      ++core_errors_[n];
      report(fault_of_core(n, code, queue, index));
    });
  }
}

void ChipHealth::found_bits(unsigned stack, std::uint64_t offset, bool corrected) {
  Stack& kept = stacks_[stack];
  ++(corrected ? kept.corrected : kept.uncorrectable);
  kept.address = TERN_HBM_BASE + stack * TERN_HBM_STRIDE + offset;
  report({corrected ? ChipFault::Kind::kCorrected : ChipFault::Kind::kUncorrectable, stack,
          kept.address});
}

bool ChipHealth::read(std::uint64_t offset, std::uint32_t* value) const {
  const auto stack = [&](std::uint64_t first, std::uint64_t stride = 4) {
    const auto s = element(offset, first, stride, stacks_.size());
    if (s) hbm_.stack(static_cast<unsigned>(*s)).catch_up(now_fs());
    return s;
  };
  if (const auto s = stack(TERN_REG_CHIP_HBM_CORRECTED)) {
    *value = stacks_[*s].corrected;
  } else if (const auto u = stack(TERN_REG_CHIP_HBM_UNCORRECTABLE)) {
    *value = stacks_[*u].uncorrectable;
  } else if (const auto a = stack(TERN_REG_CHIP_HBM_ERROR_ADDRESS, 8)) {
    *value = static_cast<std::uint32_t>(stacks_[*a].address >> (offset % 8 == 0 ? 0 : 32));
  } else if (const auto r = stack(TERN_REG_CHIP_HBM_SCRUB)) {
    *value = static_cast<std::uint32_t>(
        std::lround(hbm_.stack(static_cast<unsigned>(*r)).scrub_gb_per_s() * kMbPerGb));
  } else if (const auto n = element(offset, TERN_REG_CHIP_CORE_ERRORS, 4, core_errors_.size())) {
    *value = core_errors_[*n];
  } else {
    return false;
  }
  return true;
}

void ChipHealth::archive_state(base::StateArchive& archive) {
  archive.section("health");
  for (Stack& stack : stacks_) archive.numbers(stack.corrected, stack.uncorrectable, stack.address);
  archive.each(core_errors_);
}

bool ChipHealth::write(std::uint64_t offset, std::uint32_t value) {
  if (const auto r = element(offset, TERN_REG_CHIP_HBM_SCRUB, 4, stacks_.size())) {
    if (value > kMostScrubMb) return false;
    hbm::Stack& stack = hbm_.stack(static_cast<unsigned>(*r));
    stack.catch_up(now_fs());
    stack.set_scrub(now_fs(), value / kMbPerGb);
  } else if (const auto s = element(offset, TERN_REG_CHIP_HBM_CORRECTED, 4, stacks_.size())) {
    stacks_[*s].corrected = 0;
  } else if (const auto u = element(offset, TERN_REG_CHIP_HBM_UNCORRECTABLE, 4, stacks_.size())) {
    stacks_[*u].uncorrectable = 0;
  } else if (const auto n = element(offset, TERN_REG_CHIP_CORE_ERRORS, 4, core_errors_.size())) {
    core_errors_[*n] = 0;
  } else {
    return false;
  }
  return true;
}

}  // namespace tern
