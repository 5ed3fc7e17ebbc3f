// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "systemc/mgmt/devices/backend/uart_backend.h"

namespace tern::mgmt {

// Output and input in memory, for tests and for programs that embed a machine. Of long output the
// end is kept.
class BufferBackend : public UartBackend {
 public:
  explicit BufferBackend(std::size_t limit = std::size_t{16} << 20) : limit_(limit) {}

  void transmit(std::uint8_t byte) override {
    output_ += static_cast<char>(byte);
    if (output_.size() < 2 * limit_) return;
    dropped_ += output_.size() - limit_;
    output_.erase(0, output_.size() - limit_);
  }
  std::optional<std::uint8_t> receive() override {
    if (input_.empty()) return std::nullopt;
    const auto byte = static_cast<std::uint8_t>(input_.front());
    input_.pop_front();
    return byte;
  }

  void type(std::string_view text) { input_.insert(input_.end(), text.begin(), text.end()); }
  const std::string& output() const { return output_; }
  std::uint64_t dropped() const { return dropped_; }  // bytes at the start of the output
  std::size_t unread() const { return input_.size(); }

 private:
  const std::size_t limit_;
  std::string output_;
  std::uint64_t dropped_ = 0;
  std::deque<char> input_;
};

}  // namespace tern::mgmt
