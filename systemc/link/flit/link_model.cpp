// SPDX-License-Identifier: Apache-2.0
#include "systemc/link/flit/link_model.h"

namespace tern::flit {

LinkModel::LinkModel(const LinkOptions& options)
    : packer_(options.flit_cycles),
      unpacker_(options.flit_cycles),
      replay_(options),
      sequence_(options),
      credits_(options) {}

const LinkOutputs& LinkModel::cycle(const LinkInputs& inputs) {
  outputs_.running = running_;
  outputs_.lanes_short = map_.is_short();
  outputs_.up = credits_.up();
  for (unsigned c = 0; c < kClasses; ++c) {
    outputs_.head_left[c] = credits_.head_left(c);
    outputs_.data_left[c] = credits_.data_left(c);
  }
  outputs_.tx_valid = lanes_.has_value();
  if (lanes_) outputs_.tx = *lanes_;
  outputs_.packet = unpacker_.take();

  // The sender has what the receiver knew before this cycle.
  send(inputs);
  receive();

  std::optional<Replay::Acknowledgement> ack;
  if (good_ && good_->command != Command::kExplicit) {
    ack = {good_->number, good_->command != Command::kAck};
  }
  const Replay::Events events = replay_.end_cycle(!running_, running_ && inputs.slot, ack);
  outputs_.replay = events.replay;
  outputs_.recovery = outputs_.recovery || events.recovery;
  outputs_.protocol_error = events.protocol_error;
  if (good_) credits_.told(*good_);
  if (inputs.freed) credits_.free(*inputs.freed);
  credits_.end_cycle();

  // The receiver's pipeline.
  checked_.reset();
  if (running_ && received_) {
    checked_ = received_;
    checked_->good = checked_->good && crc_is_right(checked_->flit);
  }
  received_.reset();
  if (running_ && inputs.rx != nullptr) {
    received_ = Checked{map_.destripe(*inputs.rx), !inputs.rx_error};
  }
  train(inputs);
  return outputs_;
}

// The checked flit.
void LinkModel::receive() {
  outputs_.bad = outputs_.duplicate = outputs_.recovery = outputs_.malformed = false;
  good_.reset();
  if (!running_) {
    sequence_.restart();
    return;
  }
  if (!checked_) return;
  const Dlp dlp = dlp_of(checked_->flit);
  if (checked_->good && dlp.usage != Usage::kIdle) good_ = dlp;
  outputs_.bad = !checked_->good;
  const Sequence::Events events = sequence_.slot(checked_->good, dlp);
  outputs_.duplicate = events.duplicate;
  outputs_.recovery = events.recovery;
  if (events.accept) outputs_.malformed = !unpacker_.add(tlp_of(checked_->flit));
}

void LinkModel::send(const LinkInputs& inputs) {
  // The pipeline: lanes, CRC, body.
  lanes_.reset();
  if (flit_ && running_) lanes_ = map_.stripe(*flit_);
  flit_ = body_;
  body_.reset();
  if (running_ && inputs.slot) {
    const bool takes = replay_.wants_new() && !packer_.empty();
    const TlpPart fresh = packer_.next();
    const Replay::Sent sent = replay_.slot(takes ? &fresh : nullptr);
    if (takes) packer_.take();
    Dlp dlp;
    dlp.usage = sent.payload != nullptr ? Usage::kPayload : Usage::kNop;
    dlp.prior = prior_;
    dlp.command = sent.is_explicit  ? Command::kExplicit
                  : sequence_.nak() ? Command::kNak
                                    : Command::kAck;
    dlp.number = sent.is_explicit ? sent.number : sequence_.last();
    credits_.tell(dlp);
    credits_.next_class();
    body_ = encode(sent.payload != nullptr ? *sent.payload : TlpPart{}, dlp);
    prior_ = sent.payload != nullptr || sent.is_explicit;
  }
  const Packet* offer = inputs.offer;
  outputs_.ready =
      offer != nullptr && credits_.allows(offer->cls, offer->dwords) && packer_.has_room();
  if (outputs_.ready) {
    credits_.send(offer->cls, offer->dwords);
    packer_.add(*offer);
  }
}

void LinkModel::train(const LinkInputs& inputs) {
  running_ = inputs.run && map_.ready() && !inputs.load;
  if (inputs.load) {
    map_.load();
  } else {
    map_.cycle(inputs.dead);
  }
}

}  // namespace tern::flit
