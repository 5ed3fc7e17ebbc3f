// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sw/spec/generated/isa.h"
#include "systemc/engines/access_pattern.h"
#include "systemc/engines/psum_port.h"
#include "systemc/engines/sbuf_access.h"
#include "systemc/numerics/dtype.h"

namespace tern {

// The arithmetic of the Vector and Scalar engines: operands are widened to FP32, every operation
// rounds once, the result is converted once. Works on instructions that check_instruction() has let
// pass.
class Elementwise {
 public:
  Elementwise(SbufAccess sbuf, PsumPort& psum) : sbuf_(sbuf), psum_(psum) {}

  // Calls PsumPort::transfer, so only from an SC_THREAD when an operand lies in PSUM.
  void run(const tern_instr_elementwise_t& instruction);

 private:
  struct Source {
    AccessPattern ap;
    numerics::DType type = numerics::DType::kFp32;
    bool used = false;
    std::vector<float> psum;  // the words of the bounding rectangle, row by row
    std::size_t pitch = 0;    // of psum
    std::size_t offset = 0;   // bytes from the first word of a row to the pattern's first element
    std::vector<float> row;
    std::vector<std::uint8_t> raw;
  };

  void open(Source& source, const tern_ap_t& ap, unsigned dtype, unsigned partitions);
  const float* load(Source& source, unsigned lane);
  void compute(const tern_instr_elementwise_t& instruction, unsigned lane);
  void store(const AccessPattern& dst, numerics::DType type, unsigned lane);
  void write_psum(const AccessPattern& dst, unsigned partitions);

  SbufAccess sbuf_;
  PsumPort& psum_;
  Source source0_, source1_;
  std::vector<float> result_;  // one row
  std::vector<std::uint8_t> raw_;
  std::vector<float> psum_result_;
};

}  // namespace tern
