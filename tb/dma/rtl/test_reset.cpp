// SPDX-License-Identifier: Apache-2.0
// Reset while fetches, reads and writes are in flight: the engine is as new, in every output.
#include <VDmaEngine.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <deque>

#include "sw/spec/generated/registers.h"
#include "systemc/cosim/generated/dma_ports.h"
#include "systemc/cosim/rtl_block.h"
#include "tb/common/bench_wave.h"
#include "tb/dma/model/unit_bench.h"

namespace {

using tern::tb::UnitBench;
using Engine = tern::cosim::RtlBlock<VDmaEngine>;

constexpr std::uint32_t kRing = 3 * 0x40;
constexpr unsigned kLatency = 12;

// A memory of descriptors and zeros behind the three ports, one answer beat a cycle on each.
class System {
 public:
  explicit System(const tern::WaveOptions& wave) : engine_(wave, "dma_engine") {
    VDmaEngine& model = engine_.model;
    model.cfg_descriptor_cycles_i = 5;
    model.cfg_pace_i = 0;
    model.cfg_policy_i = 0;
    model.cfg_rate_i = 0;
    for (auto& word : model.cfg_depth_i.m_storage) word = 0;
    model.rst_ni = 1;
    reset();
  }

  VDmaEngine& model() { return engine_.model; }

  // No clock edge; what memory was about to answer is lost with it.
  void reset() {
    VDmaEngine& m = engine_.model;
    m.clk_i = 0;
    no_inputs();
    m.eval();
    m.rst_ni = 0;
    m.eval();
    m.rst_ni = 1;
    m.eval();
    for (auto* queue : {&fetch_, &read_, &write_}) queue->clear();
  }

  void poke(std::uint32_t offset, std::uint32_t value) {
    no_inputs();
    engine_.model.reg_valid_i = engine_.model.reg_write_i = 1;
    engine_.model.reg_offset_i = static_cast<std::uint16_t>(offset);
    engine_.model.reg_data_i = value;
    step();
  }
  std::uint32_t peek(std::uint32_t offset) {
    no_inputs();
    engine_.model.reg_valid_i = 1;
    engine_.model.reg_write_i = 0;
    engine_.model.reg_offset_i = static_cast<std::uint16_t>(offset);
    engine_.model.eval();
    const std::uint32_t value = engine_.model.reg_data_o;
    engine_.model.reg_valid_i = 0;
    return value;
  }

  // Eight copies of 200 bytes in a ring.
  void start() {
    poke(kRing + TERN_REG_DMA_RING_TX_BASE, 0x10000);
    poke(kRing + TERN_REG_DMA_RING_RX_BASE, 0x20000);
    poke(kRing + TERN_REG_DMA_RING_SIZE, 64);
    poke(kRing + TERN_REG_DMA_RING_TAIL, 8);
  }

  void idle() {
    no_inputs();
    step();
  }

  // Everything that leaves in the cycle that step() ended.
  const std::vector<std::uint32_t>& outputs() const { return outputs_; }
  bool has_written() const { return has_written_; }

 private:
  struct Beat {
    std::uint64_t cycle;
    tern::dma_ports::Answer answer;
    std::uint8_t data[64];
  };
  using Queue = std::deque<Beat>;

  void no_inputs() {
    VDmaEngine& m = engine_.model;
    m.clk_i = 0;
    m.reg_valid_i = m.reg_write_i = m.push_valid_i = 0;
  }

  void accept(const tern::dma_ports::Request& request, bool fetch, Queue* queue) {
    const std::uint64_t begin = queue->empty() ? 0 : queue->back().cycle + 1;
    const unsigned beats = queue == &write_ ? 1 : (request.bytes + 63) / 64;
    for (unsigned b = 0; b < beats; ++b) {
      Beat beat{std::max(begin, cycle_ + kLatency) + b, {}, {}};
      beat.answer.valid = true;
      beat.answer.last = b + 1 == beats;
      beat.answer.tag = request.tag;
      for (unsigned i = 0; fetch && i < 4; ++i) {
        const auto pair = UnitBench::copy_pair(0x40000, 200, 0x50000, 200, true, true);
        const bool is_rx = (request.tag & 1) != 0;
        std::uint32_t words[4];
        std::memcpy(words, is_rx ? pair.rx : pair.tx, 16);
        words[0] |= 1u << TERN_DESC_RING_ID_LSB;
        std::memcpy(beat.data + 16 * i, words, 16);
      }
      queue->push_back(beat);
    }
  }

  template <typename AnswerPort>
  void answer(Queue* queue, AnswerPort& port, std::uint32_t* data) {
    tern::dma_ports::Answer answer;
    if (!queue->empty() && queue->front().cycle <= cycle_) {
      answer = queue->front().answer;
      if (data != nullptr) std::memcpy(data, queue->front().data, 64);
      queue->pop_front();
    }
    answer.pack(port);
  }

  void step() {
    VDmaEngine& m = engine_.model;
    answer(&fetch_, m.fetch_answer_i, m.fetch_data_i.data());
    answer(&read_, m.read_answer_i, m.read_data_i.data());
    answer(&write_, m.write_answer_i, nullptr);
    m.eval();
    outputs_.clear();
    const auto note = [this](std::uint32_t value) { outputs_.push_back(value); };
    const auto request_of = [&](const auto& port) {
      const auto request = tern::dma_ports::Request::unpack(port);
      note(static_cast<std::uint32_t>(request.address));
      note(request.bytes);
      note(request.tag);
      return request;
    };
    for (const std::uint32_t value :
         {std::uint32_t{m.fetch_valid_o}, std::uint32_t{m.read_valid_o},
          std::uint32_t{m.write_valid_o}, std::uint32_t{m.taken_o}, std::uint32_t{m.done_o},
          std::uint32_t{m.stopping_o}, std::uint32_t{m.rest_o}, std::uint32_t{m.idle_o},
          std::uint32_t{m.push_ready_o}}) {
      note(value);
    }
    if (m.fetch_valid_o != 0) accept(request_of(m.fetch_request_o), true, &fetch_);
    if (m.read_valid_o != 0) accept(request_of(m.read_request_o), false, &read_);
    if (m.write_valid_o != 0 && m.write_last_o != 0) {
      accept(request_of(m.write_request_o), false, &write_);
      has_written_ = true;
    }
    engine_.clock.edge();
    ++cycle_;
  }

  Engine engine_;
  std::uint64_t cycle_ = 0;
  Queue fetch_, read_, write_;
  std::vector<std::uint32_t> outputs_;
  bool has_written_ = false;
};

}  // namespace

TEST_CASE("dma rtl: a reset during work leaves nothing in flight") {
  System used(tern::tb::bench_wave());
  // From the request of the descriptors to the last answer of the writes.
  for (unsigned cycles = 0; cycles < 120; cycles += 7) {
    CAPTURE(cycles);
    used.start();
    for (unsigned i = 0; i < cycles; ++i) used.idle();
    used.reset();
    for (const std::uint32_t reg :
         {TERN_REG_DMA_RING_HEAD, TERN_REG_DMA_RING_STATUS, TERN_REG_DMA_RING_SIZE,
          TERN_REG_DMA_RING_RELEASED, TERN_REG_DMA_RING_FAULT}) {
      CHECK(used.peek(kRing + reg) == 0);
    }
    CHECK(used.peek(TERN_REG_DMA_ENGINE_STATE) == 1);
    CHECK(used.model().rest_o == 1);
    System fresh({});
    CHECK(fresh.model().idle_o == 1);
    for (unsigned i = 0; i < 250; ++i) {
      for (System* system : {&used, &fresh}) {
        if (i == 20) system->start();
        system->idle();
      }
      INFO("cycle " << i);
      REQUIRE(used.outputs() == fresh.outputs());
    }
    CHECK(fresh.has_written());
    CHECK(used.peek(kRing + TERN_REG_DMA_RING_HEAD) == 8);
  }
}
