// SPDX-License-Identifier: Apache-2.0
// The registers of a UART.
#include "systemc/mgmt/devices/uart16550.h"

namespace tern::mgmt {

namespace {

// Registers by offset; with the divisor access bit of LCR the first two are the divisor.
enum : unsigned { kData, kIer, kIirFcr, kLcr, kMcr, kLsr, kMsr, kScr };

// IER.
constexpr std::uint8_t kReceiveEnable = 1, kTransmitEnable = 2, kLineEnable = 4, kModemEnable = 8;
// IIR: the interrupt of the highest priority.
constexpr unsigned kNone = 1, kLineStatus = 6, kReceived = 4, kTimeout = 12, kTransmit = 2,
                   kModem = 0;
constexpr std::uint8_t kFifosOn = 0xC0;
// LSR.
constexpr std::uint8_t kDataReady = 0x01, kHoldingEmpty = 0x20, kEmpty = 0x40, kFifoError = 0x80;
// MSR 7:4.
constexpr std::uint8_t kCts = 0x10, kDsr = 0x20, kRing = 0x40, kCarrier = 0x80;
constexpr std::uint8_t kCable = kCts | kDsr | kCarrier;

// MCR of a loop drives the modem's inputs: DTR, RTS, OUT1 and OUT2 in this order.
std::uint8_t looped(std::uint8_t mcr) {
  return static_cast<std::uint8_t>(((mcr & 1) != 0 ? kDsr : 0) | ((mcr & 2) != 0 ? kCts : 0) |
                                   ((mcr & 4) != 0 ? kRing : 0) | ((mcr & 8) != 0 ? kCarrier : 0));
}

}  // namespace

unsigned Uart16550::interrupt() const {
  const auto enabled = [&](std::uint8_t bit) { return (state_.ier & bit) != 0; };
  if (enabled(kLineEnable) && state_.errors != 0) return kLineStatus;
  if (enabled(kReceiveEnable)) {
    const unsigned trigger = state_.fifos ? state_.trigger : 1;
    if (state_.received.size() >= trigger) return kReceived;
    if (state_.timed_out) return kTimeout;
  }
  if (enabled(kTransmitEnable) && state_.transmit_event) return kTransmit;
  if (enabled(kModemEnable) && state_.changes != 0) return kModem;
  return kNone;
}

std::uint8_t Uart16550::lsr() const {
  std::uint8_t value = state_.errors;
  if (!state_.received.empty()) value |= kDataReady;
  if (state_.waiting.empty()) value |= kHoldingEmpty;
  if (state_.waiting.empty() && !state_.shifting) value |= kEmpty;
  if (state_.fifos && state_.received.any_errors()) value |= kFifoError;
  return value;
}

std::uint64_t Uart16550::peek(std::uint64_t offset) const {
  switch (offset) {
    case kData:
      if (divisor_access()) return state_.divisor & 0xFF;
      return state_.received.empty() ? 0 : state_.received.front().byte;
    case kIer:
      return divisor_access() ? state_.divisor >> 8 : state_.ier;
    case kIirFcr:
      return interrupt() | (state_.fifos ? kFifosOn : 0);
    case kLcr:
      return state_.lcr;
    case kMcr:
      return state_.mcr;
    case kLsr:
      return lsr();
    case kMsr:
      return state_.modem | state_.changes;
    default:
      return state_.scr;
  }
}

RegisterDevice::Status Uart16550::read(std::uint64_t offset, unsigned, const Time& at,
                                       std::uint64_t& value) {
  catch_up(at);
  value = peek(offset);
  after_read(static_cast<unsigned>(offset), at);
  update();
  return kDone;
}

void Uart16550::after_read(unsigned index, const Time& at) {
  switch (index) {
    case kData:
      if (!divisor_access()) take_received(at);
      break;
    case kIirFcr:
      if (interrupt() == kTransmit) state_.transmit_event = false;
      break;
    case kLsr:
      state_.errors = 0;
      if (!state_.received.empty()) state_.received.front().errors = 0;
      break;
    case kMsr:
      state_.changes = 0;
      break;
    default:
      break;
  }
}

RegisterDevice::Status Uart16550::write(std::uint64_t offset, unsigned, const Time& at,
                                        std::uint64_t value) {
  catch_up(at);
  write_register(static_cast<unsigned>(offset), static_cast<std::uint8_t>(value), at);
  update();
  return kDone;
}

void Uart16550::write_register(unsigned index, std::uint8_t value, const Time& at) {
  switch (index) {
    case kData:
      if (divisor_access()) {
        state_.divisor = static_cast<std::uint16_t>((state_.divisor & 0xFF00) | value);
      } else {
        transmit(value, at);
      }
      break;
    case kIer:
      if (divisor_access()) {
        state_.divisor = static_cast<std::uint16_t>((state_.divisor & 0xFF) | value << 8);
        break;
      }
      // Enabled with room to write: software is asked for characters at once.
      if ((value & ~state_.ier & kTransmitEnable) != 0 && state_.waiting.empty()) {
        state_.transmit_event = true;
      }
      state_.ier = value & 0x0F;
      break;
    case kIirFcr:
      write_fcr(value);
      break;
    case kLcr:
      state_.lcr = value;
      break;
    case kMcr:
      write_mcr(value);
      break;
    case kScr:
      state_.scr = value;
      break;
    default:  // LSR and MSR are read only
      break;
  }
}

void Uart16550::write_fcr(std::uint8_t value) {
  const bool fifos = (value & 1) != 0, change = fifos != state_.fifos;
  const auto clear_received = [&] {
    state_.received.clear();
    state_.timed_out = false;
    state_.timeout = sc_core::sc_max_time();
  };
  const auto clear_waiting = [&] {
    if (!state_.waiting.empty()) state_.transmit_event = true;
    state_.waiting.clear();
  };
  state_.fifos = fifos;
  if (change || (fifos && (value & 2) != 0)) clear_received();
  if (change || (fifos && (value & 4) != 0)) clear_waiting();
  if (fifos) state_.trigger = kUartTriggers[value >> 6];
}

void Uart16550::write_mcr(std::uint8_t value) {
  state_.mcr = value & 0x1F;
  const std::uint8_t before = state_.modem;
  state_.modem = loopback() ? looped(state_.mcr) : kCable;
  const std::uint8_t changed = before ^ state_.modem;
  // Of the ring only its end counts.
  const std::uint8_t ring_end = before & ~state_.modem & kRing;
  state_.changes |=
      static_cast<std::uint8_t>(((changed & (kCts | kDsr | kCarrier)) | ring_end) >> 4);
}

}  // namespace tern::mgmt
