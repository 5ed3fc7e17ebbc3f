// SPDX-License-Identifier: Apache-2.0
#include "tb/tensor/mx/mx_array.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <type_traits>

#include "VTensorMx.h"
#include "systemc/cosim/generated/tensor_ports.h"
#include "systemc/cosim/rtl_block.h"
#include "tb/common/bench_wave.h"
#include "tb/common/check_mismatch.h"
#include "tb/common/port_hex.h"
#include "tb/common/rtl_reset.h"
#include "tb/tensor/mx/mx_oracle.h"

namespace tern::tb {
namespace {

constexpr unsigned kPartitionBytes = 1U << 18;

unsigned element_bytes(const MxOperand& operand) {
  if (operand.mode == MxMode::kDoubleRow) return 1;
  return operand.form == MxForm::kE2m1 ? 2 : 4;
}

// The codes of a column, row by row in each slot, and its scales.
std::string text(const MxOperand& operand, unsigned column) {
  std::string text = "form " + std::to_string(static_cast<unsigned>(operand.form)) +
                     ", rows from " + std::to_string(operand.row_start) + ", slots";
  for (unsigned slot = 0; slot < (operand.mode == MxMode::kDoubleRow ? 2 : 4); ++slot) {
    std::vector<std::uint8_t> codes;
    for (unsigned row = 0; row < operand.rows; ++row) {
      codes.push_back(operand.element(slot, row, column));
    }
    text += (slot == 0 ? " " : " | ") + hex_list(codes);
  }
  if (operand.mode == MxMode::kDoubleRow) return text;
  std::vector<std::uint8_t> scales;
  for (unsigned block = 0; block < operand.rows / 8; ++block) {
    scales.push_back(operand.scale(block, column));
  }
  return text + ", scales " + hex_list(scales);
}

// Row groups that a tile claims.
unsigned first_group(const MxOperand& operand) {
  return operand.tile == 0 ? 0 : operand.row_start / (8 * MxArray::kGroupBlocks);
}
unsigned last_group(const MxOperand& operand) {
  return first_group(operand) + (4U >> operand.tile) - 1;
}

template <class Port>
std::uint32_t get_bits(const Port& port, unsigned low, unsigned bits) {
  return static_cast<std::uint32_t>(cosim::get_bits(port, low, bits));
}

}  // namespace

struct MxArray::Load {
  const MxOperand* operand = nullptr;
  unsigned slot = 0;
  unsigned address = 0;
  unsigned plane_address = 0;
  unsigned scale_address = 0;
  unsigned scale_offset = 0;
  unsigned issue = 0;

  unsigned groups() const { return (operand->columns + 3) / 4; }
};

struct MxArray::Move : MxArray::Load {
  bool swap = false;

  // The cycle of its first wave, at the entry of its tile, and of the first valid of its results.
  unsigned enters() const { return issue + 1 + kGroupBlocks * first_group(*operand); }
  unsigned leaves() const { return issue + 2 + kGroupBlocks * (last_group(*operand) + 1); }
};

// SBUF's answers to the requests of a cycle, on the ports in the next one.
struct MxArray::Answers {
  std::remove_reference_t<decltype(VTensorMx::load_data_i)> load;
  std::remove_reference_t<decltype(VTensorMx::load_plane_data_i)> load_plane;
  std::remove_reference_t<decltype(VTensorMx::move_data_i)> move;
  std::remove_reference_t<decltype(VTensorMx::move_plane_data_i)> move_plane;
  std::remove_reference_t<decltype(VTensorMx::scale_load_data_i)> scale_load;
  std::remove_reference_t<decltype(VTensorMx::scale_move_data_i)> scale_move;
};

struct MxArray::Schedule {
  std::vector<Load> loads;
  std::vector<Move> moves;
  unsigned cycles = 0;
};

struct MxArray::Dut : cosim::RtlBlock<VTensorMx> {
  Dut() : RtlBlock(bench_wave(), "tensor_mx") {}
};

MxArray::MxArray()
    : dut_(std::make_unique<Dut>()),
      top_(&dut_->model),
      answers_(std::make_unique<Answers>()),
      memory_(kRows, std::vector<std::uint8_t>(kPartitionBytes)) {
  // Ports may begin with any value: an edge of the clock needs a level before it.
  top_->clk_i = 0;
  top_->rst_ni = 0;
  top_->eval();
  clock();
  top_->rst_ni = 1;
}

MxArray::~MxArray() = default;

void MxArray::clock() {
  dut_->clock.edge();
  top_->clk_i = 0;
  top_->load_data_i = answers_->load;
  top_->load_plane_data_i = answers_->load_plane;
  top_->move_data_i = answers_->move;
  top_->move_plane_data_i = answers_->move_plane;
  top_->scale_load_data_i = answers_->scale_load;
  top_->scale_move_data_i = answers_->scale_move;
}

unsigned MxArray::allocate(unsigned bytes, unsigned alignment) {
  allocated_ = (allocated_ + alignment - 1) / alignment * alignment;
  const unsigned address = allocated_;
  allocated_ += bytes;
  REQUIRE(allocated_ <= kPartitionBytes);
  return address;
}

void MxArray::write_elements(const MxOperand& operand, unsigned address, unsigned plane_address) {
  for (unsigned row = 0; row < operand.rows; ++row) {
    std::uint8_t* partition = memory_[operand.row_start + row].data();
    for (unsigned column = 0; column < operand.columns; ++column) {
      if (operand.mode == MxMode::kDoubleRow) {
        partition[address + column] = operand.element(0, row, column);
        partition[plane_address + column] = operand.element(1, row, column);
        continue;
      }
      for (unsigned slot = 0; slot < 4; ++slot) {
        const std::uint8_t code = operand.element(slot, row, column);
        if (operand.form == MxForm::kE2m1) {
          std::uint8_t& byte = partition[address + 2 * column + slot / 2];
          byte = static_cast<std::uint8_t>(slot % 2 == 0 ? (byte & 0xF0) | (code & 0xF)
                                                         : (byte & 0x0F) | (code << 4));
        } else {
          partition[address + 4 * column + slot] = code;
        }
      }
    }
  }
}

void MxArray::write_scales(const MxOperand& operand, unsigned address, unsigned offset) {
  for (unsigned block = 0; block < operand.rows / 8; ++block) {
    const unsigned physical = operand.row_start / 8 + block;
    std::uint8_t* partition = memory_[32 * (physical / 4) + offset + physical % 4].data();
    for (unsigned column = 0; column < operand.columns; ++column) {
      partition[address + column] = operand.scale(block, column);
    }
  }
}

MxArray::Load MxArray::place_stationary(const MxOperand& operand) {
  Load load;
  load.operand = &operand;
  load.slot = placed_ % 16;
  load.scale_offset = 4 * (placed_++ % 4);
  load.address = allocate(operand.columns * element_bytes(operand), 8);
  load.plane_address = allocate(operand.columns, 4);
  load.scale_address = allocate(operand.columns, 4);
  write_elements(operand, load.address, load.plane_address);
  if (operand.mode != MxMode::kDoubleRow) {
    write_scales(operand, load.scale_address, load.scale_offset);
  }
  return load;
}

MxArray::Move MxArray::place_moving(const MxOperand& operand) {
  Move move;
  move.operand = &operand;
  move.slot = placed_ % 16;
  move.scale_offset = 4 * (placed_ % 4);
  // Odd addresses too; both planes are at the same byte of a word.
  const unsigned bytes = element_bytes(operand);
  move.address = allocate(bytes * operand.columns, 4) + (bytes == 1 ? placed_ % 2 : 0);
  allocate(1, 1);
  move.plane_address = allocate(operand.columns, 2) + (bytes == 1 ? placed_ % 2 : 0);
  allocate(1, 1);
  move.scale_address = allocate(operand.columns, 1);
  ++placed_;
  write_elements(operand, move.address, move.plane_address);
  if (operand.mode != MxMode::kDoubleRow) {
    write_scales(operand, move.scale_address, move.scale_offset);
  }
  return move;
}

MxArray::Schedule MxArray::schedule(const std::vector<Multiply>& multiplies) {
  Schedule plan;
  allocated_ = 0;
  unsigned last_issue = 0;
  unsigned load_free = 1;
  unsigned quad_leaves = 0;        // the ports of the upper row groups
  std::array<unsigned, 4> free{};  // by row group
  std::array<const MxOperand*, 4> held{};
  std::array<unsigned, 4> ready{};
  for (const Multiply& multiply : multiplies) {
    const unsigned first = first_group(*multiply.stationary);
    const unsigned last = last_group(*multiply.stationary);
    bool load_needed = false;
    for (unsigned g = first; g <= last; ++g) {
      load_needed = load_needed || held[g] != multiply.stationary;
    }
    if (load_needed) {
      Load load = place_stationary(*multiply.stationary);
      load.issue = std::max(load_free, last_issue + 1);
      last_issue = load.issue;
      load_free = load.issue + load.groups();
      plan.loads.push_back(load);
      for (unsigned g = first; g <= last; ++g) {
        held[g] = multiply.stationary;
        ready[g] = load.issue + load.groups() + 1;
      }
    }
    Move move = place_moving(*multiply.moving);
    move.swap = load_needed;
    move.issue = last_issue + 1;
    if (last < 3) move.issue = std::max(move.issue, quad_leaves);
    for (unsigned g = first; g <= last; ++g) {
      move.issue = std::max({move.issue, free[g], ready[g]});
    }
    move.issue += multiply.gap;
    last_issue = move.issue;
    const unsigned end = move.issue + move.operand->columns;
    for (unsigned g = first; g <= last; ++g) free[g] = end;
    if (move.operand->mode == MxMode::kQuad) quad_leaves = end + 3 * kGroupBlocks;
    plan.cycles = std::max(plan.cycles, end + kBlocks + 8);
    plan.moves.push_back(move);
  }
  return plan;
}

void MxArray::answer_requests() {
  const auto bytes = [&](unsigned partition, std::uint32_t address, unsigned count) {
    REQUIRE(address + count <= kPartitionBytes + 16);
    std::uint64_t value = 0;
    for (unsigned i = 0; i < count && address + i < kPartitionBytes; ++i) {
      value |= std::uint64_t{memory_[partition][address + i]} << (8 * i);
    }
    return value;
  };
  const std::uint64_t poison = 0xA5A5'5A5A'C3C3'3C3CU;  // data that was not requested
  for (unsigned r = 0; r < kRows; ++r) {
    const bool load = get_bits(top_->load_req_o, r, 1) != 0;
    const std::uint32_t load_address = 4 * get_bits(top_->load_addr_o, 16 * r, 16);
    for (unsigned half = 0; half < 2; ++half) {
      cosim::set_bits(answers_->load, 128 * r + 64 * half, 64,
                      load ? bytes(r, load_address + 8 * half, 8) : poison);
    }
    const bool load_plane = get_bits(top_->load_plane_req_o, r, 1) != 0;
    cosim::set_bits(
        answers_->load_plane, 32 * r, 32,
        load_plane ? bytes(r, 4 * get_bits(top_->load_plane_addr_o, 16 * r, 16), 4) : poison);
    const bool move = get_bits(top_->move_req_o, r, 1) != 0;
    cosim::set_bits(answers_->move, 32 * r, 32,
                    move ? bytes(r, 2 * get_bits(top_->move_addr_o, 17 * r, 17), 4) : poison);
    const bool move_plane = get_bits(top_->move_plane_req_o, r, 1) != 0;
    cosim::set_bits(
        answers_->move_plane, 16 * r, 16,
        move_plane ? bytes(r, 2 * get_bits(top_->move_plane_addr_o, 17 * r, 17), 2) : poison);
  }
  for (unsigned b = 0; b < kBlocks; ++b) {
    const auto partition = [&](unsigned offset) { return 32 * (b / 4) + 4 * offset + b % 4; };
    const bool load = get_bits(top_->scale_load_req_o, b, 1) != 0;
    cosim::set_bits(answers_->scale_load, 32 * b, 32,
                    load ? bytes(partition(get_bits(top_->scale_load_offset_o, 2 * b, 2)),
                                 4 * get_bits(top_->scale_load_addr_o, 16 * b, 16), 4)
                         : poison);
    const bool move = get_bits(top_->scale_move_req_o, b, 1) != 0;
    cosim::set_bits(answers_->scale_move, 8 * b, 8,
                    move ? bytes(partition(get_bits(top_->scale_move_offset_o, 2 * b, 2)),
                                 get_bits(top_->scale_move_addr_o, 18 * b, 18), 1)
                         : poison);
  }
}

// SBUF is read for the blocks of a tile only, and only what the mode needs.
void MxArray::expect_requests(const Schedule& plan, unsigned cycle) const {
  std::uint64_t loads = 0, load_planes = 0, moves = 0, move_planes = 0;  // by partition
  std::uint64_t load_scales = 0, move_scales = 0;                        // by block
  const auto add = [&](const Load& wave, unsigned length, std::uint64_t& elements,
                       std::uint64_t& planes, std::uint64_t& scales) {
    const MxOperand& operand = *wave.operand;
    const unsigned first = operand.row_start / 8;
    for (unsigned b = first; b < first + operand.rows / 8; ++b) {
      const unsigned begin = wave.issue + 1 + b;
      if (cycle < begin || cycle >= begin + length) continue;
      const bool double_row = operand.mode == MxMode::kDoubleRow;
      elements |= std::uint64_t{0xFF} << (8 * b);
      if (double_row) planes |= std::uint64_t{0xFF} << (8 * b);
      if (!double_row) scales |= std::uint64_t{1} << b;
    }
  };
  for (const Load& load : plan.loads) add(load, load.groups(), loads, load_planes, load_scales);
  for (const Move& move : plan.moves) {
    add(move, move.operand->columns, moves, move_planes, move_scales);
  }
  expect_port("load_req_o", loads, cosim::get_bits(top_->load_req_o, 0, kRows));
  expect_port("load_plane_req_o", load_planes, cosim::get_bits(top_->load_plane_req_o, 0, kRows));
  expect_port("scale_load_req_o", load_scales, cosim::get_bits(top_->scale_load_req_o, 0, kBlocks));
  expect_port("move_req_o", moves, cosim::get_bits(top_->move_req_o, 0, kRows));
  expect_port("move_plane_req_o", move_planes, cosim::get_bits(top_->move_plane_req_o, 0, kRows));
  expect_port("scale_move_req_o", move_scales, cosim::get_bits(top_->scale_move_req_o, 0, kBlocks));
}

void MxArray::reset() {
  tensor_ports::MxLoad().pack(top_->load_i);
  for (unsigned g = 0; g < 4; ++g) {
    tensor_ports::MxMove().pack(top_->move_i, g * tensor_ports::MxMove::kBits);
  }
  reset_between_edges(*top_);
}

MxArray::Results MxArray::run(const std::vector<Multiply>& multiplies, unsigned cycles) {
  const Schedule plan = schedule(multiplies);
  Results results(plan.moves.size());
  cycles_.assign(plan.moves.size(), {});
  std::size_t load_index = 0;
  std::size_t done_index = 0;        // next load to complete
  std::vector<std::size_t> sums_of;  // moves with sums in this cycle
  for (unsigned cycle = 0; cycle <= plan.cycles; ++cycle) {
    if (cycle == cycles) return results;
    clock();
    // The waves of this cycle.
    tensor_ports::MxLoad load_wave;
    if (load_index < plan.loads.size() && cycle > plan.loads[load_index].issue) {
      const Load& load = plan.loads[load_index];
      const MxOperand& operand = *load.operand;
      const unsigned group = cycle - load.issue - 1;
      load_wave.valid = true;
      load_wave.last = group + 1 == load.groups();
      load_wave.slot = load.slot;
      load_wave.form = static_cast<unsigned>(operand.form);
      load_wave.double_row = operand.mode == MxMode::kDoubleRow;
      load_wave.group = group;
      load_wave.address = load.address / 4 + group * element_bytes(operand);
      load_wave.plane_address = load.plane_address / 4 + group;
      load_wave.scale_address = load.scale_address / 4 + group;
      load_wave.scale_offset = load.scale_offset / 4;
      load_wave.skip = operand.row_start / 8;
      load_wave.left = operand.rows / 8;
      if (load_wave.last) ++load_index;
    }
    load_wave.pack(top_->load_i);
    std::array<tensor_ports::MxMove, 4> move_waves;
    for (const Move& move : plan.moves) {
      const MxOperand& operand = *move.operand;
      if (cycle < move.enters() || cycle >= move.enters() + operand.columns) continue;
      const unsigned n = cycle - move.enters();
      tensor_ports::MxMove& move_wave = move_waves[first_group(operand)];
      const unsigned address = move.address + n * element_bytes(operand);
      move_wave.valid = true;
      move_wave.swap = n == 0 && move.swap;
      move_wave.slot = move.slot;
      move_wave.form = static_cast<unsigned>(operand.form);
      move_wave.double_row = operand.mode == MxMode::kDoubleRow;
      move_wave.quad = operand.mode == MxMode::kQuad;
      move_wave.last_group = last_group(operand);
      move_wave.address = address / 2;
      move_wave.plane_address = (move.plane_address + n) / 2;
      move_wave.odd = address % 2 != 0;
      move_wave.scale_address = move.scale_address + n;
      move_wave.scale_offset = move.scale_offset / 4;
      move_wave.skip = operand.row_start / 8 - kGroupBlocks * first_group(operand);
      move_wave.left = operand.rows / 8;
    }
    for (unsigned g = 0; g < 4; ++g) {
      move_waves[g].pack(top_->move_i, g * tensor_ports::MxMove::kBits);
    }
    top_->eval();

    // Sums are one cycle after their valid bit.
    for (const std::size_t m : sums_of) {
      const MxOperand& operand = *plan.moves[m].operand;
      const bool quad = operand.mode == MxMode::kQuad;
      const unsigned port = quad ? 0 : last_group(operand);
      std::vector<std::uint32_t> sums((quad ? 4 : 1) * kCols);
      for (unsigned i = 0; i < sums.size(); ++i) sums[i] = top_->sum_o[port * kCols + i];
      results[m].push_back(sums);
      cycles_[m].push_back(*bench_cycle());
    }
    sums_of.clear();
    unsigned expected_valid = 0;
    for (std::size_t m = 0; m < plan.moves.size(); ++m) {
      const Move& move = plan.moves[m];
      if (cycle < move.leaves() || cycle >= move.leaves() + move.operand->columns) continue;
      const unsigned ports =
          move.operand->mode == MxMode::kQuad ? 0xF : 1U << last_group(*move.operand);
      REQUIRE((expected_valid & ports) == 0);
      expected_valid |= ports;
      for (unsigned p = 0; p < 4; ++p) {
        if ((ports >> p & 1) == 0) continue;
        expect_port("port_slot_o", move.slot, get_bits(top_->port_slot_o, 4 * p, 4));
      }
      sums_of.push_back(m);
    }
    expect_port("port_valid_o", expected_valid, top_->port_valid_o);
    const bool done =
        done_index < plan.loads.size() &&
        cycle == plan.loads[done_index].issue + plan.loads[done_index].groups() + kBlocks;
    expect_port("load_done_o", done ? 1 : 0, top_->load_done_o);
    if (done) {
      expect_port("load_done_slot_o", plan.loads[done_index++].slot, top_->load_done_slot_o);
    }
    expect_requests(plan, cycle);
    answer_requests();
  }
  REQUIRE(done_index == plan.loads.size());
  return results;
}

void MxArray::expect_port(const char* port, std::uint64_t expected, std::uint64_t got) const {
  if (expected == got) return;
  FAIL_MISMATCH({{"port " + std::string(port), ""}, hex(expected, 4), hex(got, 4)});
}

std::string MxArray::inputs() const {
  return "load_i " + port_hex(top_->load_i) + ", move_i " + port_hex(top_->move_i);
}

void MxArray::check(const std::vector<Multiply>& multiplies, std::uint32_t spoil) {
  const Results results = run(multiplies);
  MismatchLog log;
  for (std::size_t m = 0; m < multiplies.size(); ++m) {
    const MxOperand& stationary = *multiplies[m].stationary;
    const MxOperand& moving = *multiplies[m].moving;
    const unsigned ports = moving.mode == MxMode::kQuad ? 4 : 1;
    REQUIRE(results[m].size() == moving.columns);
    for (unsigned n = 0; n < moving.columns; ++n) {
      for (unsigned port = 0; port < ports; ++port) {
        for (unsigned column = 0; column < stationary.columns; ++column) {
          const std::uint32_t expected = mx_expected(stationary, column, moving, n, port) ^ spoil;
          log.compare(expected, results[m][n][port * kCols + column], 32, [&] {
            return Where{"port sum_o " + std::to_string(port) + ", lane " + std::to_string(column),
                         "multiply " + std::to_string(m) + ", column " + std::to_string(n) +
                             "\n  stationary " + text(stationary, column) + "\n  moving " +
                             text(moving, n),
                         cycles_[m][n]};
          });
        }
      }
    }
  }
  CHECK_NO_MISMATCH(log);
}

}  // namespace tern::tb
