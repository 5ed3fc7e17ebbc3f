// SPDX-License-Identifier: Apache-2.0
// tern dma: the cost of a transfer on the whole chip: a table and a picture over its size, or the
// steps of one transfer.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "sw/app/host/interrupt.h"
#include "sw/app/host/progress.h"
#include "sw/app/measure/dma/dma_command.h"
#include "sw/app/measure/dma/dma_record.h"
#include "sw/app/report/named_files.h"
#include "sw/app/report/report_folder.h"
#include "sw/app/report/version.h"
#include "sw/app/report/write_report.h"
#include "sw/base/user_error.h"
#include "sw/config/dma_rates.h"
#include "sw/platform/live/live_publisher.h"
#include "systemc/chip/simulation.h"

namespace tern::app {
namespace {

constexpr std::uint32_t kFirstBytes = 32, kLastBytes = 32768;
constexpr std::uint32_t kFirstElement = 2, kLastElement = 512;

std::vector<DmaQuestion> questions_of(const DmaOptions& options) {
  DmaQuestion question;
  question.path = options.path;
  question.bytes = options.bytes;
  question.element = options.element;
  question.in_flight = options.in_flight;
  question.cores = options.cores;
  question.generators = options.generators;
  question.engines = options.engines;
  if (!options.sweep) return {question};
  std::vector<DmaQuestion> questions;
  if (options.over_element) {
    const std::uint32_t last = std::min(kLastElement, question.bytes);
    for (question.element = kFirstElement; question.element <= last; question.element *= 2)
      questions.push_back(question);
    return questions;
  }
  for (question.bytes = kFirstBytes; question.bytes <= kLastBytes; question.bytes *= 2)
    questions.push_back(question);
  return questions;
}

// The host's descriptors can leave engines out.
DescriptorMaker maker_of(const DmaOptions& options, const ChipConfig& chip) {
  const bool host = !chip.dma.hwdge || chip.dma.descriptors == DescriptorChoice::kHost ||
                    options.engines < Executable::kEngines;
  return options.descriptors.value_or(host ? DescriptorMaker::kHost : DescriptorMaker::kHardware);
}

void check(const DmaOptions& options, const ChipConfig& chip) {
  const auto expect = [](bool good, const char* option, const std::string& expected) {
    if (!good) throw UserError(fmt::format("{}: expected {}", option, expected));
  };
  expect(options.cores <= chip.cores, "--cores",
         fmt::format("at most {}, the cores of {}", chip.cores, chip.name));
  const std::uint64_t most = chip.core.sbuf_partition_bytes / 4;
  expect(options.bytes % 4 == 0 && options.bytes <= most, "--bytes",
         fmt::format("a multiple of 4 up to {} on {}", most, chip.name));
  expect(options.element == 0 || options.bytes % options.element == 0, "--element",
         fmt::format("a divisor of {}, the bytes per partition", options.bytes));
  const DescriptorMaker maker = maker_of(options, chip);
  expect(maker != DescriptorMaker::kHardware || chip.dma.hwdge, "--descriptors",
         fmt::format("host or software: {} has no descriptor generators (dma.hwdge)", chip.name));
  const std::string made_by =
      fmt::format("with descriptors by {}, as on {}", descriptor_maker_name(maker), chip.name);
  expect(maker == DescriptorMaker::kHardware || options.generators == 1, "--generators",
         "1 " + made_by);
  expect(maker == DescriptorMaker::kHost || options.engines == Executable::kEngines, "--engines",
         "all 16 " + made_by);
  if (maker == DescriptorMaker::kSoftware) {
    expect(options.path != TransferPath::kSbufToSbuf, "--path", "HBM on one side: GpSimd gathers");
    expect(options.element == 0 && !options.over_element, "--element",
           "0: GpSimd gathers whole rows");
    expect(options.bytes <= TERN_DESCRIPTOR_MAX_LENGTH, "--bytes",
           fmt::format("at most {}: a descriptor for each row", TERN_DESCRIPTOR_MAX_LENGTH));
  }
}

}  // namespace

int dma_command(const DmaOptions& options) {
  refuse_overwriting({options.chips, {{"--trace", options.trace}}, options.report, "dma"});
  prepare_report_folder(options.report, "dma");
  DmaRecord record;
  record.version = kVersion;
  record.command = options.command;
  record.overrides = options.overrides;
  record.sweep = options.sweep;
  record.over_element = options.over_element;
  record.trace_path = options.trace;
  const std::vector<DmaQuestion> questions = questions_of(options);
  record.question = questions.front();
  if (options.over_element) record.question.bytes = options.bytes;

  Simulation simulation;
  std::vector<std::unique_ptr<MeasuredChip>> chips;
  for (const std::string& name : options.chips) {
    const ChipConfig config = load_chip_config(name, options.overrides).chip;
    refuse_rtl(config, "tern dma");
    check(options, config);
    chips.push_back(
        std::make_unique<MeasuredChip>(fmt::format("chip{}", chips.size()), config, options.trace));
    DmaChipResult result;
    result.chip = config.name;
    result.values = chip_values(name, options.overrides);
    result.practical_gb_per_s = practical_gb_per_s(config);
    result.descriptors = descriptor_maker_name(maker_of(options, config));
    result.theoretical_gb_per_s = theoretical_gb_per_s(config);
    record.chips.push_back(result);
  }

  Progress progress("transfers", options.quiet);
  const std::size_t all = chips.size() * questions.size();
  std::size_t done = 0;
  Simulation::Options run;
  run.stop = catch_interrupts();
  run.progress = [&](std::uint64_t) {
    progress.update(static_cast<double>(done) / static_cast<double>(all),
                    fmt::format("{} of {} measured", done, all));
  };
  live::description().kind = "dma";
  live::Publisher live;
  for (auto& chip : chips) live.add(*chip, chip->config().name);
  live.watch(simulation);
  simulation.run(
      [&] {
        for (std::size_t c = 0; c < chips.size(); ++c) {
          for (DmaQuestion question : questions) {
            question.descriptors = maker_of(options, chips[c]->config());
            if (options.sweep) {
              record.chips[c].points.push_back(measure_point(*chips[c], question));
            } else {
              record.chips[c].steps = measure_steps(*chips[c], question);
            }
            ++done;
          }
        }
      },
      run);
  for (auto& chip : chips) chip->close_trace();

  return write_report(report_of(record), options.report, options.json);
}

}  // namespace tern::app
