// SPDX-License-Identifier: Apache-2.0
#include "systemc/cosim/link_lockstep.h"

#include <utility>

#include "sw/base/text.h"
#include "sw/base/user_error.h"

namespace tern {
namespace {

// Looks for the first difference.
class Comparison {
 public:
  void compare(const char* port, std::uint32_t expected, std::uint32_t got) {
    if (!first && expected != got) first = {port, expected, got};
  }
  template <typename Words>
  void compare_words(const char* port, const Words& expected, const Words& got, std::size_t count) {
    for (std::size_t i = 0; i < count && !first; ++i) {
      if (expected[i] != got[i]) {
        first = {std::string(port) + " word " + std::to_string(i), expected[i], got[i]};
      }
    }
  }

  std::optional<LinkDifference> first;
};

}  // namespace

std::optional<LinkDifference> first_difference(const flit::LinkOutputs& expected,
                                               const flit::LinkOutputs& got) {
  Comparison c;
  c.compare("running_o", expected.running, got.running);
  c.compare("lanes_short_o", expected.lanes_short, got.lanes_short);
  c.compare("up_o", expected.up, got.up);
  c.compare("pkt_ready_o", expected.ready, got.ready);
  c.compare_words("head_left_o", expected.head_left, got.head_left, flit::kClasses);
  c.compare_words("data_left_o", expected.data_left, got.data_left, flit::kClasses);
  c.compare("pkt_valid_o", expected.packet.has_value(), got.packet.has_value());
  if (!c.first && expected.packet) {
    const flit::Packet &e = *expected.packet, &g = *got.packet;
    c.compare("pkt_class_o", e.cls, g.cls);
    c.compare("pkt_dwords_o", e.dwords, g.dwords);
    c.compare_words("pkt_head_o", e.head, g.head, e.head.size());
    c.compare_words("pkt_data_o", e.data, g.data, e.dwords);
  }
  c.compare("tx_valid_o", expected.tx_valid, got.tx_valid);
  if (!c.first && expected.tx_valid) {
    c.compare_words("tx_lanes_o", expected.tx, got.tx, flit::kPhysical);
  }
  c.compare("bad_o", expected.bad, got.bad);
  c.compare("duplicate_o", expected.duplicate, got.duplicate);
  c.compare("replay_o", expected.replay, got.replay);
  c.compare("recovery_o", expected.recovery, got.recovery);
  c.compare("malformed_o", expected.malformed, got.malformed);
  c.compare("protocol_error_o", expected.protocol_error, got.protocol_error);
  return c.first;
}

LinkLockstep::LinkLockstep(std::unique_ptr<flit::DataLink> reference,
                           std::unique_ptr<flit::DataLink> device)
    : reference_(std::move(reference)), device_(std::move(device)) {}

const flit::LinkOutputs& LinkLockstep::cycle(const flit::LinkInputs& inputs) {
  const flit::LinkOutputs& expected = reference_->cycle(inputs);
  const flit::LinkOutputs& got = device_->cycle(inputs);
  if (const auto difference = first_difference(expected, got)) {
    throw RunError("link lockstep: cycle " + std::to_string(cycle_) + ", " + difference->port +
                   " is " + base::hex_bits(difference->expected, 8) + " in the model, " +
                   base::hex_bits(difference->got, 8) + " in the RTL");
  }
  ++cycle_;
  return got;
}

}  // namespace tern
