// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tb/common/temp_folder.h"
#include "tb/system/process.h"

namespace tern::tb {

// Debian's firmware for the `virt` board, unmodified.
inline const std::string kOpensbi = "/usr/lib/riscv64-linux-gnu/opensbi/generic/";
inline const std::string kUbootS = "/usr/lib/u-boot/qemu-riscv64_smode/";
inline const std::string kUbootM = "/usr/lib/u-boot/qemu-riscv64/";

// False, and says so, where a package is missing.
bool firmware_is_there();

// A run of `tern boot` with its serial line in a file.
struct Boot {
  Outcome outcome;
  std::string text;     // of the serial line
  nlohmann::json data;  // of --json; null if there was none
};
Boot boot(std::vector<std::string> arguments);

// How often a text occurs.
std::size_t count_of(const std::string& text, const std::string& what);
// The output of a command that was typed at U-Boot's prompt; fails if there is none.
std::string answer_to(const std::string& text, const std::string& command);

}  // namespace tern::tb
