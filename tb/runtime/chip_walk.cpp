// SPDX-License-Identifier: Apache-2.0
#include "tb/runtime/chip_walk.h"

#include <fmt/format.h>

#include <array>

#include "sw/base/checksum.h"
#include "sw/config/load_chip_config.h"
#include "sw/kernels/catalogue/case_errors.h"
#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/registers.h"
#include "systemc/chip/chip_counters.h"

namespace tern::tb {

namespace {

std::uint64_t core_register(unsigned core, std::uint64_t reg) {
  return TERN_CORE_BASE + core * TERN_CORE_STRIDE + TERN_CORE_REGS_BASE + reg;
}
std::uint64_t dma_register(unsigned core, unsigned engine, std::uint64_t reg) {
  return TERN_CORE_BASE + core * TERN_CORE_STRIDE + TERN_CORE_DMA_BASE +
         engine * TERN_CORE_DMA_STRIDE + reg;
}

// On all engines, quick.
struct SmallKernel {
  const char* name;
  std::array<std::pair<const char*, const char*>, 4> parameters;
};
constexpr SmallKernel kSmallKernels[] = {
    {"softmax", {{{"rows", "256"}, {"columns", "512"}}}},
    {"embedding", {{{"vocabulary", "512"}, {"count", "256"}, {"d", "128"}}}},
    {"embedding", {{{"vocabulary", "512"}, {"count", "128"}, {"d", "256"}, {"by", "product"}}}},
    {"cross_entropy", {{{"rows", "128"}, {"classes", "500"}}}},
    {"pooling", {{{"height", "16"}, {"width", "16"}}}},
    {"residual", {{{"rows", "128"}, {"columns", "1024"}}}},
    {"rotary", {{{"seq", "256"}, {"heads", "2"}}}},
    {"reduction", {{{"rows", "256"}, {"columns", "512"}, {"op", "max"}}}},
    {"convolution", {{{"channels", "64"}, {"height", "14"}, {"width", "14"}}}},
    {"attention", {{{"seq", "256"}, {"d", "64"}}}},
};

}  // namespace

ChipConfig walked_chip() {
  ChipConfig config = load_chip_config("trn3", {{"cores", "3", "test"},
                                                {"hbm.stacks", "2", "test"},
                                                {"hbm.scrub_gb_per_s", "0.5", "test"},
                                                {"hbm.faults_per_s", "20000", "test"}})
                          .chip;
  return config;
}

void EventLog::begin(std::uint64_t from_fs) {
  from_fs_ = from_fs;
  lines_.clear();
}

void EventLog::track(trace::TrackId id, const std::string& process, const std::string& thread) {
  if (tracks_.size() <= id) tracks_.resize(id + 1);
  tracks_[id] = process + "/" + thread;
}

void EventLog::add(trace::TrackId track, std::uint64_t time_fs, std::string text) {
  if (time_fs < from_fs_) return;
  lines_.push_back(fmt::format("{} {}: {}", time_fs, tracks_.at(track), text));
}

void EventLog::span(const trace::Span& span) {
  add(span.track, span.begin_fs, fmt::format("{} to {} {}", span.name, span.end_fs, span.args));
}

void EventLog::counter(trace::TrackId track, std::string_view name, std::uint64_t time_fs,
                       double value) {
  add(track, time_fs, fmt::format("{} {}", name, value));
}

void EventLog::state(trace::TrackId track, std::string_view name, std::uint64_t time_fs,
                     std::uint64_t value) {
  add(track, time_fs, fmt::format("{} = {}", name, value));
}

void EventLog::state(trace::TrackId track, std::string_view name, std::uint64_t time_fs,
                     std::string_view value) {
  add(track, time_fs, fmt::format("{} = '{}'", name, value));
}

ChipWalk::ChipWalk(HostedChip& chip)
    : chip_(chip), runtime_(std::make_unique<runtime::Runtime>(chip.host())) {}

void ChipWalk::run_kernels(std::mt19937_64& random, unsigned count) {
  for (unsigned i = 0; i < count; ++i) run_kernel(random);
}

void ChipWalk::run_kernel(std::mt19937_64& random) {
  const SmallKernel& small = kSmallKernels[random() % std::size(kSmallKernels)];
  const kernels::Kernel& chosen = kernels::find_kernel(small.name);
  kernels::Parameters parameters(chosen.parameters);
  for (const auto& [name, value] : small.parameters) {
    if (name != nullptr) parameters.set(name, value);
  }
  const auto core = static_cast<unsigned>(random() % chip_.config().cores);
  const kernels::KernelCase kernel = chosen.make(parameters, chip_.config(), random());
  std::vector<runtime::Buffer> buffers;
  runtime::Runtime::Bindings bindings;
  buffers.reserve(kernel.inputs.size() + kernel.outputs.size());
  for (const kernels::CaseInput& input : kernel.inputs) {
    buffers.push_back(runtime_->allocate(input.name, input.bytes.size(), core));
    runtime_->copy_to_device(buffers.back(), input.bytes.data(), input.bytes.size());
    bindings[input.name] = &buffers.back();
  }
  for (const kernels::CaseOutput& output : kernel.outputs) {
    buffers.push_back(runtime_->allocate(output.name, kernels::output_bytes(output), core));
    bindings[output.name] = &buffers.back();
  }
  auto program = runtime_->load(kernel.program, bindings, core);
  runtime_->run(program);
  for (std::size_t i = kernel.inputs.size(); i < buffers.size(); ++i) {
    std::string bytes(buffers[i].bytes(), '\0');
    runtime_->copy_from_device(buffers[i], bytes.data(), bytes.size());
    results_ = base::crc32_of(bytes + std::to_string(results_));
  }
}

void ChipWalk::stir(std::mt19937_64& random) {
  runtime::HostPort& host = chip_.host();
  const auto below = [&](std::uint64_t count) { return static_cast<unsigned>(random() % count); };
  const unsigned core = below(chip_.config().cores), engine = below(16);
  for (unsigned i = 0; i < 4; ++i) {
    host.write32(core_register(core, TERN_REG_CORE_SEMAPHORE_SET + 4 * below(256)), below(1000));
    const unsigned event = 4 * below(256);
    const bool is_set = host.read32(core_register(core, TERN_REG_CORE_EVENT_READ + event)) != 0;
    host.write32(
        core_register(core, (is_set ? TERN_REG_CORE_EVENT_CLEAR : TERN_REG_CORE_EVENT_SET) + event),
        1);
  }
  // A word of PSUM, and one of the random state after its banks.
  host.write32(TERN_CORE_BASE + core * TERN_CORE_STRIDE + TERN_CORE_PSUM_BASE +
                   below(128) * TERN_CORE_PSUM_STRIDE + 4 * below(4096),
               below(1u << 30));
  host.write32(dma_register(core, engine, TERN_REG_DMA_QOS_RATE + 4 * below(4)), below(16384));
  host.write32(dma_register(core, engine, TERN_REG_DMA_QOS_POLICY), below(3));
  host.write32(dma_register(core, engine, TERN_REG_DMA_RING_CLASS + 0x40 * below(16)), below(4));
  host.write32(TERN_CHIP_REGS_BASE + TERN_REG_CHIP_MSI_ENABLE, below(8));
  // Bits of a buffer that stays: one wrong bit in a burst, sometimes two.
  kept_.push_back(runtime_->allocate("kept", 65536, core));
  std::vector<std::uint8_t> bytes(65536);
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
  runtime_->copy_to_device(kept_.back(), bytes.data(), bytes.size());
  const std::uint64_t address = kept_.back().address() - TERN_HBM_BASE;
  hbm::Stack& stack = chip_.chip().hbm().stack(static_cast<unsigned>(address / TERN_HBM_STRIDE));
  for (unsigned i = 0; i < 5; ++i)
    stack.flip_bit(address % TERN_HBM_STRIDE + below(65536), below(8));
  // Notifications of one core, into that buffer.
  if (below(2) == 0) {
    const std::uint64_t queue = core_register(core, 0x20 * below(TERN_NOTIFICATION_COUNT));
    host.write32(queue + TERN_REG_CORE_NOTIFY_SIZE, 0);
    host.write64(queue + TERN_REG_CORE_NOTIFY_BASE, kept_.back().address());
    host.write32(queue + TERN_REG_CORE_NOTIFY_SIZE, 1 + below(64));
  }
}

std::string ChipWalk::registers() {
  std::string text;
  const auto add = [&](std::uint64_t address) {
    std::uint32_t value = 0;
    if (chip_.host().peek32(address, &value)) text += fmt::format("{:x} {:x}\n", address, value);
  };
  for (unsigned core = 0; core < chip_.config().cores; ++core) {
    for (std::uint64_t reg = 0; reg < 0x3000; reg += 4) add(core_register(core, reg));
    for (unsigned engine = 0; engine < 16; ++engine) {
      for (std::uint64_t reg = 0; reg < 0x500; reg += 4) add(dma_register(core, engine, reg));
    }
  }
  for (std::uint64_t reg = 0; reg < 0x400; reg += 4) add(TERN_CHIP_REGS_BASE + reg);
  const ChipCounters counters = chip_counters(chip_.chip());
  text +=
      fmt::format("{} {} {} {} {} {} {} {}\n", counters.hbm_reads, counters.hbm_writes,
                  counters.hbm_bus_read_bytes, counters.hbm_row_hits, counters.hbm_row_conflicts,
                  counters.hbm_refreshes, counters.host_read_bytes, counters.host_write_bytes);
  return text;
}

}  // namespace tern::tb
