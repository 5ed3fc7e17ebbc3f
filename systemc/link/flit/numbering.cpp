// SPDX-License-Identifier: Apache-2.0
#include "systemc/link/flit/numbering.h"

namespace tern::flit {

Replay::Sent Replay::slot(const TlpPart* fresh) {
  Sent sent;
  sent.is_explicit = explicit_;
  explicit_ = false;
  if (wants_new() && fresh != nullptr) kept_.push_back(*fresh);
  if (sent_ < kept_.size()) {
    position_ = number_after(position_);
    sent.payload = &kept_[sent_++];
  }
  sent.number = position_;
  return sent;
}

Replay::Events Replay::end_cycle(bool restart, bool slot,
                                 const std::optional<Acknowledgement>& ack) {
  Events events;
  std::size_t gone = 0;
  bool jump = restart;
  if (ack) {
    gone = number_distance(acked_, ack->number);
    events.protocol_error = ack->number == 0 || gone > old_;
    if (events.protocol_error) gone = 0;
    events.replay = !events.protocol_error && ack->nak && (ack->number != honoured_ || timer_ == 0);
    jump = jump || events.replay || gone > sent_;
    if (!events.protocol_error) acked_ = ack->number;
  }
  kept_.erase(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(gone));
  if (jump) {
    sent_ = 0;
    position_ = acked_;
    explicit_ = true;
  } else {
    sent_ -= gone;
  }
  if (slot && timer_ > 0) --timer_;
  const bool progress = gone > 0 || old_ == 0;
  events.recovery = events.replay && !progress && tries_ + 1 == options_.max_replays;
  if (events.replay) {
    honoured_ = ack->number;
    timer_ = options_.round_trip;
    ++tries_;
  }
  if (progress || events.recovery) tries_ = 0;
  old_ = kept_.size();
  return events;
}

void Sequence::restart() {
  state_ = State::kUnknown;
  nak_ = false;
  bad_ = 0;
}

Sequence::Events Sequence::slot(bool good, const Dlp& dlp) {
  Events events;
  if (!good) {
    ++bad_;
    events.recovery = bad_ == options_.max_bad;
    if (events.recovery) bad_ = 0;
    if (state_ == State::kKnown) {
      state_ = State::kDoubtful;
    } else {
      state_ = State::kUnknown;
      nak_ = true;
    }
    return events;
  }
  bad_ = 0;
  const bool payload = dlp.usage == Usage::kPayload;
  const bool is_explicit = dlp.command == Command::kExplicit && dlp.usage != Usage::kIdle;
  const bool known =
      is_explicit || state_ == State::kKnown || (state_ == State::kDoubtful && !dlp.prior);
  if (!known) {
    state_ = State::kUnknown;
    nak_ = true;
    return events;
  }
  state_ = State::kKnown;
  current_ = is_explicit ? dlp.number : payload ? number_after(current_) : current_;
  events.accept = payload && current_ == number_after(last_);
  if (events.accept) last_ = current_;
  const unsigned lead = number_distance(last_, current_);
  nak_ = lead != 0 && lead <= kLastNumber / 2;
  events.duplicate = payload && !events.accept && !nak_;
  return events;
}

}  // namespace tern::flit
