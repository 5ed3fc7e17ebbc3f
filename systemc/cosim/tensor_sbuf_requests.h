// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "systemc/cosim/port_bits.h"

namespace tern::cosim {

// What the tensor engine asks of SBUF in this cycle, for its Verilated model: answer(port, index,
// bytes, row, address) for each request. Element `index` of the data port gets the bytes at
// `address` of partition `row` in the next cycle.
template <typename Model, typename Answer>
void for_each_sbuf_request(Model& dut, const Answer& answer) {
  const auto bits = [](const auto& port, std::size_t lsb, unsigned width) {
    return static_cast<std::uint32_t>(get_bits(port, lsb, width));
  };
  const auto scale_row = [&](unsigned block, const auto& offsets) {
    return 32 * (block / 4) + 4 * bits(offsets, 2 * block, 2) + block % 4;
  };
  for_each_set_bit(dut.load_req_o, [&](unsigned row) {
    answer(dut.load_data_i, row, 16, row, 4 * bits(dut.load_addr_o, 16 * row, 16));
  });
  for_each_set_bit(dut.load_plane_req_o, [&](unsigned row) {
    answer(dut.load_plane_data_i, row, 4, row, 4 * bits(dut.load_plane_addr_o, 16 * row, 16));
  });
  for_each_set_bit(dut.tag_req_o, [&](unsigned row) {
    answer(dut.tag_data_i, row, 2, row, 2 * bits(dut.tag_addr_o, 17 * row, 17));
  });
  for_each_set_bit(dut.move_req_o, [&](unsigned row) {
    answer(dut.move_data_i, row, 4, row, 2 * bits(dut.move_addr_o, 17 * (row / 4), 17));
  });
  for_each_set_bit(dut.plane_req_o, [&](unsigned port) {
    const unsigned row = port / 3;
    answer(dut.plane_data_i, port, 4, row,
           2 * bits(dut.plane_addr_o, 17 * (3 * (row / 4) + port % 3), 17));
  });
  for_each_set_bit(dut.scale_load_req_o, [&](unsigned block) {
    answer(dut.scale_load_data_i, block, 4, scale_row(block, dut.scale_load_offset_o),
           4 * bits(dut.scale_load_addr_o, 16 * block, 16));
  });
  for_each_set_bit(dut.scale_move_req_o, [&](unsigned block) {
    answer(dut.scale_move_data_i, block, 1, scale_row(block, dut.scale_move_offset_o),
           bits(dut.scale_move_addr_o, 18 * block, 18));
  });
}

}  // namespace tern::cosim
