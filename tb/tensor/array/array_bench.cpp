// SPDX-License-Identifier: Apache-2.0
#include "tb/tensor/array/array_bench.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>

#include "systemc/cosim/port_bits.h"
#include "tb/common/rtl_reset.h"

namespace tern::tb {

using cosim::get_bits;
using cosim::set_bits;

ArrayBench::ArrayBench() {
  dut_.clk_i = 0;
  dut_.rst_ni = 0;
  dut_.eval();
  dut_.clk_i = 1;
  dut_.eval();
  dut_.clk_i = 0;
  dut_.rst_ni = 1;
  dut_.eval();
}

void ArrayBench::inject(const ArrayCommand& command, std::uint64_t cycle) {
  const Tile& tile = command.tile;
  // Cycle in which column (or group) 0 enters row 0, or the rows of the first row group.
  const unsigned entrance = command.kind == ArrayCommand::Kind::kMove ? tile.g0 : 0;
  const std::uint64_t first = command.issue + 1 + std::uint64_t{kGroupRows} * entrance;
  if (cycle < first) return;
  const auto n = static_cast<unsigned>(cycle - first);
  const auto form = static_cast<unsigned>(command.form);

  if (command.kind == ArrayCommand::Kind::kLoad) {
    const unsigned groups = command.load_cycles();
    if (n >= groups) return;
    const unsigned column = command.single ? n : 4 * n;
    const unsigned left = std::min(4u, tile.cols - column);
    tensor_ports::LoadWave load;
    load.valid = true;
    load.last = n + 1 == groups;
    load.slot = command.slot;
    load.form = form;
    load.single = command.single;
    load.group = (tile.col_start + column) / 4;
    load.column = (tile.col_start + column) % 4;
    load.address = static_cast<std::uint32_t>(command.column_address(column));
    load.skip = tile.row_start;
    load.left = tile.rows;
    load.pack(dut_.load_i);
    tensor_ports::TagWave tag;
    tag.valid = command.sparse;
    tag.sparsity = command.sparsity;
    tag.columns = (1u << left) - 1;
    tag.address = (command.tag_address + 2 * n) / 2;
    tag.pack(dut_.tag_i);
  } else if (n < command.columns && command.kind == ArrayCommand::Kind::kMove) {
    tensor_ports::MoveWave move;
    move.valid = true;
    move.swap = command.swap && n == 0;
    move.slot = command.slot;
    move.form = form;
    move.sparse = command.sparse;
    move.sparsity = command.sparsity;
    move.mask = tile.mask();
    move.last_group = tile.g1;
    move.address = (command.address + form_bytes(command.form) * n) / 2;
    move.skip = tile.row_start - kGroupRows * entrance;
    move.left = tile.rows;
    move.pack(dut_.move_i, (4 * entrance + tile.j0) * tensor_ports::MoveWave::kBits);
    if (command.sparse) dut_.plane_i = static_cast<unsigned>(command.plane / 2) & 0x1FFFF;
  } else if (n < command.columns) {
    tensor_ports::DrainWave drain;
    drain.valid = true;
    drain.slot = command.slot;
    drain.row = tile.row_start + n;
    drain.pack(dut_.drain_i);
  }
}

std::uint64_t ArrayBench::read(unsigned partition, std::uint64_t address, unsigned bytes) const {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < bytes && address + i < kBytes; ++i) {
    value |= std::uint64_t{sbuf[partition][address + i]} << (8 * i);
  }
  return value;
}

// SBUF is read for the rows of a tile only: a row a cycle by loads, four at once by moves.
void ArrayBench::expect_requests(const std::vector<ArrayCommand>& commands, std::uint64_t cycle) {
  std::uint64_t loads = 0, tags = 0, moves = 0;  // by row
  std::array<std::uint64_t, 3> planes{};
  for (const ArrayCommand& command : commands) {
    if (command.kind == ArrayCommand::Kind::kDrain) continue;
    const Tile& tile = command.tile;
    const bool load = command.kind == ArrayCommand::Kind::kLoad;
    const unsigned length = load ? command.load_cycles() : command.columns;
    for (unsigned r = tile.row_start; r < tile.row_start + tile.rows; ++r) {
      const std::uint64_t first = command.issue + 1 + (load ? r : r / 4 * 4);
      if (cycle < first || cycle >= first + length) continue;
      const std::uint64_t bit = std::uint64_t{1} << r;
      if (load) loads |= bit;
      if (load && command.sparse) tags |= bit;
      if (!load && tile.j0 == 0) moves |= bit;
      if (!load && tile.j0 != 0) planes[tile.j0 - 1] |= bit;
      if (load || !command.sparse) continue;
      for (unsigned p = 1; p < kPatterns[command.sparsity].planes(); ++p) planes[p - 1] |= bit;
    }
  }
  REQUIRE(get_bits(dut_.load_req_o, 0, kRows) == loads);
  REQUIRE(get_bits(dut_.tag_req_o, 0, kRows) == tags);
  REQUIRE(get_bits(dut_.move_req_o, 0, kRows) == moves);
  for (unsigned p = 0; p < 3; ++p) {
    std::uint64_t requests = 0;
    for (unsigned r = 0; r < kRows; ++r) {
      requests |= get_bits(dut_.plane_req_o, 3 * r + p, 1) << r;
    }
    REQUIRE(requests == planes[p]);
  }
}

// Answers this cycle's requests; the data must stay away until the clock has risen.
void ArrayBench::read_sbuf() {
  auto load_data = dut_.load_data_i;
  auto tag_data = dut_.tag_data_i;
  auto move_data = dut_.move_data_i;
  auto plane_data = dut_.plane_data_i;
  for (unsigned r = 0; r < kRows; ++r) {
    if (get_bits(dut_.load_req_o, r, 1) != 0) {
      const std::uint64_t address = 4 * get_bits(dut_.load_addr_o, 16 * r, 16);
      set_bits(load_data, 128 * r, 64, read(r, address, 8));
      set_bits(load_data, 128 * r + 64, 64, read(r, address + 8, 8));
    }
    if (get_bits(dut_.tag_req_o, r, 1) != 0) {
      const std::uint64_t address = 2 * get_bits(dut_.tag_addr_o, 17 * r, 17);
      set_bits(tag_data, 16 * r, 16, read(r, address, 2));
    }
    if (get_bits(dut_.move_req_o, r, 1) != 0) {
      const std::uint64_t address = 2 * get_bits(dut_.move_addr_o, 17 * (r / 4), 17);
      set_bits(move_data, 32 * r, 32, read(r, address, 4));
    }
    for (unsigned c = 0; c < 3; ++c) {
      if (get_bits(dut_.plane_req_o, 3 * r + c, 1) == 0) continue;
      const std::uint64_t address = 2 * get_bits(dut_.plane_addr_o, 17 * (3 * (r / 4) + c), 17);
      set_bits(plane_data, 32 * (3 * r + c), 32, read(r, address, 4));
    }
  }
  block_.clock.edge();
  dut_.load_data_i = load_data;
  dut_.tag_data_i = tag_data;
  dut_.move_data_i = move_data;
  dut_.plane_data_i = plane_data;
}

void ArrayBench::collect(std::uint64_t cycle) {
  for (ArrayResult& result : announced_) {
    result.cycle = cycle;
    for (unsigned lane = 0; lane < kCols; ++lane) {
      const unsigned word = result.port * kCols + lane;
      result.lanes.push_back(result.port < 4 ? dut_.sum_o.m_storage[word]
                                             : dut_.raw_o.m_storage[lane]);
    }
    results.push_back(result);
  }
  announced_.clear();
  for (unsigned port = 0; port < 4; ++port) {
    for (unsigned j = 0; j < 4; ++j) {
      if (get_bits(dut_.port_valid_o, 4 * port + j, 1) == 0) continue;
      const auto slot = static_cast<unsigned>(get_bits(dut_.port_slot_o, 4 * (4 * port + j), 4));
      auto same = std::find_if(announced_.begin(), announced_.end(), [&](const ArrayResult& r) {
        return r.port == port && r.slot == slot;
      });
      if (same == announced_.end()) {
        announced_.push_back({0, slot, port, {}});
        same = announced_.end() - 1;
      }
      same->groups |= 1u << j;
    }
  }
  if (dut_.raw_valid_o != 0) announced_.push_back({0, dut_.raw_slot_o, 4, {}, 0xF});
  if (dut_.load_done_o != 0) {
    loads.push_back({cycle, dut_.load_done_slot_o, dut_.load_bad_o != 0});
  }
}

void ArrayBench::reset() {
  reset_between_edges(dut_);
  announced_.clear();
  results.clear();
  loads.clear();
}

void ArrayBench::run(const std::vector<ArrayCommand>& commands, std::uint64_t cycles) {
  std::uint64_t end = cycle_;
  for (const ArrayCommand& command : commands) {
    end = std::max(end, command.issue + command.columns + command.tile.cols);
  }
  end += kRows + 8;
  for (; cycle_ < end && cycles > 0; ++cycle_, --cycles) {
    dut_.load_i = 0;
    dut_.tag_i = 0;
    dut_.drain_i = 0;
    dut_.plane_i = 0;
    std::memset(&dut_.move_i, 0, sizeof dut_.move_i);
    for (const ArrayCommand& command : commands) inject(command, cycle_);
    dut_.clk_i = 0;
    dut_.eval();
    collect(cycle_);
    expect_requests(commands, cycle_);
    read_sbuf();
  }
}

}  // namespace tern::tb
