// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "systemc/engines/tensor/tensor_datapath.h"
#include "tb/common/mismatch.h"

namespace tern::tb {

// A command as the input of a failure; codes as in docs/spec/tensor.yaml and formats.yaml.
inline std::string text(const TensorCommand& c) {
  const auto number = [](auto value) { return std::to_string(static_cast<int>(value)); };
  const char* const ops[] = {"load stationary", "multiply moving", "transpose"};
  const auto op = static_cast<unsigned>(c.op);
  std::string text = op < 3 ? ops[op] : "operation " + number(op);
  text += ", tag " + hex(c.tag, 8) + ", mode " + number(c.mode) + ", dtype " + number(c.type) +
          ", rows " + number(c.row_start) + " + " + number(c.rows) + ", columns " +
          number(c.col_start) + " + " + number(c.cols) + ", address " + hex(c.sbuf_address, 20);
  if (c.tile_rows != TensorTileSize::kWhole || c.tile_cols != TensorTileSize::kWhole) {
    text += ", tile sizes " + number(c.tile_rows) + " " + number(c.tile_cols);
  }
  if (c.mode == TensorMode::kSparse) text += ", sparsity " + number(c.sparsity);
  if (c.high_half) text += ", high half";
  if (c.plane != 0) text += ", plane " + number(c.plane);
  if (c.aux_address != 0) text += ", aux address " + hex(c.aux_address, 20);
  if (c.scale_offset != 0) text += ", scale offset " + number(c.scale_offset);
  if (c.op == TensorOp::kMultiplyMoving || c.num0 != c.cols || c.step0 != 1) {
    text += ", elements " + number(c.num0) + " x " + number(c.num1) + " steps " + number(c.step0) +
            " " + number(c.step1);
  }
  if (c.op != TensorOp::kLoadStationary) {
    text += ", PSUM bank " + number(c.psum_bank) + " column " + number(c.psum_column);
    if (c.accumulate) text += ", accumulate";
    if (c.bf16_result) text += ", BF16";
    if (c.stochastic) text += ", stochastic";
  }
  return text;
}

}  // namespace tern::tb
