// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sw/app/check/difference.h"
#include "sw/config/chip_config.h"
#include "sw/platform/tensor_bytes.h"
#include "sw/runtime/executable.h"

namespace tern::app {

// A program whose results are known bit for bit, from a computation on the host that shares no code
// with the chip.
struct ScreenProgram {
  struct Output {
    Bytes bytes;
    std::size_t columns = 0;  // words of a row; rows are on partitions, 128 after 128
    std::size_t word_bytes = 4;
  };
  Executable program;
  std::map<std::string, Bytes> inputs;
  std::map<std::string, Output> outputs;
};

// block: what the program exercises beyond those before it: "dma", "vector", ..., "tensor".
struct ScreenTest {
  std::string name, block;
  std::function<ScreenProgram()> make;
};

// The tests of a core, in the order in which blocks need each other: the first that fails names the
// block. Those that the chip has the blocks for. full: larger operands.
std::vector<ScreenTest> screen_tests(const ChipConfig& chip, bool full);
std::vector<ScreenTest> screen_transfers(const ChipConfig& chip, bool full);
std::vector<ScreenTest> screen_engines(const ChipConfig& chip, bool full);
std::vector<ScreenTest> screen_products(const ChipConfig& chip, bool full);

// Of the outputs of a run.
Difference differences(const ScreenProgram& screen, const std::map<std::string, Bytes>& outputs);

// Numbers of (-2, 2), the same everywhere; streams differ.
std::vector<float> screen_values(std::size_t count, unsigned stream);
Bytes bytes_of(const std::vector<float>& values);

}  // namespace tern::app
