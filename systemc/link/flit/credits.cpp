// SPDX-License-Identifier: Apache-2.0
#include "systemc/link/flit/credits.h"

namespace tern::flit {

Credits::Credits(const LinkOptions& options) {
  given_.fill({options.head_credits, options.data_credits});
}

unsigned Credits::head_left(unsigned cls) const {
  return (limit_[cls].head - used_[cls].head) & kHeadCreditMask;
}

unsigned Credits::data_left(unsigned cls) const {
  return (limit_[cls].data - used_[cls].data) & kDataCreditMask;
}

bool Credits::allows(unsigned cls, unsigned dwords) const {
  return up() && head_left(cls) > 0 && data_left(cls) >= data_units(dwords);
}

void Credits::send(unsigned cls, unsigned dwords) {
  ++used_[cls].head;
  used_[cls].data += data_units(dwords);
}

void Credits::free(const Freed& freed) {
  ++given_[freed.cls].head;
  given_[freed.cls].data += data_units(freed.dwords);
}

void Credits::tell(Dlp& dlp) const {
  dlp.kind = state_ == State::kFirst    ? Kind::kInitFirst
             : state_ == State::kSecond ? Kind::kInitSecond
                                        : Kind::kUpdate;
  dlp.cls = turn_;
  dlp.head_credits = given_[turn_].head & kHeadCreditMask;
  dlp.data_credits = given_[turn_].data & kDataCreditMask;
}

void Credits::told(const Dlp& dlp) {
  const bool init = dlp.kind == Kind::kInitFirst || dlp.kind == Kind::kInitSecond;
  second_ =
      dlp.usage == Usage::kPayload || dlp.kind == Kind::kInitSecond || dlp.kind == Kind::kUpdate;
  if (!init && dlp.kind != Kind::kUpdate) return;
  limit_[dlp.cls] = {dlp.head_credits, dlp.data_credits};
  seen_.set(dlp.cls);
}

void Credits::end_cycle() {
  if (state_ == State::kSecond && second_) state_ = State::kActive;
  if (state_ == State::kFirst && seen_before_.all()) state_ = State::kSecond;
  seen_before_ = seen_;
  second_ = false;
}

}  // namespace tern::flit
