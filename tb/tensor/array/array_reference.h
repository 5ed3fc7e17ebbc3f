// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tb/tensor/array/array_bench.h"
#include "tb/tensor/array/array_command.h"

namespace tern::tb {

// Value of an operand (docs/numerics.md, sections 1 and 2), in a float: exact for every form.
float operand_value(std::uint32_t bits, Form form);

// What the array must give for a list of commands: chains of fmaf in row order.
class ArrayReference {
 public:
  explicit ArrayReference(const ArrayBench& bench) : bench_(bench) {}

  // Commands in the order of their issue.
  std::vector<ArrayResult> results(const std::vector<ArrayCommand>& commands);
  bool bad(const ArrayCommand& load) const;  // a position outside its pattern

  // The operands of a lane of one of these results, as text.
  std::string input_of(const ArrayResult& result, unsigned lane) const;

 private:
  // The partition and address of the moving operand that meets row r of the load's tile.
  struct Place {
    unsigned partition;
    std::int64_t address;
  };
  std::optional<Place> moving_place(const ArrayCommand& load, const ArrayCommand& move, unsigned r,
                                    unsigned n, unsigned column) const;
  std::uint32_t element(unsigned partition, std::int64_t address, unsigned bytes) const;
  unsigned position(const ArrayCommand& load, unsigned row, unsigned column) const;
  std::uint32_t dot(const ArrayCommand& load, const ArrayCommand& move, unsigned n,
                    unsigned column) const;

  const ArrayBench& bench_;
};

}  // namespace tern::tb
