// SPDX-License-Identifier: Apache-2.0
#include "sw/app/report/energy.h"

#include <algorithm>
#include <numeric>

#include "sw/base/math.h"
#include "sw/config/dma_rates.h"
#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/tensor_shapes.h"
#include "systemc/trace/activity.h"
#include "systemc/trace/load_interval.h"

namespace tern::app {
namespace {

constexpr std::size_t kMostSteps = 512;  // of a curve

constexpr unsigned index(EnergyBlock block) {
  return static_cast<unsigned>(block);
}

}  // namespace

const char* energy_block_name(EnergyBlock block) {
  static constexpr const char* kNames[kEnergyBlocks] = {
      "tensor engine", "Vector, Scalar, GpSimd", "SBUF", "PSUM", "DMA and network", "HBM", "links",
      "idle"};
  return kNames[index(block)];
}

double EnergyUse::all_uj() const {
  return std::accumulate(uj.begin(), uj.end(), 0.0);
}

double EnergyUse::work_uj() const {
  return std::accumulate(uj.begin(), uj.begin() + index(EnergyBlock::kLinks), 0.0);
}

double EnergyUse::all_full_w() const {
  return std::accumulate(full_w.begin(), full_w.end(), 0.0);
}

EnergyUse& EnergyUse::operator+=(const EnergyUse& other) {
  for (unsigned b = 0; b < kEnergyBlocks; ++b) uj[b] += other.uj[b];
  full_w = other.full_w;
  us += other.us;
  most_w = std::max(most_w, other.most_w);
  if (other.curve_us > curve_us) {
    curve_us = other.curve_us;
    step_us = other.step_us;
    curve_w = other.curve_w;
  }
  return *this;
}

std::array<double, kEnergyBlocks> full_power(const ChipConfig& chip) {
  const EnergyConfig& energy = chip.energy;
  const double cores = chip.cores;
  const double ghz = chip.core.tensor_clock_ghz;
  const double cells = TERN_TENSOR_ROWS * TERN_TENSOR_COLS * ghz;  // 1e9 a second
  const double products = chip.core.tensor.mx ? 4 : 2;             // of a cell of array X
  const double lanes = TERN_CORE_SBUF_COUNT;
  const EngineConfig& vector = chip.core.vector;
  const double lane_elements =
      (chip.core.vector_features.fast_modes ? 4 : 1) * vector.clock_ghz +
      (chip.core.scalar_features.double_rate ? 2 : 1) * chip.core.scalar.clock_ghz +
      chip.core.gpsimd.clock_ghz;
  // Moving operands, of four bytes where there are MX products; two operands and a result of an
  // element. A product reads and writes its sums, in quad mode four of them.
  const double moving = (chip.core.tensor.mx ? 4 : 2) * TERN_TENSOR_ROWS * ghz;
  const double engine_bytes = 3 * 2 * lanes * lane_elements;
  const double sums = (chip.core.tensor.quad ? 4 : 1) * TERN_TENSOR_COLS * ghz;
  std::array<double, kEnergyBlocks> mw{};
  mw[index(EnergyBlock::kTensor)] =
      cores * cells * std::max(energy.array_a_pj, products * energy.array_x_pj);
  mw[index(EnergyBlock::kEngines)] =
      cores * lanes *
      std::max(lane_elements * energy.element_pj,
               vector.exp_per_cycle * vector.clock_ghz * energy.exponential_pj);
  mw[index(EnergyBlock::kSbuf)] = cores * (moving + engine_bytes) * energy.sbuf_byte_pj;
  mw[index(EnergyBlock::kPsum)] = cores * 8 * sums * energy.psum_byte_pj;
  mw[index(EnergyBlock::kDma)] = cores * practical_gb_per_s(chip) * energy.dma_byte_pj;
  mw[index(EnergyBlock::kHbm)] = chip.hbm.stacks * chip.hbm.pseudo_channels_per_stack() *
                                 chip.hbm.pseudo_channel_gb_per_s() * energy.hbm_byte_pj;
  mw[index(EnergyBlock::kLinks)] = 1000 * energy.links_w;
  mw[index(EnergyBlock::kIdle)] = 1000 * energy.idle_w;
  std::array<double, kEnergyBlocks> watts{};
  std::transform(mw.begin(), mw.end(), watts.begin(), [](double x) { return x * 1e-3; });
  return watts;
}

namespace {

// Steps of a curve, to which amounts are added, evenly over their time.
class Steps {
 public:
  Steps(std::uint64_t begin_fs, std::uint64_t end_fs)
      : begin_(begin_fs),
        end_(end_fs),
        step_(std::max(kShortestFs, ceil_div(end_fs - begin_fs, std::uint64_t{kMostSteps}))) {
    values.resize(ceil_div(end_fs - begin_fs, step_));
  }

  std::vector<double> values;

  // Part of [from, to) that lies inside; one that takes no time lies where it begins.
  double inside(std::uint64_t from, std::uint64_t to) const {
    const std::uint64_t a = std::max(from, begin_), b = std::min(std::max(to, from + 1), end_);
    return a < b ? static_cast<double>(b - a) / static_cast<double>(std::max(to, from + 1) - from)
                 : 0;
  }
  void add(std::uint64_t from, std::uint64_t to, double inside_amount) {
    const std::uint64_t a = std::max(from, begin_) - begin_;
    const std::uint64_t b = std::min(std::max(to, from + 1), end_) - begin_;
    const double density = inside_amount / static_cast<double>(b - a);
    for (std::uint64_t i = a / step_; i * step_ < b; ++i) {
      const std::uint64_t first = std::max(a, i * step_), last = std::min(b, (i + 1) * step_);
      values[i] += density * static_cast<double>(last - first);
    }
  }
  std::uint64_t step() const { return step_; }
  double length(std::size_t i) const {
    return static_cast<double>(std::min(step_, end_ - begin_ - i * step_));
  }

 private:
  static constexpr std::uint64_t kShortestFs = 10'000'000;
  const std::uint64_t begin_, end_, step_;
};

}  // namespace

EnergyLog::EnergyLog(const ChipConfig& chip) : chip_(chip) {}

void EnergyLog::track(trace::TrackId id, const std::string& process, const std::string& thread) {
  if (is_hbm_.size() <= id) is_hbm_.resize(id + 1);
  is_hbm_[id] = process == "noc" && thread.rfind("hbm", 0) == 0;
}

void EnergyLog::span(const trace::Span& span) {
  if (span.activity == nullptr) return;
  const trace::Activity& activity = *span.activity;
  const EnergyConfig& energy = chip_.energy;
  const auto times = [](std::uint64_t count, double pj) { return static_cast<double>(count) * pj; };
  const std::array<double, kWorkBlocks> pj = {
      times(activity.array_a, energy.array_a_pj) + times(activity.array_x, energy.array_x_pj) +
          times(activity.weights, energy.weight_pj),
      times(activity.elements, energy.element_pj) +
          times(activity.exponentials, energy.exponential_pj),
      times(activity.sbuf_bytes, energy.sbuf_byte_pj),
      times(activity.psum_bytes, energy.psum_byte_pj),
      times(activity.dma_bytes, energy.dma_byte_pj)};
  if (std::accumulate(pj.begin(), pj.end(), 0.0) == 0) return;
  Work& work = work_.emplace_back();
  work.begin_fs = span.begin_fs;
  work.end_fs = span.end_fs;
  std::transform(pj.begin(), pj.end(), work.pj.begin(),
                 [](double x) { return static_cast<float>(x); });
}

void EnergyLog::counter(trace::TrackId track, std::string_view name, std::uint64_t time_fs,
                        double value) {
  if (is_hbm_.at(track) && name == "busy" && value > 0) loads_.push_back({time_fs, value});
}

void EnergyLog::begin() {
  work_.clear();
  loads_.clear();
}

EnergyUse EnergyLog::use(std::uint64_t begin_fs, std::uint64_t end_fs,
                         std::uint64_t hbm_bytes) const {
  EnergyUse use;
  use.us = use.curve_us = static_cast<double>(end_fs - begin_fs) * 1e-9;
  use.full_w = full_power(chip_);
  Steps work(begin_fs, end_fs), busy(begin_fs, end_fs);
  for (const Work& w : work_) {
    const double part = work.inside(w.begin_fs, w.end_fs);
    if (part == 0) continue;
    double all = 0;
    for (unsigned b = 0; b < kWorkBlocks; ++b) {
      use.uj[b] += part * w.pj[b] * 1e-6;
      all += part * w.pj[b];
    }
    work.add(w.begin_fs, w.end_fs, all);
  }
  for (const Load& load : loads_) {
    const std::uint64_t end = load.begin_fs + trace::kLoadIntervalFs;
    const double part = busy.inside(load.begin_fs, end);
    if (part > 0) busy.add(load.begin_fs, end, part * load.busy);
  }
  const double hbm_pj = static_cast<double>(hbm_bytes) * chip_.energy.hbm_byte_pj;
  use.uj[index(EnergyBlock::kHbm)] = hbm_pj * 1e-6;
  use.uj[index(EnergyBlock::kLinks)] = chip_.energy.links_w * use.us;
  use.uj[index(EnergyBlock::kIdle)] = chip_.energy.idle_w * use.us;

  const double always_w = chip_.energy.links_w + chip_.energy.idle_w;
  const double all_busy = std::accumulate(busy.values.begin(), busy.values.end(), 0.0);
  use.step_us = static_cast<double>(work.step()) * 1e-9;
  for (std::size_t i = 0; i < work.values.size(); ++i) {
    const double share = all_busy > 0 ? busy.values[i] / all_busy
                                      : work.length(i) / static_cast<double>(end_fs - begin_fs);
    const double watts = 1e3 * (work.values[i] + share * hbm_pj) / work.length(i);
    use.curve_w.push_back(always_w + watts);
    use.most_w = std::max(use.most_w, use.curve_w.back());
  }
  return use;
}

}  // namespace tern::app
