// SPDX-License-Identifier: Apache-2.0
#include "tb/tensor/array/array_reference.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "tb/common/mismatch.h"

namespace tern::tb {

namespace {

std::uint32_t bits_of(float x) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &x, 4);
  return std::isnan(x) ? 0x7FC00000 : bits;
}

float from_bits(std::uint32_t bits) {
  float x = 0;
  std::memcpy(&x, &bits, 4);
  return x;
}

float signed_value(bool negative, double magnitude) {
  return std::copysign(static_cast<float>(magnitude), negative ? -1.0F : 1.0F);
}

float fp16_value(std::uint32_t bits) {
  const unsigned field = bits >> 10 & 31, fraction = bits & 0x3FF;
  const bool negative = (bits & 0x8000) != 0;
  if (field == 31) {
    return fraction != 0 ? std::numeric_limits<float>::quiet_NaN()
                         : signed_value(negative, std::numeric_limits<double>::infinity());
  }
  return signed_value(negative, field == 0
                                    ? std::ldexp(fraction, -24)
                                    : std::ldexp(1024 + fraction, static_cast<int>(field) - 25));
}

float half_value(std::uint32_t bits, bool high) {
  const unsigned field = bits >> 23 & 0xFF;
  if (field == 255) return std::numeric_limits<float>::quiet_NaN();
  const unsigned significand = (bits & 0x7FFFFF) | (field != 0 ? 0x800000U : 0U);
  const unsigned part = high ? significand & 0xFFF000 : significand & 0xFFF;
  const int exponent = static_cast<int>(field == 0 ? 1 : field) - 150;
  return signed_value(bits >> 31 != 0, std::ldexp(part, exponent));
}

}  // namespace

float operand_value(std::uint32_t bits, Form form) {
  switch (form) {
    case Form::kBf16:
      return from_bits(bits << 16);
    case Form::kFp16:
      return fp16_value(bits);
    case Form::kTf32:
      return std::isnan(from_bits(bits)) ? from_bits(bits) : from_bits(bits & 0xFFFFE000);
    case Form::kFp32Low:
      return half_value(bits, false);
    default:
      return half_value(bits, true);
  }
}

std::uint32_t ArrayReference::element(unsigned partition, std::int64_t address,
                                      unsigned bytes) const {
  std::uint32_t value = 0;
  std::memcpy(&value, bench_.sbuf[partition].data() + address, bytes);
  return value;
}

unsigned ArrayReference::position(const ArrayCommand& load, unsigned row, unsigned column) const {
  return element(row, load.tag_address + 2 * (column / 4), 2) >> (4 * (column % 4)) & 15;
}

bool ArrayReference::bad(const ArrayCommand& load) const {
  if (!load.sparse) return false;
  for (unsigned r = 0; r < load.tile.rows; ++r) {
    for (unsigned m = 0; m < load.tile.cols; ++m) {
      if (position(load, load.tile.row_start + r, m) >= kPatterns[load.sparsity].n) return true;
    }
  }
  return false;
}

std::optional<ArrayReference::Place> ArrayReference::moving_place(const ArrayCommand& load,
                                                                  const ArrayCommand& move,
                                                                  unsigned r, unsigned n,
                                                                  unsigned column) const {
  const Pattern pattern = kPatterns[load.sparsity];
  const unsigned row = load.tile.row_start + r;
  const std::int64_t address = move.address + std::int64_t{n} * form_bytes(move.form);
  if (!load.sparse) return Place{row, address};
  const unsigned place = position(load, row, column);
  if (place >= pattern.n) return std::nullopt;
  const unsigned k = pattern.n * (r / pattern.m) + place;
  return Place{load.tile.row_start + k / pattern.planes(),
               address + std::int64_t{move.plane} * (k % pattern.planes())};
}

std::uint32_t ArrayReference::dot(const ArrayCommand& load, const ArrayCommand& move, unsigned n,
                                  unsigned column) const {
  const unsigned size = form_bytes(load.form), moving_size = form_bytes(move.form);
  float acc = 0;
  for (unsigned r = 0; r < load.tile.rows; ++r) {
    const float stationary = operand_value(
        element(load.tile.row_start + r, load.column_address(column), size), load.form);
    const auto place = moving_place(load, move, r, n, column);
    if (!place) continue;
    const float moving =
        operand_value(element(place->partition, place->address, moving_size), move.form);
    acc = std::fmaf(moving, stationary, acc);
  }
  return bits_of(acc);
}

std::string ArrayReference::input_of(const ArrayResult& result, unsigned lane) const {
  const ArrayCommand &load = *result.load, &move = *result.command;
  const unsigned size = form_bytes(load.form), moving_size = form_bytes(move.form);
  const unsigned column = lane - load.tile.col_start;
  if (move.kind == ArrayCommand::Kind::kDrain) {
    return "transpose, row " + std::to_string(load.tile.row_start + result.column) + ", element " +
           hex(element(load.tile.row_start + result.column, load.column_address(column), size),
               8 * size);
  }
  std::vector<std::uint32_t> stationary, moving;
  for (unsigned r = 0; r < load.tile.rows; ++r) {
    const auto place = moving_place(load, move, r, result.column, column);
    if (!place) continue;
    stationary.push_back(element(load.tile.row_start + r, load.column_address(column), size));
    moving.push_back(element(place->partition, place->address, moving_size));
  }
  return "multiply of slot " + std::to_string(move.slot) + ", column " +
         std::to_string(result.column) + ", rows from " + std::to_string(load.tile.row_start) +
         "\n  stationary, form " + std::to_string(static_cast<unsigned>(load.form)) + ": " +
         hex_list(stationary, 8 * size) + "\n  moving, form " +
         std::to_string(static_cast<unsigned>(move.form)) + ": " +
         hex_list(moving, 8 * moving_size);
}

std::vector<ArrayResult> ArrayReference::results(const std::vector<ArrayCommand>& commands) {
  constexpr unsigned kRows = ArrayBench::kRows;
  std::vector<ArrayResult> results;
  const ArrayCommand* loaded[4][4] = {};  // per cell: in the shadow weights
  const ArrayCommand* active[4][4] = {};
  for (const ArrayCommand& command : commands) {
    const Tile& tile = command.tile;
    for (unsigned g = tile.g0; g <= tile.g1; ++g) {
      for (unsigned j = tile.j0; j <= tile.j1; ++j) {
        if (command.kind == ArrayCommand::Kind::kLoad) loaded[g][j] = &command;
        if (command.swap) active[g][j] = loaded[g][j];
      }
    }
    if (command.kind == ArrayCommand::Kind::kLoad) continue;
    for (unsigned n = 0; n < command.columns; ++n) {
      ArrayResult result;
      result.slot = command.slot;
      result.first = tile.col_start;
      result.count = tile.cols;
      result.command = &command;
      result.column = n;
      result.lanes.assign(ArrayBench::kCols, 0);
      if (command.kind == ArrayCommand::Kind::kMove) {
        const ArrayCommand& load = *active[tile.g0][tile.j0];
        result.load = &load;
        result.port = tile.g1;
        result.groups = tile.mask();
        result.cycle = command.issue + n + ArrayBench::kGroupRows * (tile.g1 + 1) + 2;
        for (unsigned m = 0; m < tile.cols; ++m) {
          result.lanes[tile.col_start + m] = dot(load, command, n, m);
        }
      } else {
        const ArrayCommand& load = *loaded[0][0];
        result.load = &load;
        const unsigned size = form_bytes(load.form);
        result.port = 4;
        result.groups = 0xF;
        result.cycle = command.issue + n + kRows + 2;
        for (unsigned m = 0; m < load.tile.cols; ++m) {
          result.lanes[m] = element(tile.row_start + n, load.column_address(m), size);
        }
      }
      results.push_back(result);
    }
  }
  return results;
}

}  // namespace tern::tb
