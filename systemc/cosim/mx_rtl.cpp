// SPDX-License-Identifier: Apache-2.0
#include "systemc/cosim/mx_rtl.h"

#include <VMxDequantize.h>
#include <VMxQuantize.h>

#include <cstring>

#include "systemc/cosim/rtl_coverage.h"

namespace tern {

namespace {

// A clocked Verilated module with its context, reset.
template <typename Model>
struct Clocked {
  VerilatedContext context;
  Model model{&context, "rtl"};

  Clocked() {
    model.rst_ni = 0;
    model.valid_i = 0;
    tick();
    model.rst_ni = 1;
  }
  ~Clocked() {
    model.final();
    cosim::write_rtl_coverage(&context);
  }
  void tick() {
    model.clk_i = 0;
    model.eval();
    model.clk_i = 1;
    model.eval();
  }
};

// Between an array and a port of the same number of bytes.
template <typename Port, typename Array>
void to_port(Port* port, const Array& array) {
  static_assert(sizeof(Port) == sizeof(Array));
  std::memcpy(port, array.data(), sizeof array);
}
template <typename Port, typename Array>
void from_port(const Port& port, Array* array) {
  static_assert(sizeof(Port) == sizeof(Array));
  std::memcpy(array->data(), &port, sizeof port);
}

}  // namespace

struct MxQuantizeRtl::Dut : Clocked<VMxQuantize> {};

MxQuantizeRtl::MxQuantizeRtl() : dut_(std::make_unique<Dut>()) {}
MxQuantizeRtl::~MxQuantizeRtl() = default;

std::optional<MxQuantizeOutput> MxQuantizeRtl::cycle(const MxQuantizeInput* input) {
  VMxQuantize& model = dut_->model;
  std::optional<MxQuantizeOutput> output;
  if (model.valid_o != 0) {
    output.emplace();
    from_port(model.data_o, &output->codes);
    from_port(model.scale_o, &output->scales);
  }
  model.valid_i = input != nullptr;
  if (input != nullptr) {
    model.fp16_i = input->fp16;
    model.e5m2_i = input->e5m2;
    model.ocp_i = input->ocp;
    to_port(&model.data_i, input->elements);
  }
  dut_->tick();
  return output;
}

struct MxDequantizeRtl::Dut : Clocked<VMxDequantize> {};

MxDequantizeRtl::MxDequantizeRtl() : dut_(std::make_unique<Dut>()) {}
MxDequantizeRtl::~MxDequantizeRtl() = default;

std::optional<MxDequantizeOutput> MxDequantizeRtl::cycle(const MxDequantizeInput* input) {
  VMxDequantize& model = dut_->model;
  std::optional<MxDequantizeOutput> output;
  if (model.valid_o != 0) {
    output.emplace();
    from_port(model.data_o, &output->elements);
  }
  model.valid_i = input != nullptr;
  if (input != nullptr) {
    model.src_i = static_cast<std::uint8_t>(input->src);
    model.dst_i = static_cast<std::uint8_t>(input->dst);
    to_port(&model.data_i, input->x4);
    to_port(&model.scale_i, input->scales);
  }
  dut_->tick();
  return output;
}

}  // namespace tern
