// SPDX-License-Identifier: Apache-2.0
#include "systemc/cosim/exp_rtl.h"

#include <VExpUnit.h>

#include <algorithm>
#include <cstring>

#include "sw/base/math.h"
#include "sw/base/seconds_since.h"
#include "systemc/cosim/exp_offer.h"
#include "systemc/cosim/exp_transport.h"
#include "systemc/cosim/rtl_block.h"

namespace tern {

struct ExpPipeline::Dut : cosim::RtlBlock<VExpUnit> {
  using RtlBlock::RtlBlock;
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
  return dut_->model.data_i.data();
}
std::uint32_t* ExpPipeline::m() {
  return dut_->model.m_i.data();
}
std::uint32_t* ExpPipeline::initial_sums() {
  return dut_->model.acc_i.data();
}
const std::uint32_t* ExpPipeline::results() const {
  return dut_->model.data_o.data();
}
const std::uint32_t* ExpPipeline::sums() const {
  return dut_->model.acc_o.data();
}

ExpPipeline::Step ExpPipeline::offer(const Group* group, bool take) {
  return cosim::offer_to(dut_->model, group, take);
}

void ExpPipeline::tick() {
  dut_->clock.edge();
  ++cycles_;
}

void ExpRtl::gather(const ExpRequest& request, std::size_t first) {
  cosim::gather(request, first, std::min(kBlockElements, request.elements - first), input_[0]);
}

void ExpRtl::scatter(const ExpRequest& request, std::size_t first) const {
  cosim::scatter(request, first, std::min(kBlockElements, request.elements - first), output_[0]);
}

std::uint64_t ExpRtl::run(const ExpRequest& request) {
  check_exp_request(request);
  const auto wall = std::chrono::steady_clock::now();
  const std::size_t groups = ceil_div(request.elements, kExpPerCycle);
  const bool sums = request.sum != ExpSum::kOff;
  std::memcpy(pipeline_.m(), request.m, request.partitions * sizeof(float));
  if (sums) {
    std::memcpy(pipeline_.initial_sums(), request.accumulators, request.partitions * sizeof(float));
  }
  ExpPipeline::Group group;
  group.sum = sums;
  group.source_type = request.source_type;
  group.result_type = request.result_type;

  const std::uint64_t begin = pipeline_.cycles_simulated();
  for (std::size_t given = 0, taken = 0; taken < groups;) {
    const bool offering = given < groups;
    if (offering) {
      if (given % kBlockGroups == 0) gather(request, given * kExpPerCycle);
      std::memcpy(pipeline_.data(), input_[given % kBlockGroups], sizeof input_[0]);
      group.first = given == 0;
      group.last = given + 1 == groups;
      group.load = group.first && sums;
      group.count = static_cast<unsigned>(
          std::min<std::size_t>(kExpPerCycle, request.elements - given * kExpPerCycle));
    }
    const ExpPipeline::Step step = pipeline_.offer(offering ? &group : nullptr, true);
    given += step.accepted ? 1 : 0;
    if (step.delivered) {
      std::memcpy(output_[taken % kBlockGroups], pipeline_.results(), sizeof output_[0]);
      if (step.last && sums) {
        std::memcpy(request.accumulators, pipeline_.sums(), request.partitions * sizeof(float));
      }
      ++taken;
      if (taken % kBlockGroups == 0 || taken == groups) {
        scatter(request, (taken - 1) / kBlockGroups * kBlockGroups * kExpPerCycle);
      }
    }
    pipeline_.tick();
  }
  const std::uint64_t cycles = pipeline_.cycles_simulated() - begin;
  work_ += {std::uint64_t{request.partitions} * request.elements, cycles,
            exp_cycles(request.elements), base::seconds_since(wall)};
  return cycles;
}

}  // namespace tern
