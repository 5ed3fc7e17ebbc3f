// SPDX-License-Identifier: Apache-2.0
#include "systemc/mgmt/domain/otp.h"

namespace tern::mgmt {

namespace {

constexpr RegisterArray kFuse{TERN_REG_OTP_FUSE, TERN_REG_OTP_FUSE_STRIDE, TERN_REG_OTP_FUSE_COUNT};
constexpr std::uint32_t kBurn = TERN_MGMT_OTP_KEY | 1;

}  // namespace

Otp::Otp(sc_core::sc_module_name name, const Fuses& fuses, const sc_core::sc_time& burn)
    : WordDevice(name), burn_(burn) {
  state_.fuses = fuses;
}

std::uint32_t Otp::word(std::uint64_t offset, const sc_core::sc_time& at) const {
  if (const auto fuse = kFuse.at(offset)) return state_.fuses[*fuse];
  switch (offset) {
    case TERN_REG_OTP_WORD:
      return state_.index;
    case TERN_REG_OTP_VALUE:
      return state_.value;
    case TERN_REG_OTP_STATUS:
      return (at < until_ ? TERN_REG_OTP_STATUS_BUSY_MASK : 0) |
             (state_.error ? TERN_REG_OTP_STATUS_ERROR_MASK : 0) |
             (state_.locked ? TERN_REG_OTP_STATUS_LOCKED_MASK : 0);
    default:
      return 0;
  }
}

void Otp::set_word(std::uint64_t offset, std::uint32_t value, const sc_core::sc_time& at) {
  switch (offset) {
    case TERN_REG_OTP_WORD:
      state_.index = value & TERN_REG_OTP_WORD_MASK;
      break;
    case TERN_REG_OTP_VALUE:
      state_.value = value;
      break;
    case TERN_REG_OTP_COMMAND:
      command(value, at);
      break;
    case TERN_REG_OTP_LOCK:
      state_.locked = state_.locked || value == 1;
      break;
    default:
      break;
  }
}

void Otp::command(std::uint32_t value, const sc_core::sc_time& at) {
  state_.error = value != kBurn || at < until_ || state_.locked;
  if (state_.error) return;
  state_.fuses[state_.index] |= state_.value;
  until_ = at + burn_;
}

void Otp::reset() {
  State state;
  state.fuses = state_.fuses;
  restore(state);
}

Otp::State Otp::save() const {
  State state = state_;
  state.busy = remaining(until_);
  return state;
}

void Otp::restore(const State& state) {
  state_ = state;
  until_ = sc_core::sc_time_stamp() + state.busy;
}

}  // namespace tern::mgmt
