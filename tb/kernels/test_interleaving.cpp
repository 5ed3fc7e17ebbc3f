// SPDX-License-Identifier: Apache-2.0
// The waits the builder inserts are enough: every order they allow gives the same tensors. And the
// test would notice: without a wait some order gives others.
#include <catch2/catch.hpp>

#include <string>
#include <unordered_map>

#include "sw/kernels/builder/kernel_builder.h"
#include "sw/kernels/matmul.h"
#include "sw/kernels/matmul_format.h"
#include "sw/kernels/mlp.h"
#include "tb/common/seed.h"
#include "tb/kernels/interleaver.h"
#include "tb/kernels/random_elements.h"
#include "tb/kernels/test_chip.h"

namespace tern::tb {

namespace {

ChipConfig chip_with_sbuf(std::uint64_t bytes) {
  ChipConfig chip = test_chip();
  chip.core.sbuf_partition_bytes = bytes;
  return chip;
}

using Tensors = std::unordered_map<std::uint64_t, std::uint64_t>;

Tensors result_of(const Executable& program) {
  Interleaver order(program, test_seed());
  REQUIRE(order.run());
  return order.tensors();
}

// Number of orders, of `tries`, that deadlock or give something other than `expected`.
unsigned differences(const Executable& program, const Tensors& expected, unsigned tries) {
  unsigned different = 0;
  for (unsigned i = 1; i <= tries; ++i) {
    Interleaver order(program, test_seed() + i);
    if (!order.run() || order.tensors() != expected) different += 1;
  }
  return different;
}

unsigned differences(const Executable& program, unsigned tries) {
  return differences(program, result_of(program), tries);
}

kernels::MatmulSpec matmul(std::uint64_t m, std::uint64_t k, std::uint64_t n) {
  kernels::MatmulSpec spec;
  spec.m = m;
  spec.k = k;
  spec.n = n;
  return spec;
}

kernels::MlpSpec mlp(std::uint64_t batch, std::vector<std::uint64_t> sizes) {
  kernels::MlpSpec spec;
  spec.batch = batch;
  spec.sizes = std::move(sizes);
  return spec;
}

}  // namespace

TEST_CASE("matmul gives the same result in every order: resident operands") {
  CHECK(differences(kernels::build_matmul(matmul(5, 300, 7), test_chip()), 20) == 0);
  CHECK(differences(kernels::build_matmul(matmul(140, 130, 530), test_chip()), 4) == 0);
}

TEST_CASE("matmul gives the same result in every order: streamed operands") {
  // 4 KiB per partition: neither operand fits.
  CHECK(differences(kernels::build_matmul(matmul(10, 1100, 30), chip_with_sbuf(4096)), 20) == 0);
  CHECK(differences(kernels::build_matmul(matmul(300, 400, 40), chip_with_sbuf(8192)), 4) == 0);
}

TEST_CASE("matmul gives the same result in every order: all formats") {
  for (const kernels::MatmulFormat& format : kernels::matmul_formats()) {
    INFO(format.name);
    kernels::MatmulSpec spec = matmul(12, 2 * format.k_per_partition() * 128, 20);
    spec.k = (spec.k + format.k_grain() - 1) / format.k_grain() * format.k_grain();
    spec.format = format.name;
    CHECK(differences(kernels::build_matmul(spec, test_chip()), 4) == 0);
    CHECK(differences(kernels::build_matmul(spec, chip_with_sbuf(format.products() * 1024 + 1024)),
                      4) == 0);
  }
}

TEST_CASE("stationaries and transpose sources of any pattern give the same result in every order") {
  using numerics::DType;
  kernels::KernelBuilder kb("k", test_chip());
  const kernels::Tensor in = kb.input("in", DType::kBf16, {128, 256});
  const kernels::Tensor out = kb.output("out", DType::kFp32, {128, 8 * 64});
  const kernels::Tile a = kb.sbuf_tile("a", 128, 256, DType::kBf16);
  const kernels::Tile b = kb.sbuf_tile("b", 128, 64, DType::kBf16);
  auto psum = kb.psum_pool("psum", 4);
  auto stage = kb.sbuf_pool("stage", 2, 4 * 64);
  kb.dma_load(a, in.view(0, 128, 0, 256));
  kb.dma_load(b, in.view(0, 128, 64, 64));
  for (unsigned t = 0; t < 8; ++t) {
    // 15 columns: forwards from t, or backwards up to it.
    const int step = t % 2 == 0 ? 7 : -7;
    const kernels::TileView columns =
        a.pattern(0, 128, t % 2 == 0 ? t : 120 + t, {{3, 5 * step}, {5, step}});
    const kernels::Tile sum = psum.tile("sum", 15, 64, DType::kFp32);
    kb.nc_matmul(sum, columns, b);
    const kernels::Tile turned = psum.tile("turned", 15, 128, DType::kBf16);
    kb.nc_transpose(turned, columns);
    const kernels::Tile result = stage.tile("result", 15, 64, DType::kFp32);
    kb.tensor_tensor(result, sum, kernels::Alu::kAdd, turned.view(0, 15, 0, 64));
    kb.dma_store(out.view(0, 15, 64 * t, 64), result);
    // The last of the columns changes, and the first of the next ones.
    kb.tensor_copy(a.view(0, 128, t % 2 == 0 ? t + 98 : 22 + t, 1), b.column(t));
    kb.tensor_copy(a.view(0, 128, t % 2 == 0 ? 121 + t : t + 1, 1), b.column(t + 8));
  }
  const Executable program = kb.finish();
  CHECK(differences(program, 20) == 0);
}

TEST_CASE("the multi-layer perceptron gives the same result in every order") {
  CHECK(differences(kernels::build_mlp(mlp(9, {40, 20, 5}), test_chip()), 20) == 0);
  CHECK(differences(kernels::build_mlp(mlp(150, {150, 140, 3}), chip_with_sbuf(12 * 1024)), 4) ==
        0);
  // Several blocks: the last layer of one runs inside the first layer of the next.
  CHECK(differences(kernels::build_mlp(mlp(600, {260, 20, 3}), test_chip()), 4) == 0);
  CHECK(differences(kernels::build_mlp(mlp(300, {20, 3}), test_chip()), 4) == 0);
}

TEST_CASE("random element-wise programs give the same result in every order") {
  for (unsigned i = 0; i < 12; ++i) {
    INFO("program " << i);
    CHECK(differences(random_element_program(test_seed() * 100 + i, 30), 12) == 0);
  }
}

TEST_CASE("random element-wise programs without a wait differ") {
  // Views that enclose others without touching them, and values that are overwritten, leave waits
  // that no order shows; but they are few.
  unsigned removed = 0, noticed = 0;
  for (unsigned i = 0; i < 2; ++i) {
    Executable program = random_element_program(test_seed() * 100 + i, 16);
    const Tensors expected = result_of(program);
    for (auto& queue : program.queues) {
      for (std::size_t n = 1; n + 1 < queue.size(); ++n) {
        tern_header_t& header = queue[n].header;
        if (header.wait_cond == TERN_WAIT_COND_NONE) continue;
        header.wait_cond = TERN_WAIT_COND_NONE;
        removed += 1;
        noticed += differences(program, expected, 12) > 0 ? 1 : 0;
        header.wait_cond = TERN_WAIT_COND_GE;
      }
    }
  }
  INFO("waits removed one at a time: " << removed << ", noticed: " << noticed);
  CHECK(removed >= 20);
  CHECK(noticed * 4 >= removed * 3);
}

TEST_CASE("a missing wait is noticed") {
  Executable program = kernels::build_mlp(mlp(9, {40, 20, 5}), test_chip());
  const Tensors expected = result_of(program);
  unsigned removed = 0, noticed = 0;
  std::string missed;
  for (unsigned q = 0; q < TERN_QUEUE_COUNT; ++q) {
    // Not the gate at the start nor the halt: they order the host, not the data.
    for (std::size_t i = 1; i + 1 < program.queues[q].size(); ++i) {
      tern_header_t& header = program.queues[q][i].header;
      if (header.wait_cond == TERN_WAIT_COND_NONE || header.opcode == TERN_OPCODE_NOP) continue;
      const std::uint8_t condition = header.wait_cond;
      header.wait_cond = TERN_WAIT_COND_NONE;
      removed += 1;
      const bool seen = differences(program, expected, 40) > 0;
      noticed += seen ? 1 : 0;
      if (!seen) missed += "\n  " + program.origins[q][i];
      header.wait_cond = condition;
    }
  }
  INFO("waits removed one at a time: " << removed << ", not noticed:" << missed);
  CHECK(removed >= 8);
  CHECK(noticed == removed);
}

}  // namespace tern::tb
