// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <climits>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tb/common/bench_inputs.h"
#include "tb/tensor/mx/mx_operands.h"

class VTensorMx;

namespace tern::tb {

// The Verilated MX array alone, with a memory for each partition. Plays the part of the engine's
// sequencers and of SBUF, and requires every pulse on the ports in its documented cycle.
class MxArray {
 public:
  static constexpr unsigned kRows = 64;
  static constexpr unsigned kCols = 8;
  static constexpr unsigned kBlocks = kRows / 8;
  static constexpr unsigned kGroupBlocks = kBlocks / 4;  // of a row group

  MxArray();
  ~MxArray();

  struct Multiply {
    const MxOperand* stationary;  // loaded before it unless it is that of the multiply before
    const MxOperand* moving;
    unsigned gap = 0;  // idle cycles beyond the earliest issue
  };
  // result[multiply][moving column][slot * kCols + column]; slots: of quad mode
  using Results = std::vector<std::vector<std::vector<std::uint32_t>>>;

  // Runs the multiplies in order, as closely as the engine may, loads in parallel; fewer cycles
  // than that takes end it there.
  Results run(const std::vector<Multiply>& multiplies, unsigned cycles = UINT_MAX);

  void reset();  // between two cycles

  // Runs and requires equality with the oracle; bits of `spoil` change what that expects.
  void check(const std::vector<Multiply>& multiplies, std::uint32_t spoil = 0);

 private:
  struct Load;
  struct Move;
  struct Schedule;
  struct Answers;
  Load place_stationary(const MxOperand& operand);
  Move place_moving(const MxOperand& operand);
  void write_elements(const MxOperand& operand, unsigned address, unsigned plane_address);
  void write_scales(const MxOperand& operand, unsigned address, unsigned offset);
  unsigned allocate(unsigned bytes, unsigned alignment);
  Schedule schedule(const std::vector<Multiply>& multiplies);
  void answer_requests();
  void expect_requests(const Schedule& plan, unsigned cycle) const;
  void clock();
  void expect_port(const char* port, std::uint64_t expected, std::uint64_t got) const;
  std::string inputs() const;

  struct Dut;
  std::unique_ptr<Dut> dut_;
  VTensorMx* top_;
  std::unique_ptr<Answers> answers_;
  std::vector<std::vector<std::uint8_t>> memory_;
  unsigned allocated_ = 0;
  unsigned placed_ = 0;
  std::vector<std::vector<std::uint64_t>> cycles_;  // in which the last run's results were there
  BenchInputs inputs_{[this] { return inputs(); }};
};

}  // namespace tern::tb
