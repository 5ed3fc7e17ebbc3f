// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sw/kernels/builder/program/operations.h"
#include "sw/nki/trace/signature.h"
#include "sw/nki/trace/view.h"

namespace tern::nki {

using kernels::Activation;
using kernels::Alu;
using kernels::Engine;
using kernels::ReduceCommand;

struct Operand {
  Operand(const OperandRule* its_rule, View its_view) : rule(its_rule), view(std::move(its_view)) {}

  const OperandRule* rule;
  View view;
};

// Which queue's generator makes the descriptors of a transfer, if a generator does.
enum class Trigger : std::uint8_t { kAny, kSync, kScalar };

// What a call has besides operands. Each function uses some of it.
struct Options {
  std::optional<Engine> engine;  // none: the compiler's choice
  Alu op0 = Alu::kBypass, op1 = Alu::kBypass;
  bool reverse0 = false, reverse1 = false;
  double value0 = 0, value1 = 0;  // where there is no column: operand0, scale; operand1, bias
  double value2 = 0;
  Activation function = Activation::kIdentity;
  Alu reduce_op = Alu::kBypass;  // bypass: none
  ReduceCommand reduce_command = ReduceCommand::kIdle;
  unsigned reduce_dimensions = 1;
  bool negate = false;
  bool reverse_predicate = false;
  std::optional<bool> accumulate;
  bool double_row = false;
  bool ocp_scales = false;  // of MX conversions: without headroom, as NKI before 0.5
  bool skip_out_of_bounds = false;
  // Steps of a pattern, a mask; of a collective: the operation, ranks of a group, then the groups,
  // or the targets of a permutation.
  std::vector<std::int64_t> numbers;
  // Of registers and loops, by number of the kernel; 0: none. A loop ends when reg_a is not less
  // than reg_b + value, or is zero; reg_dst counts by `value`.
  std::uint32_t reg_dst = 0, reg_a = 0, reg_b = 0;
  std::int64_t value = 0;
  bool until_zero = false;
  Trigger trigger = Trigger::kAny;
  bool descriptors_by_host = false;  // by no generator
  bool descriptors_by_gpsimd = false;
};

// A call of the interface, as traced.
struct Instruction {
  const Signature* signature = nullptr;
  std::vector<Operand> operands;
  Options options;
  std::string name;        // the author's
  std::uint32_t call = 0;  // the one that it is or comes from, by number from 1 on; 0: of none
  const Site* site = nullptr;
  unsigned block = 0;      // of those whose instructions stay in order; 0: of none
  unsigned loop = 0;       // the innermost dynamic one; 0: none
  unsigned iteration = 0;  // of the innermost loop that unrolls, by number of the kernel; 0: none

  // With the programs of other cores.
  bool exchanges() const;
  bool is_control() const { return signature->engines == 0; }
  // Whether an operand is moved at run time.
  bool moves() const;
  // Enters the words that move its operands as operands.
  void add_offsets();
  const View* find(const char* role) const;
  const View& at(const char* role) const;  // one that is required
  void replace(const char* role, const View& view);
};

}  // namespace tern::nki
