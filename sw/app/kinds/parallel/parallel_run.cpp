// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>

#include "sw/app/host/interrupt.h"
#include "sw/app/host/measured_chip.h"
#include "sw/app/host/progress.h"
#include "sw/app/kinds/parallel/parallel_record.h"
#include "sw/app/kinds/parallel/parallel_workload.h"
#include "sw/app/report/report_folder.h"
#include "sw/app/report/write_report.h"
#include "sw/base/seconds_since.h"
#include "sw/base/user_error.h"
#include "sw/kernels/catalogue/case_parts.h"
#include "sw/platform/chips/chip_system.h"
#include "sw/platform/live/live_publisher.h"
#include "sw/reference/kernels/transformer_mlp.h"
#include "sw/runtime/runtime.h"
#include "systemc/chip/simulation.h"
#include "systemc/fabric/flow/flow_transport.h"
#include "systemc/fabric/ideal/ideal_transport.h"
#include "systemc/fabric/packet/packet_network.h"

namespace tern::app {

namespace {

using kernels::CaseOperand;
using kernels::ParallelMlpSpec;
using numerics::DType;
using Values = std::vector<float>;

struct Operands {
  CaseOperand x, w1, w2;
};

Operands operands_of(const ParallelMlpSpec& spec, std::uint64_t seed) {
  const auto matrix = [&](std::uint64_t rows, std::uint64_t columns, unsigned stream,
                          double deviation) {
    return kernels::random_operand(rows * columns, DType::kBf16, seed, stream, 0, deviation);
  };
  const auto scaled = [](std::uint32_t rows) { return 1 / std::sqrt(static_cast<double>(rows)); };
  return {matrix(spec.model, spec.tokens, 0, 1),
          matrix(spec.model, spec.hidden, 1, scaled(spec.model)),
          matrix(spec.hidden, spec.model, 2, scaled(spec.hidden))};
}

// The part's columns of w1, its rows of w2.
CaseOperand columns_of_part(const CaseOperand& w, std::size_t columns, std::size_t first,
                            std::size_t count) {
  Values values;
  for (std::size_t row = 0; row < w.values.size() / columns; ++row) {
    const auto begin = w.values.begin() + static_cast<std::ptrdiff_t>(row * columns + first);
    values.insert(values.end(), begin, begin + static_cast<std::ptrdiff_t>(count));
  }
  return kernels::operand(std::move(values), w.dtype);
}

CaseOperand rows_of_part(const CaseOperand& w, std::size_t columns, std::size_t first,
                         std::size_t count) {
  const auto begin = w.values.begin() + static_cast<std::ptrdiff_t>(first * columns);
  return kernels::operand({begin, begin + static_cast<std::ptrdiff_t>(count * columns)}, w.dtype);
}

std::unique_ptr<fabric::Transport> transport_of(const std::string& level,
                                                const system::Fabric& fabric) {
  if (level == "packet") return std::make_unique<fabric::packet::PacketNetwork>(fabric);
  if (level == "flow") return std::make_unique<fabric::FlowTransport>(fabric);
  return std::make_unique<fabric::IdealTransport>(fabric);
}

class ParallelRun {
 public:
  ParallelRun(const ParallelWorkload& workload, std::uint64_t seed, ChipSystem* chips)
      : spec_(workload.spec), chips_(*chips), operands_(operands_of(spec_, seed)) {}

  // In the host's thread.
  void run(ParallelRecord* record) {
    std::vector<Values> shares;
    for (unsigned part = 0; part < spec_.parts; ++part) {
      Loaded alone = load(part, 0, false);
      record->parts[part].alone_us = runtime(0).run(*alone.program).seconds() * 1e6;
      shares.push_back(result_of(alone, 0));
    }
    std::vector<Loaded> joined;
    for (unsigned part = 0; part < spec_.parts; ++part) joined.push_back(load(part, part, true));
    for (unsigned part = 0; part < spec_.parts; ++part) chips_.chip(part).settle();
    // The first part starts all others: they must be waiting for it.
    for (unsigned part = spec_.parts; part-- > 0;) runtime(part).execute(*joined[part].program);
    // All wait for the one that the host starts last.
    std::vector<runtime::RunResult> runs;
    for (unsigned part = 0; part < spec_.parts; ++part)
      runs.push_back(runtime(part).wait(*joined[part].program));
    for (unsigned part = 0; part < spec_.parts; ++part) {
      record->parts[part].us = (runs[part].end - runs[0].start).to_seconds() * 1e6;
      record->us = std::max(record->us, record->parts[part].us);
    }
    for (unsigned part = 0; part < spec_.parts; ++part)
      results_.push_back(result_of(joined[part], part));
    judge(shares, record);
  }

  const Values& result() const { return results_.front(); }

 private:
  struct Loaded {
    std::map<std::string, runtime::Buffer> buffers;
    std::unique_ptr<runtime::Program> program;
  };

  runtime::Runtime& runtime(unsigned n) {
    auto& runtime = runtimes_[n];
    if (!runtime) runtime = std::make_unique<runtime::Runtime>(chips_.chip(n).host());
    return *runtime;
  }

  // A part on core 0 of the n-th chip.
  Loaded load(unsigned part, unsigned n, bool joined) {
    const std::uint32_t count = spec_.hidden_of_part(), first = part * count;
    Loaded loaded;
    Executable program = kernels::build_parallel_mlp(spec_, part, joined, chips_.chip(n).config());
    runtime::Runtime::Bindings bindings;
    for (const TensorInfo& tensor : program.tensors) {
      const auto at =
          loaded.buffers.emplace(tensor.name, runtime(n).allocate(tensor.name, tensor.bytes()));
      bindings[tensor.name] = &at.first->second;
    }
    const auto put = [&](const char* name, const CaseOperand& operand) {
      const auto& bytes = operand.input(name).bytes;
      runtime(n).copy_to_device(loaded.buffers.at(name), bytes.data(), bytes.size());
    };
    put("x", operands_.x);
    put("w1", columns_of_part(operands_.w1, spec_.hidden, first, count));
    put("w2", rows_of_part(operands_.w2, spec_.model, first, count));
    std::vector<std::uint64_t> windows;
    for (unsigned peer = 0; peer < spec_.parts; ++peer) windows.push_back(chips_.window(peer, 0));
    loaded.program = std::make_unique<runtime::Program>(
        runtime(n).load(std::move(program), bindings, 0, windows));
    return loaded;
  }

  Values result_of(const Loaded& loaded, unsigned n) {
    Values values(std::size_t{spec_.model} * spec_.tokens);
    runtime(n).copy_from_device(loaded.buffers.at("out"), values.data(),
                                values.size() * sizeof(float));
    return values;
  }

  void judge(const std::vector<Values>& shares, ParallelRecord* record) {
    const auto words = [](const Values& values) {
      std::vector<std::uint32_t> bits(values.size());
      std::memcpy(bits.data(), values.data(), values.size() * sizeof(float));
      return bits;
    };
    const auto place = [&](std::size_t word) {
      return fmt::format("out[{}, {}]", word / spec_.tokens, word % spec_.tokens);
    };
    record->comparisons.push_back(compare(place, "all chips = shares of one, summed in order",
                                          words(results_.front()),
                                          words(kernels::sum_of_shares(spec_, shares))));
    for (unsigned part = 1; part < spec_.parts; ++part) {
      record->comparisons.push_back(
          compare(place, fmt::format("{} = {}", record->parts[part].chip, record->parts[0].chip),
                  words(results_[part]), words(results_[0])));
    }
    reference::TransformerMlp mlp;
    mlp.model = spec_.model;
    mlp.hidden = spec_.hidden;
    mlp.tokens = spec_.tokens;
    mlp.function = spec_.function == kernels::Activation::kGelu   ? reference::MlpFunction::kGelu
                   : spec_.function == kernels::Activation::kSilu ? reference::MlpFunction::kSilu
                                                                  : reference::MlpFunction::kRelu;
    const Values no_bias1(spec_.hidden), no_bias2(spec_.model);
    mlp.w1 = &operands_.w1.values;
    mlp.b1 = &no_bias1;
    mlp.w2 = &operands_.w2.values;
    mlp.b2 = &no_bias2;
    const reference::TransformerMlpResult exact =
        reference::transformer_mlp(operands_.x.values, mlp);
    for (std::size_t i = 0; i < results_.front().size(); ++i)
      record->error = std::max(record->error, std::fabs(results_.front()[i] - exact.out[i]));
    record->tolerance =
        kernels::rounded_hidden_tolerance(operands_.w2.values, exact.hidden, spec_.tokens);
  }

  const ParallelMlpSpec spec_;
  ChipSystem& chips_;
  const Operands operands_;
  std::map<unsigned, std::unique_ptr<runtime::Runtime>> runtimes_;
  std::vector<Values> results_;
};

int run_parallel(const RunOptions& options, const ParallelWorkload& workload) {
  const auto begin = std::chrono::steady_clock::now();
  RunOptions own = options;
  if (own.chip == RunOptions().chip) own.chip = workload.system.chip;
  const ChipConfig config = chip_of(own);
  refuse_rtl(config, "kind parallel");
  if (!config.dma.near_memory_add) {
    throw UserError(fmt::format(
        "kind parallel: chip '{}' does not add near the memory, which the sum needs", config.name));
  }
  prepare_report_folder(options.report, "parallel");
  ParallelRecord record;
  static_cast<RunHeader&>(record) = run_header(options, workload);
  record.chip = config.name;
  const OutputFiles files(options, workload, {"out"});

  const system::Fabric fabric(workload.system);
  record.system = workload.system.name;
  for (const std::uint32_t chip : workload.chips)
    record.parts.push_back({fabric.nodes()[chip].name});
  Simulation simulation;
  auto transport = transport_of(workload.level, fabric);
  record.level = transport->level();
  ChipSystem chips(fabric, workload.chips, config, std::move(transport));
  ParallelRun run(workload, options.seed, &chips);
  Simulation::Options how;
  how.stop = catch_interrupts();
  live::description().kind = workload.kind;
  live::Publisher live;
  for (unsigned n = 0; n < chips.chips(); ++n) live.add(chips.chip(n), record.parts[n].chip);
  live.watch(simulation);
  simulation.run([&] { run.run(&record); }, how);
  if (files.wants("out"))
    files.write("out", float_array({workload.spec.model, workload.spec.tokens}, run.result()),
                &record);
  record.wall_s = base::seconds_since(begin);
  return write_report(report_of(record), options.report, options.json);
}

}  // namespace

std::vector<Kind> parallel_kinds() {
  return {
      make_kind("parallel", load_parallel, run_parallel, {"", {}, {{"us", "/us"}}}, {"--output"})};
}

}  // namespace tern::app
