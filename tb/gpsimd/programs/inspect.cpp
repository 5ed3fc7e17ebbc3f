// SPDX-License-Identifier: Apache-2.0
// What the SDK promises to a program, written to its first partition as 32-bit words from byte 0;
// byte 256 of each partition gets its number.
#include <math.h>
#include <stdlib.h>

#include "sw/gpsimd/tern_gpsimd.h"

namespace {

struct Constructed {
  Constructed() : value(processor_number() + 100) {}
  static uint32_t processor_number() { return tern_gpsimd::processor(); }
  uint32_t value;
};
Constructed constructed;           // by a constructor
uint32_t initialised = 0x1234;     // .data
uint32_t zeroed[4];                // .bss
const float kTable[] = {0.5f, 2};  // .rodata

}  // namespace

extern "C" int tern_main(uint32_t a0, uint32_t a1, uint32_t a2, uint32_t a3, uint32_t a4,
                         uint32_t a5, uint32_t a6, uint32_t a7) {
  using namespace tern_gpsimd;
  uint32_t* out = partition<uint32_t>(0);
  const uint32_t arguments[] = {a0, a1, a2, a3, a4, a5, a6, a7};
  for (uint32_t argument : arguments) *out++ = argument;
  *out++ = processor();
  *out++ = partition_bytes();
  *out++ = constructed.value;
  *out++ = initialised++;
  *out++ = zeroed[3]++;
  const float root = sqrtf(kTable[1]);
  memcpy(out++, &root, sizeof root);
  const float power = expf(kTable[0]);  // of the C library
  memcpy(out++, &power, sizeof power);
  void* heap = malloc(1000);
  *out++ = heap != nullptr;
  *out++ = malloc(100000) == nullptr;
  *out++ = to_bf16(1.00390625f).bits;  // half way: to even
  for (unsigned i = 0; i < kPartitions; ++i) *partition<uint32_t>(i, 256) = i;
  log("processor", static_cast<int32_t>(processor()));
  log("minus", -2147483647 - 1);
  return 0;
}
