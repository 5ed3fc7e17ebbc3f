// SPDX-License-Identifier: Apache-2.0
// The netlist has one partition. It gets the inputs of partition 0, and its outputs appear at all
// partitions of the class of the whole unit.
#include <VExpUnit.h>

#include <algorithm>

#include "systemc/cosim/exp_offer.h"
#include "systemc/cosim/exp_rtl.h"
#include "systemc/cosim/rtl_block.h"

namespace tern {

struct ExpPipeline::Dut : cosim::RtlBlock<VExpUnit> {
  using RtlBlock::RtlBlock;

  static constexpr unsigned kWords = kExpPerCycle * kExpPartitions;
  std::uint32_t data[kWords] = {}, m[kExpPartitions] = {}, initial_sums[kExpPartitions] = {};
  std::uint32_t results[kWords] = {}, sums[kExpPartitions] = {};

  void copy_in() {
    for (unsigned q = 0; q < kExpPerCycle; ++q) model.data_i[q] = data[q * kExpPartitions];
    model.m_i = m[0];
    model.acc_i = initial_sums[0];
  }
  void copy_out() {
    for (unsigned q = 0; q < kExpPerCycle; ++q) {
      std::fill_n(results + q * kExpPartitions, kExpPartitions, model.data_o[q]);
    }
    std::fill_n(sums, kExpPartitions, model.acc_o);
  }
};

ExpPipeline::ExpPipeline(const WaveOptions& wave) : dut_(std::make_unique<Dut>(wave, "exp_unit")) {
  dut_->model.rst_ni = 0;
  offer(nullptr, false);
  tick();
  dut_->model.rst_ni = 1;
  cycles_ = 0;
}

ExpPipeline::~ExpPipeline() = default;

std::uint32_t* ExpPipeline::data() {
  return dut_->data;
}
std::uint32_t* ExpPipeline::m() {
  return dut_->m;
}
std::uint32_t* ExpPipeline::initial_sums() {
  return dut_->initial_sums;
}
const std::uint32_t* ExpPipeline::results() const {
  return dut_->results;
}
const std::uint32_t* ExpPipeline::sums() const {
  return dut_->sums;
}

ExpPipeline::Step ExpPipeline::offer(const Group* group, bool take) {
  dut_->copy_in();
  const Step step = cosim::offer_to(dut_->model, group, take);
  dut_->copy_out();
  return step;
}

void ExpPipeline::tick() {
  dut_->clock.edge();
  ++cycles_;
}

}  // namespace tern
