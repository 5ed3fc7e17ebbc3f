// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sw/nki/trace/kernel.h"

namespace tern::nki {

// How the tensors of a kernel fit into SBUF and PSUM with its instructions in some order, given by
// number: not at all; in the first gap; one after the other, so that memory is used again late.
enum class MemoryFit : std::uint8_t { kNone, kPacked, kRotated };
MemoryFit memory_fit(const Kernel& kernel, const std::vector<std::uint32_t>& order);

}  // namespace tern::nki
