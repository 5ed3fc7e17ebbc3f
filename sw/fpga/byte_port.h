// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace tern::fpga {

// A stream of bytes to and from a board: a serial device, or a simulated board in this process.
class BytePort {
 public:
  virtual ~BytePort() = default;
  virtual std::string name() const = 0;  // for messages
  // All of them; throws RunError if the device has gone or takes nothing for seconds.
  virtual void write(const std::uint8_t* data, std::size_t bytes) = 0;
  // At least one byte unless `milliseconds` of the board's time pass without any: then 0.
  virtual std::size_t read(std::uint8_t* data, std::size_t max, unsigned milliseconds) = 0;
};

}  // namespace tern::fpga
