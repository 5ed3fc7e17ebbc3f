// SPDX-License-Identifier: Apache-2.0
// Programs from the kernel builder to the result on the chip, and errors in words.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <vector>

#include "misbehave_blob.h"
#include "row_topk_blob.h"
#include "sw/base/user_error.h"
#include "sw/kernels/builder/kernel_builder.h"
#include "tb/gpsimd/programs/misbehaviour.h"
#include "tb/runtime/platform.h"
#include "triangular_mask_blob.h"

namespace tern::tb {

namespace {

using Catch::Contains;
using kernels::KernelBuilder;
using kernels::Tile;
using numerics::DType;

template <typename Error, typename Body>
std::string message_of(Body body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

const Blob& misbehave() {
  static const Blob blob{"misbehave", gpsimd_blob::misbehave()};
  return blob;
}

}  // namespace

TEST_CASE("gpsimd programs: a causal mask, added by Vector, and its two largest per row") {
  Platform platform;
  platform.run([&] {
    constexpr unsigned kColumns = 64, kFirstRow = 20, kBest = 2;
    const float masked = -1e30f;
    std::uint32_t masked_bits = 0;
    std::memcpy(&masked_bits, &masked, 4);

    KernelBuilder kb("masked_best", platform.config);
    const auto scores = kb.input("scores", DType::kFp32, {128, kColumns});
    const auto best = kb.output("best", DType::kFp32, {128, kBest});
    const auto where = kb.output("where", DType::kUint32, {128, kBest});
    const Tile tile = kb.sbuf_tile("scores", 128, kColumns, DType::kFp32);
    const Tile mask = kb.sbuf_tile("mask", 128, kColumns, DType::kFp32);
    const Tile values = kb.sbuf_tile("values", 128, kBest, DType::kFp32);
    const Tile columns = kb.sbuf_tile("columns", 128, kBest, DType::kUint32);
    kb.dma_load(tile, scores.view(0, 128, 0, kColumns));
    kb.custom_op({"triangular_mask", gpsimd_blob::triangular_mask()}, 0xff,
                 {mask.byte, kColumns, kFirstRow, 0, masked_bits}, {}, {mask});
    kb.tensor_tensor(tile, tile, kernels::Alu::kAdd, mask);
    kb.custom_op({"row_topk", gpsimd_blob::row_topk()}, 0xff,
                 {tile.byte, kColumns, kBest, values.byte, columns.byte}, {tile},
                 {values, columns});
    kb.dma_store(best.view(0, 128, 0, kBest), values);
    kb.dma_store(where.view(0, 128, 0, kBest), columns);

    std::vector<float> input(128 * kColumns);
    for (unsigned i = 0; i < input.size(); ++i) {
      input[i] = static_cast<float>((i * 2654435761u >> 8) % 100000) / 1000.0f;
    }
    runtime::Runtime& runtime = platform.runtime;
    const auto in = runtime.allocate("scores", 4 * input.size());
    const auto out_values = runtime.allocate("best", 128 * kBest * 4);
    const auto out_columns = runtime.allocate("where", 128 * kBest * 4);
    runtime.copy_to_device(in, input.data(), 4 * input.size());
    auto program = runtime.load(kb.finish(),
                                {{"scores", &in}, {"best", &out_values}, {"where", &out_columns}});
    for (int again = 0; again < 2; ++again) runtime.run(program);
    std::vector<float> found(128 * kBest);
    std::vector<std::uint32_t> at(128 * kBest);
    runtime.copy_from_device(out_values, found.data(), 4 * found.size());
    runtime.copy_from_device(out_columns, at.data(), 4 * at.size());
    for (unsigned row = 0; row < 128; ++row) {
      const float* x = &input[row * kColumns];
      const unsigned seen = std::min(kColumns, kFirstRow + row + 1);
      unsigned first = 0;
      for (unsigned c = 1; c < seen; ++c) first = x[c] > x[first] ? c : first;
      unsigned second = first == 0 ? 1 : 0;
      for (unsigned c = 0; c < seen; ++c) second = c != first && x[c] > x[second] ? c : second;
      REQUIRE(at[row * 2] == first);
      REQUIRE(at[row * 2 + 1] == second);
      REQUIRE(found[row * 2] == x[first]);
      REQUIRE(found[row * 2 + 1] == x[second]);
    }
  });
}

TEST_CASE("gpsimd programs: an error as text, after which the chip continues") {
  Platform platform;
  platform.run([&] {
    const auto fails = [&](tern_tb::Misbehaviour what) {
      KernelBuilder kb("faulty", platform.config);
      kb.custom_op(misbehave(), 0x30, {static_cast<std::uint32_t>(what), 5}, {}, {});
      auto program = platform.runtime.load(kb.finish(), {});
      return message_of<RunError>([&] { platform.runtime.run(program); });
    };
    CHECK_THAT(fails(tern_tb::kStrayStore),
               Contains("program 'faulty' on core 0: gpsimd queue, instruction 1 (custom_op), from "
                        "tb/gpsimd/test_programs.cpp:") &&
                   Contains("GpSimd program 'misbehave', processor 5: wrote to 0x20400000, where "
                            "it has no memory, at 0x1") &&
                   Contains(" in (anonymous namespace)::stray_store"));
    CHECK_THAT(fails(tern_tb::kNullPointer), Contains("read 0x0, where it has no memory"));
    CHECK_THAT(fails(tern_tb::kEndless),
               Contains("still running after 50000000 cycles") && Contains("::endless"));
    CHECK_THAT(fails(tern_tb::kStatus), Contains("processor 5: ended with status 42"));
    CHECK_THAT(fails(tern_tb::kAbort), Contains("breakpoint or abort()") && Contains("in abort"));

    // While one core is stuck, another one works.
    KernelBuilder stuck("stuck", platform.config);
    stuck.custom_op(misbehave(), 1, {tern_tb::kEndless, 8}, {}, {});
    auto endless = platform.runtime.load(stuck.finish(), {}, 0);
    KernelBuilder sane("sane", platform.config);
    sane.custom_op(misbehave(), 1, {tern_tb::kStatus, 0}, {}, {});
    sane.memset(sane.sbuf_tile("t", 128, 4, DType::kFp32), 1.0f);
    Executable good = sane.finish();
    good.queues[TERN_QUEUE_GPSIMD][1].custom_op.args[1] = 1;  // no processor misbehaves
    auto works = platform.runtime.load(std::move(good), {}, 1);
    platform.runtime.execute(endless);
    platform.runtime.execute(works);
    platform.runtime.wait(works);
    CHECK_THAT(message_of<RunError>([&] { platform.runtime.wait(endless); }),
               Contains("program 'stuck' on core 0") && Contains("still running"));
    platform.runtime.run(works);
  });
}

TEST_CASE("gpsimd programs: the builder refuses files, masks and operands with the source line") {
  const ChipConfig chip = load_chip_config("trn3").chip;
  KernelBuilder kb("refused", chip);
  kb.check_use(false);
  const Tile tile = kb.sbuf_tile("t", 128, 4, DType::kFp32);
  const Tile psum = kb.psum_tile("p", 128, 4);
  const auto refused = [&](const Blob& program, unsigned processors, std::size_t arguments,
                           const kernels::TileView& reads) {
    return message_of<UserError>([&] {
      kb.custom_op(program, processors, std::vector<std::uint32_t>(arguments), {reads}, {});
    });
  };
  CHECK_THAT(refused({"text", {'h', 'i'}}, 1, 0, tile.view(0, 16, 0, 4)),
             Contains("tb/gpsimd/test_programs.cpp:") &&
                 Contains("custom_op: program 'text': not an ELF file"));
  CHECK_THAT(refused(misbehave(), 0, 0, tile), Contains("expected a mask from 1 to 255"));
  CHECK_THAT(refused(misbehave(), 256, 0, tile), Contains("expected a mask from 1 to 255"));
  CHECK_THAT(refused(misbehave(), 1, 9, tile), Contains("9 arguments: expected at most 8"));
  CHECK_THAT(refused(misbehave(), 1, 0, tile),
             Contains("partition 16 belongs to processor 1, which is not selected"));
  CHECK_THAT(refused(misbehave(), 0xff, 0, psum), Contains("processors reach SBUF only"));
  CHECK(refused(misbehave(), 2, 8, tile.view(16, 16, 0, 4)) == "no error");
  Blob other = misbehave();
  other.bytes.push_back(0);
  CHECK_THAT(refused(other, 0xff, 0, tile), Contains("another file of this name is in use"));
}

TEST_CASE("gpsimd programs: a program waits for its operands and others wait for it") {
  const ChipConfig chip = load_chip_config("trn3").chip;
  KernelBuilder kb("order", chip);
  const Tile a = kb.sbuf_tile("a", 128, 4, DType::kFp32),
             b = kb.sbuf_tile("b", 128, 4, DType::kFp32);
  kb.memset(a, 1.0f);
  kb.custom_op(misbehave(), 0xff, {}, {a}, {b});
  kb.tensor_copy(a, b);
  const Executable program = kb.finish();
  const auto waits_for = [](const tern_instruction_t& in, unsigned queue, unsigned value) {
    return in.header.wait_cond == TERN_WAIT_COND_GE && in.header.wait_value == value &&
           in.header.wait_sem == KernelBuilder::progress_semaphore(queue);
  };
  CHECK(waits_for(program.queues[TERN_QUEUE_GPSIMD][1], TERN_QUEUE_VECTOR, 1));
  CHECK(waits_for(program.queues[TERN_QUEUE_VECTOR][2], TERN_QUEUE_GPSIMD, 1));
  REQUIRE(program.blobs.size() == 1);
  CHECK(program.blobs[0].name == "misbehave");
}

}  // namespace tern::tb
