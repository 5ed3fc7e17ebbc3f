// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

// The programs of this folder, built with the simulator.
namespace tern::firmware {

// Contents of the boot ROM.
std::vector<std::uint8_t> boot_rom();
// The firmware as an image, signed with the test key.
std::string image();

}  // namespace tern::firmware
