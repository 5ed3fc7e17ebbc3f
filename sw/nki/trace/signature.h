// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sw/nki/trace/storage.h"

namespace tern::nki {

// Sets of memories and engines.
enum : unsigned {
  kInSbuf = 1u << static_cast<unsigned>(Memory::kSbuf),
  kInPsum = 1u << static_cast<unsigned>(Memory::kPsum),
  kInHbm = 1u << static_cast<unsigned>(Memory::kHbm),
  kOnChip = kInSbuf | kInPsum,
  kAnyButPsum = kInSbuf | kInHbm,
};
enum : unsigned {
  kOnSequencers = 0,
  kOnTensor = 1,
  kOnVector = 2,
  kOnScalar = 4,
  kOnGpsimd = 8,
  kOnDma = 16
};

// How an operand's shape must fit the destination's.
enum class Fit : std::uint8_t {
  kFree,        // checked by the function itself
  kElements,    // as many partitions, and elements on each
  kPartitions,  // as many partitions
  kColumn,      // [P, 1]
  kScales,      // of MX blocks: four partitions of every 32, from any of 0, 4, 8, 12 on
};

enum class Access : std::uint8_t { kRead, kWrite, kUpdate };

struct OperandRule {
  const char* role;  // the argument's name
  Access access = Access::kRead;
  unsigned memories = kOnChip;
  Fit fit = Fit::kElements;
  bool optional = false;

  bool reads() const { return access != Access::kWrite; }
  bool writes() const { return access != Access::kRead; }
};

// Of element-wise functions.
enum class Dependence : std::uint8_t {
  kNone,   // element i of the result depends on element i of the operands
  kIndex,  // and on i
  kOrder,  // on the elements before it
};

// A function of nki.isa that becomes instructions of the chip: its operands, destination first, and
// the engines that have it.
struct Signature {
  const char* name;
  unsigned engines;
  std::vector<OperandRule> operands;
  unsigned most_in_psum = 0;  // of the operands that are read; 0: any
  Dependence dependence = Dependence::kNone;

  const OperandRule* operand(std::string_view role) const;
};

// Null for a name that is none.
const Signature* find_signature(std::string_view name);
const std::vector<Signature>& signatures();

}  // namespace tern::nki
