// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tern::tb {

// A bare-metal image for RV32IMAFDC or RV64IMAFDC at 0x80000000 that runs random instructions in M
// mode: integer, floating point, atomic, compressed, control registers, illegal ones (on RV32 those
// of RV64, too), branches. A trap handler mixes cause, value and pc of each trap into a hash and
// goes on. After each of `rounds` passes the image mixes all registers into the hash and prints it
// on the UART at 0x10000000; at the end it writes 0x5555 to 0x100000.
std::vector<std::uint8_t> random_program(unsigned xlen, std::uint64_t seed, unsigned instructions,
                                         unsigned rounds);

}  // namespace tern::tb
