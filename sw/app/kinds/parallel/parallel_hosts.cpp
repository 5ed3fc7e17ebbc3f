// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/parallel/parallel_hosts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string_view>

#include "sw/base/state_bytes.h"
#include "sw/base/user_error.h"
#include "sw/platform/chips/host_threads.h"
#include "sw/reference/kernels/transformer_mlp.h"
#include "sw/runtime/status.h"
#include "systemc/trace/sim_time.h"

namespace tern::app {

namespace {

using kernels::CaseOperand;
using kernels::ParallelMlpSpec;
using numerics::DType;
using Values = ParallelHosts::Values;

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

// Hosts of servers meet over a network of their own.
constexpr std::uint64_t kMeetingFs = 10'000'000'000;  // 10 us

}  // namespace

ParallelHosts::ParallelHosts(const ParallelWorkload& workload, std::uint64_t seed,
                             ChipSystem* chips)
    : spec_(workload.spec),
      chips_(*chips),
      operands_(operands_of(spec_, seed)),
      meeting_(spec_.parts, kMeetingFs),
      rest_(*chips),
      parts_(spec_.parts),
      runtimes_(spec_.parts) {}

ParallelHosts::Operands ParallelHosts::operands_of(const ParallelMlpSpec& spec,
                                                   std::uint64_t seed) {
  const auto matrix = [&](std::uint64_t rows, std::uint64_t columns, unsigned stream,
                          double deviation) {
    return kernels::random_operand(rows * columns, DType::kBf16, seed, stream, 0, deviation);
  };
  const auto scaled = [](std::uint32_t rows) { return 1 / std::sqrt(static_cast<double>(rows)); };
  return {matrix(spec.model, spec.tokens, 0, 1),
          matrix(spec.model, spec.hidden, 1, scaled(spec.model)),
          matrix(spec.hidden, spec.model, 2, scaled(spec.hidden))};
}

void ParallelHosts::Part::archive(base::StateArchive& archive) {
  constexpr std::size_t kMostValues = std::size_t{1} << 24;
  archive.section("a part");
  archive.numbers(start_fs, end_fs, alone_fs);
  for (Values* values : {&share, &result}) {
    values->resize(archive.size(values->size(), kMostValues));
    archive.bytes(values->data(), values->size() * sizeof(float));
  }
}

runtime::Runtime& ParallelHosts::runtime(unsigned n) {
  auto& runtime = runtimes_.at(n);
  if (!runtime) runtime = std::make_unique<runtime::Runtime>(chips_.chip(n).host());
  return *runtime;
}

void ParallelHosts::run() {
  std::vector<std::function<void()>> programs;
  for (unsigned part = 0; part < spec_.parts; ++part) {
    if (chips_.here(part)) programs.emplace_back([this, part] { run_host(part); });
  }
  run_hosts(programs);
}

void ParallelHosts::gather(system::Ranks* ranks) {
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

void ParallelHosts::judge(ParallelRecord* record) const {
  for (unsigned part = 0; part < spec_.parts; ++part) {
    record->parts[part].alone_us = static_cast<double>(parts_[part].alone_fs) * 1e-9;
    record->parts[part].us = static_cast<double>(parts_[part].end_fs - parts_[0].start_fs) * 1e-9;
    record->us = std::max(record->us, record->parts[part].us);
  }
  compare_all(record);
}

// In the host's thread. The share alone, then all together.
void ParallelHosts::run_host(unsigned part) {
  const SystemRest::Host host(rest_);
  bool joined = false;
  try {
    run_alone(part);
    joined = true;
    run_joined(part);
  } catch (const RunError& error) {
    // One of all chips names them.
    if (joined && dynamic_cast<const runtime::DeadlockError*>(&error) != nullptr) throw;
    const std::string why = explain_ ? explain_() : "";
    throw RunError(
        fmt::format("{}: {}{}{}", chips_.name(part), error.what(), why.empty() ? "" : "; ", why));
  }
}

void ParallelHosts::run_joined(unsigned part) {
  Loaded joined = load(part, true);
  chips_.chip(part).settle();
  meeting_.wait();
  // The first part starts all others: they must be waiting for it.
  chips_.chip(part).set_running(joined.program->executable());
  if (part > 0) runtime(part).execute(*joined.program);
  meeting_.wait();
  if (part == 0) {
    runtime(part).execute(*joined.program);
    if (on_begin_) on_begin_(now_fs());
  }
  // All wait for the one that the host starts last.
  const runtime::RunResult run = rest_.wait(part, runtime(part), *joined.program);
  Part& done = parts_[part];
  done.start_fs = to_fs(run.start);
  done.end_fs = to_fs(run.end);
  done.result = result_of(joined, part);
}

void ParallelHosts::run_alone(unsigned part) {
  Loaded alone = load(part, false);
  chips_.chip(part).settle();
  chips_.chip(part).set_running(alone.program->executable());
  const runtime::RunResult run = runtime(part).run(*alone.program);
  parts_[part].alone_fs = to_fs(run.end - run.start);
  parts_[part].share = result_of(alone, part);
}

// A part on core 0 of its chip.
ParallelHosts::Loaded ParallelHosts::load(unsigned part, bool joined) {
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
  for (unsigned peer = 0; peer < spec_.parts && joined; ++peer)
    windows.push_back(chips_.window(peer, 0));
  loaded.program = std::make_unique<runtime::Program>(
      runtime(part).load(std::move(program), bindings, 0, windows));
  return loaded;
}

Values ParallelHosts::result_of(const Loaded& loaded, unsigned part) {
  Values values(result_values());
  runtime(part).copy_from_device(loaded.buffers.at("out"), values.data(),
                                 values.size() * sizeof(float));
  return values;
}

void ParallelHosts::compare_all(ParallelRecord* record) const {
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
  const reference::TransformerMlpResult exact = reference::transformer_mlp(operands_.x.values, mlp);
  for (std::size_t i = 0; i < result_values(); ++i)
    record->error = std::max(record->error, std::fabs(result()[i] - exact.out[i]));
  record->tolerance =
      kernels::rounded_hidden_tolerance(operands_.w2.values, exact.hidden, spec_.tokens);
}

}  // namespace tern::app
