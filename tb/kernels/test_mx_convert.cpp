// SPDX-License-Identifier: Apache-2.0
// quantize_mx and dequantize_mx of the builder: encoding, dependences, every limit with its
// message.
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

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

// A queue without the gate at its start and the halt.
std::vector<tern_instruction_t> queue_of(KernelBuilder* kb, unsigned queue) {
  const Executable program = kb->finish();
  const auto& all = program.queues[queue];
  return {all.begin() + 1, all.end() - 1};
}

struct Tiles {
  explicit Tiles(KernelBuilder* kb, DType x4_type = DType::kE4m3FnX4)
      : values(kb->sbuf_tile("values", 128, 512, DType::kBf16)),
        x4(kb->sbuf_tile("x4", 128, 128, x4_type)),
        scales(kb->sbuf_tile("scales", 128, 128, DType::kE8m0)) {}
  Tile values, x4, scales;
};

}  // namespace

TEST_CASE("MX conversions: encoding") {
  BareBuilder kb("k", test_chip());
  const Tiles t(&kb);
  const Tile fp4 = kb.sbuf_tile("fp4", 128, 64, DType::kE2m1X4);
  kb.quantize_mx(t.x4, t.scales, t.values, MxRule::kOcp, 8);
  kb.dequantize_mx(t.values.view(32, 32, 4, 64), t.x4.view(64, 32, 1, 16),
                   t.scales.view(64, 32, 7, 16), 12);
  kb.expand_fp4(t.x4.view(0, 128, 0, 64), fp4);
  const auto queue = queue_of(&kb, TERN_QUEUE_VECTOR);
  REQUIRE(queue.size() == 3);

  const auto& quantize = queue[0].elementwise;
  CHECK(quantize.header.opcode == TERN_OPCODE_QUANTIZE_MX);
  CHECK(quantize.dst.addr == t.x4.byte);
  CHECK(quantize.dst_dtype == TERN_DTYPE_E4M3FN_X4);
  CHECK(quantize.src0.addr == t.values.byte);
  CHECK(quantize.src0.num0 == 512);
  CHECK(quantize.src0_dtype == TERN_DTYPE_BF16);
  CHECK(quantize.src1.addr == (8u << 24 | t.scales.byte));
  CHECK(quantize.src1.num0 == 128);
  CHECK(quantize.src1_dtype == TERN_DTYPE_E8M0);
  CHECK(quantize.op0 == TERN_MX_RULE_OCP);
  CHECK(quantize.partitions == 128);

  const auto& back = queue[1].elementwise;
  CHECK(back.header.opcode == TERN_OPCODE_DEQUANTIZE_MX);
  CHECK(back.dst.addr == (32u << 24 | (t.values.byte + 8)));
  CHECK(back.src0.addr == (64u << 24 | (t.x4.byte + 4)));
  CHECK(back.src1.addr == (76u << 24 | (t.scales.byte + 7)));
  CHECK(back.partitions == 32);
  CHECK(back.op0 == 0);

  const auto& expand = queue[2].elementwise;
  CHECK(expand.header.opcode == TERN_OPCODE_DEQUANTIZE_MX);
  CHECK(expand.src0_dtype == TERN_DTYPE_E2M1_X4);
  CHECK(expand.src1_dtype == TERN_DTYPE_NONE);
  CHECK(expand.src1.addr == 0);
}

TEST_CASE("MX conversions: a product waits for elements and scales of its own offset") {
  const unsigned done = KernelBuilder::progress_semaphore(TERN_QUEUE_VECTOR);
  const auto first_load = [&](unsigned offset, bool own_elements) {
    BareBuilder kb("k", test_chip());
    const Tiles t(&kb);
    const Tile other = kb.sbuf_tile("other", 128, 128, DType::kE4m3FnX4);
    kb.quantize_mx(t.x4, t.scales, t.values, MxRule::kAws, 4);
    kb.load_stationary(mx(own_elements ? t.x4 : other, t.scales, offset));
    return queue_of(&kb, TERN_QUEUE_TENSOR)[0].header;
  };
  for (const bool own_elements : {false, true}) {
    const tern_header_t header = first_load(4, own_elements);
    CHECK(header.wait_cond == TERN_WAIT_COND_GE);
    CHECK(header.wait_sem == done);
    CHECK(header.wait_value == 1);
  }
  CHECK(first_load(8, true).wait_cond == TERN_WAIT_COND_GE);
  // Elements of another tile, scales at another offset of the same tile: independent.
  CHECK(first_load(8, false).wait_cond == TERN_WAIT_COND_NONE);
}

TEST_CASE("MX conversions: limits") {
  BareBuilder kb("k", test_chip());
  const Tiles t(&kb);
  const auto quantize = [&](const TileView& dst, const TileView& scales, const TileView& src,
                            unsigned offset = 0) {
    return message_of([&] { kb.quantize_mx(dst, scales, src, MxRule::kAws, offset); });
  };
  CHECK(ends_with(quantize(t.values, t.scales, t.values),
                  "quantize_mx: destination [128, 512] of bf16: expected e4m3fn_x4 or e5m2_x4"));
  CHECK(ends_with(quantize(t.x4, t.scales, t.x4),
                  "quantize_mx: source [128, 128] of e4m3fn_x4: expected bf16 or fp16"));
  CHECK(ends_with(quantize(t.x4.view(0, 16, 0, 128), t.scales.view(0, 16, 0, 128),
                           t.values.view(0, 16, 0, 512)),
                  "x4 [16, 128] of e4m3fn_x4: expected a multiple of 32 partitions"));
  CHECK(ends_with(quantize(t.x4, t.scales, t.values.view(0, 128, 0, 510)),
                  "source [128, 510] of bf16: expected [128, 512] next to x4 [128, 128] of "
                  "e4m3fn_x4"));
  CHECK(ends_with(quantize(t.x4, t.x4, t.values), "scales [128, 128] of e4m3fn_x4: expected e8m0"));
  CHECK(ends_with(quantize(t.x4.view(0, 32, 0, 128), t.scales.view(32, 32, 0, 128),
                           t.values.view(0, 32, 0, 512)),
                  "scales [32, 128] of e8m0 on partition 32: expected [32, 128] in SBUF on "
                  "partition 0 as the x4 elements"));
  CHECK(ends_with(quantize(t.x4, t.scales, t.values, 6), "scale offset 6: expected 0, 4, 8 or 12"));
  CHECK(ends_with(message_of([&] { kb.dequantize_mx(t.x4, t.x4, t.scales); }),
                  "destination [128, 128] of e4m3fn_x4: expected bf16 or fp32"));
  CHECK(ends_with(message_of([&] { kb.expand_fp4(t.x4, t.x4); }),
                  "without scales only e2m1_x4 becomes e4m3fn_x4"));

  ChipConfig chip = test_chip();
  chip.name = "trn2";
  chip.core.tensor.mx = false;
  BareBuilder old("k", chip);
  const Tiles o(&old);
  CHECK(ends_with(message_of([&] { old.quantize_mx(o.x4, o.scales, o.values); }),
                  "quantize_mx: chip 'trn2' has no MX formats"));
}

}  // namespace tern::tb
