// SPDX-License-Identifier: Apache-2.0
#include "tb/tensor/ctrl/ctrl_dut.h"

#include <verilated.h>

#include <stdexcept>
#include <type_traits>

#include "VCtrlFull.h"
#include "VCtrlTiny.h"
#include "sw/spec/generated/tensor_shapes.h"

namespace tern::tb {

namespace {

// Bits low .. low + width - 1 of a port.
template <typename Port>
std::int64_t bits(const Port& port, unsigned low, unsigned width) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < width; ++i) {
    std::uint64_t bit;
    if constexpr (std::is_integral_v<Port>) {
      bit = (static_cast<std::uint64_t>(port) >> (low + i)) & 1;
    } else {
      bit = (port[(low + i) / 32] >> ((low + i) % 32)) & 1;
    }
    value |= bit << i;
  }
  return static_cast<std::int64_t>(value);
}

template <typename Port>
Members members(const Port& port, const Layout& layout, unsigned low = 0) {
  Members result;
  unsigned high = low + width_of(layout);
  for (const unsigned width : layout) {
    high -= width;
    result.push_back(bits(port, high, width));
  }
  return result;
}

// A struct whose uppermost bit is its valid bit.
template <typename Port>
Members wave(const Port& port, const Layout& layout, unsigned low = 0) {
  return bits(port, low + width_of(layout) - 1, 1) != 0 ? members(port, layout, low) : Members();
}

std::array<std::uint32_t, 8> words_of(const TensorCommand& c) {
  std::array<std::uint32_t, 8> w = {};
  const auto u = [](auto value, unsigned width) {
    return static_cast<std::uint32_t>(value) & ((1u << width) - 1);
  };
  w[7] = u(c.op, 4) << 28 | u(c.type, 5) << 23 | u(c.mode, 3) << 20 | u(c.high_half, 1) << 19 |
         u(c.sparsity, 3) << 16 | u(c.tile_rows, 2) << 14 | u(c.tile_cols, 2) << 12 |
         u(c.accumulate, 1) << 11 | u(c.bf16_result, 1) << 10 | u(c.stochastic, 1) << 9 |
         u(c.tag, 8);
  w[6] = u(c.row_start, 8) << 24 | u(c.rows, 8) << 16 | u(c.col_start, 8) << 8 | u(c.cols, 8);
  w[5] = u(c.scale_offset, 4) << 23 | u(c.psum_bank, 7) << 16 | u(c.psum_column, 16);
  w[4] = c.sbuf_address;
  w[3] = u(c.num0, 16) << 16 | u(c.step0, 16);
  w[2] = u(c.num1, 16) << 16 | u(c.step1, 16);
  w[1] = static_cast<std::uint32_t>(c.plane);
  w[0] = c.aux_address;
  return w;
}

template <typename Model>
class Dut : public CtrlDut {
 public:
  explicit Dut(unsigned sbuf_bytes) {
    model_.sbuf_bytes_i = sbuf_bytes;
    model_.rst_ni = 0;
    model_.eval();
    model_.clk_i = 1;
    model_.eval();
    model_.clk_i = 0;
    model_.rst_ni = 1;
    model_.eval();
  }

  CtrlOutputs step(const CtrlInputs& in) override {
    drive(in);
    model_.eval();
    CtrlOutputs out = sample();
    model_.clk_i = 1;
    model_.eval();
    model_.clk_i = 0;
    model_.eval();
    return out;
  }

  Members counters() const override { return members(model_.perf_o, kPerf); }

 private:
  void drive(const CtrlInputs& in) {
    model_.cmd_valid_i = in.command != nullptr;
    if (in.command != nullptr) {
      const auto words = words_of(*in.command);
      for (unsigned i = 0; i < 8; ++i) model_.cmd_i[i] = words[i];
    }
    model_.load_done_i = in.load_done >= 0;
    model_.load_done_slot_i = in.load_done & 15;
    model_.load_bad_i = in.load_bad;
    model_.mx_load_done_i = in.mx_load_done >= 0;
    model_.mx_load_done_slot_i = in.mx_load_done & 15;
    model_.psum_done_i = in.psum_done;
    model_.status_ready_i = in.status_ready;
  }

  CtrlOutputs sample() const {
    CtrlOutputs out;
    out.ready = model_.cmd_ready_o != 0;
    out.busy = model_.busy_o != 0;
    out.weight_stall = model_.weight_stall_o != 0;
    out.flight = model_.flight_valid_o != 0;
    out.flight_slot = model_.flight_slot_o;
    if (out.flight) out.flight_members = members(model_.flight_status_o, kStatus);
    out.dest = model_.dest_valid_o != 0;
    out.dest_slot = model_.dest_slot_o;
    if (out.dest) out.dest_members = members(model_.dest_o, kDest);
    out.status = model_.status_valid_o != 0;
    if (out.status) out.status_members = members(model_.status_o, kStatus);
    out.waves[kLoad] = wave(model_.load_o, kLoadWave);
    out.waves[kTag] = wave(model_.tag_o, kTagWave);
    out.waves[kDrain] = wave(model_.drain_o, kDrainWave);
    out.waves[kXLoad] = wave(model_.mx_load_o, kMxLoad);
    out.waves[kXMove] = wave(model_.mx_move_o, kMxMove);
    out.waves[kPlane] = {bits(model_.plane_o, 0, 17)};
    for (unsigned i = 0; i < 16; ++i) {
      out.waves[kMove + i] = wave(model_.move_o, kMoveWave, i * width_of(kMoveWave));
    }
    return out;
  }

  mutable Model model_;
};

}  // namespace

std::unique_ptr<CtrlDut> make_ctrl_dut(const std::string& name, TensorShape* shape) {
#define TERN_SHAPE(label, rows, cols, banks, columns, interval, moving, depth)                \
  if (name == #label) {                                                                       \
    *shape = {rows, cols, banks, columns, interval, moving, depth, TensorShape().sbuf_bytes}; \
  }
  TERN_TENSOR_SHAPES(TERN_SHAPE)
#undef TERN_SHAPE
  if (name == "tiny") return std::make_unique<Dut<VCtrlTiny>>(shape->sbuf_bytes);
  if (name == "full") return std::make_unique<Dut<VCtrlFull>>(shape->sbuf_bytes);
  throw std::invalid_argument("no control bench for configuration " + name);
}

}  // namespace tern::tb
