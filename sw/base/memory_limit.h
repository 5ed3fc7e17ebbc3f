// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace tern::base {

// Bytes that this process may use: the machine's memory, or less if the caller limited them
// (ulimit -v).
std::uint64_t memory_limit();

// "needs 64.0 GB of memory, there are 16.0" if so many bytes cannot be had, else empty.
std::string lack_of_memory(double bytes);

}  // namespace tern::base
