// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "sw/numerics/mx.h"
#include "sw/spec/generated/address_map.h"

namespace tern {

// The MX converters of the Vector engine: one x4 column of up to 128 partitions per cycle
// (docs/numerics.md, section 5). Operands are words, partition by partition; a smaller element is
// in the lower bits of its word. Element q of x4 column j is element 4 * j + q of its partition.
constexpr unsigned kMxQuadrant = 32;  // partitions of one converter
// Cycles from a column at the input to its result at the output.
constexpr unsigned kMxQuantizeLatency = 2, kMxDequantizeLatency = 1;

struct MxShape {
  unsigned partitions = 0;  // 32, 64, 96 or 128
  std::size_t columns = 0;  // x4 columns per partition, at least 1
};

// BF16 or FP16 to MXFP8.
struct MxQuantizeRequest {
  MxShape shape;
  bool fp16 = false;
  unsigned x4_type = 0;  // dtype code: e4m3fn_x4 or e5m2_x4
  numerics::MxRule rule = numerics::MxRule::kAws;
  const std::uint32_t* elements = nullptr;
  std::uint32_t* x4 = nullptr;
  std::uint8_t* scales = nullptr;  // `columns` for each block of eight partitions
  std::string name;                // of the instruction in an error message; may be empty
};

// MXFP8 or MXFP4 to BF16 or FP32; without scales MXFP4 to the FP8 elements of the same values.
struct MxDequantizeRequest {
  MxShape shape;
  unsigned x4_type = 0, result_type = 0;  // dtype codes; without scales e2m1_x4 and e4m3fn_x4
  const std::uint32_t* x4 = nullptr;
  const std::uint8_t* scales = nullptr;  // as above; null: none
  std::uint32_t* elements = nullptr;     // without scales one x4 word per column
  std::string name;
};

// Cycles from the first column at the input to the last result at the output, both included.
constexpr std::uint64_t mx_quantize_cycles(std::size_t columns) {
  return columns + kMxQuantizeLatency;
}
constexpr std::uint64_t mx_dequantize_cycles(std::size_t columns) {
  return columns + kMxDequantizeLatency;
}

class MxUnit {
 public:
  virtual ~MxUnit() = default;
  // Each computes the whole request and returns its cycles, measured or computed. Throws
  // std::invalid_argument if the request is invalid.
  virtual std::uint64_t quantize(const MxQuantizeRequest& request) = 0;
  virtual std::uint64_t dequantize(const MxDequantizeRequest& request) = 0;
};

// The fast model: the bits of sw/numerics/mx.h.
std::unique_ptr<MxUnit> make_mx_model();

// Throw std::invalid_argument unless the fields are in the ranges above.
void check_mx_request(const MxQuantizeRequest& request);
void check_mx_request(const MxDequantizeRequest& request);

}  // namespace tern
