// SPDX-License-Identifier: Apache-2.0
#include "sw/numerics/near_memory.h"

#include <cstring>

#include "sw/numerics/alu.h"
#include "sw/numerics/bf16.h"
#include "sw/numerics/fp8.h"
#include "sw/numerics/fp_modes.h"

namespace tern::numerics {

void add_to_memory_fp32(std::uint8_t* memory, const std::uint8_t* data, std::size_t bytes) {
  const ScopedFpModes modes;
  for (std::size_t i = 0; i < bytes / 4; ++i) {
    float a, b;
    std::memcpy(&a, memory + 4 * i, 4);
    std::memcpy(&b, data + 4 * i, 4);
    a = add(a, b);
    std::memcpy(memory + 4 * i, &a, 4);
  }
}

void add_to_memory_bf16(std::uint8_t* memory, const std::uint8_t* data, std::size_t bytes) {
  const ScopedFpModes modes;
  for (std::size_t i = 0; i < bytes / 2; ++i) {
    std::uint16_t a, b;
    std::memcpy(&a, memory + 2 * i, 2);
    std::memcpy(&b, data + 2 * i, 2);
    a = bf16_from_float(add(bf16_to_float(a), bf16_to_float(b)));
    std::memcpy(memory + 2 * i, &a, 2);
  }
}

// Exact in FP32: all numbers are multiples of 2^-9 below 2^9.
void add_to_memory_fp8(std::uint8_t* memory, const std::uint8_t* data, std::size_t bytes) {
  const ScopedFpModes modes;
  for (std::size_t i = 0; i < bytes; ++i)
    memory[i] = e4m3fn_from_float(add(e4m3fn_to_float(memory[i]), e4m3fn_to_float(data[i])),
                                  Overflow::kSaturate);
}

}  // namespace tern::numerics
