// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/network/matmul.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "sw/app/kinds/network/network_load.h"
#include "sw/app/kinds/network/tensors.h"
#include "sw/app/kinds/operands.h"
#include "sw/app/kinds/relative_error.h"
#include "sw/app/kinds/sweep/sweep_workload.h"
#include "sw/base/math.h"
#include "sw/base/stop.h"
#include "sw/data/npy.h"
#include "sw/kernels/matmul_data.h"
#include "sw/reference/formats.h"

namespace tern::app {

using config::YamlMap;
using config::YamlValue;
using numerics::DType;

namespace {

// The product in one format: operands filled up with zeros to its grain.
class Product {
 public:
  explicit Product(const MatmulWorkload& w) : a_(w.a), b_(w.b) {
    spec_.m = w.m;
    spec_.n = w.n;
    spec_.format = w.formats.front();
    spec_.k = round_up(w.k, kernels::find_matmul_format(spec_.format)->k_grain());
    a_.resize(spec_.k * spec_.m);
    b_.resize(spec_.k * spec_.n);
  }

  Job job(const ChipConfig& chip) const {
    Job job;
    job.programs.push_back(kernels::build_matmul(spec_, chip));
    for (auto& tensor : kernels::pack_matmul(spec_, a_, b_))
      job.tensors.push_back({tensor.name, std::move(tensor.bytes)});
    job.tensors.push_back(output("c", spec_.m * spec_.n));
    return job;
  }

  std::vector<float> reference() const {
    return reference::matmul_in_format(spec_.format, a_, b_, spec_.k, spec_.m, spec_.n);
  }

 private:
  kernels::MatmulSpec spec_;
  std::vector<float> a_, b_;
};

// The same in each of several formats.
SweepWorkload sweep_of(const MatmulWorkload& w) {
  SweepWorkload sweep;
  static_cast<Workload&>(sweep) = w;
  sweep.m = w.m;
  sweep.k = w.k;
  sweep.n = w.n;
  sweep.formats = w.formats;
  sweep.a = w.a;
  sweep.b = w.b;
  return sweep;
}

// C against C64 over at most 64 rows, relative to the rms of C64: the FP64 product of everything
// would outlast the simulation.
void errors_against_fp64(const MatmulWorkload& w, const std::vector<float>& c, RunRecord* record) {
  RelativeError error;
  const std::size_t step = ceil_div(w.m, 64);
  std::vector<double> row(w.n);
  for (std::size_t i = 0; i < w.m; i += step) {
    base::end_if_requested();
    std::fill(row.begin(), row.end(), 0.0);
    for (std::size_t r = 0; r < w.k; ++r) {
      for (std::size_t j = 0; j < w.n; ++j)
        row[j] += static_cast<double>(w.a[r * w.m + i]) * w.b[r * w.n + j];
    }
    for (std::size_t j = 0; j < w.n; ++j) error.add(c[i * w.n + j], row[j]);
  }
  record->error_rms_fp64 = error.rms();
  record->error_worst_fp64 = error.largest();
  record->not_finite = error.not_finite();
}

}  // namespace

std::string MatmulWorkload::describe() const {
  return fmt::format(
      "matmul [{0}, {1}]^T x [{0}, {2}] in {3}", k, m, n,
      formats.size() > 1 ? fmt::format("{} formats", formats.size()) : formats.front());
}

MatmulWorkload load_matmul(const YamlMap& top, std::uint64_t seed) {
  MatmulWorkload matmul;
  load_formats(top, "dtype", &matmul.formats);
  const YamlValue a_file = top.get("a"), b_file = top.get("b");
  Matrix a = load_operand(a_file, data::kAnyExtent, seed);
  matmul.k = a.shape[0];
  matmul.m = a.shape[1];
  Matrix b = load_operand(b_file, matmul.k, seed + 1);
  if (!a_file.is_map()) warn_not_finite(a_file, a, &matmul.warnings);
  if (!b_file.is_map()) warn_not_finite(b_file, b, &matmul.warnings);
  matmul.n = b.shape[1];
  // Operands as read and as packed; the result on the chip, on the host, and as expected.
  const auto m = static_cast<double>(matmul.m), n = static_cast<double>(matmul.n);
  check_memory(b_file, fmt::format("a result of [{}, {}]", matmul.m, matmul.n),
               2 * static_cast<double>(matmul.k) * (m + n) + 3 * m * n);
  matmul.a = std::move(a.values);
  matmul.b = std::move(b.values);
  const bool single = matmul.formats.size() == 1;
  for (const DType dtype : {DType::kBf16, DType::kFp16}) {
    if (!single || matmul.formats.front() != numerics::dtype_name(dtype)) continue;
    round_to(&matmul.a, dtype);
    round_to(&matmul.b, dtype);
  }
  if (const auto expect = top.find("expect")) {
    if (!single) top.get("expect").fail("one format");
    matmul.expected = load_expected(expect->as_map(), {matmul.m, matmul.n});
  }
  matmul.outputs = load_outputs(top);
  if (!single) matmul.compared = sweep_compared();
  return matmul;
}

int run_matmul(const RunOptions& options, const MatmulWorkload& w) {
  if (w.formats.size() > 1) return run_sweep(options, sweep_of(w));
  const Product product(w);
  return run_program(options, w, [&](const ChipConfig& chip) {
    ProgramRun run;
    run.job = product.job(chip);
    run.results = {{"c", {w.m, w.n}}};
    run.place = [&w](std::size_t word) { return fmt::format("c[{}, {}]", word / w.n, word % w.n); };
    run.judge = [&w, &product, place = run.place](RunRecord* record) {
      const Execution& first = record->executions.front();
      std::vector<std::uint32_t> reference;
      append_bits(product.reference(), &reference);
      record->comparisons.push_back(compare(
          place, fmt::format("{} = host reference", first.label()), first.result, reference));
      const std::vector<float> values = floats_of(first.result);
      errors_against_fp64(w, values, record);
      if (w.expected) judge_expected(*w.expected, values, record);
    };
    return run;
  });
}

}  // namespace tern::app
