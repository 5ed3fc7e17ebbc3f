// SPDX-License-Identifier: Apache-2.0
// The tensor instructions of the builder: what each mode becomes, and every limit with its message.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "sw/kernels/builder/kernel_builder.h"
#include "sw/spec/generated/formats.h"
#include "tb/kernels/bare_builder.h"
#include "tb/kernels/builder_listing.h"
#include "tb/kernels/test_chip.h"

namespace tern::tb {

namespace {

using namespace kernels;

// The tensor queue of a program, without the gate at its start and the halt.
std::vector<tern_instruction_t> tensor_queue(KernelBuilder* kb) {
  const Executable program = kb->finish();
  const auto& queue = program.queues[TERN_QUEUE_TENSOR];
  return {queue.begin() + 1, queue.end() - 1};
}

ChipConfig trn2() {
  ChipConfig chip = test_chip();
  chip.name = "trn2";
  chip.core.tensor = {false, false, false, false, 512};
  return chip;
}

struct MxTiles {
  explicit MxTiles(KernelBuilder* kb, DType dtype = DType::kE4m3FnX4)
      : a(kb->sbuf_tile("a", 128, 128, dtype)),
        b(kb->sbuf_tile("b", 128, 512, dtype)),
        a_scales(kb->sbuf_tile("as", 128, 128, DType::kE8m0)),
        b_scales(kb->sbuf_tile("bs", 128, 512, DType::kE8m0)) {}
  Tile a, b, a_scales, b_scales;
};

}  // namespace

TEST_CASE("products: an FP32 matmul is two loads and four multiplies") {
  BareBuilder kb("k", test_chip());
  const Tile a = kb.sbuf_tile("a", 128, 64, DType::kFp32);
  const Tile b = kb.sbuf_tile("b", 128, 512, DType::kFp32);
  kb.nc_matmul(kb.psum_tile("p", 64, 512), a, b);
  kb.nc_matmul(kb.psum_tile("q", 64, 512), a, b, true);
  const auto queue = tensor_queue(&kb);
  REQUIRE(queue.size() == 12);
  for (unsigned product = 0; product < 2; ++product) {
    const tern_instruction_t* in = &queue[product * 6];
    for (unsigned half = 0; half < 2; ++half, in += 3) {
      CHECK(in[0].header.opcode == TERN_OPCODE_LOAD_STATIONARY);
      CHECK(in[0].load_stationary.half == half);
      for (unsigned moving = 0; moving < 2; ++moving) {
        CHECK(in[1 + moving].header.opcode == TERN_OPCODE_MULTIPLY_MOVING);
        CHECK(in[1 + moving].multiply_moving.half == moving);
        const bool first = product == 0 && half == 0 && moving == 0;
        CHECK(in[1 + moving].multiply_moving.accumulate == (first ? 0 : 1));
      }
    }
  }
}

TEST_CASE("products: MX operands with their scales") {
  BareBuilder kb("k", test_chip());
  const MxTiles t(&kb);
  kb.nc_matmul_mx(kb.psum_tile("p", 128, 512), t.a, t.a_scales, t.b, t.b_scales);
  kb.nc_matmul(kb.psum_tile("q", 100, 512),
               mx(t.a.view(32, 32, 0, 100), t.a_scales.view(32, 32, 0, 100), 12),
               mx(t.b.view(32, 32, 0, 512), t.b_scales.view(32, 32, 0, 512), 8));
  const auto queue = tensor_queue(&kb);
  REQUIRE(queue.size() == 4);
  const auto& load = queue[0].load_stationary;
  CHECK(load.mode == TERN_TENSOR_MODE_MX);
  CHECK(load.dtype == TERN_DTYPE_E4M3FN_X4);
  CHECK(load.rows == 128);
  CHECK(load.aux == t.a_scales.byte);
  CHECK(load.scale_offset == 0);
  const auto& multiply = queue[1].multiply_moving;
  CHECK(multiply.aux == t.b_scales.byte);
  CHECK(multiply.dst_dtype == TERN_DTYPE_FP32);
  CHECK(queue[2].load_stationary.scale_offset == 12);
  CHECK(queue[2].load_stationary.src.addr >> 24 == 32);
  CHECK(queue[3].multiply_moving.scale_offset == 8);
}

TEST_CASE("products: scales are waited for, by partition") {
  BareBuilder kb("k", test_chip());
  const MxTiles t(&kb);
  const Tensor s = kb.input("s", DType::kE8m0, {16, 128});
  // Two tensors share the scale tile: the second one's partitions are not waited for.
  for (unsigned g = 0; g < 4; ++g) {
    kb.dma_load(t.a_scales.view(32 * g, 4, 0, 128), s.view(4 * g, 4, 0, 128));
  }
  kb.dma_load(t.a_scales.view(4, 4, 0, 128), s.view(0, 4, 0, 128));
  kb.load_stationary(mx(t.a, t.a_scales));
  const auto queue = tensor_queue(&kb);
  // The last of the first four, and through the order of the ring the others.
  CHECK(queue.back().header.wait_sem == KernelBuilder::kFirstDmaSemaphore + 3);
}

TEST_CASE("products: planes of double row and sparse operands") {
  BareBuilder kb("k", test_chip());
  const Tile a = kb.sbuf_tile("a", 128, 256, DType::kE5m2);
  const Tile b = kb.sbuf_tile("b", 128, 1024, DType::kE5m2);
  kb.nc_matmul(kb.psum_tile("p", 128, 512), double_row(a.view_2d(0, 128, 0, 2, 128, 128)),
               double_row(b.view_2d(0, 128, 0, 2, 512, 512)));
  const Tile kept = kb.sbuf_tile("kept", 128, 100, DType::kBf16);
  const Tile tags = kb.sbuf_tile("tags", 128, 50, DType::kUint8);
  const Tile dense = kb.sbuf_tile("dense", 128, 3 * 200, DType::kFp16);
  kb.nc_matmul(kb.psum_tile("q", 100, 200), sparse_stationary(kept, tags, Sparsity::k4of12),
               sparse_moving(dense.view_2d(0, 128, 0, 3, 200, 200), Sparsity::k4of12));
  const auto queue = tensor_queue(&kb);
  CHECK(queue[0].load_stationary.plane == 128);
  CHECK(queue[0].load_stationary.src.num1 == 1);
  CHECK(queue[1].multiply_moving.plane == 512);
  CHECK(queue[1].multiply_moving.src.num0 == 512);
  CHECK(queue[2].load_stationary.aux == tags.byte);
  CHECK(queue[2].load_stationary.sparsity == TERN_SPARSITY_S4_12);
  CHECK(queue[3].multiply_moving.plane == 400);
  CHECK(queue[3].multiply_moving.dst.num0 == 200);
}

TEST_CASE("products: tiles of the array side by side") {
  BareBuilder kb("k", test_chip());
  const Tile a = kb.sbuf_tile("a", 128, 64, DType::kBf16);
  const Tile b = kb.sbuf_tile("b", 128, 512, DType::kBf16);
  const Tile psum = kb.psum_tile("p", 128, 512);
  for (unsigned i = 0; i < 2; ++i) {
    ProductOptions options;
    options.tile = ArrayTile{64 * i, 64 * i, 64, 64};
    kb.nc_matmul(psum.view(64 * i, 64, 0, 512), a.view(64 * i, 64, 0, 64),
                 b.view(64 * i, 64, 0, 512), options);
  }
  const auto queue = tensor_queue(&kb);
  REQUIRE(queue.size() == 4);
  for (unsigned i = 0; i < 2; ++i) {
    CHECK(queue[2 * i].load_stationary.tile_rows == TERN_TILE_SIZE_HALF);
    CHECK(queue[2 * i].load_stationary.tile_cols == TERN_TILE_SIZE_HALF);
    CHECK(queue[2 * i].load_stationary.col_start == 64 * i);
    CHECK((queue[2 * i + 1].multiply_moving.dst.addr >> 24 & 0x7F) == 64 * i);
    CHECK(queue[2 * i + 1].header.wait_cond == TERN_WAIT_COND_NONE);
  }
}

TEST_CASE("products: row tiles of MX side by side") {
  BareBuilder kb("k", test_chip());
  const MxTiles t(&kb);
  const Tile psum = kb.psum_tile("p", 128, 1024);
  for (unsigned i = 0; i < 2; ++i) {
    ProductOptions options;
    options.tile = ArrayTile{64 * i, 0, 64, 128};
    kb.load_stationary(mx(t.a.view(64 * i, 64, 0, 64), t.a_scales.view(64 * i, 64, 0, 64)),
                       options.tile);
  }
  for (unsigned i = 0; i < 2; ++i) {
    ProductOptions options;
    options.tile = ArrayTile{64 * i, 0, 64, 128};
    kb.multiply_moving(psum.view(0, 64, 512 * i, 512),
                       mx(t.b.view(64 * i, 64, 0, 512), t.b_scales.view(64 * i, 64, 0, 512)),
                       options);
  }
  const auto queue = tensor_queue(&kb);
  REQUIRE(queue.size() == 4);
  for (unsigned i = 0; i < 2; ++i) {
    CHECK(queue[i].load_stationary.tile_rows == TERN_TILE_SIZE_HALF);
    CHECK(queue[2 + i].multiply_moving.tile_rows == TERN_TILE_SIZE_HALF);
    CHECK(queue[2 + i].multiply_moving.tile_cols == TERN_TILE_SIZE_WHOLE);
    CHECK(queue[2 + i].header.wait_cond == TERN_WAIT_COND_NONE);
  }
}

TEST_CASE("products: BF16 results, long moving operands, four results of quad mode") {
  BareBuilder kb("k", test_chip());
  const Tile a = kb.sbuf_tile("a", 128, 128, DType::kBf16);
  const Tile b = kb.sbuf_tile("b", 128, 8192, DType::kBf16);
  const Tile all = kb.psum_tile("all", 128, 8192, DType::kBf16);
  ProductOptions options;
  options.rounding = Rounding::kStochastic;
  kb.nc_matmul(all, a, b, options);
  kb.release(all);
  const MxTiles t(&kb);
  const Tile other = kb.psum_tile("other", 128, 512);
  const auto slots = kb.psum_quad_tile("slots", 128, 512);
  CHECK(other.byte == 0);
  CHECK(slots[0].byte == 2048);
  CHECK(slots[3].byte == 2048 + 3 * 4096);
  kb.nc_matmul(slots[0], quad(t.a, t.a_scales), quad(t.b, t.b_scales));
  kb.tensor_copy(kb.sbuf_tile("out", 128, 512, DType::kFp32), slots[3]);
  const Executable program = kb.finish();
  const auto& queue = program.queues[TERN_QUEUE_TENSOR];
  CHECK(queue[2].multiply_moving.dst_dtype == TERN_DTYPE_BF16);
  CHECK(queue[2].multiply_moving.rounding == TERN_ROUNDING_STOCHASTIC);
  CHECK(queue[2].multiply_moving.dst.num0 == 8192);
  CHECK(queue[4].multiply_moving.mode == TERN_TENSOR_MODE_QUAD);
  // The copy of the fourth result waits for the product.
  CHECK(program.queues[TERN_QUEUE_VECTOR][1].header.wait_value == 4);
}

TEST_CASE("products: transposes") {
  BareBuilder kb("k", test_chip());
  const Tile a = kb.sbuf_tile("a", 64, 100, DType::kBf16);
  const Tile f = kb.sbuf_tile("f", 64, 100, DType::kE4m3Fn);
  kb.nc_transpose(kb.psum_tile("p", 100, 64, DType::kBf16), a);
  const Tile bytes = kb.psum_tile("q", 100, 128, DType::kUint8);
  TileView even = bytes.view(0, 100, 0, 64);
  even.step0 = 2;
  kb.nc_transpose(even, f);
  CHECK_THAT(message_of([&] { kb.nc_transpose(kb.psum_tile("r", 100, 64), a); }),
             Catch::Contains("expected [100, 64] elements of 2 bytes, contiguous on partition 0"));
  CHECK_THAT(message_of([&] { kb.nc_transpose(bytes.view(0, 100, 0, 64), f); }),
             Catch::Contains("two bytes apart"));
  const auto queue = tensor_queue(&kb);
  REQUIRE(queue.size() == 2);
  CHECK(queue[0].header.opcode == TERN_OPCODE_TRANSPOSE);
  CHECK(queue[0].transpose.rows == 64);
  CHECK(queue[0].transpose.cols == 100);
  CHECK(queue[1].transpose.dst.step0 == 1);
}

TEST_CASE("products: stationaries and transpose sources of any pattern need no copy") {
  BareBuilder kb("k", test_chip());
  const Tile a = kb.sbuf_tile("a", 128, 1024, DType::kBf16);
  const Tile f = kb.sbuf_tile("f", 128, 256, DType::kFp32);
  const Tile psum = kb.psum_tile("p", 128, 512);
  const Tile turned = kb.psum_tile("t", 128, 128, DType::kBf16);
  const TileView moving = a.view(0, 128, 512, 64);
  const auto product = [&](const TensorOperand& stationary, unsigned m) {
    kb.nc_matmul(psum.view(0, m, 0, 64), stationary, moving);
  };
  product(a.view(0, 128, 1, 100), 100);             // off 8 bytes
  product(a.pattern(0, 128, 300, {{64, -3}}), 64);  // backwards
  product(a.view(0, 128, 0, 512).split(8).transposed().columns(0, 16).slice(1, 0, 4), 64);
  product(a.view(0, 128, 0, 96).split(32).split(8), 96);  // [3, 4, 8] is a run
  product(a.column(7).broadcast(128), 128);
  kb.nc_matmul(psum.view(0, 40, 0, 8), f.pattern(0, 128, 0, {{40, 5}}), f.view(0, 128, 248, 8));
  kb.nc_transpose(turned.view(0, 48, 0, 128), a.pattern(0, 128, 3, {{6, 100}, {8, 2}}));
  CHECK_THAT(message_of([&] {
               kb.nc_transpose(turned, a.pattern(0, 128, 0, {{3, 64}, {43, 1}}));
             }),
             Catch::Contains("source [128, 3, 43]: expected at most 128 columns"));
  CHECK_THAT(message_of([&] {
               kb.nc_transpose(turned, a.pattern(0, 128, 0, {{3, 64}, {4, 1}}));
             }),
             Catch::Contains("expected [12, 128] elements of 2 bytes"));
  // A load waits for what wrote any of its columns.
  kb.memset(a.view(0, 128, 40, 1), 1.0f);
  kb.load_stationary(a.pattern(0, 128, 0, {{5, 10}}));

  const Executable program = kb.finish();
  const auto& queue = program.queues[TERN_QUEUE_TENSOR];
  std::vector<tern_instruction_t> loads;
  for (const auto& in : queue) {
    const unsigned opcode = in.header.opcode;
    if (opcode == TERN_OPCODE_LOAD_STATIONARY || opcode == TERN_OPCODE_TRANSPOSE)
      loads.push_back(in);
  }
  struct Expected {
    unsigned byte, num0;
    int step0;
    unsigned num1;
    int step1;
    unsigned cols;
  };
  const Expected expected[] = {
      {2, 100, 1, 1, 0, 100},  {600, 64, -3, 1, 0, 64}, {0, 16, 8, 4, 1, 64},
      {0, 96, 1, 1, 0, 96},    {14, 128, 0, 1, 0, 128}, {2048, 40, 5, 1, 0, 40},
      {2048, 40, 5, 1, 0, 40}, {6, 8, 2, 6, 100, 48},   {0, 5, 10, 1, 0, 5}};
  REQUIRE(loads.size() == std::size(expected));
  for (std::size_t i = 0; i < loads.size(); ++i) {
    INFO("load " << i);
    // Both formats begin with the operand.
    const tern_ap_t& src = loads[i].load_stationary.src;
    const bool load = loads[i].header.opcode == TERN_OPCODE_LOAD_STATIONARY;
    CHECK(src.addr == a.byte + expected[i].byte);
    CHECK(src.num0 == expected[i].num0);
    CHECK(src.step0 == expected[i].step0);
    CHECK(src.num1 == expected[i].num1);
    CHECK((src.num1 == 1 || src.step1 == expected[i].step1));
    CHECK((load ? loads[i].load_stationary.cols : loads[i].transpose.cols) == expected[i].cols);
  }
  CHECK(loads.back().header.wait_cond == TERN_WAIT_COND_GE);
}

TEST_CASE("products: which stationary a moving operand meets") {
  BareBuilder kb("k", test_chip());
  const Tile a = kb.sbuf_tile("a", 128, 128, DType::kBf16);
  const Tile w = kb.sbuf_tile("w", 128, 128, DType::kTf32);
  const Tile b = kb.sbuf_tile("b", 128, 512, DType::kFp16);
  const Tile psum = kb.psum_tile("p", 128, 512);
  const MxTiles t(&kb);
  const auto multiply = [&](const TensorOperand& moving, ProductOptions options = {}) {
    return message_of([&] {
      kb.multiply_moving(psum.view(0, options.tile ? options.tile->columns : 128, 0, 512), moving,
                         options);
    });
  };
  const auto half = [](unsigned row) {
    ProductOptions options;
    options.tile = ArrayTile{row, 0, 64, 128};
    return options;
  };
  CHECK_THAT(multiply(b), Catch::Contains("no load_stationary before it"));
  kb.load_stationary(a);
  CHECK(multiply(b) == "no error");  // bf16 meets fp16
  // The arrays of 8-bit and of longer formats keep their weights apart.
  CHECK_THAT(multiply(mx(t.b, t.b_scales)), Catch::Contains("no load_stationary before it"));
  kb.load_stationary(mx(t.a, t.a_scales));
  CHECK(multiply(b) == "no error");
  CHECK(multiply(mx(t.b, t.b_scales)) == "no error");
  CHECK_THAT(multiply(quad(t.b, t.b_scales)),
             Catch::Contains("the stationary was loaded in another mode"));
  kb.load_stationary(w);
  CHECK_THAT(multiply(b), Catch::Contains("the stationary is tf32: fp16 cannot meet it"));
  // Half of the array is loaded again: the whole tile is invalid, the halves differ.
  kb.load_stationary(a);
  kb.load_stationary(a.view(64, 64, 0, 128), half(64).tile);
  CHECK_THAT(multiply(b), Catch::Contains("loaded with another tile"));
  CHECK_THAT(multiply(b.view(0, 64, 0, 512), half(0)), Catch::Contains("loaded with another tile"));
  CHECK(multiply(b.view(64, 64, 0, 512), half(64)) == "no error");
  // A transpose displaces weights that no multiply has taken.
  const Tile turned = kb.psum_tile("t", 128, 128, DType::kBf16);
  kb.nc_transpose(turned, a);
  CHECK(multiply(b.view(64, 64, 0, 512), half(64)) == "no error");
  kb.load_stationary(a);
  kb.nc_transpose(turned, a);
  CHECK_THAT(multiply(b), Catch::Contains("no load_stationary before it"));

  const Tile legacy = kb.sbuf_tile("l", 128, 256, DType::kE4m3);
  const Tile fn = kb.sbuf_tile("fn", 128, 1024, DType::kE4m3Fn);
  kb.load_stationary(double_row(legacy.view_2d(0, 128, 0, 2, 128, 128)));
  CHECK_THAT(multiply(double_row(fn.view_2d(0, 128, 0, 2, 512, 512))),
             Catch::Contains("e4m3 and e4m3fn never meet"));
  const Tile tags = kb.sbuf_tile("tags", 128, 64, DType::kUint8);
  kb.load_stationary(sparse_stationary(a, tags, Sparsity::k4of8));
  const Tile dense = kb.sbuf_tile("dense", 128, 2048, DType::kBf16);
  CHECK_THAT(multiply(sparse_moving(dense.view_2d(0, 128, 0, 2, 512, 512), Sparsity::k1of2)),
             Catch::Contains("keeps 4 of 8, the moving operand is laid out for 1 of 2"));
}

TEST_CASE("products: every limit of an operand is refused with the caller's line") {
  BareBuilder kb("k", test_chip());
  const Tile a = kb.sbuf_tile("a", 128, 256, DType::kBf16);
  const Tile e = kb.sbuf_tile("e", 128, 1024, DType::kE5m2);
  const Tile psum = kb.psum_tile("p", 128, 4096);
  const MxTiles t(&kb);
  const auto load = [&](const TensorOperand& operand, std::optional<ArrayTile> tile = {}) {
    return message_of([&] { kb.load_stationary(operand, tile); });
  };
  // Only dense stationaries are patterns, or off 8 bytes.
  const Tile kept = kb.sbuf_tile("kept", 128, 64, DType::kUint8);
  const TensorOperand off =
      sparse_stationary(a.view(0, 128, 2, 64), kept.view(0, 128, 0, 32), Sparsity::k4of8);
  const int line = __LINE__ + 1;
  const auto odd = message_of([&] { kb.load_stationary(off); });
  CHECK(odd == "tb/kernels/test_products.cpp:" + std::to_string(line) +
                   ": load_stationary: stationary: starts at byte 4 of its partition, expected a "
                   "multiple of 8 for sparse products");
  CHECK_THAT(load(sparse_stationary(a.view(0, 128, 0, 128).dims({{64, 2}}),
                                    kept.view(0, 128, 0, 32), Sparsity::k4of8)),
             Catch::Contains("stationary: expected contiguous columns for sparse products"));
  CHECK_THAT(load(mx(t.a.view_2d(0, 128, 0, 2, 32, 64), t.a_scales.view_2d(0, 128, 0, 2, 32, 64))),
             Catch::Contains("stationary [128, 2, 32]: expected one dimension, [K, M]"));
  CHECK_THAT(load(a.view(0, 128, 0, 240).dims({{3, 80}, {3, 20}, {3, 2}})),
             Catch::Contains("stationary [128, 3, 3, 3]: more than 2 free dimensions"));

  // Tiles.
  const TileView quarter = a.view(32, 32, 0, 32);
  CHECK(load(quarter, ArrayTile{32, 96, 32, 32}) == "no error");
  CHECK_THAT(load(quarter, ArrayTile{32, 0, 48, 32}),
             Catch::Contains("tile of 48 x 32: expected 32, 64 or 128 rows and columns"));
  CHECK_THAT(load(quarter, ArrayTile{32, 0, 64, 32}),
             Catch::Contains("cannot start on row 32, expected a multiple of 64"));
  CHECK_THAT(load(quarter, ArrayTile{32, 16, 32, 32}),
             Catch::Contains("cannot start on column 16, expected a multiple of 32"));
  CHECK_THAT(load(quarter, ArrayTile{64, 0, 32, 32}),
             Catch::Contains("operand [32, 32] on partition 32: the tile has 32 rows from row 64"));
  CHECK_THAT(load(a.view(0, 64, 0, 32), ArrayTile{0, 0, 32, 32}),
             Catch::Contains("the tile has 32 rows from row 0"));
  CHECK_THAT(load(a.view(32, 32, 0, 64), ArrayTile{32, 0, 32, 32}),
             Catch::Contains("stationary [32, 64]: the tile has 32 columns"));
  CHECK_THAT(
      load(mx(t.a.view(0, 64, 0, 64), t.a_scales.view(0, 64, 0, 64)), ArrayTile{0, 0, 64, 64}),
      Catch::Contains("MX products take all columns of the array"));
  CHECK(load(mx(t.a.view(64, 32, 0, 64), t.a_scales.view(64, 32, 0, 64)),
             ArrayTile{64, 0, 64, 128}) == "no error");
  CHECK_THAT(
      load(quad(t.a.view(0, 64, 0, 64), t.a_scales.view(0, 64, 0, 64)), ArrayTile{0, 0, 64, 128}),
      Catch::Contains("quad products take the whole array"));

  // Scales: partition, offset, size, alignment, format.
  const auto mx_load = [&](const TileView& scales, unsigned offset = 0) {
    return load(mx(t.a.view(32, 32, 0, 64), scales, offset));
  };
  CHECK(mx_load(t.a_scales.view(32, 32, 0, 64)) == "no error");
  CHECK_THAT(mx_load(t.a_scales.view(0, 32, 0, 64)),
             Catch::Contains("stationary scales [32, 64] on partition 0: the elements are on "
                             "partitions 32..63"));
  CHECK_THAT(mx_load(t.a_scales.view(32, 32, 0, 64), 2),
             Catch::Contains("expected an offset of 0, 4, 8 or 12 in each quadrant, got 2"));
  CHECK_THAT(mx_load(t.a_scales.view(32, 32, 0, 63)),
             Catch::Contains("expected one byte per column, in the pattern of the elements"));
  CHECK_THAT(mx_load(t.a_scales.view(32, 32, 2, 64)), Catch::Contains("expected a multiple of 4"));
  CHECK_THAT(mx_load(a.view(32, 32, 0, 64)), Catch::Contains("expected e8m0 or uint8, got bf16"));
  CHECK_THAT(load(mx(t.a.view(0, 16, 0, 64), t.a_scales.view(0, 16, 0, 64))),
             Catch::Contains("MX products take a multiple of 32 partitions"));

  // Tags and planes.
  const Tile tags = kb.sbuf_tile("tags", 128, 66, DType::kUint8);
  const auto sparse_load = [&](const TileView& view, Sparsity sparsity = Sparsity::k4of16) {
    return load(sparse_stationary(a.view(0, 128, 0, 128), view, sparsity));
  };
  CHECK(sparse_load(tags.view(0, 128, 0, 64)) == "no error");
  CHECK_THAT(sparse_load(tags.view(0, 128, 0, 62)),
             Catch::Contains("expected [128, 64] bytes on partition 0, two for four columns"));
  CHECK_THAT(sparse_load(tags.view(0, 128, 1, 64)), Catch::Contains("expected a multiple of 2"));
  CHECK_THAT(
      load(sparse_stationary(a.view(0, 126, 0, 4), tags.view(0, 126, 0, 2), Sparsity::k4of8)),
      Catch::Contains("sparse products take a multiple of 4 partitions"));
  CHECK_THAT(load(double_row(e.view(0, 128, 0, 128))), Catch::Contains("two planes [K, 2, M]"));
  CHECK_THAT(load(double_row(e.view_2d(0, 128, 0, 2, 64, 66))),
             Catch::Contains("planes 66 bytes apart, expected a multiple of 4"));
  CHECK_THAT(load(double_row(e.view_2d(0, 12, 0, 2, 64, 64))),
             Catch::Contains("double-row products take a multiple of 8 partitions"));

  // Formats.
  CHECK_THAT(load(e.view(0, 128, 0, 64)),
             Catch::Contains("dense products take bf16, fp16, tf32 or fp32, got e5m2"));
  CHECK_THAT(load(double_row(a.view_2d(0, 128, 0, 2, 64, 64))),
             Catch::Contains("double-row products take e4m3, e4m3fn or e5m2, got bf16"));
  CHECK_THAT(load(fp32_half(a.view(0, 128, 0, 64), Half::kHigh)),
             Catch::Contains("only fp32 has halves, got bf16"));

  // Destinations.
  kb.load_stationary(a.view(0, 128, 0, 128));
  const Tile b = kb.sbuf_tile("b", 128, 4097, DType::kBf16);
  const auto multiply = [&](const TileView& dst, const TileView& moving,
                            Rounding rounding = Rounding::kNearest) {
    ProductOptions options;
    options.rounding = rounding;
    return message_of([&] { kb.multiply_moving(dst, moving, options); });
  };
  TileView half = psum;
  half.dtype = DType::kFp16;
  CHECK(multiply(psum, b.view(0, 128, 0, 4096)) == "no error");
  CHECK_THAT(multiply(psum, b), Catch::Contains("4097 columns: expected at most 4096"));
  CHECK_THAT(multiply(psum.view(0, 128, 4000, 96), b.view(0, 128, 0, 97)),
             Catch::Contains("expected [128, 97] contiguous on partition 0"));
  CHECK_THAT(multiply(half, b.view(0, 128, 0, 4096)),
             Catch::Contains("expected fp32 or bf16, got fp16"));
  CHECK_THAT(multiply(psum, b.view(0, 128, 0, 4096), Rounding::kStochastic),
             Catch::Contains("stochastic rounding needs a bf16 destination"));
  kb.load_stationary(quad(t.a, t.a_scales));
  CHECK_THAT(message_of([&] {
               kb.multiply_moving(psum.view(0, 128, 1024, 512), quad(t.b, t.b_scales), {});
             }),
             Catch::Contains("the first two PSUM banks"));
  CHECK_THAT(message_of([&] { kb.psum_quad_tile("q", 128, 1025); }),
             Catch::Contains("a quarter of PSUM"));
  CHECK_THAT(message_of([&] { kb.psum_quad_tile("q", 128, 1024); }),
             Catch::Contains("no slot is free"));
}

TEST_CASE("products: what the older chip has not") {
  BareBuilder kb("k", trn2());
  const MxTiles t(&kb);
  const Tile a = kb.sbuf_tile("a", 128, 128, DType::kBf16);
  const Tile b = kb.sbuf_tile("b", 128, 1024, DType::kBf16);
  const Tile f = kb.sbuf_tile("f", 128, 256, DType::kE4m3Fn);
  const auto load = [&](const TensorOperand& operand) {
    return message_of([&] { kb.load_stationary(operand); });
  };
  CHECK_THAT(load(mx(t.a, t.a_scales)), Catch::Contains("chip 'trn2' has no MX products"));
  CHECK_THAT(load(quad(t.a, t.a_scales)), Catch::Contains("chip 'trn2' has no quad mode"));
  CHECK_THAT(load(double_row(f.view_2d(0, 128, 0, 2, 128, 128))),
             Catch::Contains("chip 'trn2' has no e4m3fn"));
  kb.load_stationary(a);
  const Tile psum = kb.psum_tile("p", 128, 1024);
  const auto multiply = [&](const TileView& dst, const TileView& moving) {
    return message_of([&] { kb.multiply_moving(dst, moving, {}); });
  };
  CHECK(multiply(psum.view(0, 128, 512, 512), b.view(0, 128, 0, 512)) == "no error");
  CHECK_THAT(multiply(psum.view(0, 128, 0, 513), b.view(0, 128, 0, 513)),
             Catch::Contains("513 columns: expected at most 512"));
  CHECK_THAT(multiply(psum.view(0, 128, 500, 100), b.view(0, 128, 0, 100)),
             Catch::Contains("crosses from one PSUM bank"));
  CHECK_THAT(multiply(kb.psum_tile("h", 128, 512, DType::kBf16), b.view(0, 128, 0, 512)),
             Catch::Contains("chip 'trn2' has no bf16 results in PSUM"));
}

}  // namespace tern::tb
