// SPDX-License-Identifier: Apache-2.0
// Hardware loops of the builder: in every order they give what their iterations give when they are
// written out, with fewer instructions; what does not fold is refused.
#include <catch2/catch.hpp>

#include <functional>

#include "sw/kernels/builder/kernel_builder.h"
#include "tb/common/seed.h"
#include "tb/kernels/bare_builder.h"
#include "tb/kernels/builder_listing.h"
#include "tb/kernels/interleaver.h"
#include "tb/kernels/test_chip.h"

namespace tern::tb {

namespace {

using kernels::Activation;
using kernels::Alu;
using kernels::Engine;
using kernels::KernelBuilder;
using kernels::Tile;
using numerics::DType;

using Body = std::function<void(unsigned)>;
// Writes the iterations of a body: as a loop or one by one.
using Iterations = std::function<void(KernelBuilder&, unsigned, const Body&)>;
using Kernel = std::function<void(KernelBuilder&, const Iterations&)>;

Executable build(const Kernel& kernel, bool looped,
                 DescriptorChoice descriptors = DescriptorChoice::kHost) {
  ChipConfig chip = test_chip();
  chip.dma.descriptors = descriptors;
  BareBuilder kb("loop", chip);
  kernel(kb, [looped](KernelBuilder& builder, unsigned count, const Body& body) {
    if (looped) return builder.loop(count, body);
    for (unsigned t = 0; t < count; ++t) body(t);
  });
  return kb.finish();
}

std::size_t instructions(const Executable& program) {
  std::size_t count = 0;
  for (const auto& queue : program.queues) count += queue.size();
  return count;
}

void check_loops(const Kernel& kernel, unsigned tries = 12) {
  const Executable written_out = build(kernel, false);
  Interleaver reference(written_out, test_seed());
  REQUIRE(reference.run());
  for (const DescriptorChoice choice : {DescriptorChoice::kHost, DescriptorChoice::kHardware}) {
    const Executable looped = build(kernel, true, choice);
    CHECK(looped.generated_rings.empty() == (choice == DescriptorChoice::kHost));
    for (unsigned i = 0; i < tries; ++i) {
      Interleaver order(looped, test_seed() + i);
      REQUIRE(order.run());
      CHECK(order.tensors() == reference.tensors());
    }
    INFO(instructions(looped) << " instructions with loops, " << instructions(written_out)
                              << " without");
    CHECK(instructions(looped) < instructions(written_out));
  }
}

// A tile is loaded before the loop and stored after it.
Tile loaded(KernelBuilder& kb, const std::string& name, unsigned free) {
  const auto in = kb.input("in." + name, DType::kFp32, {32, free});
  const Tile tile = kb.sbuf_tile(name, 32, free, DType::kFp32);
  kb.dma_load(tile, in.view(0, 32, 0, free));
  return tile;
}
void stored(KernelBuilder& kb, const Tile& tile) {
  const auto out = kb.output("out." + tile.name, DType::kFp32, {tile.partitions, tile.free});
  kb.dma_store(out.view(0, tile.partitions, 0, tile.free), tile);
}

}  // namespace

TEST_CASE("a loop over columns of resident tiles, engines handing on to each other") {
  check_loops([](KernelBuilder& kb, const Iterations& iterations) {
    const Tile x = loaded(kb, "x", 96), y = loaded(kb, "y", 96), z = loaded(kb, "z", 96);
    kb.memset(z, 0.0f);
    iterations(kb, 12, [&](unsigned t) {
      kb.activation(y.view(0, 32, 8 * t, 8), Activation::kExp, x.view(0, 32, 8 * t, 8));
      kb.tensor_tensor(z.view(0, 32, 8 * t, 8), y.view(0, 32, 8 * t, 8), Alu::kAdd,
                       x.column(3).broadcast(8));
      kb.tensor_copy(x.view(0, 32, 88 - 8 * t, 8), z.view(0, 32, 8 * t, 8), Engine::kGpsimd);
    });
    kb.reciprocal(y, z);
    for (const Tile& tile : {x, y, z}) stored(kb, tile);
  });
}

TEST_CASE("a loop whose iterations depend on earlier ones, at once and from afar") {
  check_loops([](KernelBuilder& kb, const Iterations& iterations) {
    const Tile x = loaded(kb, "x", 64), sum = loaded(kb, "sum", 4);
    iterations(kb, 12, [&](unsigned t) {
      // Column t + 7 was written seven iterations ago, or comes from the load.
      kb.activation(x.column(t + 7), Activation::kSquare, x.column(t));
      kb.tensor_scalar(x.column(t + 14), x.column(t + 9), Alu::kMultiply, sum.column(0));
      kb.tensor_tensor(sum.column(0), sum.column(0), Alu::kAdd, x.column(t + 1));
    });
    for (const Tile& tile : {x, sum}) stored(kb, tile);
  });
}

TEST_CASE("loops that load, compute with the tensor engine and store, through pools") {
  check_loops(
      [](KernelBuilder& kb, const Iterations& iterations) {
        const auto a = kb.input("a", DType::kBf16, {24 * 32, 16});
        const auto b = kb.weight("b", DType::kBf16, {32, 8});
        const auto c = kb.output("c", DType::kFp32, {24 * 16, 8});
        const Tile weights = kb.sbuf_tile("b", 32, 8, DType::kBf16);
        kb.dma_load(weights, b.view(0, 32, 0, 8));
        auto in = kb.sbuf_pool("in", 2, 64);
        auto out = kb.sbuf_pool("out", 4, 64);
        auto psum = kb.psum_pool("psum", 2);
        for (unsigned pass = 0; pass < 2; ++pass) {  // semaphores of the first loop continue
          iterations(kb, 24, [&](unsigned t) {
            const Tile x = in.tile("x", 32, 16, DType::kBf16);
            kb.dma_load(x, a.view(32 * t, 32, 0, 16));
            const Tile product = psum.tile("p", 16, 8, DType::kFp32);
            kb.nc_matmul(product, x, weights);
            const Tile y = out.tile("y", 16, 8, DType::kFp32);
            kb.activation(y, Activation::kRelu, product);
            kb.dma_store(c.view(16 * t, 16, 0, 8), y);
          });
        }
      },
      6);
}

TEST_CASE("a missing wait in a loop is noticed") {
  const Kernel kernel = [](KernelBuilder& kb, const Iterations& iterations) {
    const Tile x = loaded(kb, "x", 64), y = loaded(kb, "y", 64);
    iterations(kb, 8, [&](unsigned t) {
      kb.activation(y.view(0, 32, 8 * t, 8), Activation::kExp, x.view(0, 32, 8 * t, 8));
      kb.tensor_copy(x.view(0, 32, 8 * t, 8), y.view(0, 32, 8 * t, 8));
      kb.activation(y.view(0, 32, 8 * t, 8), Activation::kExp, x.view(0, 32, 8 * t, 8));
    });
    stored(kb, y);
  };
  Executable looped = build(kernel, true);
  const Executable written_out = build(kernel, false);
  Interleaver reference(written_out, test_seed());
  REQUIRE(reference.run());
  unsigned removed = 0;
  for (const unsigned q : {TERN_QUEUE_VECTOR, TERN_QUEUE_SCALAR}) {
    for (tern_instruction_t& in : looped.queues[q]) {
      if (in.header.opcode < TERN_OPCODE_ACTIVATION || in.header.wait_cond == 0) continue;
      in.header.wait_cond = TERN_WAIT_COND_NONE;
      removed += 1;
      bool noticed = false;
      for (unsigned i = 0; i < 60 && !noticed; ++i) {
        Interleaver order(looped, test_seed() + i);
        noticed = !order.run() || order.tensors() != reference.tensors();
      }
      CHECK(noticed);
      in.header.wait_cond = TERN_WAIT_COND_GE;
    }
  }
  CHECK(removed >= 2);
}

TEST_CASE("one iteration is unrolled, none is empty") {
  for (const unsigned count : {0u, 1u}) {
    BareBuilder kb("k", test_chip());
    const Tile x = kb.sbuf_tile("x", 32, 8, DType::kFp32);
    kb.loop(count, [&](unsigned) { kb.memset(x, 1.0f); });
    const Lines vector = listing(kb.finish(), TERN_QUEUE_VECTOR);
    CHECK(vector.size() == (count == 0 ? 0 : 2));
  }
}

TEST_CASE("what does not fold into a loop is refused with its line") {
  BareBuilder kb("k", test_chip());
  const Tile x = kb.sbuf_tile("x", 128, 64, DType::kFp32);
  const Tile columns = kb.sbuf_tile("c", 128, 8, DType::kFp32);
  const auto refused = [&](const Body& body, int line, const std::string& expected) {
    CHECK_THAT(message_of([&] { kb.loop(7, body); }),
               Catch::Contains("test_loop.cpp:" + std::to_string(line) + ": ") &&
                   Catch::Contains(expected));
  };
  const std::string regular = "not the same in every iteration";
  refused([&](unsigned t) { kb.memset(x.column(t * t), 0.0f); }, __LINE__, regular);
  refused([&](unsigned t) { kb.memset(x.column(t), static_cast<float>(t)); }, __LINE__, regular);
  refused([&](unsigned t) { kb.memset(x.view(32 * (t % 3), 32, 0, 4), 0); }, __LINE__, regular);
  refused(
      [&](unsigned t) {
        kb.activation(x, Activation::kExp, x, {columns.column(t), 0.0f});
      },
      __LINE__ - 2, "not of columns");
  refused(
      [&](unsigned t) {
        kb.memset(x, 0.0f);
        if (t == 4) kb.reciprocal(x, x);
      },
      __LINE__ - 2, "reciprocal: not in every iteration");
  refused([&](unsigned) { kb.loop(2, [](unsigned) {}); }, __LINE__, "inside another loop");
  refused([&](unsigned) { kb.finish(); }, __LINE__, "finish: inside a loop");
  // The builder continues as if the loop had not been tried.
  kb.memset(x, 1.0f);
  CHECK(listing(kb.finish(), TERN_QUEUE_VECTOR)[0] == "memset");
}

}  // namespace tern::tb
