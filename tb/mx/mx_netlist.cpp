// SPDX-License-Identifier: Apache-2.0
// A netlist has one block of eight partitions. Four of each side by side are the quadrant of the
// classes of the whole pipelines: a block does not depend on the others.
#include <VMxDequantize.h>
#include <VMxQuantize.h>

#include <array>
#include <cstring>

#include "systemc/cosim/mx_rtl.h"
#include "systemc/cosim/rtl_block.h"

namespace tern {

namespace {

template <typename Model>
struct Blocks {
  std::array<cosim::RtlBlock<Model>, kMxRtlBlocks> all;

  explicit Blocks(const char* top) : all{{{{}, top}, {{}, top}, {{}, top}, {{}, top}}} {
    for (auto& block : all) {
      block.model.rst_ni = 0;
      block.model.valid_i = 0;
    }
    tick();
    for (auto& block : all) block.model.rst_ni = 1;
  }
  void tick() {
    for (auto& block : all) {
      block.model.clk_i = 0;
      block.model.eval();
      block.clock.edge();
    }
  }
  // A block is valid when all are, or none: otherwise nothing is, and the bench notices.
  bool valid() const {
    for (const auto& block : all) {
      if (block.model.valid_o == 0) return false;
    }
    return true;
  }
};

// The part of a block in an array of the quadrant, and its port.
template <typename Port, typename Array>
void to_port(Port* port, const Array& array, unsigned block) {
  static_assert(sizeof(Port) * kMxRtlBlocks == sizeof(Array));
  std::memcpy(port, reinterpret_cast<const std::uint8_t*>(array.data()) + block * sizeof(Port),
              sizeof(Port));
}
template <typename Port, typename Array>
void from_port(const Port& port, Array* array, unsigned block) {
  static_assert(sizeof(Port) * kMxRtlBlocks == sizeof(Array));
  std::memcpy(reinterpret_cast<std::uint8_t*>(array->data()) + block * sizeof(Port), &port,
              sizeof(Port));
}

}  // namespace

struct MxQuantizeRtl::Dut : Blocks<VMxQuantize> {
  using Blocks::Blocks;
};

MxQuantizeRtl::MxQuantizeRtl(const WaveOptions& /*wave*/)
    : dut_(std::make_unique<Dut>("mx_quantize")) {}
MxQuantizeRtl::~MxQuantizeRtl() = default;

std::optional<MxQuantizeOutput> MxQuantizeRtl::cycle(const MxQuantizeInput* input) {
  std::optional<MxQuantizeOutput> output;
  if (dut_->valid()) output.emplace();
  for (unsigned b = 0; b < kMxRtlBlocks; ++b) {
    VMxQuantize& model = dut_->all[b].model;
    if (output) {
      from_port(model.data_o, &output->codes, b);
      from_port(model.scale_o, &output->scales, b);
    }
    model.valid_i = input != nullptr;
    if (input == nullptr) continue;
    model.fp16_i = input->fp16;
    model.e5m2_i = input->e5m2;
    model.ocp_i = input->ocp;
    to_port(&model.data_i, input->elements, b);
  }
  dut_->tick();
  return output;
}

struct MxDequantizeRtl::Dut : Blocks<VMxDequantize> {
  using Blocks::Blocks;
};

MxDequantizeRtl::MxDequantizeRtl(const WaveOptions& /*wave*/)
    : dut_(std::make_unique<Dut>("mx_dequantize")) {}
MxDequantizeRtl::~MxDequantizeRtl() = default;

std::optional<MxDequantizeOutput> MxDequantizeRtl::cycle(const MxDequantizeInput* input) {
  std::optional<MxDequantizeOutput> output;
  if (dut_->valid()) output.emplace();
  for (unsigned b = 0; b < kMxRtlBlocks; ++b) {
    VMxDequantize& model = dut_->all[b].model;
    if (output) from_port(model.data_o, &output->elements, b);
    model.valid_i = input != nullptr;
    if (input == nullptr) continue;
    model.src_i = static_cast<std::uint8_t>(input->src);
    model.dst_i = static_cast<std::uint8_t>(input->dst);
    to_port(&model.data_i, input->x4, b);
    to_port(&model.scale_i, input->scales, b);
  }
  dut_->tick();
  return output;
}

}  // namespace tern
