// SPDX-License-Identifier: Apache-2.0
#include "tb/tensor/ctrl/ctrl_dut.h"
#include "systemc/cosim/rtl_block.h"
#include "tb/common/bench_wave.h"
#include "tb/common/rtl_reset.h"

#include <stdexcept>

#include "VCtrlFull.h"
#include "VCtrlStages5.h"
#include "VCtrlTiny.h"
#include "sw/spec/generated/tensor_shapes.h"
#include "systemc/cosim/tensor_cmd_port.h"

namespace tern::tb {

namespace {

template <typename Struct, typename Port>
Members members(const Port& port, unsigned low = 0) {
  Members result;
  unsigned high = low + Struct::kBits;
  for (const unsigned width : Struct::kWidths) {
    high -= width;
    result.push_back(static_cast<std::int64_t>(cosim::get_bits(port, high, width)));
  }
  return result;
}

// A struct whose uppermost bit is its valid bit.
template <typename Struct, typename Port>
Members wave(const Port& port, unsigned low = 0) {
  const bool valid = cosim::get_bits(port, low + Struct::kBits - 1, 1) != 0;
  return valid ? members<Struct>(port, low) : Members();
}

template <typename Model>
class Dut : public CtrlDut {
 public:
  explicit Dut(const TensorShape& shape) {
    model_.sbuf_bytes_i = shape.sbuf_bytes;
    model_.ramp_cycles_i = shape.ramp_cycles;
    // Ports may begin with any value: an edge of the clock needs a level before it.
    model_.clk_i = 0;
    model_.rst_ni = 0;
    drive({});
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
    block_.clock.edge();
    model_.clk_i = 0;
    model_.eval();
    return out;
  }

  void reset() override {
    drive({});
    reset_between_edges(model_);
  }

  Members counters() const override { return members<tensor_ports::Perf>(model_.perf_o); }

 private:
  void drive(const CtrlInputs& in) {
    model_.cmd_valid_i = in.command != nullptr;
    if (in.command != nullptr) cosim::cmd_port(*in.command).pack(model_.cmd_i);
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
    if (out.flight) out.flight_members = members<tensor_ports::Status>(model_.flight_status_o);
    out.dest = model_.dest_valid_o != 0;
    out.dest_slot = model_.dest_slot_o;
    if (out.dest) out.dest_members = members<tensor_ports::Dest>(model_.dest_o);
    out.status = model_.status_valid_o != 0;
    if (out.status) out.status_members = members<tensor_ports::Status>(model_.status_o);
    out.waves[kLoad] = wave<tensor_ports::LoadWave>(model_.load_o);
    out.waves[kTag] = wave<tensor_ports::TagWave>(model_.tag_o);
    out.waves[kDrain] = wave<tensor_ports::DrainWave>(model_.drain_o);
    out.waves[kXLoad] = wave<tensor_ports::MxLoad>(model_.mx_load_o);
    for (unsigned g = 0; g < 4; ++g) {
      out.waves[kXMove + g] =
          wave<tensor_ports::MxMove>(model_.mx_move_o, g * tensor_ports::MxMove::kBits);
    }
    out.waves[kPlane] = {static_cast<std::int64_t>(model_.plane_o)};
    for (unsigned i = 0; i < 16; ++i) {
      out.waves[kMove + i] =
          wave<tensor_ports::MoveWave>(model_.move_o, i * tensor_ports::MoveWave::kBits);
    }
    return out;
  }

  cosim::RtlBlock<Model> block_{bench_wave(), "ctrl_probe"};
  Model& model_ = block_.model;
};

}  // namespace

std::unique_ptr<CtrlDut> make_ctrl_dut(const std::string& name, unsigned ramp_cycles,
                                       TensorShape* shape, unsigned sbuf_bytes) {
#define TERN_SHAPE(label, rows, cols, banks, columns, interval, moving, depth, stages) \
  if (name == #label) *shape = {rows, cols, banks, columns, interval, moving, depth, stages};
  TERN_TENSOR_SHAPES(TERN_SHAPE)
#undef TERN_SHAPE
  shape->ramp_cycles = ramp_cycles;
  if (sbuf_bytes != 0) shape->sbuf_bytes = sbuf_bytes;
  if (name == "tiny") return std::make_unique<Dut<VCtrlTiny>>(*shape);
  if (name == "tiny_stages5") return std::make_unique<Dut<VCtrlStages5>>(*shape);
  if (name == "full") return std::make_unique<Dut<VCtrlFull>>(*shape);
  throw std::invalid_argument("no control bench for configuration " + name);
}

}  // namespace tern::tb
