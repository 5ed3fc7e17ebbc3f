// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace tern::numerics {

// The adders next to a memory (docs/numerics.md, "DMA"): memory[i] = round(memory[i] + data[i]),
// word by word, little endian. Any alignment on the host; bytes: a multiple of the word.
void add_to_memory_fp32(std::uint8_t* memory, const std::uint8_t* data, std::size_t bytes);
void add_to_memory_bf16(std::uint8_t* memory, const std::uint8_t* data, std::size_t bytes);
// E4M3FN; saturates.
void add_to_memory_fp8(std::uint8_t* memory, const std::uint8_t* data, std::size_t bytes);

}  // namespace tern::numerics
