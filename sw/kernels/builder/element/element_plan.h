// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "sw/kernels/builder/element/view_checks.h"
#include "sw/kernels/builder/program/encoding.h"
#include "sw/kernels/builder/program/instruction_options.h"

namespace tern::kernels {

// An element-wise instruction under construction: every operand is checked, encoded and entered as
// an access, so that none can be forgotten by the waits. Outer dimensions, columns and the like go
// into the instruction's `extend`, which is only emitted if it is not empty.
class ElementPlan {
 public:
  ElementPlan(const ChipConfig& chip, Engine engine, unsigned opcode, const char* name,
              SourceLine where);

  // The destination comes first. `also_read`: elements of it may keep their values.
  void destination(const TileView& view, bool also_read = false);
  // Same partitions as the destination.
  void source(const TileView& view, const char* role = "source");
  void second(const TileView& view, const char* role = "second source", bool write = false);
  // Instructions whose destination has other partitions than the source, or that have none: the
  // source decides.
  void across_partitions(const TileView& dst, const TileView& source);
  void no_destination(const TileView& source);
  // The operand gives as many elements per partition as the destination takes.
  void same_elements(const TileView& view, const char* role) const;
  void elements(std::uint64_t results) const;  // `results`: the number that the source yields

  // imm0 and imm1, or columns in their place. A column of an instruction that does not use src1 for
  // a tile goes there (`in_src1`): no extend is needed then.
  void scalar0(const ScalarOperand& scalar, bool in_src1 = false);
  void scalar1(const ScalarOperand& scalar, bool in_src1 = false);
  void operations(Alu op0, Alu op1) {
    instruction.elementwise.op0 = static_cast<std::uint8_t>(op0);
    instruction.elementwise.op1 = static_cast<std::uint8_t>(op1);
  }
  void reverse(bool op0, bool op1);
  void reduce(const std::optional<Reduce>& reduce);

  bool has_extension() const;
  // The instruction supports the choice, and its destination a format for it.
  bool can_round_stochastically() const;
  const ViewChecks& checks() const { return checks_; }
  // "ROLE: expected EXPECTED, got FORMAT" unless `good`.
  void require_format(bool good, const TileView& view, const std::string& role,
                      const std::string& expected) const;
  Engine engine() const { return engine_; }

  tern_instruction_t instruction{};
  tern_instr_extend_t extension{};
  std::vector<HazardMap::Access> accesses;

 private:
  void add_column(const TileView& view, bool write, const char* role);
  void put_scalar(const ScalarOperand& scalar, bool in_src1, unsigned flag, const char* role,
                  float* immediate, std::uint32_t* column);

  ViewChecks checks_;
  Engine engine_;
  TileView dst_;
};

}  // namespace tern::kernels
