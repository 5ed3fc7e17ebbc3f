// SPDX-License-Identifier: Apache-2.0
#include "systemc/cosim/link_rtl.h"

#include <VLinkPort.h>
#include <VLinkPortSmall.h>

#include <algorithm>

#include "systemc/cosim/port_bits.h"
#include "systemc/cosim/rtl_block.h"

namespace tern {
namespace {

template <typename Model>
class LinkRtl final : public flit::DataLink {
 public:
  explicit LinkRtl(const WaveOptions& wave) : block_(wave, "link_port") {
    block_.model.rst_ni = 0;
    drive({});
    block_.model.eval();
    block_.clock.edge(0);
    block_.model.rst_ni = 1;
  }

  const flit::LinkOutputs& cycle(const flit::LinkInputs& inputs) override {
    drive(inputs);
    block_.model.eval();
    sample(inputs);
    block_.clock.edge(cycle_++);
    return outputs_;
  }

 private:
  void drive(const flit::LinkInputs& in) {
    Model& model = block_.model;
    model.clk_i = 0;
    model.run_i = in.run;
    model.load_i = in.load;
    for (unsigned p = 0; p < flit::kPhysical; p += 16) {
      cosim::set_bits(model.dead_i, p, 16, (in.dead >> p & flit::LaneMask(0xffff)).to_ulong());
    }
    model.pkt_valid_i = in.offer != nullptr;
    if (in.offer != nullptr) {
      model.pkt_class_i = static_cast<std::uint8_t>(in.offer->cls);
      model.pkt_dwords_i = static_cast<std::uint8_t>(in.offer->dwords);
      std::copy(in.offer->head.begin(), in.offer->head.end(), model.pkt_head_i.m_storage);
      std::copy(in.offer->data.begin(), in.offer->data.end(), model.pkt_data_i.m_storage);
    }
    model.free_valid_i = in.freed.has_value();
    if (in.freed) {
      model.free_class_i = static_cast<std::uint8_t>(in.freed->cls);
      model.free_dwords_i = static_cast<std::uint8_t>(in.freed->dwords);
    }
    model.slot_i = in.slot;
    model.rx_valid_i = in.rx != nullptr;
    model.rx_error_i = in.rx_error;
    if (in.rx != nullptr) std::copy(in.rx->begin(), in.rx->end(), model.rx_lanes_i.m_storage);
  }

  void sample(const flit::LinkInputs& in) {
    const Model& model = block_.model;
    outputs_.running = model.running_o != 0;
    outputs_.lanes_short = model.lanes_short_o != 0;
    outputs_.up = model.up_o != 0;
    outputs_.ready = in.offer != nullptr && model.pkt_ready_o != 0;
    for (unsigned c = 0; c < flit::kClasses; ++c) {
      outputs_.head_left[c] =
          static_cast<std::uint32_t>(cosim::get_bits(model.head_left_o, 8 * c, 8));
      outputs_.data_left[c] =
          static_cast<std::uint32_t>(cosim::get_bits(model.data_left_o, 12 * c, 12));
    }
    outputs_.packet.reset();
    if (model.pkt_valid_o != 0) {
      flit::Packet& packet = outputs_.packet.emplace();
      packet.cls = model.pkt_class_o;
      packet.dwords = model.pkt_dwords_o;
      std::copy_n(model.pkt_head_o.m_storage, packet.head.size(), packet.head.begin());
      std::copy_n(model.pkt_data_o.m_storage, std::min(packet.dwords, flit::kMaxData),
                  packet.data.begin());
    }
    outputs_.tx_valid = model.tx_valid_o != 0;
    if (outputs_.tx_valid) {
      std::copy_n(model.tx_lanes_o.m_storage, flit::kPhysical, outputs_.tx.begin());
    }
    outputs_.bad = model.bad_o != 0;
    outputs_.duplicate = model.duplicate_o != 0;
    outputs_.replay = model.replay_o != 0;
    outputs_.recovery = model.recovery_o != 0;
    outputs_.malformed = model.malformed_o != 0;
    outputs_.protocol_error = model.protocol_error_o != 0;
  }

  cosim::RtlBlock<Model> block_;
  flit::LinkOutputs outputs_;
  std::uint64_t cycle_ = 0;
};

}  // namespace

flit::LinkOptions link_options(LinkSize size) {
  // As in rtl/link/CMakeLists.txt.
  if (size == LinkSize::kSmall) return {1, 4, 12, 2, 4, 2, 16};
  return {};
}

std::unique_ptr<flit::DataLink> make_link_rtl(LinkSize size, const WaveOptions& wave) {
  if (size == LinkSize::kSmall) return std::make_unique<LinkRtl<VLinkPortSmall>>(wave);
  return std::make_unique<LinkRtl<VLinkPort>>(wave);
}

}  // namespace tern
