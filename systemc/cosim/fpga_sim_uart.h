// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>

#include "systemc/cosim/fpga_sim.h"

namespace tern::cosim {

// The UART of a simulated board. Board: bool clock(bool rx), one cycle, returns the line tx.
template <typename Board>
class FpgaSimUart : public FpgaSim {
 public:
  template <typename... Arguments>
  explicit FpgaSimUart(std::string name, const Arguments&... board)
      : name_(std::move(name)), board_(board...) {}

  std::string name() const override { return name_; }
  std::uint64_t cycles() const override { return cycles_; }

  void write(const std::uint8_t* data, std::size_t bytes) override {
    to_board_.insert(to_board_.end(), data, data + bytes);
  }

  std::size_t read(std::uint8_t* data, std::size_t max, unsigned milliseconds) override {
    // The wait begins when everything is sent.
    std::uint64_t left = std::uint64_t{milliseconds} * kClocksPerMs;
    while (from_board_.empty() && left > 0) {
      if (to_board_.empty() && send_left_ == 0) --left;
      step();
    }
    std::size_t count = 0;
    for (; count < max && !from_board_.empty(); ++count) {
      data[count] = from_board_.front();
      from_board_.pop_front();
    }
    return count;
  }

 private:
  static constexpr unsigned kFrameBits = 10;

  void step() {
    if (send_left_ == 0 && !to_board_.empty()) {
      send_ = 0x200u | to_board_.front() << 1;  // stop bit, byte, start bit
      to_board_.pop_front();
      send_left_ = kFrameBits * kClocksPerBit;
    }
    bool rx = true;
    if (send_left_ > 0) {
      rx = (send_ >> (kFrameBits - (send_left_ + kClocksPerBit - 1) / kClocksPerBit) & 1) != 0;
      --send_left_;
    }
    receive(board_.clock(rx));
    ++cycles_;
  }

  void receive(bool tx) {
    if (receive_at_ == 0) {
      if (tx) return;
      received_ = 0;
    }
    if (receive_at_ % kClocksPerBit == kClocksPerBit / 2) {
      received_ |= (tx ? 1u : 0u) << receive_at_ / kClocksPerBit;
    }
    if (++receive_at_ < kFrameBits * kClocksPerBit - kClocksPerBit / 2) return;
    if ((received_ & 0x201u) == 0x200u) {
      from_board_.push_back(static_cast<std::uint8_t>(received_ >> 1));
    }
    receive_at_ = 0;
  }

  std::string name_;
  Board board_;
  std::uint64_t cycles_ = 0;
  std::deque<std::uint8_t> to_board_, from_board_;
  unsigned send_ = 0, send_left_ = 0, received_ = 0, receive_at_ = 0;
};

}  // namespace tern::cosim
