// SPDX-License-Identifier: Apache-2.0
#include "sw/app/check/check_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "sw/app/check/march.h"
#include "sw/base/checksum.h"
#include "sw/base/stop.h"
#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/registers.h"
#include "sw/train/initial_state.h"

namespace tern::app {

namespace {

constexpr std::size_t kBeat = 64;

std::vector<std::uint8_t> backgrounds_of(bool full) {
  if (full) return {0x00, 0x55, 0x33, 0x0F};
  return {0x00, 0x55};
}

// First, middle and last bytes of a stack.
std::vector<MarchRange> stack_ranges(const ChipConfig& chip, unsigned stack, bool full) {
  const std::uint64_t bytes = full ? 64 * 1024 : 2048;
  std::vector<MarchRange> ranges;
  for (const std::uint64_t at :
       {std::uint64_t{0}, chip.hbm.stack_bytes / 2, chip.hbm.stack_bytes - bytes})
    ranges.push_back(
        {TERN_HBM_BASE + stack * TERN_HBM_STRIDE + at, bytes, fmt::format("stack {}", stack)});
  return ranges;
}

// Ranges are partitions: a difference names one.
std::vector<MarchRange> partition_ranges(unsigned core, std::uint64_t base, std::uint64_t stride,
                                         std::uint64_t first, std::uint64_t bytes,
                                         const char* name) {
  std::vector<MarchRange> ranges;
  for (unsigned p = 0; p < TERN_CORE_SBUF_COUNT; ++p)
    ranges.push_back({TERN_CORE_BASE + core * TERN_CORE_STRIDE + base + p * stride + first, bytes,
                      fmt::format("{} partition {}", name, p)});
  return ranges;
}

struct EccCounts {
  std::uint32_t corrected = 0, uncorrectable = 0;
  std::uint64_t address = 0;
};

EccCounts ecc_counts(runtime::HostPort& host, unsigned stack) {
  const auto word = [&](std::uint64_t offset) { return host.read32(TERN_CHIP_REGS_BASE + offset); };
  EccCounts counts;
  counts.corrected = word(TERN_REG_CHIP_HBM_CORRECTED + 4 * stack);
  counts.uncorrectable = word(TERN_REG_CHIP_HBM_UNCORRECTABLE + 4 * stack);
  counts.address = word(TERN_REG_CHIP_HBM_ERROR_ADDRESS + 8 * stack) |
                   std::uint64_t{word(TERN_REG_CHIP_HBM_ERROR_ADDRESS + 8 * stack + 4)} << 32;
  return counts;
}

}  // namespace

std::uint64_t marched_sbuf_bytes(bool full) {
  return full ? 1024 : 64;
}

CheckRun::CheckRun(CheckBench& bench, const Parts& parts, CheckRecord* record)
    : bench_(bench),
      parts_(parts),
      record_(record),
      tests_(screen_tests(bench.config(), record->full)) {
  if (parts_.march) all_ += record_->stacks + 2 * record_->cores.size();
  if (parts_.screen) all_ += tests_.size();
  if (parts_.training) ++all_;
}

double CheckRun::progress() const {
  return all_ == 0 ? 1 : static_cast<double>(done_) / static_cast<double>(all_);
}

void CheckRun::begin(const std::string& test) {
  base::end_if_requested();
  current_ = test;
}

void CheckRun::run() {
  if (parts_.march) {
    march_stacks();
    march_cores();
  }
  if (parts_.screen) {
    for (const ScreenTest& test : tests_) screen(test);
  }
  if (parts_.training) training();
}

void CheckRun::add(const ScreenTest& test, unsigned core, const Difference& difference,
                   const std::string& failure) {
  CheckResult result;
  result.test = test.name;
  result.block = test.block;
  result.unit = core;
  result.passed = failure.empty() && difference.good();
  result.words = difference.words;
  result.wrong = difference.wrong;
  if (!result.passed) result.detail = failure.empty() ? difference_text(difference) : failure;
  record_->results.push_back(result);
}

// A stuck data line is corrected by the code: its counters are looked at, too.
void CheckRun::march_stacks() {
  for (unsigned stack = 0; stack < record_->stacks; ++stack, ++done_) {
    begin("march of HBM through the host port");
    const EccCounts before = ecc_counts(bench_.host(), stack);
    Difference difference;
    std::string failure;
    try {
      difference = march_by_host(bench_.host(), stack_ranges(bench_.config(), stack, record_->full),
                                 kBeat, backgrounds_of(record_->full));
    } catch (const Interrupted&) {
      throw;
    } catch (const RunError& error) {
      failure = error.what();
    }
    const EccCounts after = ecc_counts(bench_.host(), stack);
    if (after.corrected != before.corrected || after.uncorrectable != before.uncorrectable)
      failure += fmt::format("{}ECC: {} bursts corrected, {} not correctable, the newest at {:#x}",
                             failure.empty() ? "" : "; ", after.corrected - before.corrected,
                             after.uncorrectable - before.uncorrectable, after.address);
    difference.lanes.clear();
    add({current_, "hbm", {}}, stack, difference, failure);
    record_->results.back().stack = true;
  }
}

void CheckRun::march_cores() {
  const std::uint64_t bytes = marched_sbuf_bytes(record_->full);
  const std::uint64_t partition = bench_.config().core.sbuf_partition_bytes;
  for (const bool psum : {false, true}) {
    for (const unsigned core : record_->cores) {
      begin(fmt::format("march of {} through the host port", psum ? "PSUM" : "SBUF"));
      std::vector<MarchRange> ranges;
      if (psum) {
        ranges = partition_ranges(core, TERN_CORE_PSUM_BASE, TERN_CORE_PSUM_STRIDE, 0,
                                  record_->full ? 512 : kBeat, "PSUM");
      } else {
        ranges =
            partition_ranges(core, TERN_CORE_SBUF_BASE, TERN_CORE_SBUF_STRIDE, 0, bytes, "SBUF");
        for (const MarchRange& end :
             partition_ranges(core, TERN_CORE_SBUF_BASE, TERN_CORE_SBUF_STRIDE, partition - bytes,
                              bytes, "SBUF"))
          ranges.push_back(end);
      }
      Difference difference =
          march_by_host(bench_.host(), ranges, kBeat, backgrounds_of(record_->full));
      difference.lanes.clear();  // the first wrong value names the partition
      add({current_, psum ? "psum" : "sbuf", {}}, core, difference, "");
      ++done_;
    }
  }
}

void CheckRun::screen(const ScreenTest& test) {
  begin(test.name);
  const ScreenProgram program = test.make();
  std::map<unsigned, CheckBench::Result> results =
      bench_.run(program.program, program.inputs, record_->cores);
  for (const auto& [core, result] : results)
    add(test, core, result.failure.empty() ? differences(program, result.outputs) : Difference(),
        result.failure);
  ++done_;
}

std::map<unsigned, std::string> CheckRun::train(std::map<unsigned, GoldenBits>* bits) {
  const train::MlpSpec spec = GoldenTraining::spec();
  const train::Model model = train::mlp_model(spec);
  const Executable program = model.build_step(bench_.config(), nullptr);
  const train::State state = train::initial_state(spec, 0);
  std::map<unsigned, CheckBench::Loaded> loaded;
  runtime::Runtime& runtime = bench_.runtime();
  for (const unsigned core : record_->cores) {
    CheckBench::Loaded each = bench_.load(program, core);
    for (std::size_t t = 0; t < model.state.size(); ++t)
      runtime.copy_to_device(each.buffers.at(model.state[t].name), state[t].data(),
                             state[t].size());
    loaded.emplace(core, std::move(each));
  }
  std::map<unsigned, std::string> failures;  // the first one of each core
  const auto note = [&failures](unsigned core, const std::string& failure) {
    if (failures[core].empty()) failures[core] = failure;
  };
  for (unsigned step = 0; step < GoldenTraining::kSteps; ++step) {
    const train::Batch batch = GoldenTraining::batch(step);
    const std::vector<float> hyper = GoldenTraining::hyper(step);
    for (auto& [core, each] : loaded) {
      runtime.copy_to_device(each.buffers.at("x"), batch.x.data(), batch.x.size());
      runtime.copy_to_device(each.buffers.at("labels"), batch.labels.data(),
                             batch.labels.size() * sizeof batch.labels[0]);
      runtime.copy_to_device(each.buffers.at("hyper"), hyper.data(),
                             hyper.size() * sizeof hyper[0]);
    }
    for (auto& [core, failure] : bench_.execute(loaded)) note(core, failure);
    for (auto& [core, each] : loaded)
      note(core, bench_.read(each, "metrics", &(*bits)[core].losses[step], sizeof(std::uint32_t)));
  }
  for (auto& [core, each] : loaded) {
    std::string bytes;
    for (const train::StateTensor& tensor : model.state) {
      const std::size_t at = bytes.size();
      bytes.resize(at + tensor.bytes());
      note(core, bench_.read(each, tensor.name, bytes.data() + at, tensor.bytes()));
    }
    (*bits)[core].state_crc32 = base::crc32_of(bytes);
  }
  return failures;
}

void CheckRun::training() {
  begin("golden training");
  std::map<unsigned, GoldenBits> bits;
  const GoldenBits& expected = golden_bits();
  for (const auto& [core, failure] : train(&bits)) {
    const GoldenBits& is = bits[core];
    Difference difference;
    difference.words = GoldenTraining::kSteps + 1;
    for (unsigned step = 0; step < GoldenTraining::kSteps; ++step)
      difference.wrong += is.losses[step] != expected.losses[step] ? 1 : 0;
    difference.wrong += is.state_crc32 != expected.state_crc32 ? 1 : 0;
    const auto text = golden_difference(is, expected);
    add({current_, "training", {}}, core, difference,
        failure.empty() ? text.value_or("") : failure);
  }
  ++done_;
}

}  // namespace tern::app
