// SPDX-License-Identifier: Apache-2.0
#include "systemc/cosim/dma_rtl.h"

#include <VDmaEngine.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "sw/spec/generated/qos.h"
#include "systemc/cosim/generated/dma_ports.h"
#include "systemc/cosim/rtl_block.h"

namespace tern::dma {

namespace {

constexpr unsigned kRingStride = TERN_REG_DMA_RING_SIZE_STRIDE;

static_assert(static_cast<unsigned>(Answer::kGood) ==
              static_cast<unsigned>(dma_ports::AnswerCode::kGood));
static_assert(static_cast<unsigned>(Answer::kBadAddress) ==
              static_cast<unsigned>(dma_ports::AnswerCode::kBadAddress));
static_assert(static_cast<unsigned>(Answer::kUncorrectable) ==
              static_cast<unsigned>(dma_ports::AnswerCode::kUncorrectable));

template <typename Words>
Request request_of(const Words& words, Port port, std::uint64_t cycle) {
  const auto seen = dma_ports::Request::unpack(words);
  Request request;
  request.port = port;
  request.cycle = cycle;
  request.write_op = seen.write_op;
  request.traffic_class = seen.traffic_class;
  request.tag = seen.tag;
  request.bytes = seen.bytes;
  request.address = seen.address;
  return request;
}

}  // namespace

struct DmaRtl::Dut : cosim::RtlBlock<VDmaEngine> {
  using RtlBlock::RtlBlock;
};

DmaRtl::DmaRtl(const UnitConfig& config, Environment& environment, const WaveOptions& wave)
    : environment_(environment), dut_(std::make_unique<Dut>(wave, "dma_engine")) {
  if (config.descriptor_cycles > 255 || config.pace > 1023) {
    throw std::logic_error("a DMA engine takes descriptor_cycles <= 255 and pace <= 1023");
  }
  VDmaEngine& model = dut_->model;
  model.cfg_descriptor_cycles_i = static_cast<std::uint8_t>(config.descriptor_cycles);
  model.cfg_pace_i = static_cast<std::uint16_t>(config.pace);
  model.cfg_policy_i = static_cast<std::uint8_t>(config.policy);
  for (unsigned c = 0; c < TERN_QOS_CLASSES; ++c) {
    cosim::set_bits(model.cfg_rate_i, std::size_t{TERN_QOS_RATE_BITS} * c, TERN_QOS_RATE_BITS,
                    config.rate_256[c]);
    cosim::set_bits(model.cfg_depth_i, std::size_t{TERN_QOS_DEPTH_BITS} * c, TERN_QOS_DEPTH_BITS,
                    config.depth[c]);
  }
  // Nothing is offered or answered: ports may begin with any value.
  model.reg_valid_i = model.reg_write_i = model.push_valid_i = 0;
  dma_ports::Answer().pack(model.fetch_answer_i);
  dma_ports::Answer().pack(model.read_answer_i);
  dma_ports::Answer().pack(model.write_answer_i);
  model.rst_ni = 0;
  model.clk_i = 0;
  model.eval();
  model.clk_i = 1;
  model.eval();
  model.rst_ni = 1;
  beats_.reserve(kBurstBytes);
}

DmaRtl::~DmaRtl() = default;

// Inputs of `cycle`: everything before it has happened.
void DmaRtl::settle(std::uint64_t cycle) {
  if (cycle < cycle_) throw std::logic_error("the DMA engine's RTL is past this cycle");
  if (cycle > cycle_) advance(cycle - 1);
}

bool DmaRtl::write_register(std::uint64_t cycle, std::uint32_t offset, std::uint32_t value) {
  settle(cycle);
  VDmaEngine& model = dut_->model;
  if (model.reg_valid_i != 0) {
    throw std::logic_error("two register writes to a DMA engine in one cycle");
  }
  if (offset >= 0x1000) return false;
  model.reg_valid_i = 1;
  model.reg_write_i = 1;
  model.reg_offset_i = static_cast<std::uint16_t>(offset);
  model.reg_data_i = value;
  model.eval();
  if (model.reg_ok_o == 0) {
    model.reg_valid_i = 0;
    return false;
  }
  has_inputs_ = true;
  return true;
}

// The port shows a register without a clock edge.
std::uint32_t DmaRtl::peek(std::uint32_t offset) {
  VDmaEngine& model = dut_->model;
  model.reg_valid_i = 1;
  model.reg_write_i = 0;
  model.reg_offset_i = static_cast<std::uint16_t>(offset);
  model.eval();
  return model.reg_data_o;
}

bool DmaRtl::read_register(std::uint64_t cycle, std::uint32_t offset, std::uint32_t& value) {
  settle(cycle);
  if (offset >= 0x1000) return false;
  VDmaEngine& model = dut_->model;
  const auto valid = model.reg_valid_i, write = model.reg_write_i;
  const auto kept = model.reg_offset_i;
  value = peek(offset);
  const bool known = model.reg_ok_o != 0;
  model.reg_valid_i = valid;
  model.reg_write_i = write;
  model.reg_offset_i = kept;
  return known;
}

bool DmaRtl::push_pair(std::uint64_t cycle, unsigned ring, const std::uint8_t* pair) {
  settle(cycle);
  VDmaEngine& model = dut_->model;
  if (model.push_valid_i != 0) throw std::logic_error("two pairs for a DMA engine in one cycle");
  model.push_ring_i = static_cast<std::uint8_t>(ring);
  std::memcpy(model.push_pair_i.data(), pair, 32);
  model.eval();
  if (model.push_ready_o == 0) return false;
  model.push_valid_i = 1;
  has_inputs_ = true;
  return true;
}

void DmaRtl::answer(std::uint64_t cycle, Port port, unsigned tag, Answer answer,
                    const std::uint8_t* data) {
  const auto p = static_cast<unsigned>(port);
  const std::uint32_t bytes = port == Port::kWrite ? 1 : std::max(1u, bytes_[p][tag % kTags]);
  Coming coming;
  coming.last = cycle;
  coming.first = cycle - (bytes - 1) / kBeatBytes;
  if (coming.first < cycle_) {
    throw std::logic_error("an answer to a DMA engine whose first beat is past");
  }
  coming.tag = tag;
  coming.answer = answer;
  if (port != Port::kWrite && data != nullptr && answer == Answer::kGood) {
    std::memcpy(coming.data.data(), data, bytes);
  }
  auto& queue = coming_[p];
  if (!queue.empty() && coming.first <= queue.back().last) {
    throw std::logic_error("answers to a DMA engine overlap at a port");
  }
  queue.push_back(coming);
}

void DmaRtl::drive_answers() {
  VDmaEngine& model = dut_->model;
  model.fetch_answer_i = 0;
  model.read_answer_i = 0;
  model.write_answer_i = 0;
  for (unsigned p = 0; p < kPorts; ++p) {
    auto& queue = coming_[p];
    if (queue.empty() || queue.front().first > cycle_) continue;
    const Coming& coming = queue.front();
    const bool last = coming.last == cycle_;
    dma_ports::Answer answer;
    answer.valid = true;
    answer.last = last;
    answer.tag = coming.tag;
    if (last) answer.error = static_cast<std::uint32_t>(coming.answer);
    const std::uint8_t* data = coming.data.data() + (cycle_ - coming.first) * kBeatBytes;
    switch (static_cast<Port>(p)) {
      case Port::kDescriptors:
        answer.pack(model.fetch_answer_i);
        std::memcpy(model.fetch_data_i.data(), data, kBeatBytes);
        break;
      case Port::kRead:
        answer.pack(model.read_answer_i);
        std::memcpy(model.read_data_i.data(), data, kBeatBytes);
        break;
      case Port::kWrite:
        answer.pack(model.write_answer_i);
        break;
    }
    if (last) queue.pop_front();
  }
}

void DmaRtl::watch_writes(std::uint64_t cycle) {
  VDmaEngine& model = dut_->model;
  if (model.write_valid_o == 0) return;
  const auto* data = reinterpret_cast<const std::uint8_t*>(model.write_data_o.data());
  if (model.write_last_o == 0) {
    beats_.insert(beats_.end(), data, data + model.write_bytes_o);
    return;
  }
  Request request = request_of(model.write_request_o, Port::kWrite, cycle);
  // An immediate may pass between the beats of another request.
  const bool whole = model.write_immediate_o != 0;
  if (!whole) {
    beats_.insert(beats_.end(), data, data + model.write_bytes_o);
    if (beats_.size() != request.bytes) {
      throw std::logic_error("a write of a DMA engine has other bytes than its beats");
    }
  }
  request.data = whole ? data : beats_.data();
  environment_.request(request);
  if (!whole) beats_.clear();
}

// Outputs of `cycle`, before its clock edge.
void DmaRtl::watch(std::uint64_t cycle) {
  VDmaEngine& model = dut_->model;
  const auto ask = [this](const Request& request) {
    bytes_[static_cast<unsigned>(request.port)][request.tag] = request.bytes;
    environment_.request(request);
  };
  if (model.fetch_valid_o != 0) ask(request_of(model.fetch_request_o, Port::kDescriptors, cycle));
  if (model.read_valid_o != 0) ask(request_of(model.read_request_o, Port::kRead, cycle));
  watch_writes(cycle);
  if (model.taken_o != 0) begin_[model.taken_entry_o] = cycle;
  if (model.done_o != 0) {
    environment_.packet_done(begin_[model.done_entry_o], cycle, model.done_ring_o,
                             model.done_bytes_o, model.done_pairs_o);
  }
}

void DmaRtl::tick() {
  VDmaEngine& model = dut_->model;
  drive_answers();
  model.clk_i = 0;
  model.eval();
  watch(cycle_);
  const std::uint32_t stopping = model.stopping_o;
  dut_->clock.edge(cycle_);
  model.reg_valid_i = 0;
  model.push_valid_i = 0;
  has_inputs_ = false;
  for (unsigned ring = 0; stopping >> ring != 0; ++ring) {
    if ((stopping >> ring & 1) == 0) continue;
    const std::uint32_t at = ring * kRingStride;
    const std::uint64_t low = peek(at + TERN_REG_DMA_RING_FAULT_ADDRESS);
    const std::uint64_t high = peek(at + TERN_REG_DMA_RING_FAULT_ADDRESS + 4);
    environment_.ring_stopped(cycle_, ring, peek(at + TERN_REG_DMA_RING_FAULT),
                              peek(at + TERN_REG_DMA_RING_FAULT_INDEX), low | high << 32);
    model.reg_valid_i = 0;
  }
  ++cycle_;
  ++simulated_;
}

// No cycle changes anything before the next input.
bool DmaRtl::quiet() const {
  return !has_inputs_ && dut_->model.idle_o != 0;
}

std::uint64_t DmaRtl::next_cycle() const {
  if (!quiet()) return cycle_;
  std::uint64_t next = UINT64_MAX;
  for (const auto& queue : coming_) {
    if (!queue.empty()) next = std::min(next, std::max(cycle_, queue.front().first));
  }
  return next;
}

void DmaRtl::advance(std::uint64_t cycle) {
  while (cycle_ <= cycle) {
    const std::uint64_t next = next_cycle();
    if (next > cycle) {
      cycle_ = cycle + 1;
      return;
    }
    cycle_ = next;
    tick();
  }
}

bool DmaRtl::at_rest() const {
  if (has_inputs_ || dut_->model.rest_o == 0) return false;
  return std::all_of(coming_.begin(), coming_.end(), [](const auto& q) { return q.empty(); });
}

}  // namespace tern::dma
