// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "systemc/engines/ports/operation.h"

// Operands in words, for traces.
namespace tern {

// "sbuf[32]+0x40": memory, first partition, byte in it.
std::string place(const tern_ap_t& ap);
std::string place(std::uint32_t address);

std::string_view format_name(unsigned dtype);

// An instruction without operands.
std::string describe_index(const Operation& operation, unsigned index);
// An instruction of three access patterns: partitions, elements of each, destination and source.
std::string describe_elementwise(const Operation& operation, unsigned index);

}  // namespace tern
