// SPDX-License-Identifier: Apache-2.0
// Where a pipeline differs, and the input of the differing lane.
#pragma once

#include <string>
#include <vector>

#include "sw/spec/generated/formats.h"
#include "tb/common/mismatch.h"
#include "tb/mx/mx_stream.h"

namespace tern::tb {

constexpr unsigned kMxBlockLanes = kMxRtlLanes / kMxRtlBlocks;

inline std::string input_of(const MxQuantizeInput& input, unsigned block) {
  const auto first = input.elements.begin() + block * kMxBlockLanes;
  return std::string(input.fp16 ? "fp16" : "bf16") + " to " + (input.e5m2 ? "e5m2" : "e4m3fn") +
         ", rule " + (input.ocp ? "ocp" : "aws") + ", block " +
         hex_list(std::vector<std::uint16_t>(first, first + kMxBlockLanes));
}

inline std::string input_of(const MxDequantizeInput& input, unsigned lane) {
  return "dtype " + std::to_string(input.src) + " to " + std::to_string(input.dst) + ", x4 " +
         hex(input.x4[lane / 4]) + ", scale " + hex(input.scales[lane / kMxBlockLanes], 8);
}

// The codes and scales of a column.
inline MismatchLog differences(const MxQuantizeInput& input, const MxQuantizeOutput& expected,
                               const Timed<MxQuantizeOutput>& got) {
  MismatchLog log;
  for (unsigned block = 0; block < kMxRtlBlocks; ++block) {
    log.compare(expected.scales[block], got.scales[block], 8, [&] {
      return Where{"port scale_o, block " + std::to_string(block), input_of(input, block),
                   got.cycle};
    });
  }
  for (unsigned lane = 0; lane < kMxRtlLanes; ++lane) {
    log.compare(expected.codes[lane], got.codes[lane], 8, [&] {
      return Where{"port data_o, lane " + std::to_string(lane),
                   input_of(input, lane / kMxBlockLanes), got.cycle};
    });
  }
  return log;
}

inline MismatchLog differences(const MxDequantizeInput& input, const MxDequantizeOutput& expected,
                               const Timed<MxDequantizeOutput>& got) {
  MismatchLog log;
  const unsigned bits = input.dst == TERN_DTYPE_FP32 ? 32 : input.dst == TERN_DTYPE_BF16 ? 16 : 8;
  for (unsigned lane = 0; lane < kMxRtlLanes; ++lane) {
    log.compare(expected.elements[lane], got.elements[lane], bits, [&] {
      return Where{"port data_o, lane " + std::to_string(lane), input_of(input, lane), got.cycle};
    });
  }
  return log;
}

}  // namespace tern::tb
