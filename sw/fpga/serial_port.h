// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "sw/fpga/byte_port.h"

namespace tern::fpga {

constexpr unsigned kBaud = 2000000;  // of fpga_icebreaker

// Opens a serial device or a pseudo-terminal, 8N1, raw. Throws UserError if it is none.
std::unique_ptr<BytePort> open_serial_port(const std::string& path, unsigned baud = kBaud);

}  // namespace tern::fpga
