// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <future>

#include "sw/app/host/session.h"
#include "sw/app/kinds/relative_error.h"
#include "sw/app/kinds/sweep/sweep_record.h"
#include "sw/app/kinds/sweep/sweep_workload.h"
#include "sw/app/report/write_report.h"
#include "sw/base/math.h"
#include "sw/base/stop.h"
#include "sw/base/user_error.h"
#include "sw/kernels/matmul_data.h"
#include "sw/kernels/pack/sparse_pack.h"
#include "sw/reference/formats.h"

namespace tern::app {
namespace {

using kernels::MatmulFormat;
using kernels::TensorMode;
using Values = std::vector<float>;

// Multiplications per cycle of a 128 x 128 array in its modes (rtl/tensor/README.md).
double peak_macs(TensorMode mode) {
  constexpr double kArray = 128.0 * 128.0;
  switch (mode) {
    case TensorMode::kDoubleRow:
      return 2 * kArray;
    case TensorMode::kMx:
    case TensorMode::kQuad:
      return 4 * kArray;
    default:
      return kArray;
  }
}

// Each of `products` matrices of `rows` rows, filled up with zeros.
Values padded(const Values& values, std::size_t products, std::size_t rows, std::size_t padded_rows,
              std::size_t columns) {
  Values result(products * padded_rows * columns);
  for (std::size_t p = 0; p < products; ++p) {
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(p * rows * columns), rows * columns,
                result.begin() + static_cast<std::ptrdiff_t>(p * padded_rows * columns));
  }
  return result;
}

std::uint64_t hbm_bytes_read(const Job& job) {
  std::uint64_t bytes = 0;
  for (const Executable& program : job.programs) {
    for (const auto& [ring, engines] : program.rings) {
      for (const auto& pairs : engines) {
        for (const DescriptorPair& pair : pairs) {
          if (pair.source.space == DmaAddress::Space::kTensor) bytes += pair.bytes;
        }
      }
    }
    for (const Executable::Link& link : program.links) {
      const tern_instruction_t& in = program.queues[link.queue][link.index];
      const bool reads = link.source.space == DmaAddress::Space::kTensor;
      if (!reads || in.header.opcode != TERN_OPCODE_DMA_COPY) continue;
      const tern_instr_dma_copy_t& copy = in.dma_copy;
      const std::uint64_t run = copy.length == 0 ? TERN_DESCRIPTOR_MAX_LENGTH : copy.length;
      bytes += run * copy.count[0] * copy.count[1] * copy.count[2];
    }
  }
  return bytes;
}

// One format of the sweep: its operands, its programs, what is expected of them.
class FormatRun {
 public:
  FormatRun(const SweepWorkload& sweep, const MatmulFormat& format)
      : sweep_(sweep), format_(format) {
    const std::size_t grain = format.k_grain();
    spec_.m = sweep.m;
    spec_.n = sweep.n;
    spec_.k = round_up(sweep.k, grain);
    spec_.format = format.name;
    spec_.psum = sweep.psum;
    a_ = padded(sweep.a, format.products(), sweep.k, spec_.k, sweep.m);
    b_ = padded(sweep.b, format.products(), sweep.k, spec_.k, sweep.n);
    if (format.mode == TensorMode::kSparse) kernels::prune(&a_, spec_.k, spec_.m, format.sparsity);
  }

  // Load and compute as two programs where the operands fit into SBUF, one program otherwise.
  Job make_job(const ChipConfig& chip) const {
    using kernels::MatmulPart;
    Job job;
    std::vector<MatmulPart> parts = {MatmulPart::kAll};
    if (kernels::matmul_fits(spec_, chip)) parts = {MatmulPart::kLoad, MatmulPart::kCompute};
    for (const MatmulPart part : parts) {
      kernels::MatmulSpec spec = spec_;
      spec.part = part;
      job.programs.push_back(kernels::build_matmul(spec, chip));
    }
    for (auto& tensor : kernels::pack_matmul(spec_, a_, b_))
      job.tensors.push_back({tensor.name, std::move(tensor.bytes)});
    const std::size_t words = format_.products() * spec_.m * spec_.n;
    job.tensors.push_back({"c", std::vector<std::uint8_t>(words * sizeof(float)), true});
    return job;
  }

  Values reference() const {
    const auto psum =
        sweep_.psum == numerics::DType::kBf16 ? reference::Psum::kBf16 : reference::Psum::kFp32;
    return reference::matmul_in_format(format_.name, a_, b_, spec_.k, spec_.m, spec_.n, psum);
  }

  // Multiplications of the dense product: what the result is worth, whatever the mode computes.
  double work() const {
    return static_cast<double>(format_.products()) * static_cast<double>(sweep_.m) *
           static_cast<double>(sweep_.k) * static_cast<double>(sweep_.n);
  }

  // Errors of at most 64 rows of the result, relative to the rms of the FP64 product.
  void errors_against_fp64(const Values& c, SweepRow* row) const {
    const std::size_t rows = format_.products() * spec_.m, n = spec_.n;
    const std::size_t step = ceil_div(rows, 64);
    RelativeError error;
    std::vector<double> exact(n);
    for (std::size_t r = 0; r < rows; r += step) {
      const std::size_t first = r / spec_.m * spec_.k, i = r % spec_.m;
      base::end_if_requested();
      std::fill(exact.begin(), exact.end(), 0.0);
      for (std::size_t k = first; k < first + spec_.k; ++k) {
        const double w = a_[k * spec_.m + i];
        for (std::size_t j = 0; j < n; ++j) exact[j] += w * b_[k * n + j];
      }
      for (std::size_t j = 0; j < n; ++j) error.add(c[r * n + j], exact[j]);
    }
    row->rms_error = error.rms();
    row->max_error = error.largest();
    row->not_finite = error.not_finite();
  }

  const MatmulFormat& format() const { return format_; }

 private:
  const SweepWorkload& sweep_;
  const MatmulFormat& format_;
  kernels::MatmulSpec spec_;
  Values a_, b_;
};

void compare_bits(const std::vector<std::uint32_t>& result, const Values& expected, std::size_t n,
                  SweepRow* row) {
  row->words = expected.size();
  for (std::size_t i = 0; i < expected.size(); ++i) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &expected[i], sizeof bits);
    if (result[i] == bits) continue;
    if (row->mismatches++ == 0) {
      row->first_difference =
          fmt::format("c[{}, {}] = 0x{:08x}, expected 0x{:08x}", i / n, i % n, result[i], bits);
    }
  }
}

// Writes the product if it was asked for, and notes that in the header.
SweepRow run_format(const FormatRun& run, const SweepWorkload& sweep, Session* session,
                    const OutputFiles& outputs, RunHeader* header) {
  SweepRow row;
  row.format = run.format().name;
  row.mode = run.format().remark;
  Job job;
  try {
    job = run.make_job(session->config());
  } catch (const UserError& error) {
    row.refused = reason_of(error);
    return row;
  }
  auto reference = std::async(std::launch::async, [&] { return run.reference(); });
  const std::vector<Execution> executions = session->run(job, row.format + ": ");
  const Execution& first = executions.front();
  row.tensor_cycles = first.tensor_cycles;
  row.run_us = first.program_us.back();
  if (job.programs.size() > 1) row.load_us = first.program_us.front();
  row.wall_s = first.wall_s;
  row.phases = first.phases;
  row.hbm_bytes_read = hbm_bytes_read(job);
  row.energy_uj = first.all_energy().all_uj();
  row.peak_share = static_cast<double>(first.macs) / static_cast<double>(first.tensor_cycles) /
                   peak_macs(run.format().mode);
  Values c(first.result.size());
  std::memcpy(c.data(), first.result.data(), c.size() * sizeof(float));
  if (outputs.wants(row.format)) {
    data::Shape shape = {sweep.m, sweep.n};
    const std::size_t products = run.format().products();
    if (products > 1) shape.insert(shape.begin(), products);
    outputs.write(row.format, float_array(shape, c), header);
  }
  run.errors_against_fp64(c, &row);
  compare_bits(first.result, reference.get(), sweep.n, &row);
  add_twin(executions, &row.twin);
  return row;
}

// Work per cycle against that of BF16, where the sweep has it.
void add_speed_ups(const std::vector<double>& work, std::vector<SweepRow>* rows) {
  const auto rate = [&](std::size_t i) {
    return work[i] / static_cast<double>((*rows)[i].tensor_cycles);
  };
  for (std::size_t base = 0; base < rows->size(); ++base) {
    if ((*rows)[base].format != "bf16" || !(*rows)[base].refused.empty()) continue;
    for (std::size_t i = 0; i < rows->size(); ++i) {
      SweepRow& row = (*rows)[i];
      // Cycles that wait for operands out of HBM compare with nothing else.
      const bool alike = row.load_us.has_value() == (*rows)[base].load_us.has_value();
      if (row.refused.empty() && alike) row.speed_up = rate(i) / rate(base);
    }
  }
}

}  // namespace

int run_sweep(const RunOptions& options, const SweepWorkload& sweep) {
  SweepRecord record;
  static_cast<RunHeader&>(record) = run_header(options, sweep);
  record.m = sweep.m;
  record.k = sweep.k;
  record.n = sweep.n;
  {
    Session session(options);
    record.chip = session.config().name;
    record.core = session.core();
    record.backend = session.backend();
    record.tensor_clock_ghz = session.config().core.tensor_clock_ghz;
    const OutputFiles outputs(options, sweep, sweep.formats);
    std::vector<double> work;
    for (const std::string& name : sweep.formats) {
      const FormatRun run(sweep, *kernels::find_matmul_format(name));
      record.rows.push_back(run_format(run, sweep, &session, outputs, &record));
      work.push_back(run.work());
    }
    if (std::all_of(record.rows.begin(), record.rows.end(),
                    [](const SweepRow& row) { return !row.refused.empty(); })) {
      throw UserError(
          fmt::format("{}: key 'formats': {}", sweep.path, record.rows.front().refused));
    }
    add_speed_ups(work, &record.rows);
    session.close_trace();
  }  // closes the waveform
  check_wave(options.wave);
  return write_report(report_of(record), options.report, options.json);
}

Compared sweep_compared() {
  return {"/rows",
          {"/format"},
          {{"load us", "/load_us"},
           {"run us", "/run_us"},
           {"of the peak", "/peak_share", true},
           {"energy uJ", "/energy_uj"},
           {"rms error", "/rms_error", false, Compared::kScientific}}};
}

std::vector<Kind> sweep_kinds() {
  return {
      make_kind("matmul_sweep", load_sweep, run_sweep, sweep_compared(), {"--core", "--output"})};
}

}  // namespace tern::app
