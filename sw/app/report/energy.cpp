// SPDX-License-Identifier: Apache-2.0
#include "sw/app/report/energy.h"

#include <algorithm>
#include <numeric>

#include "sw/base/math.h"
#include "sw/config/dma_rates.h"
#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/tensor_shapes.h"
#include "systemc/trace/activity.h"

namespace tern::app {
namespace {

constexpr std::uint64_t kCounterFs = 1'000'000'000;  // interval of the network's counters
constexpr std::size_t kMostSteps = 512;              // of a curve

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

double EnergyUse::highest_w() const {
  return curve_w.empty() ? 0 : *std::max_element(curve_w.begin(), curve_w.end());
}

double EnergyUse::limit_w() const {
  return std::accumulate(peak_w.begin(), peak_w.end(), 0.0);
}

EnergyUse& EnergyUse::operator+=(const EnergyUse& later) {
  for (unsigned b = 0; b < kEnergyBlocks; ++b) uj[b] += later.uj[b];
  if (later.us > us || curve_w.empty()) {
    curve_from_us = later.curve_from_us;
    step_us = later.step_us;
    curve_w = later.curve_w;
  }
  us += later.us;
  peak_w = later.peak_w;
  return *this;
}

std::array<double, kEnergyBlocks> peak_power(const ChipConfig& chip) {
  const EnergyConfig& energy = chip.energy;
  const double cores = chip.cores;
  const double cells = TERN_TENSOR_ROWS * TERN_TENSOR_COLS * chip.core.tensor_clock_ghz;  // 1e9/s
  const double columns = TERN_TENSOR_COLS * chip.core.tensor_clock_ghz;
  const double products = chip.core.tensor.mx ? 4 : 2;  // of a cell of array X
  const double lanes = TERN_CORE_SBUF_COUNT;
  const EngineConfig& vector = chip.core.vector;
  const double lane_elements = (chip.core.vector_features.fast_modes ? 4 : 1) * vector.clock_ghz +
                               chip.core.scalar.clock_ghz + chip.core.gpsimd.clock_ghz;
  // Moving operands, of four bytes where there are such products; two operands and a result of an
  // element. A product reads and writes its sum.
  const double moving = (chip.core.tensor.mx ? 4 : 2) * columns;
  const double engine_bytes = 3 * 2 * lanes * lane_elements;
  std::array<double, kEnergyBlocks> mw{};
  mw[index(EnergyBlock::kTensor)] =
      cores * cells * std::max(energy.array_a_pj, products * energy.array_x_pj);
  mw[index(EnergyBlock::kEngines)] =
      cores * lanes *
      std::max(lane_elements * energy.element_pj,
               vector.exp_per_cycle * vector.clock_ghz * energy.exponential_pj);
  mw[index(EnergyBlock::kSbuf)] = cores * (moving + engine_bytes) * energy.sbuf_byte_pj;
  mw[index(EnergyBlock::kPsum)] = cores * 8 * columns * energy.psum_byte_pj;
  mw[index(EnergyBlock::kDma)] = cores * practical_gb_per_s(chip) * energy.dma_byte_pj;
  mw[index(EnergyBlock::kHbm)] = chip.hbm.stacks * chip.hbm.pseudo_channels_per_stack() *
                                 chip.hbm.pseudo_channel_gb_per_s() * energy.hbm_byte_pj;
  mw[index(EnergyBlock::kLinks)] = 1000 * energy.links_w;
  mw[index(EnergyBlock::kIdle)] = 1000 * energy.idle_w;
  std::array<double, kEnergyBlocks> watts{};
  std::transform(mw.begin(), mw.end(), watts.begin(), [](double x) { return x * 1e-3; });
  return watts;
}

void EnergyLog::Curve::add(std::uint64_t from, std::uint64_t to, double amount) {
  const std::uint64_t end = std::max(to, from + 1);
  while ((end - 1) / step_fs_ >= kMostSteps) {
    for (std::size_t i = 0; 2 * i < steps_.size(); ++i)
      steps_[i] = steps_[2 * i] + (2 * i + 1 < steps_.size() ? steps_[2 * i + 1] : 0);
    steps_.resize((steps_.size() + 1) / 2);
    step_fs_ *= 2;
  }
  const std::size_t first = from / step_fs_, last = (end - 1) / step_fs_;
  if (steps_.size() <= last) steps_.resize(last + 1);
  const double density = amount / static_cast<double>(end - from);
  for (std::size_t i = first; i <= last; ++i) {
    const std::uint64_t a = std::max(from, i * step_fs_), b = std::min(end, (i + 1) * step_fs_);
    steps_[i] += density * static_cast<double>(b - a);
  }
}

std::vector<double> EnergyLog::Curve::steps(std::uint64_t step_fs, std::size_t count) const {
  std::vector<double> result(count);
  const std::uint64_t factor = step_fs / step_fs_;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (i / factor < count) result[i / factor] += steps_[i];
  }
  return result;
}

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
  double all = 0;
  const auto add = [&](EnergyBlock block, double pj) {
    pj_[index(block)] += pj;
    all += pj;
  };
  add(EnergyBlock::kTensor, times(activity.array_a, energy.array_a_pj) +
                                times(activity.array_x, energy.array_x_pj) +
                                times(activity.weights, energy.weight_pj));
  add(EnergyBlock::kEngines, times(activity.elements, energy.element_pj) +
                                 times(activity.exponentials, energy.exponential_pj));
  add(EnergyBlock::kSbuf, times(activity.sbuf_bytes, energy.sbuf_byte_pj));
  add(EnergyBlock::kPsum, times(activity.psum_bytes, energy.psum_byte_pj));
  add(EnergyBlock::kDma, times(activity.dma_bytes, energy.dma_byte_pj));
  if (all == 0) return;
  if (!origin_fs_) origin_fs_ = span.begin_fs;
  add_to(&work_, span.begin_fs, span.end_fs, all);
}

void EnergyLog::counter(trace::TrackId track, std::string_view name, std::uint64_t time_fs,
                        double value) {
  if (!origin_fs_ || !is_hbm_.at(track) || name != "busy" || value == 0) return;
  add_to(&hbm_, time_fs, time_fs + kCounterFs, value);
}

// What lies before the origin counts there.
void EnergyLog::add_to(Curve* curve, std::uint64_t from, std::uint64_t to, double amount) const {
  curve->add(std::max(from, *origin_fs_) - *origin_fs_, std::max(to, *origin_fs_) - *origin_fs_,
             amount);
}

void EnergyLog::begin() {
  origin_fs_.reset();
  pj_ = {};
  work_ = {};
  hbm_ = {};
}

EnergyUse EnergyLog::use(std::uint64_t begin_fs, std::uint64_t end_fs,
                         std::uint64_t hbm_bytes) const {
  EnergyUse use;
  use.us = static_cast<double>(end_fs - begin_fs) * 1e-9;
  use.peak_w = peak_power(chip_);
  std::array<double, kEnergyBlocks> pj = pj_;
  const double hbm_pj = static_cast<double>(hbm_bytes) * chip_.energy.hbm_byte_pj;
  pj[index(EnergyBlock::kHbm)] = hbm_pj;
  const double always_w = chip_.energy.links_w + chip_.energy.idle_w;
  pj[index(EnergyBlock::kLinks)] = chip_.energy.links_w * use.us * 1e6;
  pj[index(EnergyBlock::kIdle)] = chip_.energy.idle_w * use.us * 1e6;
  std::transform(pj.begin(), pj.end(), use.uj.begin(), [](double x) { return x * 1e-6; });

  const std::uint64_t from = std::clamp(origin_fs_.value_or(begin_fs), begin_fs, end_fs);
  const std::uint64_t length = end_fs - from;
  const std::uint64_t step = std::max(work_.step_fs(), hbm_.step_fs());
  const std::size_t count = ceil_div(length, step);
  const std::vector<double> work = work_.steps(step, count), busy = hbm_.steps(step, count);
  const double all_busy = std::accumulate(busy.begin(), busy.end(), 0.0);
  use.curve_from_us = static_cast<double>(from - begin_fs) * 1e-9;
  use.step_us = static_cast<double>(step) * 1e-9;
  for (std::size_t i = 0; i < count; ++i) {
    const auto step_fs = static_cast<double>(std::min(step, length - i * step));
    const double share = all_busy > 0 ? busy[i] / all_busy : step_fs / static_cast<double>(length);
    use.curve_w.push_back(always_w + 1e3 * (work[i] + share * hbm_pj) / step_fs);
  }
  return use;
}

}  // namespace tern::app
