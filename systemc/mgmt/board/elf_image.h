// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "systemc/mgmt/board/board_config.h"
#include "systemc/mgmt/board/image.h"

namespace tern::mgmt {

bool is_elf(std::string_view file);

// Segments and entry of image.file, an ELF file for the board's harts. Throws UserError "FILE:
// ...". That segments are inside memory and apart is not looked at.
void read_elf(Image& image, const BoardConfig& config);

}  // namespace tern::mgmt
