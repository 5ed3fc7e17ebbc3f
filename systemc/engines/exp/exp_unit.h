// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "sw/base/math.h"
#include "sw/numerics/dtype.h"
#include "sw/spec/generated/address_map.h"

namespace tern {

// The exponential unit of the Vector engine: y = exp(round(x - m)) for up to 128 partitions, four
// elements of each per cycle, with one running sum per partition (docs/numerics.md, section 4).
constexpr unsigned kExpPartitions = TERN_CORE_SBUF_COUNT;
constexpr unsigned kExpPerCycle = 4;
// Cycles from a group of four elements at the input to its results at the output.
constexpr unsigned kExpLatency = 8;

enum class ExpSum : std::uint8_t {
  kOff,         // the accumulators keep their values
  kAccumulate,  // acc = acc + s per cycle, s = (e0 + e1) + (e2 + e3), missing elements +0
};

// One instruction. Rows are partitions; elements of a row are packed, in their order. Result and
// source must not overlap.
struct ExpRequest {
  unsigned partitions = 0;                               // 1 .. kExpPartitions
  std::size_t elements = 0;                              // per partition, at least 1
  numerics::DType source_type = numerics::DType::kFp32;  // kFp32, kBf16 or kFp16
  const std::uint8_t* source = nullptr;
  std::size_t source_pitch = 0;                          // bytes from row to row
  const float* m = nullptr;                              // one per partition
  numerics::DType result_type = numerics::DType::kFp32;  // kFp32, kBf16 or kFp16: one rounding
  std::uint8_t* result = nullptr;
  std::size_t result_pitch = 0;  // bytes
  ExpSum sum = ExpSum::kOff;
  // One per partition: sums so far, replaced by the new ones. May be null with kOff.
  float* accumulators = nullptr;
  // The name of the instruction in an error message; empty: "instruction N of the unit".
  std::string name;
};

// Cycles from the first group at the input to the last results at the output, both included,
// without stalls.
constexpr std::uint64_t exp_cycles(std::size_t elements) {
  return ceil_div(elements, kExpPerCycle) + kExpLatency;
}

class ExpUnit {
 public:
  virtual ~ExpUnit() = default;
  // Computes the whole request; returns exp_cycles() of it, measured or computed. Throws
  // std::invalid_argument if the request is invalid.
  virtual std::uint64_t run(const ExpRequest& request) = 0;
  // The same in two steps. Between them the unit may work on a thread of its own; then the operands
  // stay as they are, and results are not there before finish(). One request at a time.
  virtual void begin(const ExpRequest& request) { cycles_ = run(request); }
  virtual std::uint64_t finish() { return cycles_; }

 private:
  std::uint64_t cycles_ = 0;
};

// The fast model: the bits of numerics::exp and of numerics::narrow.
std::unique_ptr<ExpUnit> make_exp_model();

// Throws std::invalid_argument unless the fields are in the ranges above.
void check_exp_request(const ExpRequest& request);

}  // namespace tern
