// SPDX-License-Identifier: Apache-2.0
#include "systemc/cosim/mx_rtl.h"

#include <VMxDequantize.h>
#include <VMxQuantize.h>

#include <cstring>

#include "systemc/cosim/rtl_block.h"

namespace tern {

namespace {

// A clocked Verilated module with its context, reset.
template <typename Model>
struct Clocked : cosim::RtlBlock<Model> {
  Clocked(const WaveOptions& wave, const char* top) : cosim::RtlBlock<Model>(wave, top) {
    this->model.rst_ni = 0;
    this->model.valid_i = 0;
    tick();
    this->model.rst_ni = 1;
  }
  void tick() {
    this->model.clk_i = 0;
    this->model.eval();
    this->clock.edge();
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

struct MxQuantizeRtl::Dut : Clocked<VMxQuantize> {
  using Clocked::Clocked;
};

MxQuantizeRtl::MxQuantizeRtl(const WaveOptions& wave)
    : dut_(std::make_unique<Dut>(wave, "mx_quantize")) {}
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

struct MxDequantizeRtl::Dut : Clocked<VMxDequantize> {
  using Clocked::Clocked;
};

MxDequantizeRtl::MxDequantizeRtl(const WaveOptions& wave)
    : dut_(std::make_unique<Dut>(wave, "mx_dequantize")) {}
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
