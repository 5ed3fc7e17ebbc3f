// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "sw/config/chip_config.h"
#include "sw/data/npy.h"

namespace tern::app {

// Arrays [P, ...] in SBUF, row p contiguous in partition p.

// "FILE.npy@BYTE": what stands in SBUF before the program.
struct SbufInput {
  std::string file;
  std::uint32_t byte = 0;  // in each partition
  data::NpyArray array;
  std::size_t rows() const { return array.shape.at(0); }
  std::size_t row_bytes() const { return array.bytes.size() / rows(); }
};

// "FILE.npy@BYTE:COLUMNSxFORMAT": what is read after it, from all partitions.
struct SbufOutput {
  std::string file;
  std::uint32_t byte = 0;
  std::size_t columns = 0;
  data::DType dtype = data::DType::kF32;
  std::size_t row_bytes() const { return columns * data::size_of(dtype); }
};

// UserError for what does not fit the chip's SBUF.
SbufInput read_sbuf_input(const std::string& text, const ChipConfig& chip);
SbufOutput parse_sbuf_output(const std::string& text, const ChipConfig& chip);

}  // namespace tern::app
