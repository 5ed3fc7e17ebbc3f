// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/network/matmul.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sw/app/kinds/network/network_load.h"
#include "sw/app/kinds/network/tensors.h"
#include "sw/app/kinds/operands.h"
#include "sw/base/math.h"
#include "sw/data/npy.h"
#include "sw/kernels/matmul.h"
#include "sw/reference/reference.h"

namespace tern::app {

using config::YamlMap;
using numerics::DType;

namespace {

Job matmul_job(const MatmulWorkload& matmul, const ChipConfig& chip) {
  kernels::MatmulSpec spec;
  spec.m = matmul.m;
  spec.k = matmul.k;
  spec.n = matmul.n;
  spec.format = numerics::dtype_name(matmul.dtype);
  Job job;
  job.programs.push_back(kernels::build_matmul(spec, chip));
  job.tensors.push_back({"a", bytes_of(matmul.a, matmul.dtype)});
  job.tensors.push_back({"b", bytes_of(matmul.b, matmul.dtype)});
  job.tensors.push_back(output("c", matmul.m * matmul.n));
  return job;
}

// rms(C - C64) / rms(C64) over at most 64 rows: the FP64 product of everything would outlast the
// simulation.
double error_against_fp64(const MatmulWorkload& w, const std::vector<float>& c) {
  double error = 0, norm = 0;
  const std::size_t step = ceil_div(w.m, 64);
  std::vector<double> row(w.n);
  for (std::size_t i = 0; i < w.m; i += step) {
    std::fill(row.begin(), row.end(), 0.0);
    for (std::size_t r = 0; r < w.k; ++r) {
      for (std::size_t j = 0; j < w.n; ++j)
        row[j] += static_cast<double>(w.a[r * w.m + i]) * w.b[r * w.n + j];
    }
    for (std::size_t j = 0; j < w.n; ++j) {
      const double difference = c[i * w.n + j] - row[j];
      error += difference * difference;
      norm += row[j] * row[j];
    }
  }
  return norm > 0 ? std::sqrt(error / norm) : 0;
}

}  // namespace

std::string MatmulWorkload::describe() const {
  return fmt::format("matmul [{0}, {1}]^T x [{0}, {2}] in {3}", k, m, n,
                     numerics::dtype_name(dtype));
}

MatmulWorkload load_matmul(const YamlMap& top, std::uint64_t seed) {
  MatmulWorkload matmul;
  if (auto v = top.find("dtype")) {
    matmul.dtype = v->as_choice({"bf16", "fp16"}) == "fp16" ? DType::kFp16 : DType::kBf16;
  }
  Matrix a = load_operand(top.get("a"), data::kAnyExtent, seed);
  matmul.k = a.shape[0];
  matmul.m = a.shape[1];
  Matrix b = load_operand(top.get("b"), matmul.k, seed + 1);
  matmul.n = b.shape[1];
  matmul.a = std::move(a.values);
  matmul.b = std::move(b.values);
  round_to(&matmul.a, matmul.dtype);
  round_to(&matmul.b, matmul.dtype);
  if (const auto expect = top.find("expect"))
    matmul.expected = load_expected(expect->as_map(), {matmul.m, matmul.n});
  matmul.outputs = load_outputs(top);
  return matmul;
}

int run_matmul(const RunOptions& options, const MatmulWorkload& w) {
  return run_program(options, w, [&w](const ChipConfig& chip) {
    ProgramRun run;
    run.job = matmul_job(w, chip);
    run.results = {{"c", {w.m, w.n}}};
    run.place = [&w](std::size_t word) { return fmt::format("c[{}, {}]", word / w.n, word % w.n); };
    run.judge = [&w, place = run.place](RunRecord* record) {
      const Execution& first = record->executions.front();
      std::vector<std::uint32_t> reference;
      append_bits(reference::matmul(w.a, w.b, w.k, w.m, w.n), &reference);
      record->comparisons.push_back(compare(
          place, fmt::format("{} = host reference", first.label()), first.result, reference));
      const std::vector<float> values = floats_of(first.result);
      record->error_rms_fp64 = error_against_fp64(w, values);
      if (w.expected) judge_expected(*w.expected, values, record);
    };
    return run;
  });
}

}  // namespace tern::app
