// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sw/base/source_line.h"
#include "sw/config/chip_config.h"
#include "sw/kernels/builder/memory/hazards.h"
#include "sw/kernels/builder/memory/views.h"
#include "sw/kernels/builder/program/operations.h"

namespace tern::kernels {

// The rectangle that a view spans, for hazards.
HazardMap::Access access_of(const TileView& view, bool write);

// The documented limits of every operand. Each throws a UserError that begins with the caller's
// line and the instruction's name; `role` names the operand.
class ViewChecks {
 public:
  ViewChecks(const ChipConfig& chip, SourceLine where, std::string name)
      : chip_(chip), where_(where), name_(std::move(name)) {}

  [[noreturn]] void fail(const std::string& message) const;
  void require(bool condition, const std::string& message) const {
    if (!condition) fail(message);
  }
  // Position and shape; `dimensions`: how many free ones the instruction can encode.
  void view(const TileView& view, bool write, const std::string& role, unsigned dimensions) const;
  // Also that the engine can access the memory and compute with the format.
  void element(const TileView& view, bool write, const std::string& role, Engine engine) const;
  // One FP32 per partition, [partitions, 1].
  void column(const TileView& view, bool write, const std::string& role, Engine engine,
              unsigned partitions) const;

 private:
  const ChipConfig& chip_;
  SourceLine where_;
  std::string name_;
};

}  // namespace tern::kernels
