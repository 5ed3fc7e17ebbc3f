// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "tb/core/bench/core_bench.h"
#include "tb/core/oracle/element_oracle.h"

// Operands of element-wise instructions in a core's memories.
namespace tern::tb {

// One operand of a test: its location, and its values on each partition.
struct Tile {
  tern_ap_t pattern;
  unsigned dtype;
  std::vector<std::vector<double>> values;  // [partition][element], the pattern's order
  tern_outer_t outer{};
  Operand operand() const { return {pattern, dtype}; }
  float at(unsigned p, std::size_t i) const { return static_cast<float>(values[p][i]); }
};

bool in_psum(const tern_ap_t& pattern);
unsigned first_partition(const tern_ap_t& pattern);

// Byte of every element of a pattern in its partition.
std::vector<std::uint32_t> bytes_of(const tern_ap_t& pattern, unsigned dtype,
                                    const tern_outer_t& outer = {});

void write_tile(CoreBench& bench, const Tile& tile);
std::uint32_t read_element(CoreBench& bench, const tern_ap_t& pattern, unsigned dtype, unsigned p,
                           std::uint32_t byte);

// A tile of samples(), in memory.
Tile make_tile(CoreBench& bench, const tern_ap_t& pattern, unsigned dtype, unsigned partitions,
               std::mt19937_64& random, const tern_outer_t& outer = {});
// The same without NaN and infinity, of moderate size, so that the order of roundings shows.
Tile make_plain_tile(CoreBench& bench, const tern_ap_t& pattern, unsigned dtype,
                     unsigned partitions, std::mt19937_64& random, const tern_outer_t& outer = {});

using Expected = std::function<float(unsigned partition, std::size_t element)>;

// The destination holds what `expected` gives, converted; reports the first element that does not.
void expect(CoreBench& bench, const Operand& dst, unsigned partitions, const Expected& expected,
            const tern_outer_t& outer = {});

// The raw elements of an operand.
std::vector<std::vector<std::uint32_t>> read_raw(CoreBench& bench, const Operand& operand,
                                                 unsigned partitions,
                                                 const tern_outer_t& outer = {});

}  // namespace tern::tb
