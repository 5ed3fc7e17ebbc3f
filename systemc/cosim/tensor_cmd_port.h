// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "sw/base/user_error.h"
#include "systemc/cosim/generated/tensor_ports.h"
#include "systemc/engines/tensor/tensor_datapath.h"

namespace tern::cosim {

// A command as the command port takes it. Values too large for their field are clamped, and
// refused like the largest one.
inline tensor_ports::Cmd cmd_port(const TensorCommand& command) {
  const auto fits = [](int step) { return step >= -32768 && step <= 32767; };
  if (!fits(command.step0) || !fits(command.step1)) {
    throw RunError("tensor RTL: the steps of an operand have 16 bits");
  }
  const auto field = [](auto value, unsigned bits) {
    return std::min(static_cast<std::uint32_t>(value), (std::uint32_t{1} << bits) - 1);
  };
  tensor_ports::Cmd cmd;
  cmd.op = field(command.op, 4);
  cmd.dtype = field(command.type, 5);
  cmd.mode = field(command.mode, 3);
  cmd.high_half = command.high_half;
  cmd.sparsity = field(command.sparsity, 3);
  cmd.tile_rows = field(command.tile_rows, 2);
  cmd.tile_cols = field(command.tile_cols, 2);
  cmd.accumulate = command.accumulate;
  cmd.bf16_result = command.bf16_result;
  cmd.stochastic = command.stochastic;
  cmd.tag = command.tag & 0xFF;
  cmd.row_start = field(command.row_start, 8);
  cmd.rows = field(command.rows, 8);
  cmd.col_start = field(command.col_start, 8);
  cmd.cols = field(command.cols, 8);
  cmd.scale_offset = field(command.scale_offset, 4);
  cmd.psum_bank = field(command.psum_bank, 7);
  cmd.psum_column = field(command.psum_column, 16);
  cmd.address = command.sbuf_address;
  cmd.num0 = field(command.num0, 16);
  cmd.step0 = command.step0;
  cmd.num1 = field(command.num1, 16);
  cmd.step1 = command.step1;
  cmd.plane = command.plane;
  cmd.aux_address = command.aux_address;
  return cmd;
}

}  // namespace tern::cosim
