// SPDX-License-Identifier: Apache-2.0
// The header of programs for a GpSimd processor: sw/gpsimd/README.md. The same source compiles for
// the host, where partitions are those of `native_core()`.
#pragma once

#include <stdint.h>
#include <string.h>

#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/registers.h"

// The program: up to eight arguments, 0 for success. Runs once on each selected processor.
extern "C" int tern_main(uint32_t a0, uint32_t a1, uint32_t a2, uint32_t a3, uint32_t a4,
                         uint32_t a5, uint32_t a6, uint32_t a7);

namespace tern_gpsimd {

constexpr unsigned kPartitions = TERN_GPSIMD_PARTITION_COUNT;  // of one processor

#if defined(__riscv)

inline volatile uint32_t& device_register(uint32_t offset) {
  return *reinterpret_cast<volatile uint32_t*>(TERN_GPSIMD_REGISTERS_BASE + offset);
}

// 0..7: this processor's partitions are 16 * processor() .. + 15 of SBUF.
inline unsigned processor() {
  return device_register(TERN_REG_GPSIMD_PROCESSOR);
}
inline uint32_t partition_bytes() {
  return device_register(TERN_REG_GPSIMD_PARTITION_BYTES);
}
// Partition i = 0..15 of this processor, from `byte` on.
template <typename T>
T* partition(unsigned i, uint32_t byte = 0) {
  return reinterpret_cast<T*>(TERN_GPSIMD_PARTITION_BASE + i * TERN_GPSIMD_PARTITION_STRIDE + byte);
}
// Since the start of the program.
inline uint64_t cycles() {
  const uint32_t low = device_register(TERN_REG_GPSIMD_CYCLE);
  return static_cast<uint64_t>(device_register(TERN_REG_GPSIMD_CYCLE + 4)) << 32 | low;
}
inline void log_character(char c) {
  device_register(TERN_REG_GPSIMD_LOG) = static_cast<unsigned char>(c);
}

#else

struct NativeCore {
  unsigned processor = 0;
  uint8_t* base = nullptr;  // of partition 0 of SBUF
  uint64_t pitch = 0;       // from one partition to the next
  uint32_t partition_bytes = 0;
  void (*log)(char) = nullptr;
};
inline NativeCore& native_core() {
  static NativeCore core;
  return core;
}

inline unsigned processor() {
  return native_core().processor;
}
inline uint32_t partition_bytes() {
  return native_core().partition_bytes;
}
template <typename T>
T* partition(unsigned i, uint32_t byte = 0) {
  const NativeCore& core = native_core();
  return reinterpret_cast<T*>(core.base + (core.processor * kPartitions + i) * core.pitch + byte);
}
inline uint64_t cycles() {
  return 0;
}
inline void log_character(char c) {
  if (native_core().log != nullptr) native_core().log(c);
}

#endif

// One line of the log: the text, then the number if given.
inline void log_text(const char* text) {
  for (; *text != 0; ++text) log_character(*text);
}
inline void log(const char* text) {
  log_text(text);
  log_character('\n');
}
inline void log(const char* text, int32_t number) {
  log_text(text);
  char digits[12];
  unsigned count = 0;
  uint32_t left = number < 0 ? 0u - static_cast<uint32_t>(number) : static_cast<uint32_t>(number);
  do {
    digits[count++] = static_cast<char>('0' + left % 10);
    left /= 10;
  } while (left != 0);
  if (number < 0) log_character('-');
  while (count > 0) log_character(digits[--count]);
  log_character('\n');
}

// BF16 as stored in SBUF. To FP32 exactly, back to nearest even; NaN becomes 0x7fc0.
struct Bf16 {
  uint16_t bits;
};
inline float to_float(Bf16 value) {
  const uint32_t bits = static_cast<uint32_t>(value.bits) << 16;
  float result;
  memcpy(&result, &bits, sizeof result);
  return result;
}
inline Bf16 to_bf16(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return {0x7fc0};
  return {static_cast<uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16)};
}

}  // namespace tern_gpsimd
