// SPDX-License-Identifier: Apache-2.0
#include "tb/core/bench/tile.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>

namespace tern::tb {

bool in_psum(const tern_ap_t& pattern) {
  return pattern.addr >> 31 != 0;
}
unsigned first_partition(const tern_ap_t& pattern) {
  return pattern.addr >> 24 & 0x7F;
}

std::vector<std::uint32_t> bytes_of(const tern_ap_t& pattern, unsigned dtype,
                                    const tern_outer_t& outer) {
  std::vector<std::uint32_t> bytes;
  const int num2 = outer.num2 == 0 ? 1 : outer.num2, num3 = outer.num3 == 0 ? 1 : outer.num3;
  for (int i3 = 0; i3 < num3; ++i3) {
    for (int i2 = 0; i2 < num2; ++i2) {
      for (int i1 = 0; i1 < pattern.num1; ++i1) {
        for (int i0 = 0; i0 < pattern.num0; ++i0) {
          const int element =
              i0 * pattern.step0 + i1 * pattern.step1 + i2 * outer.step2 + i3 * outer.step3;
          bytes.push_back(static_cast<std::uint32_t>(static_cast<int>(pattern.addr & 0xFFFFFF) +
                                                     element * static_cast<int>(size_of(dtype))));
        }
      }
    }
  }
  return bytes;
}

void write_tile(CoreBench& bench, const Tile& tile) {
  const auto bytes = bytes_of(tile.pattern, tile.dtype, tile.outer);
  for (unsigned p = 0; p < tile.values.size(); ++p) {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const std::uint32_t raw = encode(tile.dtype, tile.values[p][i]);
      const unsigned partition = first_partition(tile.pattern) + p;
      if (in_psum(tile.pattern)) {
        bench.poke_psum(partition, bytes[i] / 4, {from_bits(raw)});
      } else {
        std::vector<std::uint8_t> element(size_of(tile.dtype));
        std::memcpy(element.data(), &raw, element.size());
        bench.poke(partition, bytes[i], element);
      }
    }
  }
}

std::uint32_t read_element(CoreBench& bench, const tern_ap_t& pattern, unsigned dtype, unsigned p,
                           std::uint32_t byte) {
  const unsigned partition = first_partition(pattern) + p;
  if (in_psum(pattern)) return bits(bench.peek_psum(partition, byte / 4, 1)[0]);
  std::uint32_t raw = 0;
  const auto element = bench.peek<std::uint8_t>(partition, byte, size_of(dtype));
  std::memcpy(&raw, element.data(), element.size());
  return raw;
}

namespace {

// Patterns that visit an element twice hold what was written last.
void read_back(CoreBench& bench, Tile& tile) {
  const auto raw =
      read_raw(bench, tile.operand(), static_cast<unsigned>(tile.values.size()), tile.outer);
  for (std::size_t p = 0; p < raw.size(); ++p) {
    for (std::size_t i = 0; i < raw[p].size(); ++i) {
      tile.values[p][i] = decode(tile.dtype, raw[p][i]);
    }
  }
}

}  // namespace

Tile make_tile(CoreBench& bench, const tern_ap_t& pattern, unsigned dtype, unsigned partitions,
               std::mt19937_64& random, const tern_outer_t& outer) {
  Tile tile{pattern, dtype, {}, outer};
  const std::size_t count = bytes_of(pattern, dtype, outer).size();
  for (unsigned p = 0; p < partitions; ++p) tile.values.push_back(samples(dtype, count, random));
  write_tile(bench, tile);
  read_back(bench, tile);
  return tile;
}

Tile make_plain_tile(CoreBench& bench, const tern_ap_t& pattern, unsigned dtype,
                     unsigned partitions, std::mt19937_64& random, const tern_outer_t& outer) {
  Tile tile = make_tile(bench, pattern, dtype, partitions, random, outer);
  for (auto& row : tile.values) {
    for (double& v : row) {
      if (!(std::fabs(v) < 1e4)) v = static_cast<double>(random() % 100) / 4;
    }
  }
  write_tile(bench, tile);
  read_back(bench, tile);
  return tile;
}

void expect(CoreBench& bench, const Operand& dst, unsigned partitions, const Expected& expected,
            const tern_outer_t& outer) {
  const auto bytes = bytes_of(dst.pattern, dst.dtype, outer);
  for (unsigned p = 0; p < partitions; ++p) {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const std::uint32_t got = read_element(bench, dst.pattern, dst.dtype, p, bytes[i]);
      const std::uint32_t want = convert(dst.dtype, expected(p, i));
      if (got != want) {
        FAIL_CHECK("partition " << p << " element " << i << ": got " << std::hex << got
                                << ", expected " << want);
        return;
      }
    }
  }
}

std::vector<std::vector<std::uint32_t>> read_raw(CoreBench& bench, const Operand& operand,
                                                 unsigned partitions, const tern_outer_t& outer) {
  const auto bytes = bytes_of(operand.pattern, operand.dtype, outer);
  std::vector<std::vector<std::uint32_t>> raw(partitions);
  for (unsigned p = 0; p < partitions; ++p) {
    for (std::uint32_t byte : bytes) {
      raw[p].push_back(read_element(bench, operand.pattern, operand.dtype, p, byte));
    }
  }
  return raw;
}

}  // namespace tern::tb
