// SPDX-License-Identifier: Apache-2.0
#include "tb/tensor/top/bench/cycle_table.h"

#include <catch2/catch.hpp>
#include <cstdio>
#include <vector>

#include "tb/tensor/top/bench/engine.h"
#include "tb/tensor/top/bench/test_sbuf.h"

namespace tern::tb {

namespace {

using Mode = TensorMode;
using Type = TensorType;
using Tile = TensorTileSize;

struct Case {
  std::string name;
  TensorCommand load, move;
};

TensorCommand load_of(const TensorShape& shape, Mode mode, Type type) {
  TensorCommand c;
  c.mode = mode;
  c.type = type;
  c.rows = shape.rows;
  c.cols = c.num0 = shape.cols;
  c.plane = mode == Mode::kDoubleRow ? 1024 : 0;
  return c;
}

Case case_of(const std::string& name, const TensorCommand& load, unsigned columns) {
  TensorCommand move = load;
  move.op = TensorOp::kMultiplyMoving;
  move.num0 = columns;
  move.plane = move.mode == Mode::kSparse || move.mode == Mode::kDoubleRow ? 1024 : 0;
  return {name, load, move};
}

std::vector<Case> cases(const TensorShape& shape) {
  std::vector<Case> list;
  const auto add = [&](const std::string& name, Mode mode, Type type, unsigned columns) {
    list.push_back(case_of(name, load_of(shape, mode, type), columns));
  };
  const unsigned n = shape.min_interval;
  add("dense bf16", Mode::kDense, Type::kBf16, n);
  add("dense bf16", Mode::kDense, Type::kBf16, 1);
  add("dense fp16", Mode::kDense, Type::kFp16, n);
  add("dense tf32", Mode::kDense, Type::kTf32, n);
  add("dense fp32 half", Mode::kDense, Type::kFp32, n);
  add("dense bf16", Mode::kDense, Type::kBf16, 2 * n);
  list.push_back(list.back());
  list.back().name = "dense bf16, BF16 result";
  list.back().move.bf16_result = true;
  list.push_back(list.back());
  list.back().name = "dense bf16, BF16 result, stochastic";
  list.back().move.stochastic = true;
  static const char* patterns[] = {"4:16", "4:12", "4:8", "2:8", "2:4", "1:4", "1:2"};
  for (unsigned s = 0; s < 7; ++s) {
    TensorCommand load = load_of(shape, Mode::kSparse, Type::kBf16);
    load.sparsity = static_cast<TensorSparsity>(s);
    list.push_back(case_of(std::string("sparse ") + patterns[s], load, n));
  }
  add("double row e4m3fn", Mode::kDoubleRow, Type::kE4m3fn, n);
  add("double row e5m2", Mode::kDoubleRow, Type::kE5m2, n);
  add("mx e4m3fn_x4", Mode::kMx, Type::kE4m3fnX4, n);
  add("mx e2m1_x4", Mode::kMx, Type::kE2m1X4, n);
  add("quad e4m3fn_x4", Mode::kQuad, Type::kE4m3fnX4, n);
  add("quad e5m2_x4", Mode::kQuad, Type::kE5m2X4, n);
  for (const Tile tile : {Tile::kHalf, Tile::kQuarter}) {
    const unsigned parts = 1u << static_cast<unsigned>(tile);
    for (const unsigned part : {0u, parts - 1}) {
      TensorCommand load = load_of(shape, Mode::kDense, Type::kBf16);
      load.tile_rows = load.tile_cols = tile;
      load.rows /= parts;
      load.cols /= parts;
      load.row_start = part * load.rows;
      load.col_start = part * load.cols;
      load.num0 = load.cols;
      list.push_back(case_of("dense bf16, tile " + std::to_string(load.rows) + " x " +
                                 std::to_string(load.cols) + " at row " +
                                 std::to_string(load.row_start),
                             load, n));
    }
  }
  // Of array X, where a quarter of the rows is a block of MX.
  for (const unsigned part : {0u, 3u}) {
    const bool mx = shape.rows == 128;
    TensorCommand load =
        load_of(shape, mx ? Mode::kMx : Mode::kDoubleRow, mx ? Type::kE4m3fnX4 : Type::kE4m3fn);
    load.tile_rows = Tile::kQuarter;
    load.rows /= 4;
    load.row_start = part * load.rows;
    list.push_back(case_of(std::string(mx ? "mx" : "double row") + ", tile of " +
                               std::to_string(load.rows) + " rows at row " +
                               std::to_string(load.row_start),
                           load, n));
  }
  for (const Type type : {Type::kBf16, Type::kFp32}) {
    TensorCommand load = load_of(shape, Mode::kDense, type);
    load.step0 = 2;
    list.push_back(
        case_of(type == Type::kBf16 ? "dense bf16, strided" : "dense fp32 half, strided", load, n));
    list.back().move.step0 = 1;
    load.step0 = 1;
    load.sbuf_address = 4;
    list.push_back(case_of(
        type == Type::kBf16 ? "dense bf16, at byte 4" : "dense fp32 half, at byte 4", load, n));
  }
  for (const Type type : {Type::kE4m3, Type::kBf16, Type::kFp32}) {
    TensorCommand c = load_of(shape, Mode::kDense, type);
    c.op = TensorOp::kTranspose;
    static const char* names[] = {"8", "16", "32"};
    list.push_back({std::string("transpose, ") +
                        names[type == Type::kE4m3   ? 0
                              : type == Type::kBf16 ? 1
                                                    : 2] +
                        " bits",
                    c, c});
  }
  list.push_back(list.back());
  list.back().name += ", strided";
  list.back().load.step0 = list.back().move.step0 = -1;
  list.back().load.sbuf_address = list.back().move.sbuf_address = 4096;
  TensorCommand bad = load_of(shape, Mode::kDense, Type::kBf16);
  bad.rows = 0;
  list.push_back({"rejected", bad, bad});
  return list;
}

// Cycles from push to status of one command on an idle engine.
unsigned cycles(TensorDatapath& engine, const TensorCommand& command, TensorStatusCode* code) {
  const std::uint64_t begin = engine.cycle();
  engine.push(command);
  TensorStatus status;
  while (engine.next_event() != TensorDatapath::kIdle) {
    engine.advance_to(engine.next_event());
    while (engine.pop_status(&status)) *code = status.code;
  }
  return static_cast<unsigned>(status.cycle - begin);
}

}  // namespace

void compare_cycles(const std::string& config) {
  const TensorShape shape = config_shape(config);
  TestSbuf sbuf(shape.rows, shape.sbuf_bytes);
  const Engine model = model_engine(config, sbuf.view(), shape.sbuf_bytes);
  const Engine rtl = rtl_engine(config, sbuf.view(), shape.sbuf_bytes);
  std::printf("%-40s %5s   %-13s   %-13s\n", "", "", "first command", "multiply");
  std::printf("%-40s %5s   %5s   %5s   %5s   %5s\n", config.c_str(), "N", "model", "RTL", "model",
              "RTL");
  for (const Case& c : cases(shape)) {
    INFO(c.name);
    unsigned counts[4];
    unsigned* count = counts;
    for (const TensorCommand& command : {c.load, c.move}) {
      for (const Engine* engine : {&model, &rtl}) {
        auto code = TensorStatusCode::kBadTag;
        *count++ = cycles(*engine->datapath, command, &code);
        REQUIRE((code == TensorStatusCode::kOk) == (c.load.rows != 0));
      }
    }
    const bool pair = c.move.op == TensorOp::kMultiplyMoving;
    if (pair) {
      std::printf("%-40s %5u   %5u   %5u   %5u   %5u\n", c.name.c_str(), c.move.num0, counts[0],
                  counts[1], counts[2], counts[3]);
    } else {
      std::printf("%-40s %5s   %5u   %5u\n", c.name.c_str(), "", counts[0], counts[1]);
    }
    REQUIRE(counts[0] == counts[1]);
    REQUIRE(counts[2] == counts[3]);
  }
}

}  // namespace tern::tb
