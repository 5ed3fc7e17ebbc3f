// SPDX-License-Identifier: Apache-2.0
#include "sw/app/measure/dma/dma_measure.h"

#include <fmt/format.h>

#include <algorithm>

#include "sw/base/math.h"
#include "sw/base/user_error.h"
#include "sw/config/dma_rates.h"
#include "sw/runtime/runtime.h"
#include "sw/spec/generated/dma.h"
#include "systemc/trace/sim_time.h"

namespace tern::app {
namespace {

// Of a sustained rate, per core: large enough that reads ahead and writes not yet acknowledged at
// its ends are negligible.
constexpr std::uint64_t kMinBytes = std::uint64_t{96} << 20;
constexpr std::uint64_t kMinTransfers = 24, kMaxTransfers = 512;
constexpr unsigned kBeatBytes = TERN_DMA_BEAT_BYTES;
constexpr unsigned kPartitionsPerEngine = TERN_CORE_SBUF_COUNT / Executable::kEngines;
constexpr std::uint64_t kMaxPairs = 1 << 15;  // of an engine in one series

double nanoseconds(std::uint64_t fs) {
  return static_cast<double>(fs) * 1e-6;
}

// When the watched transfers of a core were complete, and when its triggers were executed.
struct SeriesTimes {
  std::vector<std::uint64_t> triggered, completed;
};

// The same series on the first `cores` cores at the same time, on a chip at rest, at a moment of
// the memory's refresh (0..1 of its interval).
std::vector<SeriesTimes> run_series(MeasuredChip& chip, const TransferSeries& series,
                                    unsigned cores, double moment) {
  runtime::Runtime runtime(chip.host());
  const std::uint64_t begin = now_fs();
  std::vector<runtime::Buffer> buffers;
  std::vector<runtime::Program> programs;
  buffers.reserve(cores);
  programs.reserve(cores);
  for (unsigned core = 0; core < cores; ++core) {
    const Executable program = transfer_program(series, chip.config().core.sbuf_partition_bytes);
    runtime::Runtime::Bindings bindings;
    for (const TensorInfo& tensor : program.tensors) {
      buffers.push_back(runtime.allocate(tensor.name, tensor.bytes(), core));
      bindings[tensor.name] = &buffers.back();
    }
    programs.push_back(runtime.load(program, bindings, core));
  }
  chip.settle();
  sc_core::wait(sc_core::sc_time(chip.config().hbm.timing.t_refi * moment, sc_core::SC_NS));
  for (auto& program : programs) runtime.execute(program);
  for (auto& program : programs) runtime.wait(program);

  std::vector<SeriesTimes> times(cores);
  for (unsigned core = 0; core < cores; ++core) {
    const trace::SpanLog& log = chip.spans(core);
    for (const auto& span :
         spans_since(log, starting_queue(series), starting_instruction(series), begin))
      times[core].triggered.push_back(span.begin_fs);
    for (const auto& span : spans_since(log, kWaitingQueue, "nop", begin))
      times[core].completed.push_back(span.begin_fs);
  }
  return times;
}

// When the second of two transfers, one at a time, was triggered. The trace shows an instruction
// from the end of the previous one of its queue on: on an engine so slow that the first trigger
// lasts longer than its transfer, that is too late.
std::uint64_t second_trigger(MeasuredChip& chip, const TransferSeries& series,
                             const SeriesTimes& times) {
  const std::uint64_t begin = times.triggered.at(1);
  const auto packets = spans_since(chip.spans(0), "dma0", "", times.completed.at(0));
  if (!packets.empty() && packets.front().begin_fs >= begin && times.completed.at(1) > begin)
    return begin;
  throw UserError(
      fmt::format("core.{0}: too slow to measure transfers: its first instruction ends after the "
                  "second transfer "
                  "has begun (core.{0}.clock_ghz, or what an instruction takes and waits for)",
                  starting_queue(series)));
}

}  // namespace

double formula_ns(const ChipConfig& chip, const DmaQuestion& question) {
  const std::uint32_t run =
      question.element == 0 ? question.bytes : std::min(question.element, question.bytes);
  const double runs = static_cast<double>(question.bytes) / run * kPartitionsPerEngine;
  // The fetch of many pairs and the triggers of short transfers are not in the formula.
  const bool many = run < question.bytes || run < 256;
  if (question.descriptors == DescriptorMaker::kHost && many) return 0;
  // Latency of fewer than these shows.
  constexpr unsigned kManyInFlight = 8;
  if (question.in_flight < kManyInFlight) return 0;
  const double beats = runs * ceil_div(run, kBeatBytes) + 1;  // 1: the semaphore
  // A run takes two cycles at least: its set-up and a piece.
  const double least = 2 * (runs + 1);
  const double cycles =
      std::max(least, (runs + 1) * chip.dma.descriptor_cycles + beats / chip.dma.efficiency);
  const double passes = question.path == TransferPath::kSbufToSbuf ? 2 : 1;
  const double port = passes * question.engines * beats * kBeatBytes / chip.noc.core_port_gb_per_s;
  double generator = 0;  // it makes the semaphores' pairs, too
  if (question.descriptors == DescriptorMaker::kHardware) {
    const unsigned of_row = run < question.bytes ? 2 : 1;  // a pattern takes two
    const double pairs = Executable::kEngines * (of_row * kPartitionsPerEngine + 1);
    generator = chip.dma.hwdge_latency_ns + pairs / chip.dma.hwdge_clock_ghz;
    if (chip.dma.hwdge_gb_per_s > 0) {
      const double bytes = double{kPartitionsPerEngine} * Executable::kEngines * question.bytes;
      generator = std::max(generator, bytes / chip.dma.hwdge_gb_per_s);
    }
    generator /= question.generators;
  }
  if (question.descriptors == DescriptorMaker::kSoftware) {
    constexpr unsigned kProcessors = 8;
    generator = (chip.dma.swdge_start_cycles +
                 double{TERN_CORE_SBUF_COUNT} / kProcessors * chip.dma.swdge_row_cycles) /
                chip.core.gpsimd.clock_ghz;
  }
  return std::max({cycles / chip.dma.clock_ghz, port, generator});
}

DmaPoint measure_point(MeasuredChip& chip, const DmaQuestion& question) {
  TransferSeries series;
  series.path = question.path;
  series.bytes = question.bytes;
  series.element = question.element;
  series.descriptors = question.descriptors;
  series.engines = question.engines;
  const auto bytes = static_cast<double>(transfer_bytes(series));
  DmaPoint point;
  point.bytes = question.bytes;
  point.run = question.element == 0 ? question.bytes : std::min(question.element, question.bytes);

  // The second of two: for the first, the instructions are not fetched yet.
  series.count = 2;
  series.watched = {0, 1};
  for (unsigned start = 0; start < question.starts; ++start) {
    const SeriesTimes alone =
        run_series(chip, series, 1, static_cast<double>(start) / question.starts).front();
    const std::uint64_t begin = second_trigger(chip, series, alone);
    point.alone_ns += nanoseconds(alone.completed.at(1) - begin) / question.starts;
  }
  point.alone_gb_per_s = bytes / point.alone_ns;

  // The first quarter fills queues and buffers, the last one empties them: not measured.
  const std::uint64_t wanted = (kMinBytes + transfer_bytes(series) - 1) / transfer_bytes(series);
  const std::uint64_t most = std::max<std::uint64_t>(kMaxPairs / transfer_pairs(series), 4);
  series.count =
      static_cast<unsigned>(std::min(std::clamp(wanted, kMinTransfers, kMaxTransfers), most));
  series.in_flight = std::min(question.in_flight, series.count / 2);
  series.generators = question.generators;
  const unsigned first = series.count / 4;
  const unsigned apart = (series.count - 1 - 2 * first) / series.generators * series.generators;
  const unsigned last = first + apart;  // of the same generator
  series.watched = {first, last};
  double ns = 0;
  for (const SeriesTimes& core : run_series(chip, series, question.cores, 0))
    ns += nanoseconds(core.completed.at(1) - core.completed.at(0)) / (last - first);
  point.transfer_ns = ns / question.cores;
  point.gb_per_s = bytes / point.transfer_ns;
  if (question.cores == 1) point.formula_ns = formula_ns(chip.config(), question);
  point.share = point.gb_per_s / practical_gb_per_s(chip.config());
  return point;
}

namespace {

DmaSteps steps_of_one(MeasuredChip& chip, const DmaQuestion& question, double moment) {
  TransferSeries series;
  series.path = question.path;
  series.bytes = question.bytes;
  series.element = question.element;
  series.descriptors = question.descriptors;
  series.engines = question.engines;
  series.count = 2;
  series.watched = {0, 1};
  const SeriesTimes times = run_series(chip, series, 1, moment).front();
  const std::uint64_t begin = second_trigger(chip, series, times);

  DmaSteps result;
  result.begin_us = nanoseconds(begin) * 1e-3;
  result.bytes = transfer_bytes(series);
  result.pairs = static_cast<unsigned>(transfer_pairs(series) * series.engines +
                                       Executable::kEngines - series.engines);
  std::uint64_t first_begin = UINT64_MAX, first_end = UINT64_MAX, data_end = 0, last_end = 0;
  for (unsigned e = 0; e < Executable::kEngines; ++e) {
    const auto packets = spans_since(chip.spans(0), fmt::format("dma{}", e), "", begin);
    if (packets.empty()) throw RunError(fmt::format("no packets in the trace of engine {}", e));
    result.packets += static_cast<unsigned>(packets.size());
    last_end = std::max(last_end, packets.back().end_fs());
    if (packets.size() < 2) continue;  // the semaphore's only
    const double busy = nanoseconds(packets.back().end_fs() - packets.front().begin_fs);
    result.engine_ns = std::max(result.engine_ns, busy);
    first_begin = std::min(first_begin, packets.front().begin_fs);
    first_end = std::min(first_end, packets.front().end_fs());
    data_end = std::max(data_end, packets[packets.size() - 2].end_fs());
  }
  const auto add = [&](std::uint64_t fs, const std::string& what) {
    result.steps.push_back({nanoseconds(fs - begin), what});
  };
  if (question.descriptors == DescriptorMaker::kHost) {
    add(begin, "the Sync queue executes the trigger: 16 doorbells");
    add(first_begin,
        "the first engine begins its first packet: doorbell arrived, descriptors fetched and "
        "checked");
  } else if (question.descriptors == DescriptorMaker::kSoftware) {
    add(begin, "GpSimd begins to write the descriptors");
    add(first_begin, "the first engine begins its first packet: descriptors written and fetched");
  } else {
    add(begin, "the Sync queue hands the copy to its descriptor generator");
    add(first_begin, "the first engine begins its first packet: its descriptors are made");
  }
  add(first_end, "the first packet of any engine is complete in memory");
  add(data_end, "the last packet of data of the slowest engine is complete");
  result.end_ns = nanoseconds(times.completed.at(1) - begin);
  add(times.completed.at(1), "the instruction that waits for +16 starts");
  add(last_end, "the last engine knows that its one has been added to the semaphore");
  // An engine is notified of a complete packet afterwards: the semaphore may count before.
  std::stable_sort(result.steps.begin(), result.steps.end(),
                   [](const auto& a, const auto& b) { return a.ns < b.ns; });
  return result;
}

}  // namespace

DmaSteps measure_steps(MeasuredChip& chip, const DmaQuestion& question) {
  std::vector<DmaSteps> all;
  for (unsigned start = 0; start < question.starts; ++start) {
    all.push_back(steps_of_one(chip, question, static_cast<double>(start) / question.starts));
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const DmaSteps& a, const DmaSteps& b) { return a.end_ns < b.end_ns; });
  DmaSteps result = all[all.size() / 2];
  result.starts = question.starts;
  result.least_end_ns = all.front().end_ns;
  result.most_end_ns = all.back().end_ns;
  return result;
}

}  // namespace tern::app
