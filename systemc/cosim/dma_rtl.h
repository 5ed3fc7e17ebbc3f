// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "systemc/cosim/tensor_rtl.h"
#include "systemc/dma/model/unit.h"

namespace tern::dma {

// The Verilated engine (rtl/dma/dma_engine.sv) behind the interface of its model. Its registers
// take one write per cycle: a second one in the same cycle is a std::logic_error, as is an input
// for a cycle that has been simulated.
class DmaRtl : public Unit {
 public:
  DmaRtl(const UnitConfig& config, Environment& environment, const WaveOptions& wave = {});
  ~DmaRtl() override;

  bool write_register(std::uint64_t cycle, std::uint32_t offset, std::uint32_t value) override;
  bool read_register(std::uint64_t cycle, std::uint32_t offset, std::uint32_t& value) override;
  bool push_pair(std::uint64_t cycle, unsigned ring, const std::uint8_t* pair) override;
  // Early: before the cycle of its first beat is simulated.
  void answer(std::uint64_t cycle, Port port, unsigned tag, Answer answer,
              const std::uint8_t* data) override;
  std::uint64_t next_cycle() const override;
  void advance(std::uint64_t cycle) override;
  bool at_rest() const override;

  // Clock cycles that were evaluated: idle ones are skipped.
  std::uint64_t cycles_simulated() const { return simulated_; }

 private:
  struct Dut;
  static constexpr unsigned kPorts = 3, kTags = TERN_DMA_TAGS;
  // Beats of an answer, in the cycles first .. last.
  struct Coming {
    std::uint64_t first = 0, last = 0;
    unsigned tag = 0;
    Answer answer = Answer::kGood;
    std::array<std::uint8_t, kBurstBytes> data{};
  };

  void settle(std::uint64_t cycle);
  bool quiet() const;
  void tick();
  void drive_answers();
  void watch(std::uint64_t cycle);
  void watch_writes(std::uint64_t cycle);
  std::uint32_t peek(std::uint32_t offset);

  Environment& environment_;
  std::unique_ptr<Dut> dut_;
  std::uint64_t cycle_ = 0;  // the next one to be simulated
  std::uint64_t simulated_ = 0;
  bool has_inputs_ = false;  // of cycle_: a register write or a pair
  std::array<std::deque<Coming>, kPorts> coming_;
  std::array<std::array<std::uint32_t, kTags>, kPorts> bytes_{};  // of requests in flight, by tag
  std::vector<std::uint8_t> beats_;        // of the write request being assembled
  std::array<std::uint64_t, 64> begin_{};  // cycle of dispatch, by entry
};

}  // namespace tern::dma
