// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

namespace tern::mgmt {

// The other end of a serial line, on the host. A UART calls it in simulated order.
class UartBackend {
 public:
  virtual ~UartBackend() = default;

  virtual void transmit(std::uint8_t byte) = 0;
  // The next byte of input if there is one now; never waits.
  virtual std::optional<std::uint8_t> receive() = 0;
  // False: there will be no input before the next transmit(), and the UART stops polling.
  virtual bool may_receive() { return true; }
};

}  // namespace tern::mgmt
