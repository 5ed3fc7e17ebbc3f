// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sw/app/check/difference.h"
#include "sw/config/chip_config.h"
#include "sw/runtime/executable.h"
#include "sw/runtime/host_port.h"

namespace tern::app {

// March C-: up (w0), up (r0 w1), up (r1 w0), down (r0 w1), down (r1 w0), up (r0), where 0 and 1 are
// a background and its inverse (van de Goor, 1991). It finds stuck cells, transitions that do not
// happen, two addresses of one cell, and cells that change with others.
struct MarchElement {
  bool down = false;
  struct Operation {
    bool write = false, inverse = false;
  };
  std::vector<Operation> operations;
};
const std::vector<MarchElement>& march_c_minus();

// Words of memory in ascending order, at equal distances inside a range.
struct MarchRange {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::string name;  // "stack 0"
};

// Through the host port, words of `word` bytes, all ranges as one memory; a background per march.
// RunError if an access is refused.
Difference march_by_host(runtime::HostPort& host, const std::vector<MarchRange>& ranges,
                         std::size_t word, const std::vector<std::uint8_t>& backgrounds);

// Through the DMA engines of a core, as a program: a tile of SBUF [128, units * bytes], or as much
// of HBM, unit by unit. Input "backgrounds" [256, bytes]: the background, then its inverse, on 128
// partitions each; output "log": what each read found, [128, bytes] after [128, bytes].
Executable march_by_dma(const ChipConfig& chip, bool hbm, unsigned units, std::uint32_t bytes);
// The background of a march in these tensors.
std::vector<std::uint8_t> march_backgrounds(std::uint8_t background, std::uint32_t bytes);
std::vector<std::uint8_t> march_log(std::uint8_t background, unsigned units, std::uint32_t bytes);

}  // namespace tern::app
