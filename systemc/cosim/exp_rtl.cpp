// SPDX-License-Identifier: Apache-2.0
#include "systemc/cosim/exp_rtl.h"

#include <VExpUnit.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "sw/base/math.h"
#include "systemc/cosim/rtl_coverage.h"

namespace tern {

struct ExpPipeline::Dut {
  VerilatedContext context;
  VExpUnit model{&context, "rtl"};
  ~Dut() {
    model.final();
    cosim::write_rtl_coverage(&context);
  }
};

ExpPipeline::ExpPipeline() : dut_(std::make_unique<Dut>()) {
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
  VExpUnit& model = dut_->model;
  model.clk_i = 0;
  model.valid_i = group != nullptr;
  model.ready_i = take;
  if (group != nullptr) {
    model.first_i = group->first;
    model.last_i = group->last;
    model.count_i = static_cast<std::uint8_t>(group->count);
    model.sum_i = group->sum;
    model.load_i = group->load;
    model.src_i = static_cast<std::uint8_t>(group->source_type);
    model.dst_i = static_cast<std::uint8_t>(group->result_type);
  }
  model.eval();
  Step step;
  step.accepted = group != nullptr && model.ready_o != 0;
  step.valid = model.valid_o != 0;
  step.delivered = take && step.valid;
  step.last = model.last_o != 0;
  return step;
}

void ExpPipeline::tick() {
  dut_->model.clk_i = 1;
  dut_->model.eval();
  ++cycles_;
}

namespace {

// Elements first .. first + count of every row, between rows of `Element` and words at the ports.
template <typename Element>
void gather_as(const ExpRequest& request, std::size_t first, std::size_t count,
               std::uint32_t* words) {
  for (unsigned p = 0; p < request.partitions; ++p) {
    const std::uint8_t* row = request.source + p * request.source_pitch + first * sizeof(Element);
    for (std::size_t i = 0; i < count; ++i) {
      Element element;
      std::memcpy(&element, row + i * sizeof element, sizeof element);
      words[i * kExpPartitions + p] = element;
    }
  }
}

template <typename Element>
void scatter_as(const ExpRequest& request, std::size_t first, std::size_t count,
                const std::uint32_t* words) {
  for (unsigned p = 0; p < request.partitions; ++p) {
    std::uint8_t* row = request.result + p * request.result_pitch + first * sizeof(Element);
    for (std::size_t i = 0; i < count; ++i) {
      const auto element = static_cast<Element>(words[i * kExpPartitions + p]);
      std::memcpy(row + i * sizeof element, &element, sizeof element);
    }
  }
}

}  // namespace

void ExpRtl::gather(const ExpRequest& request, std::size_t first) {
  const std::size_t count = std::min<std::size_t>(kBlockGroups * kExpPerCycle,  //
                                                  request.elements - first);
  const bool word = request.source_type == numerics::DType::kFp32;
  (word ? gather_as<std::uint32_t> : gather_as<std::uint16_t>)(request, first, count, input_[0]);
}

void ExpRtl::scatter(const ExpRequest& request, std::size_t first) const {
  const std::size_t count = std::min<std::size_t>(kBlockGroups * kExpPerCycle,  //
                                                  request.elements - first);
  const bool word = request.result_type == numerics::DType::kFp32;
  (word ? scatter_as<std::uint32_t> : scatter_as<std::uint16_t>)(request, first, count, output_[0]);
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
  results_ += std::uint64_t{request.partitions} * request.elements;
  seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count();
  const std::uint64_t cycles = pipeline_.cycles_simulated() - begin;
  instruction_cycles_ += cycles;
  model_cycles_ += exp_cycles(request.elements);
  return cycles;
}

}  // namespace tern
