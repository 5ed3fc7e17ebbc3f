// SPDX-License-Identifier: Apache-2.0
#include "systemc/cosim/qos_rtl.h"

#include <VQosArbiter.h>

#include "systemc/cosim/port_bits.h"
#include "systemc/cosim/rtl_block.h"

namespace tern {

struct QosRtl::Dut : cosim::RtlBlock<VQosArbiter> {
  using RtlBlock::RtlBlock;
};

QosRtl::QosRtl(const WaveOptions& wave) : dut_(std::make_unique<Dut>(wave, "qos_arbiter")) {
  dut_->model.rst_ni = 0;
  configure({});
  const std::uint32_t none[kRequesters] = {};
  offer(false, 0, none, none);
  tick();
  dut_->model.rst_ni = 1;
  cycle_ = 0;
}

QosRtl::~QosRtl() = default;

void QosRtl::configure(const qos::Settings& settings) {
  configure_policy(static_cast<unsigned>(settings.policy));
  VQosArbiter& model = dut_->model;
  for (unsigned c = 0; c < qos::kClasses; ++c) {
    cosim::set_bits(model.rate_i, std::size_t{c} * qos::kRateBits, qos::kRateBits,
                    settings.rate_256[c]);
    cosim::set_bits(model.depth_i, std::size_t{c} * qos::kDepthBits, qos::kDepthBits,
                    settings.depth[c]);
  }
}

void QosRtl::configure_policy(unsigned bits) {
  dut_->model.policy_i = bits & 3;
}

QosRtl::Grant QosRtl::offer(bool enable, std::uint32_t requests, const std::uint32_t* class_of,
                            const std::uint32_t* bytes_of) {
  VQosArbiter& model = dut_->model;
  std::uint32_t classes = 0;
  for (unsigned i = 0; i < kRequesters; ++i) classes |= class_of[i] << 2 * i;
  model.clk_i = 0;
  model.enable_i = enable;
  model.req_i = static_cast<std::uint16_t>(requests);
  model.class_i = classes;
  model.eval();
  // The choice does not depend on the size, which the bucket takes at the clock's edge.
  model.bytes_i = bytes_of[model.grant_index_o];
  return {model.grant_valid_o != 0, model.grant_o, model.grant_index_o, model.grant_class_o,
          model.by_right_o != 0};
}

void QosRtl::tick() {
  dut_->clock.edge(cycle_);
  ++cycle_;
}

std::int64_t QosRtl::balance_256(unsigned cls) const {
  return static_cast<std::int32_t>(dut_->model.balance_o.m_storage[cls]);
}

bool QosRtl::settled() const {
  return dut_->model.settled_o != 0;
}

}  // namespace tern
