// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string_view>

#include "sw/app/host/interrupt.h"
#include "sw/app/host/measured_chip.h"
#include "sw/app/host/process_ranks.h"
#include "sw/app/kinds/parallel/parallel_record.h"
#include "sw/app/kinds/parallel/parallel_workload.h"
#include "sw/app/links/chosen_lines.h"
#include "sw/app/report/report_folder.h"
#include "sw/app/report/write_report.h"
#include "sw/base/seconds_since.h"
#include "sw/base/state_bytes.h"
#include "sw/base/user_error.h"
#include "sw/kernels/catalogue/case_parts.h"
#include "sw/platform/chips/chip_system.h"
#include "sw/platform/chips/distribution.h"
#include "sw/platform/chips/host_threads.h"
#include "sw/platform/live/live_publisher.h"
#include "sw/reference/kernels/transformer_mlp.h"
#include "sw/runtime/runtime.h"
#include "systemc/chip/simulation.h"
#include "systemc/fabric/levels/channel_activity.h"
#include "systemc/fabric/levels/levels.h"
#include "systemc/fabric/packet/packet_network.h"
#include "systemc/trace/perfetto_sink.h"
#include "systemc/trace/sim_time.h"

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

// The trace of a chip: "t.json" is "t.server0.tray1.chip0.json" then.
std::string trace_of(const std::string& path, const std::string& chip) {
  const std::filesystem::path file(path);
  return (file.parent_path() / (file.stem().string() + "." + chip + file.extension().string()))
      .string();
}

// Hosts of servers meet over a network of their own.
constexpr std::uint64_t kMeetingFs = 10'000'000'000;  // 10 us

class ParallelRun {
 public:
  ParallelRun(const ParallelWorkload& workload, std::uint64_t seed, ChipSystem* chips)
      : spec_(workload.spec),
        chips_(*chips),
        operands_(operands_of(spec_, seed)),
        hosts_(spec_.parts, kMeetingFs),
        parts_(spec_.parts),
        runtimes_(spec_.parts) {}

  Rendezvous& hosts() { return hosts_; }

  // In a SystemC thread: the hosts of the chips that are here.
  void run() {
    std::vector<std::function<void()>> programs;
    for (unsigned part = 0; part < spec_.parts; ++part) {
      if (chips_.here(part)) programs.emplace_back([this, part] { run_host(part); });
    }
    run_hosts(programs);
  }

  // What other processes have, for rank 0.
  void gather(system::Ranks* ranks) {
    if (ranks == nullptr) return;
    std::string own;
    for (unsigned part = 0; part < spec_.parts; ++part) {
      if (chips_.here(part))
        base::append_state(&own, [&](base::StateArchive& a) { parts_[part].archive(a); });
    }
    const std::vector<std::string> all = ranks->exchange(own);
    if (ranks->rank() != 0) return;
    std::vector<std::string_view> rest(all.begin(), all.end());
    for (unsigned part = 0; part < spec_.parts; ++part) {
      if (chips_.here(part)) continue;
      base::take_state(&rest[chips_.rank_of(part)],
                       [&](base::StateArchive& a) { parts_[part].archive(a); });
    }
  }

  void judge(ParallelRecord* record) const {
    for (unsigned part = 0; part < spec_.parts; ++part) {
      record->parts[part].alone_us = static_cast<double>(parts_[part].alone_fs) * 1e-9;
      record->parts[part].us = static_cast<double>(parts_[part].end_fs - parts_[0].start_fs) * 1e-9;
      record->us = std::max(record->us, record->parts[part].us);
    }
    compare_all(record);
  }

  const Values& result() const { return parts_.front().result; }

 private:
  // How a part has run.
  struct Part {
    std::uint64_t start_fs = 0, end_fs = 0, alone_fs = 0;
    Values share, result;  // alone; of the sum

    void archive(base::StateArchive& archive) {
      archive.section("a part");
      archive.numbers(start_fs, end_fs, alone_fs);
      for (Values* values : {&share, &result}) {
        values->resize(archive.size(values->size(), kMostValues));
        archive.bytes(values->data(), values->size() * sizeof(float));
      }
    }
  };
  static constexpr std::size_t kMostValues = std::size_t{1} << 24;
  struct Loaded {
    std::map<std::string, runtime::Buffer> buffers;
    std::unique_ptr<runtime::Program> program;
  };

  runtime::Runtime& runtime(unsigned n) {
    auto& runtime = runtimes_.at(n);
    if (!runtime) runtime = std::make_unique<runtime::Runtime>(chips_.chip(n).host());
    return *runtime;
  }

  std::size_t result_values() const { return std::size_t{spec_.model} * spec_.tokens; }

  // In the host's thread: the share alone, then all together.
  void run_host(unsigned part) {
    run_alone(part);
    Loaded joined = load(part, true);
    chips_.chip(part).settle();
    hosts_.wait();
    // The first part starts all others: they must be waiting for it.
    chips_.chip(part).set_running(joined.program->executable());
    if (part > 0) runtime(part).execute(*joined.program);
    hosts_.wait();
    if (part == 0) runtime(part).execute(*joined.program);
    // All wait for the one that the host starts last.
    const runtime::RunResult run = runtime(part).wait(*joined.program);
    Part& done = parts_[part];
    done.start_fs = to_fs(run.start);
    done.end_fs = to_fs(run.end);
    done.result = result_of(joined, part);
  }

  void run_alone(unsigned part) {
    Loaded alone = load(part, false);
    chips_.chip(part).settle();
    chips_.chip(part).set_running(alone.program->executable());
    const runtime::RunResult run = runtime(part).run(*alone.program);
    parts_[part].alone_fs = to_fs(run.end - run.start);
    parts_[part].share = result_of(alone, part);
  }

  // A part on core 0 of its chip.
  Loaded load(unsigned part, bool joined) {
    const std::uint32_t count = spec_.hidden_of_part(), first = part * count;
    Loaded loaded;
    Executable program = kernels::build_parallel_mlp(spec_, part, joined, chips_.config());
    runtime::Runtime::Bindings bindings;
    for (const TensorInfo& tensor : program.tensors) {
      const auto at =
          loaded.buffers.emplace(tensor.name, runtime(part).allocate(tensor.name, tensor.bytes()));
      bindings[tensor.name] = &at.first->second;
    }
    const auto put = [&](const char* name, const CaseOperand& operand) {
      const auto& bytes = operand.input(name).bytes;
      runtime(part).copy_to_device(loaded.buffers.at(name), bytes.data(), bytes.size());
    };
    put("x", operands_.x);
    put("w1", columns_of_part(operands_.w1, spec_.hidden, first, count));
    put("w2", rows_of_part(operands_.w2, spec_.model, first, count));
    std::vector<std::uint64_t> windows;
    for (unsigned peer = 0; peer < spec_.parts; ++peer) windows.push_back(chips_.window(peer, 0));
    loaded.program = std::make_unique<runtime::Program>(
        runtime(part).load(std::move(program), bindings, 0, windows));
    return loaded;
  }

  Values result_of(const Loaded& loaded, unsigned part) {
    Values values(result_values());
    runtime(part).copy_from_device(loaded.buffers.at("out"), values.data(),
                                   values.size() * sizeof(float));
    return values;
  }

  void compare_all(ParallelRecord* record) const {
    std::vector<Values> shares;
    for (const Part& part : parts_) shares.push_back(part.share);
    const auto words = [](const Values& values) {
      std::vector<std::uint32_t> bits(values.size());
      std::memcpy(bits.data(), values.data(), values.size() * sizeof(float));
      return bits;
    };
    const auto place = [&](std::size_t word) {
      return fmt::format("out[{}, {}]", word / spec_.tokens, word % spec_.tokens);
    };
    record->comparisons.push_back(compare(place, "all chips = shares of one, summed in order",
                                          words(result()),
                                          words(kernels::sum_of_shares(spec_, shares))));
    for (unsigned part = 1; part < spec_.parts; ++part) {
      record->comparisons.push_back(
          compare(place, fmt::format("{} = {}", record->parts[part].chip, record->parts[0].chip),
                  words(parts_[part].result), words(result())));
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
    for (std::size_t i = 0; i < result_values(); ++i)
      record->error = std::max(record->error, std::fabs(result()[i] - exact.out[i]));
    record->tolerance =
        kernels::rounded_hidden_tolerance(operands_.w2.values, exact.hidden, spec_.tokens);
  }

  const ParallelMlpSpec spec_;
  ChipSystem& chips_;
  const Operands operands_;
  Rendezvous hosts_;
  std::vector<Part> parts_;
  std::vector<std::unique_ptr<runtime::Runtime>> runtimes_;
};

// The network between the chips, after the run. Each process carries the transfers of all of them
// through its own copy of the network: any one has the whole result.
void measure_network(const fabric::Transport& transport, ParallelRecord* record) {
  const auto whole = static_cast<std::uint64_t>(std::llround(record->us * 1e9));
  const fabric::ChannelActivity activity = fabric::channel_activity(transport);
  record->links.used = shares_of(activity.busy, whole);
  record->links.stalled = shares_of(activity.stalled, whole);
  const auto* packet = dynamic_cast<const fabric::packet::PacketNetwork*>(&transport);
  for (unsigned c = 0; packet != nullptr && c < fabric::packet::kClasses; ++c) {
    if (packet->latency(c).count() > 0)
      record->classes.push_back(class_latency(c, packet->latency(c)));
  }
}

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
  system::Ranks* const ranks = process_ranks();
  const bool first = ranks == nullptr || ranks->rank() == 0;
  if (first) prepare_report_folder(options.report, "parallel");
  ParallelRecord record;
  static_cast<RunHeader&>(record) = run_header(options, workload);
  record.chip = config.name;
  if (!options.trace.empty()) record.trace_path = trace_of(options.trace, "CHIP");
  const OutputFiles files(options, workload, {"out"});

  const system::Fabric fabric(workload.system);
  record.system = workload.system.name;
  for (const std::uint32_t chip : workload.chips)
    record.parts.push_back({fabric.nodes()[chip].name});
  Simulation simulation;
  auto transport = fabric::make_transport(workload.level, fabric);
  record.level = transport->level();
  LinkChoice choice = options.flit_by_flit;
  choice.wave = options.wave.file;
  ChosenLines lines(choice, fabric, options.seed);
  lines.attach(transport.get());
  ChipSystem chips(fabric, workload.chips, config, std::move(transport), {}, ranks);
  ParallelRun run(workload, options.seed, &chips);
  Simulation::Options how;
  how.stop = catch_interrupts();
  live::description().kind = workload.kind;
  live::Publisher live;
  std::vector<std::shared_ptr<trace::PerfettoSink>> traces;
  for (unsigned n = 0; n < chips.chips(); ++n) {
    if (!chips.here(n)) continue;
    live.add(chips.chip(n), record.parts[n].chip);
    if (options.trace.empty()) continue;
    traces.push_back(
        std::make_shared<trace::PerfettoSink>(trace_of(options.trace, record.parts[n].chip)));
    chips.chip(n).trace().add_sink(traces.back());
  }
  live.watch(simulation);
  std::optional<Distribution> distribution;
  if (ranks != nullptr) how.windows = &distribution.emplace(*ranks, chips.network(), run.hosts());
  simulation.run([&] { run.run(); }, how);
  lines.finish();
  for (const auto& trace : traces) trace->close();
  run.gather(ranks);
  if (!first) return 0;
  run.judge(&record);
  measure_network(chips.network().transport(), &record);
  if (files.wants("out"))
    files.write("out", float_array({workload.spec.model, workload.spec.tokens}, run.result()),
                &record);
  record.wall_s = base::seconds_since(begin);
  Report report = report_of(record, fabric);
  lines.report(&report);
  add_network_sections(record, fabric, &report);
  return write_report(report, options.report, options.json);
}

}  // namespace

std::vector<Kind> parallel_kinds() {
  return {make_kind("parallel", load_parallel, run_parallel, {"", {}, {{"us", "/us"}}},
                    {"--output", "--ranks", "--link"})};
}

}  // namespace tern::app
