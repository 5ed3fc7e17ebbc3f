// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include "tb/core/bench/core_bench.h"

// Instructions and tiles for the tests of the special instructions.
namespace tern::tb {

inline tern_instruction_t shuffle(std::uint32_t dst, std::uint32_t src, unsigned num,
                                  unsigned dtype, unsigned partitions,
                                  const std::array<std::uint8_t, 32>& mask) {
  tern_instruction_t in = plain(TERN_OPCODE_STREAM_SHUFFLE);
  in.shuffle.dst = dst;
  in.shuffle.src = src;
  in.shuffle.num = static_cast<std::uint16_t>(num);
  in.shuffle.dtype = static_cast<std::uint8_t>(dtype);
  in.shuffle.partitions = static_cast<std::uint8_t>(partitions);
  for (unsigned i = 0; i < 32; ++i) in.shuffle.mask[i] = mask[i];
  return in;
}

struct Affine {
  std::int32_t base = 0, channel_multiplier = 0;
  std::array<std::int16_t, 4> step{};
};

inline tern_instruction_t affine(unsigned opcode, unsigned partitions, const Operand& dst,
                                 const Operand& src, const Affine& function,
                                 unsigned op = TERN_ALU_OP_BYPASS, float fill = 0) {
  tern_instruction_t in = plain(opcode);
  in.affine.dst = dst.pattern;
  in.affine.src = src.pattern;
  in.affine.base = function.base;
  in.affine.channel_multiplier = function.channel_multiplier;
  for (unsigned d = 0; d < 4; ++d) in.affine.step[d] = function.step[d];
  in.affine.fill = fill;
  in.affine.dst_dtype = static_cast<std::uint8_t>(dst.dtype);
  in.affine.src_dtype = static_cast<std::uint8_t>(src.dtype);
  in.affine.partitions = static_cast<std::uint8_t>(partitions);
  in.affine.op = static_cast<std::uint8_t>(op);
  return in;
}

inline Operand contiguous(unsigned partition, unsigned byte, unsigned count, unsigned dtype) {
  return {ap(place(partition, byte), count), dtype};
}

// A start partition and a number of partitions that go together.
struct Lanes {
  unsigned first = 0, count = 0;
};
inline Lanes random_lanes(std::mt19937_64& random, unsigned most = 128) {
  const auto count = static_cast<unsigned>(1 + random() % most);
  const unsigned step = count > 64 ? 128 : count > 32 ? 64 : 32;
  return {static_cast<unsigned>(random() % (128 / step)) * step, count};
}

// Rows of random elements, poked; row p belongs to partition first + p.
template <typename T>
using Rows = std::vector<std::vector<T>>;

template <typename T>
void poke_rows(CoreBench& bench, unsigned first, std::uint32_t byte, const Rows<T>& rows) {
  for (unsigned p = 0; p < rows.size(); ++p) bench.poke(first + p, byte, rows[p]);
}
template <typename T>
Rows<T> peek_rows(CoreBench& bench, const Lanes& lanes, std::uint32_t byte, std::size_t count) {
  Rows<T> rows;
  for (unsigned p = 0; p < lanes.count; ++p) {
    rows.push_back(bench.template peek<T>(lanes.first + p, byte, count));
  }
  return rows;
}
template <typename T>
Rows<T> random_rows(std::mt19937_64& random, unsigned partitions, std::size_t count) {
  Rows<T> rows(partitions, std::vector<T>(count));
  for (auto& row : rows) {
    for (T& element : row) element = static_cast<T>(random());
  }
  return rows;
}
inline Rows<float> random_floats(std::mt19937_64& random, unsigned partitions, std::size_t count,
                                 int values = 2001) {
  Rows<float> rows(partitions, std::vector<float>(count));
  for (auto& row : rows) {
    for (float& element : row) {
      element = static_cast<float>(static_cast<int>(random() % values) - values / 2) / 8;
    }
  }
  return rows;
}

}  // namespace tern::tb
