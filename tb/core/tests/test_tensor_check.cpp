// SPDX-License-Identifier: Apache-2.0
// The instructions of the tensor queue: every field outside its range, every operand of an invalid
// kind, and what a chip without a feature refuses. Offsets are written down from
// docs/reference/isa.md.
#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <vector>

#include "systemc/core/instruction_check.h"
#include "tb/core/bench/program.h"

using namespace tern;
using namespace tern::tb;

namespace {

constexpr std::uint32_t kSbufBytes = 1000 * 16;  // not a power of two
constexpr unsigned kQueue = TERN_QUEUE_TENSOR;
constexpr unsigned kPattern = TERN_ERROR_BAD_ACCESS_PATTERN;
constexpr unsigned kField = TERN_ERROR_ILLEGAL_FIELD;
constexpr unsigned kDtype = TERN_ERROR_BAD_DTYPE;
constexpr unsigned kMissing = TERN_ERROR_NOT_MODELLED;

CoreLimits trn3() {
  return {kSbufBytes, 16384, 2048, {}};
}
CoreLimits trn2() {
  return {kSbufBytes, 16384, 2048, {false, false, false, false, 512}};
}

using Change = std::function<void(tern_instruction_t&)>;

void refused(tern_instruction_t in, unsigned code, unsigned detail, const Change& change,
             const CoreLimits& limits = trn3()) {
  change(in);
  const auto fault = check_instruction(in, kQueue, limits);
  INFO("expected code " << code << " detail " << detail);
  REQUIRE(fault.has_value());
  CHECK(fault->code == code);
  CHECK(fault->detail == detail);
}

void taken(
    tern_instruction_t in, const Change& change = [](tern_instruction_t&) {},
    const CoreLimits& limits = trn3()) {
  change(in);
  const auto fault = check_instruction(in, kQueue, limits);
  if (fault) {
    FAIL("refused with code " << fault->code << " detail " << fault->detail);
  }
}

// One instruction of each mode that is legal on the newest chip.
tern_instruction_t load(unsigned mode = TERN_TENSOR_MODE_DENSE, unsigned dtype = TERN_DTYPE_BF16) {
  auto in = load_stationary(ap(place(0, 0), 128), 128, 128, dtype);
  in.load_stationary.mode = static_cast<std::uint8_t>(mode);
  return in;
}
tern_instruction_t multiply(unsigned mode = TERN_TENSOR_MODE_DENSE,
                            unsigned dtype = TERN_DTYPE_BF16) {
  auto in = multiply_moving(ap(place(0, 512), 64, 1, 8, 64), ap(place(0, 0, kPsum), 512), 128, 128,
                            false, dtype);
  in.multiply_moving.mode = static_cast<std::uint8_t>(mode);
  return in;
}
tern_instruction_t turn(unsigned dtype = TERN_DTYPE_BF16) {
  return transpose(ap(place(0, 0), 100), ap(place(0, 0, kPsum), 64), 64, 100, dtype);
}
tern_instruction_t bf16_result() {
  auto in = multiply();
  in.multiply_moving.dst_dtype = TERN_DTYPE_BF16;
  return in;
}

const std::vector<unsigned> kAllDtypes = {0,  3,  6,  7,  8,  9,  10, 11, 14,
                                          15, 16, 17, 18, 19, 20, 21, 22, 255};

// The table of docs/reference and rtl/tensor/README.md: formats of a mode.
bool mode_takes(unsigned mode, unsigned dtype) {
  switch (mode) {
    case 0:
      return dtype == 6 || dtype == 7 || dtype == 10 || dtype == 11;
    case 1:
      return dtype == 6 || dtype == 7;
    case 2:
      return dtype >= 14 && dtype <= 16;
    default:
      return dtype >= 20 && dtype <= 22;
  }
}

}  // namespace

TEST_CASE("tensor check: every mode takes its formats and no other") {
  for (unsigned mode = 0; mode <= 4; ++mode) {
    for (const unsigned dtype : kAllDtypes) {
      CAPTURE(mode, dtype);
      if (mode_takes(mode, dtype)) {
        taken(load(mode, dtype));
        taken(multiply(mode, dtype));
      } else {
        refused(load(mode, dtype), kDtype, 24, [](auto&) {});
        refused(multiply(mode, dtype), kDtype, 36, [](auto&) {});
      }
    }
  }
  for (const unsigned dtype : kAllDtypes) {
    CAPTURE(dtype);
    if (mode_takes(0, dtype) || mode_takes(2, dtype)) {
      taken(turn(dtype), [](auto& in) { in.transpose.dst.addr = place(0, 2048, kPsum); });
    } else {
      refused(turn(dtype), kDtype, 36, [](auto&) {});
    }
  }
  refused(load(5), kField, 27, [](auto&) {});
  refused(multiply(5), kField, 40, [](auto&) {});
}

TEST_CASE("tensor check: fields that a mode does not use are zero") {
  struct Field {
    unsigned load_byte, multiply_byte;
    std::vector<unsigned> modes;  // that use it
    unsigned value;               // legal there
  };
  const std::vector<Field> fields = {{29, 42, {1}, 6},        // sparsity
                                     {30, 43, {0, 2, 3}, 2},  // tile_rows
                                     {31, 44, {0}, 1},        // tile_cols
                                     {33, 46, {3, 4}, 12}};   // scale_offset
  const unsigned dtypes[] = {TERN_DTYPE_BF16, TERN_DTYPE_FP16, TERN_DTYPE_E5M2, TERN_DTYPE_E2M1_X4,
                             TERN_DTYPE_E4M3FN_X4};
  for (unsigned mode = 0; mode <= 4; ++mode) {
    for (const Field& field : fields) {
      CAPTURE(mode, field.load_byte);
      const bool used =
          std::find(field.modes.begin(), field.modes.end(), mode) != field.modes.end();
      const auto set = [&](unsigned byte) {
        return
            [&field, byte](auto& in) { in.bytes[byte] = static_cast<std::uint8_t>(field.value); };
      };
      if (used) {
        taken(load(mode, dtypes[mode]), set(field.load_byte));
        taken(multiply(mode, dtypes[mode]), set(field.multiply_byte));
      } else {
        refused(load(mode, dtypes[mode]), kField, field.load_byte, set(field.load_byte));
        refused(multiply(mode, dtypes[mode]), kField, field.multiply_byte,
                set(field.multiply_byte));
      }
    }
    // Planes and the second address.
    const auto load_plane = [](auto& in) { in.load_stationary.plane = 512; };
    const auto load_aux = [](auto& in) { in.load_stationary.aux = 512; };
    const auto multiply_plane = [](auto& in) { in.multiply_moving.plane = -512; };
    const auto multiply_aux = [](auto& in) { in.multiply_moving.aux = 512; };
    const auto check = [&](bool used, const tern_instruction_t& in, unsigned byte,
                           const Change& change) {
      used ? taken(in, change) : refused(in, kField, byte, change);
    };
    check(mode == 2, load(mode, dtypes[mode]), 36, load_plane);
    check(mode == 1 || mode >= 3, load(mode, dtypes[mode]), 40, load_aux);
    check(mode == 1 || mode == 2, multiply(mode, dtypes[mode]), 52, multiply_plane);
    check(mode >= 3, multiply(mode, dtypes[mode]), 56, multiply_aux);
  }
  for (unsigned dtype : {TERN_DTYPE_BF16, TERN_DTYPE_TF32}) {
    refused(load(0, dtype), kField, 28, [](auto& in) { in.load_stationary.half = 1; });
    refused(multiply(0, dtype), kField, 41, [](auto& in) { in.multiply_moving.half = 1; });
  }
  taken(load(0, TERN_DTYPE_FP32), [](auto& in) { in.load_stationary.half = 1; });
  refused(load(0, TERN_DTYPE_FP32), kField, 28, [](auto& in) { in.load_stationary.half = 2; });
}

TEST_CASE("tensor check: ranges of fields") {
  const auto byte = [](unsigned at, unsigned value) {
    return [=](tern_instruction_t& in) { in.bytes[at] = static_cast<std::uint8_t>(value); };
  };
  for (unsigned rows : {0u, 129u, 255u}) {
    refused(load(), kField, 25, byte(25, rows));
    refused(load(), kField, 26, byte(26, rows));
    refused(multiply(), kField, 37, byte(37, rows));
    refused(multiply(), kField, 38, byte(38, rows));
    refused(turn(), kField, 37, byte(37, rows));
    refused(turn(), kField, 38, byte(38, rows));
  }
  refused(load(1), kField, 29, byte(29, 7));
  refused(load(), kField, 30, byte(30, 3));
  refused(load(), kField, 31, byte(31, 3));
  for (unsigned start : {1u, 31u, 33u, 128u}) {
    refused(load(), kField, 32, byte(32, start));
    refused(multiply(), kField, 45, byte(45, start));
  }
  for (unsigned offset : {1u, 2u, 13u, 16u})
    refused(load(3, TERN_DTYPE_E5M2_X4), kField, 33, byte(33, offset));
  refused(load(), kField, 34, [](auto& in) { in.load_stationary.reserved = 1; });
  refused(multiply(), kField, 39, byte(39, 2));
  refused(multiply(), kDtype, 47, byte(47, TERN_DTYPE_FP16));
  refused(multiply(), kDtype, 47, byte(47, 0));
  refused(multiply(), kField, 48, byte(48, TERN_ROUNDING_STOCHASTIC));
  taken(bf16_result(), byte(48, TERN_ROUNDING_STOCHASTIC));
  refused(bf16_result(), kField, 48, byte(48, 2));
  for (unsigned at : {49u, 50u, 51u}) refused(multiply(), kField, at, byte(at, 1));
  for (unsigned at = 44; at < 64; ++at) refused(load(), kField, at, byte(at, 1));
  for (unsigned at = 60; at < 64; ++at) refused(multiply(), kField, at, byte(at, 1));
  for (unsigned at = 39; at < 64; ++at) refused(turn(), kField, at, byte(at, 1));
}

TEST_CASE("tensor check: stationary operands") {
  // To the last byte of a partition and eight bytes beyond it, by size of the element.
  for (unsigned dtype : {TERN_DTYPE_BF16, TERN_DTYPE_FP32}) {
    const unsigned bytes = dtype == TERN_DTYPE_BF16 ? 256 : 512;
    taken(load(0, dtype), [=](auto& in) { in.load_stationary.src.addr = kSbufBytes - bytes; });
    refused(load(0, dtype), kPattern, 12,
            [=](auto& in) { in.load_stationary.src.addr = kSbufBytes - bytes + 8; });
  }
  refused(load(), TERN_ERROR_FORBIDDEN_MEMORY, 12,
          [](auto& in) { in.load_stationary.src.addr = kPsum; });
  refused(turn(), TERN_ERROR_FORBIDDEN_MEMORY, 12, [](auto& in) { in.transpose.src.addr = kPsum; });
  refused(load(), kPattern, 12, [](auto& in) { in.load_stationary.src.num0 = 127; });
  refused(load(), kPattern, 12, [](auto& in) { in.load_stationary.src.num1 = 2; });
  refused(turn(), kPattern, 12, [](auto& in) { in.transpose.src.num0 = 99; });
  // M elements in any pattern of two dimensions inside the partition.
  const auto source = [](const tern_ap_t& src) {
    return [=](tern_instruction_t& in) { in.load_stationary.src = src; };
  };
  const auto turned = [](const tern_ap_t& src) {
    return [=](tern_instruction_t& in) { in.transpose.src = src; };
  };
  taken(load(), source(ap(place(0, 2), 64, 3, 2, 500)));
  taken(load(), source(ap(place(0, 254), 128, -1)));
  taken(load(), source(ap(place(0, kSbufBytes - 2), 128, 0)));
  refused(load(), kPattern, 12, source(ap(place(0, 252), 128, -1)));
  refused(load(), kPattern, 12, source(ap(place(0, 0), 128, 63)));
  refused(load(), kPattern, 12, source(ap(place(0, 0), 64, 1, 3, 64)));
  refused(load(), kPattern, 12, source(ap(place(0, 0), 0, 1, 128, 1)));
  taken(turn(), turned(ap(place(0, 54), 10, -3, 10, 40)));
  taken(turn(), turned(ap(place(0, 198), 100, -1)));
  refused(turn(), kPattern, 12, turned(ap(place(0, 196), 100, -1)));
  refused(turn(), kPattern, 12, turned(ap(place(0, 0), 25, 1, 5, 25)));
  // Other modes: contiguous, in one dimension.
  const unsigned dtypes[] = {TERN_DTYPE_FP16, TERN_DTYPE_E5M2, TERN_DTYPE_E2M1_X4,
                             TERN_DTYPE_E4M3FN_X4};
  for (unsigned mode = 1; mode <= 4; ++mode) {
    CAPTURE(mode);
    const auto in = load(mode, dtypes[mode - 1]);
    refused(in, kPattern, 12, source(ap(place(0, 0), 128, 2)));
    refused(in, kPattern, 12, source(ap(place(0, 0), 64, 1, 2, 64)));
    refused(in, kPattern, 12, source(ap(place(0, 1024), 128, -1)));
  }
  refused(turn(), kPattern, 12, [](auto& in) { in.transpose.src.addr = place(32, 0); });
}

TEST_CASE("tensor check: moving operands") {
  const auto source = [](const tern_ap_t& src) {
    return [=](tern_instruction_t& in) { in.multiply_moving.src = src; };
  };
  taken(multiply(), source(ap(place(0, 512), 512, 0)));
  taken(multiply(), source(ap(place(0, 1022), 512, -1)));
  refused(multiply(), kPattern, 12, source(ap(place(0, 1020), 512, -1)));
  refused(multiply(), kPattern, 12, [](auto& in) { in.multiply_moving.src.step1 = 2000; });
  refused(multiply(), kPattern, 12, [](auto& in) { in.multiply_moving.src.num1 = 0; });
  refused(multiply(), TERN_ERROR_FORBIDDEN_MEMORY, 12, source(ap(kPsum, 512)));
  // The step counts elements of the format.
  taken(multiply(3, TERN_DTYPE_E2M1_X4), source(ap(place(0, kSbufBytes - 1024), 512)));
  refused(multiply(3, TERN_DTYPE_E5M2_X4), kPattern, 12,
          source(ap(place(0, kSbufBytes - 1024), 512)));
}

TEST_CASE("tensor check: destinations in PSUM") {
  const auto lies = [](unsigned byte, unsigned columns, unsigned partition = 0) {
    return [=](tern_instruction_t& in) {
      in.multiply_moving.src = ap(place(0, 0), columns, 0);
      in.multiply_moving.dst = ap(place(partition, byte, kPsum), columns);
    };
  };
  taken(multiply(), lies(4, 512));  // across a bank
  taken(multiply(), lies(0, 4096));
  refused(multiply(), kPattern, 24, lies(4, 4096));
  refused(multiply(), kPattern, 24, lies(0, 4097));
  taken(bf16_result(), lies(0, 8192));
  taken(bf16_result(), lies(2, 100));
  refused(bf16_result(), kPattern, 24, lies(2, 8192));
  refused(bf16_result(), kPattern, 24, lies(1, 100));
  refused(multiply(), kPattern, 24, lies(2, 100));
  refused(multiply(), kPattern, 24, [](auto& in) { in.multiply_moving.dst.num0 = 511; });
  refused(multiply(), kPattern, 24, [](auto& in) { in.multiply_moving.dst.step0 = 2; });
  refused(multiply(), TERN_ERROR_FORBIDDEN_MEMORY, 24,
          [](auto& in) { in.multiply_moving.dst.addr = 0; });
  // Lanes are the array's columns.
  const auto column_tile = [](unsigned start, unsigned lane) {
    return [=](tern_instruction_t& in) {
      in.multiply_moving.cols = 32;
      in.multiply_moving.col_start = static_cast<std::uint8_t>(start);
      in.multiply_moving.dst.addr = place(lane, 0, kPsum);
    };
  };
  taken(multiply(), column_tile(96, 96));
  refused(multiply(), kPattern, 24, column_tile(96, 64));
  refused(multiply(), kPattern, 24, column_tile(0, 32));
  // Four results of a column, a quarter of PSUM apart.
  const auto quad = multiply(TERN_TENSOR_MODE_QUAD, TERN_DTYPE_E4M3FN_X4);
  taken(quad, lies(2048, 512));
  refused(quad, kPattern, 24, lies(2052, 512));
  refused(quad, kPattern, 24, lies(4096, 1));
  // A transpose has a column for every row.
  taken(turn(), [](auto& in) { in.transpose.dst.addr = place(0, 16384 - 128, kPsum); });
  refused(turn(), kPattern, 24,
          [](auto& in) { in.transpose.dst.addr = place(0, 16384 - 126, kPsum); });
  refused(turn(TERN_DTYPE_FP32), kPattern, 24,
          [](auto& in) { in.transpose.dst.addr = place(0, 16384 - 128, kPsum); });
  refused(turn(), kPattern, 24, [](auto& in) { in.transpose.dst.num0 = 63; });
  refused(turn(), TERN_ERROR_FORBIDDEN_MEMORY, 24, [](auto& in) { in.transpose.dst.addr = 0; });
}

TEST_CASE("tensor check: what a chip without the feature refuses, by name") {
  const auto none = [](tern_instruction_t&) {};
  for (unsigned mode : {TERN_TENSOR_MODE_MX, TERN_TENSOR_MODE_QUAD}) {
    refused(load(mode, TERN_DTYPE_E2M1_X4), kMissing, 27, none, trn2());
    refused(multiply(mode, TERN_DTYPE_E2M1_X4), kMissing, 40, none, trn2());
  }
  refused(load(2, TERN_DTYPE_E4M3FN), kMissing, 24, none, trn2());
  refused(multiply(2, TERN_DTYPE_E4M3FN), kMissing, 36, none, trn2());
  refused(turn(TERN_DTYPE_E4M3FN), kMissing, 36, none, trn2());
  refused(bf16_result(), kMissing, 47, none, trn2());
  for (unsigned dtype : {TERN_DTYPE_E4M3, TERN_DTYPE_E5M2}) {
    taken(load(2, dtype), none, trn2());
    taken(multiply(2, dtype), none, trn2());
  }
  for (unsigned dtype : {TERN_DTYPE_BF16, TERN_DTYPE_FP16, TERN_DTYPE_TF32, TERN_DTYPE_FP32})
    taken(multiply(0, dtype), none, trn2());
  taken(multiply(1), none, trn2());
  taken(turn(), none, trn2());
  // Up to one bank, inside one bank.
  const auto lies = [](unsigned byte, unsigned columns) {
    return [=](tern_instruction_t& in) {
      in.multiply_moving.src = ap(place(0, 0), columns, 0);
      in.multiply_moving.dst = ap(place(0, byte, kPsum), columns);
    };
  };
  taken(multiply(), lies(2048, 512), trn2());
  refused(multiply(), kPattern, 24, lies(2052, 512), trn2());
  refused(multiply(), kPattern, 12, lies(0, 513), trn2());
}
