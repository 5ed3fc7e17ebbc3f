// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "systemc/riscv/hart.h"

// A hart's registers under the numbers that GDB gives them: 0 to 31 x, 32 pc, 33 to 64 f, 65 + n
// CSR n, 4161 the mode.
namespace tern::gdb {

inline constexpr unsigned kGeneralRegisters = 33;  // x and pc: those of packet g

// The description in XML of what this hart has.
std::string target_description(riscv::Hart& hart, const riscv::HartConfig& config);

// Bytes in the target's order; nothing: there is no such register.
std::optional<std::string> read_register(riscv::Hart& hart, const riscv::HartConfig& config,
                                         unsigned number);
// false: there is no such register, it cannot be written, or the size is another.
bool write_register(riscv::Hart& hart, const riscv::HartConfig& config, unsigned number,
                    std::string_view bytes);

}  // namespace tern::gdb
