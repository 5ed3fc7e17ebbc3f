// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <VTensorArray.h>

#include <array>
#include <cstdint>
#include <vector>

#include "systemc/cosim/rtl_block.h"
#include "tb/common/bench_wave.h"
#include "tb/tensor/array/array_command.h"

namespace tern::tb {

// Array A between its ports: injects the waves of scheduled commands, answers the SBUF requests
// from `sbuf`, and collects what leaves.
class ArrayBench {
 public:
  static constexpr unsigned kRows = 32, kCols = 16, kBytes = 4096;
  static constexpr unsigned kGroupRows = kRows / 4, kGroupCols = kCols / 4;

  ArrayBench();

  std::array<std::array<std::uint8_t, kBytes>, kRows> sbuf{};  // bytes of each partition

  // Runs commands, issued from the present cycle on, until the array is empty or for `cycles`.
  void run(const std::vector<ArrayCommand>& commands, std::uint64_t cycles = UINT64_MAX);
  void reset();  // between two cycles; drops the results, too
  std::uint64_t cycle() const { return cycle_; }

  std::vector<ArrayResult> results;
  std::vector<LoadDone> loads;

 private:
  void inject(const ArrayCommand& command, std::uint64_t cycle);
  void expect_requests(const std::vector<ArrayCommand>& commands, std::uint64_t cycle);
  void read_sbuf();
  void collect(std::uint64_t cycle);
  std::uint64_t read(unsigned partition, std::uint64_t address, unsigned bytes) const;

  cosim::RtlBlock<VTensorArray> block_{bench_wave(), "tensor_array"};
  VTensorArray& dut_ = block_.model;
  std::uint64_t cycle_ = 0;
  std::vector<ArrayResult> announced_;  // valid was there, the sums come in the next cycle
};

}  // namespace tern::tb
