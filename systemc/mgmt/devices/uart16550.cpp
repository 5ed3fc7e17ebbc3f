// SPDX-License-Identifier: Apache-2.0
// The serial line and the times of a UART.
#include "systemc/mgmt/devices/uart16550.h"

#include <algorithm>
#include <utility>

#include "sw/base/user_error.h"

namespace tern::mgmt {

namespace {

using sc_core::sc_time;
using sc_core::sc_time_stamp;

constexpr std::uint8_t kOverrun = 0x02;
constexpr unsigned kTimeoutCharacters = 4;

// From now on, and back.
sc_time relative(const sc_time& at, const sc_time& now) {
  if (at == sc_core::sc_max_time()) return at;
  return at > now ? at - now : sc_core::SC_ZERO_TIME;
}
sc_time absolute(const sc_time& from_now, const sc_time& now) {
  return from_now > sc_core::sc_max_time() - now ? sc_core::sc_max_time() : now + from_now;
}

}  // namespace

Uart16550::Uart16550(sc_core::sc_module_name name, const Config& config, UartBackend* backend,
                     Line line)
    : RegisterDevice(name, 1, 8), config_(config), backend_(backend), line_(std::move(line)) {
  if (config.clock_hz == 0 || config.poll == sc_core::SC_ZERO_TIME) {
    throw UserError("UART: its clock and the time between two polls must not be 0");
  }
  SC_METHOD(event);
  sensitive << event_;
  dont_initialize();
  arm_poll(sc_time_stamp());
  update();
}

// A bit takes 16 periods of the clock divided by the divisor; the sum is one of half bits, because
// there may be one and a half stop bits.
sc_time Uart16550::character_time() const {
  const unsigned data = 5 + (state_.lcr & 3), parity = (state_.lcr & 8) != 0 ? 1 : 0;
  const bool long_stop = (state_.lcr & 4) != 0;
  const unsigned stop_halves = !long_stop ? 2 : data == 5 ? 3 : 4;
  const unsigned halves = 2 * (1 + data + parity) + stop_halves;
  const unsigned divisor = state_.divisor == 0 ? 65536 : state_.divisor;
  __extension__ using Wide = unsigned __int128;
  const Wide second = sc_time(1, sc_core::SC_SEC).value();
  return sc_time::from_value(
      static_cast<std::uint64_t>(second * (8 * halves) * divisor / config_.clock_hz));
}

void Uart16550::transmit(std::uint8_t byte, const Time& at) {
  state_.transmit_event = false;
  if (!config_.baud_timing) {
    send(byte, at);
    state_.transmit_event = true;
    return;
  }
  if (state_.waiting.size() < depth()) {
    state_.waiting.push({byte, 0});
  } else if (!state_.fifos) {
    state_.waiting.front().byte = byte;
  }
  if (!state_.shifting) shift_next(at);
}

void Uart16550::shift_next(const Time& at) {
  state_.shifting = !state_.waiting.empty();
  state_.shift_end = sc_core::sc_max_time();
  if (!state_.shifting) return;
  state_.shifted = state_.waiting.pop().byte;
  state_.shift_end = absolute(character_time(), at);
  if (state_.waiting.empty()) state_.transmit_event = true;
}

void Uart16550::send(std::uint8_t byte, const Time& at) {
  if (loopback()) {
    accept({byte, 0}, at);
  } else if (backend_ != nullptr) {
    backend_->transmit(byte);
    arm_poll(at);
  }
}

void Uart16550::arrive(std::uint8_t byte, std::uint8_t errors) {
  const sc_time now = sc_time_stamp();
  catch_up(now);
  accept({byte, static_cast<std::uint8_t>(errors & 0x1C)}, now);
  update();
}

// Without room the FIFO keeps what it has; without FIFO the new character replaces the old one.
void Uart16550::accept(UartFifo::Character character, const Time& at) {
  if (state_.received.size() >= depth()) {
    state_.errors |= kOverrun;
    if (state_.fifos) return;
    state_.received.clear();
  }
  state_.received.push(character);
  if (state_.received.size() == 1) state_.errors |= character.errors;
  restart_timeout(at);
}

// Software has read the first character; the errors of the next one appear.
void Uart16550::take_received(const Time& at) {
  state_.timed_out = false;
  if (!state_.received.empty()) state_.received.pop();
  if (!state_.received.empty()) state_.errors |= state_.received.front().errors;
  restart_timeout(at);
}

void Uart16550::restart_timeout(const Time& at) {
  state_.timeout = state_.fifos && !state_.received.empty()
                       ? absolute(kTimeoutCharacters * character_time(), at)
                       : sc_core::sc_max_time();
}

void Uart16550::poll_backend(const Time& now) {
  state_.poll = sc_core::sc_max_time();
  const unsigned at_once = config_.baud_timing ? 1 : depth();
  unsigned taken = 0;
  while (!loopback() && taken < at_once && state_.received.size() < depth()) {
    const std::optional<std::uint8_t> byte = backend_->receive();
    if (!byte) break;
    accept({*byte, 0}, now);
    ++taken;
  }
  arm_poll(now);
  // More characters follow as fast as the line carries them.
  if (config_.baud_timing && taken > 0 && state_.poll != sc_core::sc_max_time()) {
    state_.poll = absolute(character_time(), now);
  }
}

void Uart16550::arm_poll(const Time& at) {
  if (backend_ == nullptr || state_.poll != sc_core::sc_max_time()) return;
  if (backend_->may_receive()) state_.poll = absolute(config_.poll, at);
}

// What has happened until this time, in its order.
void Uart16550::catch_up(const Time& at) {
  while (std::min(state_.shift_end, state_.timeout) <= at) {
    if (state_.timeout < state_.shift_end) {
      state_.timed_out = true;
      state_.timeout = sc_core::sc_max_time();
    } else {
      const sc_time end = state_.shift_end;
      send(state_.shifted, end);
      shift_next(end);
    }
  }
}

void Uart16550::event() {
  const sc_time now = sc_time_stamp();
  catch_up(now);
  if (state_.poll <= now) poll_backend(now);
  update();
}

// The interrupt line and the next event follow from the state. Only an enabled interrupt needs the
// timeout in time; otherwise the next access finds it.
void Uart16550::update(bool always) {
  const bool receive_interrupt = (state_.ier & 1) != 0;
  const sc_time next = std::min(
      {state_.shift_end, state_.poll, receive_interrupt ? state_.timeout : sc_core::sc_max_time()});
  event_.cancel();
  if (next != sc_core::sc_max_time()) event_.notify(relative(next, sc_time_stamp()));
  const bool level = interrupt() != 1;
  if (level == level_ && !always) return;
  level_ = level;
  if (line_) line_(level);
}

void Uart16550::reset() {
  restore({});
}

Uart16550::State Uart16550::save() const {
  State state = state_;
  for (sc_time* time : {&state.shift_end, &state.timeout, &state.poll}) {
    *time = relative(*time, sc_time_stamp());
  }
  return state;
}

void Uart16550::restore(const State& state) {
  const bool known = std::count(kUartTriggers.begin(), kUartTriggers.end(), state.trigger) == 1;
  if (state.received.count > UartFifo::kDepth || state.waiting.count > UartFifo::kDepth || !known) {
    throw RunError("UART: the snapshot is invalid");
  }
  state_ = state;
  for (sc_time* time : {&state_.shift_end, &state_.timeout, &state_.poll}) {
    *time = absolute(*time, sc_time_stamp());
  }
  if (backend_ == nullptr) state_.poll = sc_core::sc_max_time();
  arm_poll(sc_time_stamp());
  update(true);
}

}  // namespace tern::mgmt
