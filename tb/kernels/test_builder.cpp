// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "sw/base/user_error.h"
#include "sw/kernels/builder/kernel_builder.h"
#include "tb/kernels/bare_builder.h"
#include "tb/kernels/builder_listing.h"
#include "tb/kernels/test_chip.h"

namespace tern::tb {

namespace {

using kernels::Activation;
using kernels::Alu;
using kernels::KernelBuilder;
using kernels::Tensor;
using kernels::Tile;
using kernels::TileView;
using numerics::DType;

std::string here(int line) {
  return "tb/kernels/test_builder.cpp:" + std::to_string(line) + ": ";
}

constexpr unsigned kTensorDone = KernelBuilder::progress_semaphore(TERN_QUEUE_TENSOR);
constexpr unsigned kVectorDone = KernelBuilder::progress_semaphore(TERN_QUEUE_VECTOR);
constexpr unsigned kLoad0 = KernelBuilder::kFirstDmaSemaphore;
constexpr unsigned kStore0 = KernelBuilder::kFirstDmaSemaphore + KernelBuilder::kSemaphoresPerRing;

}  // namespace

TEST_CASE("a matmul program waits for its loads, its eviction for it, its store for that") {
  BareBuilder kb("k", test_chip());
  const Tensor a = kb.input("a", DType::kBf16, {128, 64});
  const Tensor b = kb.input("b", DType::kBf16, {128, 32});
  const Tensor c = kb.output("c", DType::kFp32, {64, 32});
  const Tile ta = kb.sbuf_tile("a", 128, 64, DType::kBf16);
  const Tile tb = kb.sbuf_tile("b", 128, 32, DType::kBf16);
  const Tile tc = kb.sbuf_tile("c", 64, 32, DType::kFp32);
  const Tile psum = kb.psum_tile("psum", 64, 32);
  kb.dma_load(ta, a.view(0, 128, 0, 64));
  kb.dma_load(tb, b.view(0, 128, 0, 32));
  kb.nc_matmul(psum, ta, tb);
  kb.tensor_copy(tc, psum);
  kb.dma_store(c.view(0, 64, 0, 32), tc);
  const Executable program = kb.finish();

  CHECK(listing(program, TERN_QUEUE_SYNC) ==
        Lines{"dma_trigger", "dma_trigger", "halt" + ge(kLoad0 + 1, 16)});
  CHECK(listing(program, TERN_QUEUE_TENSOR) == Lines{"load_stationary" + ge(kLoad0, 16),
                                                     "multiply_moving" + ge(kLoad0 + 1, 16),
                                                     "halt" + ge(kTensorDone, 2)});
  CHECK(listing(program, TERN_QUEUE_VECTOR) ==
        Lines{"tensor_copy" + ge(kTensorDone, 2), "halt" + ge(kVectorDone, 1)});
  CHECK(listing(program, TERN_QUEUE_GPSIMD) ==
        Lines{"dma_trigger" + ge(kVectorDone, 1), "halt" + ge(kStore0, 16)});
  CHECK(listing(program, TERN_QUEUE_SCALAR).empty());
}

TEST_CASE("accumulation on the tensor queue needs no wait, a pipelined queue's own result does") {
  BareBuilder kb("k", test_chip());
  const Tile a = kb.sbuf_tile("a", 128, 64, DType::kBf16);
  const Tile x = kb.sbuf_tile("x", 64, 16, DType::kFp32);
  const Tile y = kb.sbuf_tile("y", 64, 16, DType::kFp32);
  const Tile psum = kb.psum_tile("psum", 64, 64);
  kb.nc_matmul(psum, a, a);
  kb.nc_matmul(psum, a, a, true);
  kb.memset(x, 1.0f);                    // 1
  kb.tensor_tensor(y, x, Alu::kAdd, x);  // 2: reads what 1 wrote
  kb.memset(x, 2.0f);  // 3: write after read and after write: the queue keeps its order
  kb.reciprocal(x.view(0, 64, 0, 8), y.view(0, 64, 8, 8));  // 4: waits for 2
  kb.memset(y.view(0, 64, 0, 8), 0.0f);                     // 5: other columns than 4 reads
  const Executable program = kb.finish();
  CHECK(listing(program, TERN_QUEUE_TENSOR) == Lines{"load_stationary", "multiply_moving",
                                                     "load_stationary", "multiply_moving",
                                                     "halt" + ge(kTensorDone, 4)});
  CHECK(listing(program, TERN_QUEUE_VECTOR) == Lines{"memset", "tensor_tensor" + ge(kVectorDone, 1),
                                                     "memset", "reciprocal" + ge(kVectorDone, 2),
                                                     "memset", "halt" + ge(kVectorDone, 5)});
}

TEST_CASE("columns, partitions and PSUM banks are distinguished") {
  BareBuilder kb("k", test_chip());
  const Tile t = kb.sbuf_tile("t", 128, 64, DType::kFp32);
  const Tile u = kb.sbuf_tile("u", 128, 64, DType::kFp32);
  kb.memset(t.view(0, 64, 0, 32), 1.0f);
  // Other partitions, other columns: no wait. Overlap: wait.
  kb.activation(u.view(64, 64, 0, 32), Activation::kRelu, t.view(64, 64, 0, 32));
  kb.activation(u.view(0, 64, 0, 32), Activation::kRelu, t.view(0, 64, 32, 32));
  kb.activation(u.view(0, 64, 32, 2), Activation::kRelu, t.view(0, 64, 31, 2));
  const Executable program = kb.finish();
  const Lines scalar = listing(program, TERN_QUEUE_SCALAR);
  CHECK(scalar[0] == "activation");
  CHECK(scalar[1] == "activation");
  CHECK(scalar[2] == "activation" + ge(kVectorDone, 1));
}

TEST_CASE("implied waits are left out, memory that is used again is waited for") {
  BareBuilder kb("k", test_chip());
  const Tensor in = kb.input("in", DType::kFp32, {64, 64});
  auto pool = kb.sbuf_pool("p", 1, 256);
  const Tile out = kb.sbuf_tile("out", 64, 64, DType::kFp32);
  const Tile first = pool.tile("first", 64, 64, DType::kFp32);
  kb.dma_load(first, in.view(0, 64, 0, 64));
  kb.tensor_copy(out, first);                      // vector 1, waits for the load
  kb.activation(out, Activation::kRelu, out);      // scalar 1, waits for vector 1
  kb.activation(first, Activation::kRelu, first);  // scalar 2: load and vector 1 are implied
  const Tile second = pool.tile("second", 64, 64, DType::kFp32);
  REQUIRE(second.byte == first.byte);
  kb.dma_load(second,
              in.view(0, 64, 0, 64));  // overwrites: waits for scalar 2, which implies the rest
  const Executable program = kb.finish();
  const unsigned scalar_done = KernelBuilder::progress_semaphore(TERN_QUEUE_SCALAR);
  CHECK(listing(program, TERN_QUEUE_SCALAR) ==
        Lines{"activation" + ge(kVectorDone, 1), "activation", "halt" + ge(scalar_done, 2)});
  CHECK(listing(program, TERN_QUEUE_SYNC)[1] == "dma_trigger" + ge(scalar_done, 2));
}

TEST_CASE("a DMA semaphore is used again only after its transfer") {
  BareBuilder kb("k", test_chip());
  const Tensor in = kb.input("in", DType::kFp32, {64, 1024});
  const Tile tile = kb.sbuf_tile("t", 64, 1024, DType::kFp32);
  for (unsigned i = 0; i < KernelBuilder::kSemaphoresPerRing + 1; ++i) {
    kb.dma_load(tile.view(0, 64, i, 1), in.view(0, 64, i, 1));
  }
  const Lines sync = listing(kb.finish(), TERN_QUEUE_SYNC);
  CHECK(sync[KernelBuilder::kSemaphoresPerRing - 1] == "dma_trigger");
  CHECK(sync[KernelBuilder::kSemaphoresPerRing] == "dma_trigger" + ge(kLoad0, 16));
}

TEST_CASE("errors name the line of the caller") {
  BareBuilder kb("k", test_chip());
  const int first = __LINE__ + 1;
  const auto big = [&] { kb.sbuf_tile("big", 128, 300 * 1024, DType::kUint8); };
  CHECK(message_of(big) ==
        here(first) +
            "sbuf_tile 'big': 300 KiB per partition requested, 256 KiB exist, 256 KiB free");
  kb.sbuf_tile("half", 128, 136 * 1024, DType::kUint8);
  const int second = __LINE__ + 1;
  const auto rest = [&] { kb.sbuf_tile("x", 128, 75 * 1024, DType::kFp32); };
  CHECK(message_of(rest) ==
        here(second) +
            "sbuf_tile 'x': 300 KiB per partition requested, 256 KiB exist, 120 KiB free");
  const int third = __LINE__ + 1;
  const auto huge = [&] { kb.input("w", DType::kFp32, {1 << 20, 1 << 20}); };
  CHECK(message_of(huge) == here(third) + "tensor 'w': larger than an HBM stack of 36864 MiB");
  CHECK_THAT(message_of([&] { kb.psum_tile("p", 128, 8 * 512 + 1); }),
             Catch::Contains("psum_tile 'p'") && Catch::Contains("16 KiB exist"));
  CHECK_THAT(message_of([&] { kb.sbuf_tile("p", 129, 1, DType::kFp32); }),
             Catch::Contains("expected 1..128 partitions, got 129"));
}

TEST_CASE("HBM runs out across tensors") {
  BareBuilder kb("k", test_chip());
  for (int i = 0; i < 4; ++i) {
    kb.input("t" + std::to_string(i), DType::kUint8, {std::uint64_t{35} << 30});
  }
  CHECK_THAT(message_of([&] { kb.input("t4", DType::kUint8, {std::uint64_t{5} << 30}); }),
             Catch::Contains("5120 MiB requested, 147456 MiB of HBM exist, 4096 MiB free"));
}

TEST_CASE("every documented limit is checked") {
  BareBuilder kb("k", test_chip());
  const Tile t = kb.sbuf_tile("t", 128, 1024, DType::kBf16);
  const Tile f = kb.sbuf_tile("f", 128, 1024, DType::kFp32);
  const Tile u = kb.sbuf_tile("u", 128, 1024, DType::kUint8);
  const Tile psum = kb.psum_tile("psum", 128, 1024);
  const auto load = [&](const TileView& view) {
    return message_of([&] { kb.load_stationary(view); });
  };
  CHECK_THAT(load(t.view(0, 128, 0, 129)), Catch::Contains("at most 128 columns"));
  CHECK_THAT(load(t.view_2d(0, 128, 0, 43, 3, 5)), Catch::Contains("at most 128 columns"));
  CHECK_THAT(load(u.view(0, 128, 0, 64)),
             Catch::Contains("take bf16, fp16, tf32 or fp32, got uint8"));
  CHECK_THAT(load(psum.view(0, 128, 0, 64)), Catch::Contains("expected a tile in SBUF"));
  CHECK_THAT(load(t.view(16, 16, 0, 64)), Catch::Contains("cannot start on partition 16"));
  CHECK_THAT(load(t.view(32, 64, 0, 64)), Catch::Contains("cannot start on partition 32"));
  CHECK_THAT(message_of([&] { kb.multiply_moving(psum, t, false); }),
             Catch::Contains("no load_stationary before it"));

  kb.load_stationary(t.view(0, 128, 2, 64));
  const auto multiply = [&](const TileView& dst, const TileView& moving) {
    return message_of([&] { kb.multiply_moving(dst, moving, false); });
  };
  CHECK(multiply(psum.view(0, 64, 500, 100), t.view(0, 128, 0, 100)) == "no error");
  CHECK_THAT(multiply(psum.view(0, 64, 0, 512), t.view(0, 64, 0, 512)),
             Catch::Contains("the stationary [128, 64]"));
  CHECK_THAT(multiply(psum.view(0, 32, 0, 512), t.view(0, 128, 0, 512)),
             Catch::Contains("expected [64, 512] contiguous on partition 0"));
  CHECK_THAT(multiply(f.view(0, 64, 0, 512), t.view(0, 128, 0, 512)),
             Catch::Contains("expected a tile in PSUM"));
  CHECK(multiply(psum.view(0, 64, 512, 512), t.view(0, 128, 512, 512)) == "no error");

  CHECK_THAT(message_of([&] { kb.tensor_copy(f.view(0, 64, 0, 100), psum.view(0, 64, 500, 100)); }),
             Catch::Contains("crosses from one PSUM bank"));
  CHECK_THAT(message_of([&] { kb.tensor_copy(f.view(0, 64, 0, 8), f.view(0, 32, 0, 8)); }),
             Catch::Contains("the destination has 64 partitions"));
  CHECK_THAT(message_of([&] { kb.tensor_copy(f.view(0, 64, 0, 8), f.view(0, 64, 0, 9)); }),
             Catch::Contains("gives 9 elements per partition"));
  CHECK_THAT(message_of([&] {
               kb.activation(f.view(0, 64, 0, 8), Activation::kExp, f.view(0, 64, 0, 8), 1.0f,
                             t.view(0, 64, 0, 1));
             }),
             Catch::Contains("expected [64, 1] of fp32"));
  CHECK_THAT(message_of([&] { kb.tensor_reduce(f.view(0, 64, 0, 1), Alu::kIsEq, f); }),
             Catch::Contains("cannot reduce with this operation"));
  CHECK_THAT(message_of([&] { f.view(0, 128, 1000, 25); }),
             Catch::Contains("view [0..128, 1000..1025] of tile 'f': outside [128, 1024]"));
  CHECK_THAT(message_of([&] { kb.memset(f.view(0, 64, 0, 1).broadcast(8), 0.0f); }),
             Catch::Contains("written through a broadcast view"));

  const Tensor in = kb.input("in", DType::kFp32, {128, 1024});
  CHECK_THAT(message_of([&] { kb.dma_load(t, in.view(0, 128, 0, 1024)); }),
             Catch::Contains("is fp32, the tile is bf16"));
  CHECK_THAT(message_of([&] { kb.dma_store(in.view(0, 128, 0, 1024), f); }),
             Catch::Contains("it is an input"));
  CHECK_THAT(message_of([&] { kb.dma_load(f, in.view(0, 128, 0, 1000)); }),
             Catch::Contains("[128, 1000] does not fit the tile's [128, 1024]"));
  CHECK_THAT(message_of([&] { in.view(0, 129, 0, 4); }), Catch::Contains("outside [128, 1024]"));
}

TEST_CASE("views repeat rows and elements and exchange dimensions") {
  BareBuilder kb("k", test_chip());
  const Tile tile = kb.sbuf_tile("t", 128, 100, DType::kFp32);
  using Pattern = std::vector<std::int64_t>;
  // Elements of the tile in the order in which an instruction accesses them.
  const auto order = [&](const TileView& view) {
    Pattern result;
    for (std::uint32_t i1 = 0; i1 < view.num1; ++i1) {
      for (std::uint32_t i0 = 0; i0 < view.num0; ++i0) {
        result.push_back((view.byte - tile.byte) / 4 + std::int64_t{i1} * view.step1 +
                         std::int64_t{i0} * view.step0);
      }
    }
    return result;
  };
  const TileView row = tile.view(0, 128, 5, 3), blocks = tile.view_2d(0, 128, 10, 2, 3, 20);
  CHECK(order(row.repeated(2)) == Pattern{5, 6, 7, 5, 6, 7});
  CHECK(order(row.each_repeated(2)) == Pattern{5, 5, 6, 6, 7, 7});
  CHECK(order(blocks) == Pattern{10, 11, 12, 30, 31, 32});
  CHECK(order(blocks.transposed()) == Pattern{10, 30, 11, 31, 12, 32});
}

TEST_CASE("tiles can be released and their memory used again") {
  BareBuilder kb("k", test_chip());
  for (int i = 0; i < 100; ++i) {
    const Tile a = kb.sbuf_tile("a", 128, 100 * 1024, DType::kUint8);
    const Tile b = kb.sbuf_tile("b", 128, 150 * 1024, DType::kUint8);
    kb.release(a);
    kb.release(b);
  }
  CHECK(kb.sbuf_free_bytes() == 256 * 1024);
  const Tile a = kb.sbuf_tile("a", 128, 64, DType::kUint8);
  kb.release(a);
  CHECK_THAT(message_of([&] { kb.release(a); }), Catch::Contains("not allocated"));
}

TEST_CASE("every instruction knows where it comes from") {
  BareBuilder kb("k", test_chip());
  const Tile x = kb.sbuf_tile("x", 64, 16, DType::kFp32);
  const int line = __LINE__;
  kb.memset(x, 1.0f);
  const Executable program = kb.finish();
  CHECK(program.origins[TERN_QUEUE_VECTOR][1] == here(line + 1) + "memset");
  for (unsigned q = 0; q < TERN_QUEUE_COUNT; ++q) {
    CHECK(program.origins[q].size() == program.queues[q].size());
  }
}

TEST_CASE("instructions name the part of the program that they belong to, until the next program") {
  BareBuilder kb("k", test_chip());
  const Tile x = kb.sbuf_tile("x", 64, 16, DType::kFp32);
  kb.memset(x, 1.0f);
  kb.part("layer 1");
  const int line = __LINE__;
  kb.memset(x, 2.0f);
  kb.part("layer 2, softmax");
  kb.memset(x, 3.0f);
  kb.part("");
  kb.memset(x, 4.0f);
  const auto origins = kb.finish().origins[TERN_QUEUE_VECTOR];
  CHECK(origins[1] == here(line - 2) + "memset");
  CHECK(origins[2] == here(line + 1) + "memset, layer 1");
  CHECK(origins[3] == here(line + 3) + "memset, layer 2, softmax");
  CHECK(origins[4] == here(line + 5) + "memset");
}

}  // namespace tern::tb
