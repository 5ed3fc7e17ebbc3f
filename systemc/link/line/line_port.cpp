// SPDX-License-Identifier: Apache-2.0
#include "systemc/link/line/line_port.h"

#include <algorithm>

#include "systemc/link/flit/layout.h"

namespace tern::link {

namespace {

// The usage bits of the link-layer field, which follows the packets. No lane is dead.
bool has_payload(const flit::LaneWords& lanes) {
  const std::uint32_t byte =
      lanes[flit::kTlpBytes % flit::kLanes] >> 8 * (flit::kTlpBytes / flit::kLanes);
  return (byte & 3) == static_cast<std::uint32_t>(flit::Usage::kPayload);
}

}  // namespace

LinePort::LinePort(const Options& options)
    : options_(options),
      wires_{LineWire(options.wire_cycles, options.seed),
             LineWire(options.wire_cycles, ~options.seed)} {}

void LinePort::set_loss(double probability) {
  for (LineWire& wire : wires_) wire.set_loss(probability);
}

void LinePort::set_clock(unsigned wire_cycles, unsigned training_cycles) {
  options_.wire_cycles = wire_cycles;
  options_.training_cycles = training_cycles;
  for (LineWire& wire : wires_) wire.set_delay(wire_cycles);
}

const flit::Packet* LinePort::cycle(flit::DataLink* sender, flit::DataLink* receiver,
                                    const FlitObserver& observer) {
  flit::LinkInputs to_sender, to_receiver;
  to_sender.run = to_receiver.run = down_ == 0;
  to_sender.slot = to_receiver.slot = !paused_ && cycle_ % flit::LinkOptions().flit_cycles == 0;
  to_sender.rx = wires_[1].take(cycle_);
  to_receiver.rx = wires_[0].take(cycle_);
  if (!waiting_.empty()) to_sender.offer = &waiting_.front();
  if (frees_) to_receiver.freed = freed_;

  const flit::LinkOutputs& sent = sender->cycle(to_sender);
  const flit::LinkOutputs& got = receiver->cycle(to_receiver);
  send(0, sent, observer);
  send(1, got, observer);
  up_ = sent.up && got.up;
  frees_ = got.packet.has_value();
  if (frees_) {
    freed_ = {got.packet->cls, got.packet->dwords};
    ++counts_.packets;
    trainings_in_vain_ = 0;
  }
  if (sent.ready) {
    waiting_.pop_front();
    ++taken_;
  }
  counts_.replays += sent.replay;
  if (down_ > 0) {
    --down_;
    for (LineWire& wire : wires_) wire.clear();
  } else if (sent.recovery || got.recovery) {
    down_ = options_.training_cycles;
    ++counts_.trainings;
    ++trainings_in_vain_;
  }
  ++cycle_;
  ++counts_.cycles;
  return frees_ ? &*got.packet : nullptr;
}

void LinePort::send(unsigned from, const flit::LinkOutputs& outputs, const FlitObserver& observer) {
  if (!outputs.tx_valid) return;
  const bool spoiled = wires_[from].put(cycle_, outputs.tx);
  counts_.spoiled += spoiled;
  counts_.flits += from == 0 && has_payload(outputs.tx);
  if (observer) observer({cycle_, from == 1, &outputs.tx, spoiled});
}

}  // namespace tern::link
