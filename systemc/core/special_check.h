// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "systemc/core/elementwise_check.h"

namespace tern {

// The instructions of systemc/engines/vector/special.
class SpecialChecker : public ElementwiseChecker {
 public:
  using ElementwiseChecker::ElementwiseChecker;

  // False if the opcode is none of them. Throws InstructionFault.
  bool check() const;

 private:
  void bn_stats() const;
  void bn_aggr() const;
  void max8() const;
  void find_index8() const;
  void match_replace8() const;
  void dropout() const;
  void rng() const;
  void set_rng_seed() const;
  void rand_set_state() const;
  void rand_get_state() const;
  void rand2() const;
  void stream_shuffle() const;
  void vector_transpose() const;
  void iota() const;
  void affine_select() const;
  void local_gather() const;
  void n_gather() const;
  void nonzero_with_count() const;
  void sequence_bounds() const;
  void topk() const;
  void tensor_partition_reduce() const;

  void no_operators() const;
  void no_immediates() const { no_imm0(), no_imm1(); }
  void no_imm0() const;
  void no_imm1() const;
  void no_dst() const;
  void dst_type(bool good) const;
  void src0_type(bool good) const;
  void src1_type(bool good) const;
  void searched() const;      // src0 has a number of elements that searches take
  void eight_sought() const;  // src1
  void whole_cores() const;   // partitions
  // Operands of GpSimd's cores lie in the same partitions.
  void together(const AccessPattern& a, const AccessPattern& b, std::size_t byte) const;
  // The destination, if the instruction wrote this many partitions.
  AccessPattern dst_of(unsigned partitions) const;
  unsigned state_words() const;
  // An integer from an FP32 field.
  void integer(float value, double low, double high, std::size_t byte) const;
  // An operand of the formats shuffle and affine.
  AccessPattern other(const tern_ap_t& ap, const tern_outer_t& outer, std::size_t byte,
                      std::size_t outer_byte, unsigned dtype, std::size_t dtype_byte,
                      unsigned partitions) const;
  AccessPattern affine_dst() const;
};

}  // namespace tern
