// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sw/spec/generated/qos.h"

// Request of an access to a memory and its answer, for models with and without SystemC.
namespace tern {

// Classes of service of the whole chip; 0 is the most urgent.
constexpr unsigned kTrafficClasses = TERN_QOS_CLASSES;

// What a memory does with the bytes of a write (near-memory compute). Words are little endian and
// aligned to their size; both operands and the result have the same format.
enum class WriteOp : std::uint8_t {
  kStore,
  kAddFp32,  // memory = round(memory + data), word by word
  kAddBf16,
  kAddFp8,  // E4M3FN
};

// Why a memory answered with an error.
enum class MemoryFault : std::uint8_t {
  kNone,
  kAddress,           // outside every unit
  kAccess,            // the unit exists, but does not take this access
  kUncorrectableEcc,  // more wrong bits than the code corrects
};

}  // namespace tern
