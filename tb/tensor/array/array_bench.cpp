// SPDX-License-Identifier: Apache-2.0
#include "tb/tensor/array/array_bench.h"

#include <algorithm>
#include <cstring>

namespace tern::tb {

namespace {

// Fields of a packed struct, first member uppermost.
class Packed {
 public:
  Packed& add(std::uint64_t value, unsigned width) {
    bits_ = bits_ << width | (value & ((std::uint64_t{1} << width) - 1));
    return *this;
  }
  std::uint64_t bits() const { return bits_; }

 private:
  std::uint64_t bits_ = 0;
};

template <typename Port>
void set_bits(Port* port, unsigned lsb, unsigned width, std::uint64_t value) {
  auto* words = reinterpret_cast<std::uint32_t*>(port);
  for (unsigned i = 0; i < width; ++i) {
    const std::uint32_t bit = 1u << ((lsb + i) % 32);
    std::uint32_t& word = words[(lsb + i) / 32];
    word = (value >> i & 1) != 0 ? word | bit : word & ~bit;
  }
}

template <typename Port>
std::uint64_t get_bits(const Port& port, unsigned lsb, unsigned width) {
  const auto* words = reinterpret_cast<const std::uint32_t*>(&port);
  std::uint64_t value = 0;
  for (unsigned i = 0; i < width; ++i) {
    value |= std::uint64_t{words[(lsb + i) / 32] >> ((lsb + i) % 32) & 1} << i;
  }
  return value;
}

constexpr unsigned kMoveBits = 52;

}  // namespace

ArrayBench::ArrayBench() : dut_(&context_, "rtl") {
  dut_.clk_i = 0;
  dut_.rst_ni = 0;
  dut_.eval();
  dut_.clk_i = 1;
  dut_.eval();
  dut_.clk_i = 0;
  dut_.rst_ni = 1;
  dut_.eval();
}

ArrayBench::~ArrayBench() {
  dut_.final();
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
    const unsigned groups = (tile.cols + 3) / 4;
    if (n >= groups) return;
    const unsigned left = std::min(4u, tile.cols - 4 * n);
    dut_.load_i = Packed()
                      .add(1, 1)
                      .add(n + 1 == groups, 1)
                      .add(command.slot, 4)
                      .add(form, 3)
                      .add(tile.col_start / 4 + n, 5)
                      .add((command.address + 4 * form_bytes(command.form) * n) / 4, 16)
                      .add(tile.row_start, 8)
                      .add(tile.rows, 8)
                      .bits();
    dut_.tag_i = static_cast<std::uint32_t>(Packed()
                                                .add(command.sparse, 1)
                                                .add(command.sparsity, 3)
                                                .add((1u << left) - 1, 4)
                                                .add(0, 1)
                                                .add((command.tag_address + 2 * n) / 2, 17)
                                                .bits());
  } else if (n < command.columns && command.kind == ArrayCommand::Kind::kMove) {
    const std::uint64_t wave = Packed()
                                   .add(1, 1)
                                   .add(command.swap && n == 0, 1)
                                   .add(command.slot, 4)
                                   .add(form, 3)
                                   .add(command.sparse, 1)
                                   .add(command.sparsity, 3)
                                   .add(tile.mask(), 4)
                                   .add(tile.g1, 2)
                                   .add((command.address + form_bytes(command.form) * n) / 2, 17)
                                   .add(tile.row_start - kGroupRows * entrance, 8)
                                   .add(tile.rows, 8)
                                   .bits();
    set_bits(&dut_.move_i, (4 * entrance + tile.j0) * kMoveBits, kMoveBits, wave);
    if (command.sparse) dut_.plane_i = static_cast<unsigned>(command.plane / 2) & 0x1FFFF;
  } else if (n < command.columns) {
    dut_.drain_i = static_cast<std::uint16_t>(
        Packed().add(1, 1).add(command.slot, 4).add(tile.row_start + n, 8).bits());
  }
}

std::uint64_t ArrayBench::read(unsigned partition, std::uint64_t address, unsigned bytes) const {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < bytes && address + i < kBytes; ++i) {
    value |= std::uint64_t{sbuf[partition][address + i]} << (8 * i);
  }
  return value;
}

// Answers this cycle's requests; the data must stay away until the clock has risen.
void ArrayBench::read_sbuf() {
  struct Answer {
    void* port;
    unsigned lsb, width;
    std::uint64_t value;
  };
  std::vector<Answer> answers;
  for (unsigned r = 0; r < kRows; ++r) {
    if (get_bits(dut_.load_req_o, r, 1) != 0) {
      const std::uint64_t address = 4 * get_bits(dut_.load_addr_o, 16 * r, 16);
      answers.push_back({&dut_.load_data_i, 128 * r, 64, read(r, address, 8)});
      answers.push_back({&dut_.load_data_i, 128 * r + 64, 64, read(r, address + 8, 8)});
    }
    if (get_bits(dut_.tag_req_o, r, 1) != 0) {
      const std::uint64_t address = 2 * get_bits(dut_.tag_addr_o, 17 * r, 17);
      answers.push_back({&dut_.tag_data_i, 16 * r, 16, read(r, address, 2)});
    }
    if (get_bits(dut_.move_req_o, r, 1) != 0) {
      const std::uint64_t address = 2 * get_bits(dut_.move_addr_o, 17 * (r / 4), 17);
      answers.push_back({&dut_.move_data_i, 32 * r, 32, read(r, address, 4)});
    }
    for (unsigned c = 0; c < 3; ++c) {
      if (get_bits(dut_.plane_req_o, 3 * r + c, 1) == 0) continue;
      const std::uint64_t address = 2 * get_bits(dut_.plane_addr_o, 17 * (3 * (r / 4) + c), 17);
      answers.push_back({&dut_.plane_data_i, 32 * (3 * r + c), 32, read(r, address, 4)});
    }
  }
  dut_.clk_i = 1;
  dut_.eval();
  for (const Answer& a : answers) {
    set_bits(static_cast<std::uint32_t*>(a.port), a.lsb, a.width, a.value);
  }
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
        announced_.push_back({0, slot, port, {}, 0, 0, 0});
        same = announced_.end() - 1;
      }
      same->groups |= 1u << j;
    }
  }
  if (dut_.raw_valid_o != 0) announced_.push_back({0, dut_.raw_slot_o, 4, {}, 0xF, 0, 0});
  if (dut_.load_done_o != 0) {
    loads.push_back({cycle, dut_.load_done_slot_o, dut_.load_bad_o != 0});
  }
}

void ArrayBench::run(const std::vector<ArrayCommand>& commands) {
  std::uint64_t end = 0;
  for (const ArrayCommand& command : commands) {
    end = std::max(end, command.issue + command.columns + command.tile.cols);
  }
  end += kRows + 8;
  for (std::uint64_t cycle = 0; cycle < end; ++cycle) {
    dut_.load_i = 0;
    dut_.tag_i = 0;
    dut_.drain_i = 0;
    dut_.plane_i = 0;
    std::memset(&dut_.move_i, 0, sizeof dut_.move_i);
    for (const ArrayCommand& command : commands) inject(command, cycle);
    dut_.clk_i = 0;
    dut_.eval();
    collect(cycle);
    read_sbuf();
  }
}

}  // namespace tern::tb
