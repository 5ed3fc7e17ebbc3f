// SPDX-License-Identifier: Apache-2.0
// Reads of what nothing has written, sums onto nothing, outputs that nothing stores.
#include <catch2/catch.hpp>

#include <functional>
#include <string>

#include "sw/base/user_error.h"
#include "sw/kernels/builder/kernel_builder.h"
#include "tb/kernels/test_chip.h"

namespace tern::tb {

namespace {

using kernels::Activation;
using kernels::KernelBuilder;
using kernels::Tile;
using numerics::DType;

// What the builder says of a kernel; empty: nothing.
std::string said(const std::function<void(KernelBuilder&)>& kernel) {
  KernelBuilder kb("k", test_chip());
  try {
    kernel(kb);
    kb.finish();
  } catch (const UserError& error) {
    const std::string text = error.what();
    return text.substr(text.find(": ") + 2);  // without the author's line
  }
  return "";
}

Tile tile(KernelBuilder& kb, const std::string& name) {
  return kb.sbuf_tile(name, 128, 64, DType::kBf16);
}

void written(KernelBuilder& kb, const kernels::TileView& tile) {
  kb.memset(tile, 0.0f);
}

}  // namespace

TEST_CASE("use: a tile that nothing has written is not read") {
  CHECK(said([](KernelBuilder& kb) {
          const Tile a = tile(kb, "a"), b = tile(kb, "b");
          kb.activation(b, Activation::kExp, a);
        }) == "activation: reads tile 'a', which nothing has written");
  CHECK(said([](KernelBuilder& kb) {
          const Tile a = tile(kb, "a"), b = tile(kb, "b");
          written(kb, a.view(0, 128, 0, 32));
          kb.activation(b.view(0, 128, 0, 32), Activation::kExp, a.view(0, 128, 32, 32));
        }) == "activation: reads tile 'a', which nothing has written");
  // More than was written, and its own last value.
  CHECK(said([](KernelBuilder& kb) {
          const Tile a = tile(kb, "a"), b = tile(kb, "b");
          written(kb, a.view(0, 128, 0, 32));
          kb.activation(b, Activation::kExp, a);
          kb.activation(b, Activation::kExp, b);
        }).empty());
  CHECK(said([](KernelBuilder& kb) {
          const auto out = kb.output("out", DType::kBf16, {128, 64});
          kb.dma_store(out.view(0, 128, 0, 64), tile(kb, "a"));
        }) == "dma_store: reads tile 'a', which nothing has written");
}

TEST_CASE("use: memory that is given away is new") {
  CHECK(said([](KernelBuilder& kb) {
          const Tile a = tile(kb, "a"), b = tile(kb, "b");
          written(kb, a);
          kb.release(a);
          kb.activation(b, Activation::kExp, a);
        }) == "activation: reads tile 'a', which nothing has written");
  // The third tile of a pool of two has the bytes of the first.
  CHECK(said([](KernelBuilder& kb) {
          auto pool = kb.sbuf_pool("pool", 2, 128);
          for (const char* name : {"first", "second", "third"}) {
            const Tile t = pool.tile(name, 128, 64, DType::kBf16);
            if (std::string(name) != "third") written(kb, t);
            kb.activation(t, Activation::kExp, t);
          }
        }) == "activation: reads tile 'third', which nothing has written");
  CHECK(said([](KernelBuilder& kb) {
          auto pool = kb.sbuf_pool("pool", 2, 128);
          kb.loop(4, [&](unsigned) {
            const Tile t = pool.tile("t", 128, 64, DType::kBf16);
            kb.activation(t, Activation::kExp, t);
          });
        }) == "activation: reads tile 't', which nothing has written");
}

TEST_CASE("use: a sum needs a product that begins it") {
  const auto product = [](bool accumulate) {
    return said([accumulate](KernelBuilder& kb) {
      const Tile a = tile(kb, "a");
      const Tile sums = kb.psum_tile("sums", 64, 64);
      written(kb, a);
      kernels::ProductOptions options;
      options.accumulate = accumulate;
      kb.nc_matmul(sums, a, a, options);
      options.accumulate = true;
      kb.nc_matmul(sums, a, a, options);
    });
  };
  CHECK(product(true) == "multiply_moving: adds to tile 'sums', where no product has begun a sum");
  CHECK(product(false).empty());
}

TEST_CASE("use: tensors in HBM") {
  CHECK(said([](KernelBuilder& kb) {
          kb.output("out", DType::kBf16, {128, 64});
        }) == "finish: nothing stores output 'out'");
  CHECK(said([](KernelBuilder& kb) {
          const auto between = kb.scratch("between", DType::kBf16, {128, 64});
          kb.dma_load(tile(kb, "a"), between.view(0, 128, 0, 64));
        }) == "dma_load: reads tensor 'between', which nothing has written");
}

TEST_CASE("use: what another core sends is written") {
  const auto exchange = [](bool sends) {
    return said([sends](KernelBuilder& kb) {
      kb.join_cores(0, 2);
      kb.prepare_exchange(1);
      const Tile a = tile(kb, "a"), b = tile(kb, "b");
      const auto shared = kb.scratch("shared", DType::kBf16, {128, 64});
      written(kb, a);
      if (sends) {
        kb.send_receive(b, a, b, 0);
        kb.core_barrier(shared.view(0, 128, 0, 64));
      }
      kb.activation(a, Activation::kExp, b);
      kb.dma_load(a, shared.view(0, 128, 0, 64));
    });
  };
  CHECK(exchange(false) == "activation: reads tile 'b', which nothing has written");
  CHECK(exchange(true).empty());
}

TEST_CASE("use: what an earlier program left, and no check at all") {
  CHECK(said([](KernelBuilder& kb) {
          const Tile a = tile(kb, "a"), b = tile(kb, "b");
          kb.already_written(a);
          kb.activation(b, Activation::kExp, a);
        }).empty());
  CHECK(said([](KernelBuilder& kb) {
          kb.check_use(false);
          kb.output("out", DType::kBf16, {128, 64});
          kb.activation(tile(kb, "b"), Activation::kExp, tile(kb, "a"));
        }).empty());
}

}  // namespace tern::tb
