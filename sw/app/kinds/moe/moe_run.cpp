// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <map>

#include "sw/app/host/session.h"
#include "sw/app/kinds/moe/moe_check.h"
#include "sw/app/kinds/moe/moe_record.h"
#include "sw/app/kinds/moe/moe_workload.h"
#include "sw/app/report/write_report.h"
#include "sw/base/seconds_since.h"
#include "sw/base/user_error.h"
#include "sw/kernels/catalogue/case_parts.h"

namespace tern::app {
namespace {

using kernels::CaseOperand;
using kernels::MoeSpec;
using kernels::MoeTokens;
using numerics::DType;
using Bytes = std::vector<std::uint8_t>;
using Words = std::vector<std::uint32_t>;

constexpr double kArray = 128.0 * 128.0;  // multiplications of a BF16 cycle

reference::MlpFunction reference_function(const std::string& name) {
  if (name == "gelu") return reference::MlpFunction::kGelu;
  return name == "silu" ? reference::MlpFunction::kSilu : reference::MlpFunction::kRelu;
}

// Tensors by name, as they go in and come out.
class Tensors {
 public:
  void set(const std::string& name, Bytes bytes) { all_[name] = std::move(bytes); }
  const Bytes& bytes(const std::string& name) const { return all_.at(name); }
  std::vector<float> floats(const std::string& name) const {
    const Bytes& from = bytes(name);
    std::vector<float> values(from.size() / sizeof(float));
    std::memcpy(values.data(), from.data(), from.size());
    return values;
  }
  // Programs with what they read of these, and room for what they write.
  Job job(std::vector<Executable> programs) const {
    Job job;
    std::map<std::string, Job::Tensor> made;
    for (const Executable& program : programs) {
      for (const TensorInfo& info : program.tensors) {
        const bool output = info.kind == TensorInfo::Kind::kOutput;
        if (output) made[info.name] = {info.name, Bytes(info.bytes()), true};
        if (output || job_has(job, info.name)) continue;
        // Written by a program before: stays on the chip.
        if (const auto own = made.find(info.name); own != made.end()) {
          own->second.output = false;
          own->second.scratch = true;
          continue;
        }
        job.tensors.push_back({info.name, bytes(info.name)});
      }
    }
    for (auto& entry : made) job.tensors.push_back(std::move(entry.second));
    job.programs = std::move(programs);
    return job;
  }
  // The outputs of a job.
  void take(const Job& job, const Execution& execution) {
    std::size_t word = 0;
    for (const Job::Tensor& tensor : job.tensors) {
      if (!tensor.output) continue;
      Bytes bytes(tensor.bytes.size());
      std::memcpy(bytes.data(), execution.result.data() + word, bytes.size());
      word += bytes.size() / sizeof(std::uint32_t);
      set(tensor.name, std::move(bytes));
    }
  }

 private:
  static bool job_has(const Job& job, const std::string& name) {
    for (const Job::Tensor& tensor : job.tensors) {
      if (tensor.name == name) return true;
    }
    return false;
  }
  std::map<std::string, Bytes> all_;
};

Comparison compare(const std::string& what, const std::string& name, const void* a, const void* b,
                   std::size_t words, std::size_t columns) {
  Comparison c;
  c.what = what;
  c.words = words;
  for (std::size_t i = 0; i < words; ++i) {
    std::uint32_t left = 0, right = 0;
    std::memcpy(&left, static_cast<const std::uint8_t*>(a) + 4 * i, 4);
    std::memcpy(&right, static_cast<const std::uint8_t*>(b) + 4 * i, 4);
    if (left == right) continue;
    if (c.mismatches++ == 0) {
      c.first_difference = fmt::format("{}[{}, {}] = 0x{:08x}, expected 0x{:08x}", name,
                                       i / columns, i % columns, left, right);
    }
  }
  return c;
}

// What bounds the program: the longest of its phases.
std::string bound_of(const std::vector<PhaseBound>& phases) {
  const PhaseBound* longest = nullptr;
  for (const PhaseBound& phase : phases) {
    if (longest == nullptr || phase.us > longest->us) longest = &phase;
  }
  if (longest == nullptr || longest->uses.empty()) return longest == nullptr ? "" : longest->bound;
  const ResourceUse& most = longest->uses.front();
  if (most.share >= kBoundShare) return fmt::format("{} {:.0f} %", most.name, most.share * 100);
  return fmt::format("{}, busiest {} {:.0f} %", longest->bound, most.name, most.share * 100);
}

class MoeRun {
 public:
  MoeRun(const MoeWorkload& workload, const RunOptions& options, Session* session)
      : w_(workload),
        spec_(workload.spec),
        session_(*session),
        outputs_(options, workload, names_of(workload)) {
    const std::uint64_t seed = options.seed;
    const auto normal = [&](std::uint64_t rows, std::uint64_t columns, std::uint64_t inputs,
                            unsigned stream) {
      return kernels::random_operand(rows * columns, DType::kBf16, seed, stream, 0,
                                     1 / std::sqrt(static_cast<double>(inputs)));
    };
    x_ = normal(spec_.tokens, spec_.width, 1, 0);
    gate_ = normal(spec_.width, spec_.experts, spec_.width, 1);
    w1_ = normal(std::uint64_t{spec_.experts} * spec_.width, spec_.hidden, spec_.width, 2);
    w2_ = normal(std::uint64_t{spec_.experts} * spec_.hidden, spec_.width, spec_.hidden, 3);
    put("x", x_);
    put("gate_weight", gate_);
    put("w1", w1_);
    put("w2", w2_);
  }

  // Writes the tokens if they were asked for, and notes that in the header.
  MoeRouting run(const MoeWorkload::Routing& routing, RunHeader* header) {
    MoeRouting record;
    record.name = routing.name;
    const CaseOperand bias = kernels::operand(routing.bias, DType::kFp32);
    put("gate_bias", bias);
    MoeResult results[2];
    for (const MoeTokens tokens : {MoeTokens::kIndexed, MoeTokens::kPermuted}) {
      MoeResult& result = results[tokens == MoeTokens::kIndexed ? 0 : 1];
      record.variants.push_back(run_variant(tokens, &result, &record));
    }
    record.counts = results[0].counts;
    if (outputs_.wants(routing.name)) {
      const data::Shape shape = {spec_.tokens, spec_.width};
      outputs_.write(routing.name, float_array(shape, results[0].out), header);
    }
    const auto same = [&](const char* name, std::vector<float> MoeResult::*part,
                          std::size_t columns) {
      const auto &a = results[0].*part, &b = results[1].*part;
      record.bits.push_back(compare(fmt::format("{}: indexed = permuted", name), name, a.data(),
                                    b.data(), a.size(), columns));
    };
    same("out", &MoeResult::out, spec_.width);
    same("gates", &MoeResult::gates, spec_.experts);
    same("chosen", &MoeResult::chosen, spec_.top_k);

    reference::Moe moe;
    moe.tokens = spec_.tokens;
    moe.width = spec_.width;
    moe.hidden = spec_.hidden;
    moe.experts = spec_.experts;
    moe.top_k = spec_.top_k;
    moe.function = reference_function(w_.function);
    moe.x = &x_.values;
    moe.gate_weight = &gate_.values;
    moe.gate_bias = &bias.values;
    moe.w1 = &w1_.values;
    moe.w2 = &w2_.values;
    record.check = check_moe(moe, results[0]);
    return record;
  }

 private:
  static std::vector<std::string> names_of(const MoeWorkload& workload) {
    std::vector<std::string> names;
    for (const MoeWorkload::Routing& routing : workload.routings) names.push_back(routing.name);
    return names;
  }

  void put(const std::string& name, const CaseOperand& operand) {
    tensors_.set(name, operand.input(name).bytes);
  }

  // The gate; then, with the counts it found, the rest.
  MoeVariant run_variant(MoeTokens tokens, MoeResult* result, MoeRouting* routing) {
    const ChipConfig& chip = session_.config();
    const bool indexed = tokens == MoeTokens::kIndexed;
    MoeVariant variant;
    variant.name = indexed ? "indexed" : "permuted";
    execute(tensors_.job({kernels::build_moe_gate(spec_, tokens, chip)}),
            {indexed ? "gate, lists" : "gate, places"}, &variant, routing);
    for (const float count : tensors_.floats("counts"))
      result->counts.push_back(static_cast<std::uint32_t>(count));
    std::vector<Executable> programs;
    programs.push_back(kernels::build_moe_experts(spec_, tokens, result->counts, chip));
    std::vector<std::string> names = {"experts"};
    if (!indexed) {
      programs.insert(programs.begin(), kernels::build_moe_permute(spec_, chip));
      programs.push_back(kernels::build_moe_unpermute(spec_, chip));
      names = {"permute", "experts", "unpermute"};
    }
    execute(tensors_.job(std::move(programs)), names, &variant, routing);
    result->gates = tensors_.floats("gates");
    result->chosen = tensors_.floats("chosen");
    result->out = tensors_.floats("out");
    return variant;
  }

  void execute(const Job& job, const std::vector<std::string>& names, MoeVariant* variant,
               MoeRouting* routing) {
    const std::string what = fmt::format("{}, {}, {}: ", routing->name, variant->name, names[0]);
    const std::vector<Execution> executions = session_.run(job, what);
    const Execution& first = executions.front();
    for (std::size_t p = 0; p < names.size(); ++p) {
      MoePass pass;
      pass.name = names[p];
      pass.us = first.program_us[p];
      pass.hbm = first.hbm[p];
      pass.energy_uj = first.energy[p].all_uj();
      if (pass.name == "experts") {
        const double macs = 2.0 * spec_.assignments() * spec_.width * spec_.hidden;
        pass.tensor = macs / (kArray * pass.us * 1e3 * first.tensor_clock_ghz);
      }
      pass.bound = bound_of(first.phases[p]);
      variant->passes.push_back(pass);
    }
    if (executions.size() > 1) {
      const Execution& model = executions[1];
      routing->bits.push_back(compare(
          fmt::format("{} {}: {} = {}", variant->name, names[0], first.label(), model.label()),
          "word", first.result.data(), model.result.data(), first.result.size(), 1));
      add_twin(executions, &routing->twin);
    }
    tensors_.take(job, first);
  }

  const MoeWorkload& w_;
  const MoeSpec spec_;
  Session& session_;
  const OutputFiles outputs_;  // of the tokens, by routing
  CaseOperand x_, gate_, w1_, w2_;
  Tensors tensors_;
};

}  // namespace

int run_moe(const RunOptions& options, const MoeWorkload& workload) {
  const auto begin = std::chrono::steady_clock::now();
  MoeRecord record;
  static_cast<RunHeader&>(record) = run_header(options, workload);
  {
    Session session(options);
    if (!session.config().dma.near_memory_add)
      throw UserError(fmt::format(
          "kind moe: chip '{}' does not add near the memory, which the indexed variant needs",
          session.config().name));
    record.chip = session.config().name;
    record.core = session.core();
    record.backend = session.backend();
    MoeRun run(workload, options, &session);
    for (const auto& routing : workload.routings)
      record.routings.push_back(run.run(routing, &record));
    session.close_trace();
  }
  record.wall_s = base::seconds_since(begin);

  return write_report(report_of(record), options.report, options.json);
}

std::vector<Kind> moe_kinds() {
  return {make_kind("moe", load_moe, run_moe,
                    {"/routings",
                     {"/name"},
                     {{"indexed us", "/variants/indexed/us"},
                      {"permuted us", "/variants/permuted/us"},
                      {"indexed uJ", "/variants/indexed/energy_uj"},
                      {"permuted uJ", "/variants/permuted/energy_uj"},
                      {"permuted / indexed", "/speed_up"}}},
                    {"--core", "--output"})};
}

}  // namespace tern::app
