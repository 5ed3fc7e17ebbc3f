// SPDX-License-Identifier: Apache-2.0
#include "systemc/cosim/dma_scan_rtl.h"

#include <VDmaScan.h>

#include <cstring>

#include "systemc/cosim/generated/dma_ports.h"
#include "systemc/cosim/rtl_block.h"

namespace tern {

struct DmaScanRtl::Dut : cosim::RtlBlock<VDmaScan> {
  using RtlBlock::RtlBlock;
};

DmaScanRtl::DmaScanRtl(const WaveOptions& wave) : dut_(std::make_unique<Dut>(wave, "dma_scan")) {
  dut_->model.rst_ni = 0;
  clear(0);
  dut_->model.rst_ni = 1;
}

DmaScanRtl::~DmaScanRtl() = default;

std::optional<DmaScanRtl::Packet> DmaScanRtl::scan(unsigned ring, const dma::model::Pair& pair,
                                                   unsigned phase, std::uint32_t index) {
  VDmaScan& model = dut_->model;
  model.clk_i = 0;
  model.clear_i = 0;
  model.valid_i = 1;
  model.ring_i = static_cast<std::uint8_t>(ring);
  std::memcpy(model.tx_i.m_storage, pair.tx.word, sizeof pair.tx.word);
  std::memcpy(model.rx_i.m_storage, pair.rx.word, sizeof pair.rx.word);
  model.phase_check_i = phase != kAnyPhase;
  model.phase_i = phase & 3;
  model.index_i = index;
  model.eval();
  std::optional<Packet> packet;
  if (model.packet_valid_o != 0) {
    const auto ready = dma_ports::Ready::unpack(model.packet_o);
    packet.emplace();
    packet->expected_crc = ready.crc_expected;
    packet->crc = ready.crc;
    packet->dst_dtype = ready.dst_dtype;
    packet->src_dtype = ready.src_dtype;
    packet->op = ready.op;
    packet->bytes = ready.bytes;
    packet->pairs = ready.pairs;
    packet->index = ready.index;
    packet->fault = ready.fault;
  }
  tick();
  return packet;
}

void DmaScanRtl::clear(std::uint32_t rings) {
  dut_->model.clk_i = 0;
  dut_->model.valid_i = 0;
  dut_->model.clear_i = static_cast<std::uint16_t>(rings);
  dut_->model.eval();
  tick();
}

void DmaScanRtl::reset() {
  VDmaScan& model = dut_->model;
  model.clk_i = 0;
  model.valid_i = 0;
  model.clear_i = 0;
  for (const unsigned level : {0u, 1u}) {
    model.rst_ni = static_cast<std::uint8_t>(level);
    model.eval();
  }
}

void DmaScanRtl::tick() {
  dut_->clock.edge();
}

}  // namespace tern
