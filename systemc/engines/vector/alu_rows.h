// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

// The FP32 operations of the ALU over rows of elements; `op` is an alu_op for which alu_is_float()
// is true (BYPASS returns the first operand). They need ScopedFpModes. `out` may be one of the
// operands.
namespace tern {

bool alu_is_float(unsigned op);      // neither a bit operation nor unknown
bool alu_is_unary(unsigned op);      // of the first operand alone
bool alu_is_bitwise(unsigned op);    // on the bits of elements
bool alu_is_reducible(unsigned op);  // a float operation that reductions and scans may use

float alu(unsigned op, float a, float b);
// out[i] = a[i] op b[i]
void alu_rows(unsigned op, const float* a, const float* b, float* out, std::size_t n);
// out[i] = a[i] op scalar; reverse: scalar op a[i]
void alu_scalar(unsigned op, const float* a, float scalar, bool reverse, float* out, std::size_t n);
// The chain ((start op a[0]) op a[1]) ...
float alu_chain(unsigned op, float start, const float* a, std::size_t n);

// row[i] = the chain up to and including row[i]; returns the last.
float alu_running(unsigned op, float start, float* row, std::size_t n);

struct AluStep {
  unsigned op;
  bool reverse;
};
// out[i] = (a[i] op0 out[i-1]) op1 b[i], out[-1] = start; reverse swaps the operands of a step.
void alu_scan(AluStep op0, AluStep op1, float start, const float* a, const float* b, float* out,
              std::size_t n);

}  // namespace tern
