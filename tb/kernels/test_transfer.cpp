// SPDX-License-Identifier: Apache-2.0
// The builder's transfers, read back from the rings of the loaded image and compared with loops
// over the views' elements.
#include <catch2/catch.hpp>
#include <cstring>
#include <map>
#include <random>

#include "sw/kernels/builder/kernel_builder.h"
#include "sw/runtime/program_image.h"
#include "systemc/dge/copy_expansion.h"
#include "tb/common/seed.h"
#include "tb/dge/made.h"
#include "tb/kernels/bare_builder.h"
#include "tb/kernels/builder_listing.h"
#include "tb/kernels/test_chip.h"

namespace tern::tb {

namespace {

using namespace kernels;
using numerics::DType;

constexpr unsigned kCore = 3;
constexpr std::uint64_t kImage = 0x40000000;
using Moves = std::map<std::uint64_t, std::uint64_t>;

// Tensor i is at (i + 1) GiB of stack 1.
std::uint64_t tensor_address(std::uint32_t id) {
  return kHbm + (std::uint64_t{id + 1} << 30);
}

// The addresses of a view's elements in their order, from its definition.
std::vector<std::uint64_t> elements(const TileView& view) {
  std::vector<std::uint64_t> all;
  const auto size = static_cast<std::int64_t>(numerics::dtype_size(view.dtype));
  for (unsigned p = 0; p < view.partitions; ++p) {
    for (unsigned d = 0; d < view.num3; ++d) {
      for (unsigned c = 0; c < view.num2; ++c) {
        for (unsigned b = 0; b < view.num1; ++b) {
          for (unsigned a = 0; a < view.num0; ++a) {
            const std::int64_t byte =
                view.byte + size * (std::int64_t{a} * view.step0 + std::int64_t{b} * view.step1 +
                                    std::int64_t{c} * view.step2 + std::int64_t{d} * view.step3);
            all.push_back(kCore3 + (view.partition + p) * kPartition +
                          static_cast<std::uint64_t>(byte));
          }
        }
      }
    }
  }
  return all;
}
std::vector<std::uint64_t> elements(const TensorView& view) {
  std::vector<std::uint64_t> all;
  for (std::uint64_t p = 0; p < view.partitions; ++p) {
    for (std::uint64_t b = 0; b < view.outer; ++b) {
      for (std::uint64_t a = 0; a < view.inner; ++a) {
        all.push_back(tensor_address(view.tensor) + view.offset + p * view.partition_pitch +
                      b * view.outer_pitch + a * numerics::dtype_size(view.dtype));
      }
    }
  }
  return all;
}

template <typename Dst, typename Src>
Moves expected(const Dst& dst, const Src& src) {
  const auto to = elements(dst), from = elements(src);
  REQUIRE(to.size() == from.size());
  Moves moves;
  for (std::size_t i = 0; i < to.size(); ++i) {
    for (std::uint64_t b = 0; b < numerics::dtype_size(dst.dtype); ++b)
      moves[to[i] + b] = from[i] + b;
  }
  return moves;
}

// What all transfers of a program do, of rings in memory and of generators.
struct Program {
  Moves moves;
  std::vector<Computed> computed;
  std::map<unsigned, std::uint64_t> bytes_of_write_op;
  std::array<std::size_t, 16> pairs{};
  unsigned immediates = 0;
};

void add(const std::vector<PairBytes>& pairs, unsigned engine, Program* program) {
  Moved moved;
  std::vector<PairBytes> body = pairs;
  // The increments of semaphores, copied or immediate, are separate packets.
  for (std::size_t p = body.size(); p-- > 0;) {
    std::uint64_t to = 0;
    std::memcpy(&to, &body[p][24], sizeof to);
    if (to - (kCore3 + 0x20001800) >= 4 * 256) continue;
    body.erase(body.begin() + static_cast<std::ptrdiff_t>(p));
    program->immediates += 1;
  }
  if (!body.empty()) interpret(body, 0, &moved);
  program->pairs[engine] += pairs.size();
  program->moves.insert(moved.source_of.begin(), moved.source_of.end());
  for (const auto& [op, bytes] : moved.bytes_of_write_op) program->bytes_of_write_op[op] += bytes;
  program->computed.insert(program->computed.end(), moved.computed.begin(), moved.computed.end());
}

Program read(const Executable& executable) {
  const runtime::ProgramLayout layout(executable);
  std::vector<std::uint64_t> tensors;
  for (std::uint32_t i = 0; i < executable.tensors.size(); ++i) {
    tensors.push_back(tensor_address(i));
  }
  const runtime::CorePlace core{kCore, 0};
  const auto image = runtime::ProgramImage(executable, layout, kImage, core, tensors).all();
  Program program;
  for (const auto& [ring, engines] : executable.rings) {
    for (unsigned e = 0; e < 16; ++e) {
      const auto& place = layout.rings.at(ring)[e];
      std::vector<PairBytes> pairs(engines[e].size());
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        std::memcpy(pairs[i].data(), &image[place.tx + 16 * i], 16);
        std::memcpy(pairs[i].data() + 16, &image[place.rx + 16 * i], 16);
        CHECK((pairs[i][3] & 3) == 1);  // the first pass
        pairs[i][3] &= 0xFC;
        pairs[i][19] &= 0xFC;
      }
      add(pairs, e, &program);
    }
  }
  for (const unsigned queue : {TERN_QUEUE_SYNC, TERN_QUEUE_SCALAR}) {
    for (std::size_t i = 0; i < executable.queues[queue].size(); ++i) {
      tern_instruction_t in;
      std::memcpy(&in, &image[layout.queues[queue] + 64 * i], 64);
      if (in.header.opcode != TERN_OPCODE_DMA_COPY) continue;
      CHECK(executable.generated_rings.count(in.dma_copy.ring) == 1);
      std::array<std::vector<PairBytes>, 16> pairs;
      dge::CopyExpansion expansion(in.dma_copy, kCore);
      while (const auto made = expansion.next()) pairs[made->engine].push_back(packed(*made));
      for (unsigned e = 0; e < 16; ++e) add(pairs[e], e, &program);
    }
  }
  return program;
}

struct Both {
  DmaOptions host{3, Descriptors::kHost}, sync{3, Descriptors::kSync},
      scalar{1, Descriptors::kScalar};
};

}  // namespace

TEST_CASE("transfers: copies between tiles and tensors, by the host and by generators") {
  for (const DmaOptions& options : {Both().host, Both().sync, Both().scalar}) {
    BareBuilder kb("copy", test_chip());
    const Tensor in = kb.input("in", DType::kBf16, {128, 4096});
    const Tensor out = kb.output("out", DType::kBf16, {64, 2048});
    const Tile a = kb.sbuf_tile("a", 128, 1024, DType::kBf16);
    const Tile b = kb.sbuf_tile("b", 128, 1024, DType::kBf16);
    Moves moves;
    const auto copy = [&](const auto& dst, const auto& src) {
      kb.dma_copy(dst, src, options);
      moves.merge(expected(dst, src));
    };
    copy(a.view(0, 128, 0, 128), in.view(0, 128, 512, 128));
    copy(b.view(0, 64, 0, 128), a.view(64, 64, 256, 128));
    // Three dimensions around runs of 64 bytes.
    copy(b.view_2d(64, 32, 0, 8, 32, 64), in.slabs(0, 32, 8, 4, 0, 32));
    copy(out.view(0, 64, 0, 128), b.view(0, 64, 0, 128));
    copy(out.view(0, 64, 1024, 128), in.view(64, 64, 0, 128));
    const Program program = read(kb.finish());
    CHECK((program.moves == moves));
    CHECK(program.immediates == 5 * 16);
    CHECK(program.bytes_of_write_op.size() == 1);
  }
}

TEST_CASE("transfers: random views by the host") {
  const std::uint64_t seed = test_seed();
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  const auto draw = [&](unsigned low, unsigned high) {
    return low + static_cast<unsigned>(random() % (high - low + 1));
  };
  for (unsigned round = 0; round < 25; ++round) {
    BareBuilder kb("random", test_chip());
    const DType dtype = round % 2 == 0 ? DType::kFp32 : DType::kBf16;
    const Tile tile = kb.sbuf_tile("t", 128, 4096, dtype),
               other = kb.sbuf_tile("u", 128, 4096, dtype);
    const unsigned partitions = draw(1, 32), n0 = draw(1, 12), n1 = draw(1, 10), n2 = draw(1, 4);
    const auto pattern = [&](const Tile& of) {
      const auto s0 = static_cast<std::int32_t>(draw(1, 2));
      const auto s1 = static_cast<std::int32_t>(n0) * s0 + static_cast<std::int32_t>(draw(0, 3));
      const auto s2 = static_cast<std::int32_t>(n1) * s1 + static_cast<std::int32_t>(draw(0, 5));
      return of.pattern(draw(0, 96), partitions, draw(0, 9), {{n2, s2}, {n1, s1}, {n0, s0}});
    };
    const TileView dst = pattern(tile), src = pattern(other);
    kb.dma_copy(dst, src, Both().host);
    const Program program = read(kb.finish());
    REQUIRE((program.moves == expected(dst, src)));
    REQUIRE(program.immediates == 16);
  }
}

TEST_CASE("transfers: dma.descriptors says who makes the descriptors, of short rows too") {
  const auto generated = [](DescriptorChoice choice, unsigned row_bytes, bool hwdge = true) {
    ChipConfig chip = test_chip();
    chip.dma.descriptors = choice;
    chip.dma.hwdge = hwdge;
    BareBuilder kb("k", chip);
    const auto x = kb.input("x", DType::kUint8, {128, row_bytes});
    const auto y = kb.output("y", DType::kUint8, {128, row_bytes});
    const Tile tile = kb.sbuf_tile("t", 128, row_bytes, DType::kUint8);
    kb.dma_load(tile, x.view(0, 128, 0, row_bytes));
    kb.dma_store(y.view(0, 128, 0, row_bytes), tile);
    const Executable program = kb.finish();
    CHECK(program.generated_rings.size() + program.rings.size() == 2);
    return program.generated_rings.size();
  };
  CHECK(generated(DescriptorChoice::kByLength, kernels::kLongRow) == 2);
  CHECK(generated(DescriptorChoice::kByLength, kernels::kLongRow - 4) == 0);
  CHECK(generated(DescriptorChoice::kHost, kernels::kLongRow) == 0);
  CHECK(generated(DescriptorChoice::kHardware, 4) == 2);
  CHECK(generated(DescriptorChoice::kHardware, kernels::kLongRow, false) == 0);
}

TEST_CASE("transfers: rows of a generator's copy go to the engines of their partitions") {
  BareBuilder kb("rows", test_chip());
  const Tensor in = kb.input("in", DType::kBf16, {128, 1024});
  const Tile tile = kb.sbuf_tile("t", 128, 1024, DType::kBf16);
  kb.dma_copy(tile, in.view(0, 128, 0, 1024));
  kb.dma_copy(tile.view(0, 128, 0, 32), in.view(0, 128, 0, 32));
  const Program program = read(kb.finish());
  for (const std::size_t pairs : program.pairs) CHECK(pairs == 2 * (8 + 1));
}

TEST_CASE("transfers: few rows are spread over all engines, many short runs become patterns") {
  BareBuilder kb("spread", test_chip());
  const Tensor in = kb.input("in", DType::kFp32, {1, 1 << 14});
  const Tensor out = kb.output("out", DType::kFp32, {1, 1 << 14});
  kb.dma_copy(out.view(0, 1, 0, 1 << 14), in.view(0, 1, 0, 1 << 14), Both().host);
  const Program long_row = read(kb.finish());
  for (const std::size_t pairs : long_row.pairs) CHECK(pairs == 2);

  BareBuilder other("patterns", test_chip());
  const Tensor wide = other.input("in", DType::kBf16, {64 * 32, 64});
  const Tile tile = other.sbuf_tile("t", 32, 64 * 32, DType::kBf16);
  // 64 runs of 64 bytes in each partition.
  other.dma_copy(tile.view_2d(0, 32, 0, 64, 32, 32), wide.slabs(0, 32, 64, 32, 0, 32), Both().host);
  const Program patterns = read(other.finish());
  for (const std::size_t pairs : patterns.pairs) CHECK(pairs == 2 * 2 + 1);
}

TEST_CASE("transfers: transposes of 2 and 4 bytes") {
  for (const DType dtype : {DType::kBf16, DType::kFp32}) {
    for (const DmaOptions& options : {Both().host, Both().scalar}) {
      if (dtype == DType::kFp32 && options.descriptors != Descriptors::kHost) continue;
      BareBuilder kb("transpose", test_chip());
      const unsigned r = 192, c = 96;
      const Tensor in = kb.input("in", dtype, {r, 128});
      const Tile tile = kb.sbuf_tile("t", c, r + 8, dtype);
      const TileView dst = tile.view(0, c, 8, r);
      kb.dma_transpose(dst, in.view(0, r, 32, c), options);
      const Program program = read(kb.finish());
      const auto from = elements(in.view(0, r, 32, c)), to = elements(dst);
      // interpret() transposes blocks of two-byte elements; four-byte ones are checked by hand.
      if (dtype == DType::kFp32) {
        CHECK(program.moves.size() == std::size_t{r} * c * 4);
        continue;
      }
      Moves moves;
      for (unsigned i = 0; i < r; ++i) {
        for (unsigned j = 0; j < c; ++j) {
          moves[to[j * r + i]] = from[i * c + j];
          moves[to[j * r + i] + 1] = from[i * c + j] + 1;
        }
      }
      CHECK((program.moves == moves));
    }
  }
}

TEST_CASE("transfers: operations in transit, addition near the memory") {
  BareBuilder kb("compute", test_chip());
  const Tile a = kb.sbuf_tile("a", 128, 1000, DType::kBf16);
  const Tile b = kb.sbuf_tile("b", 128, 1000, DType::kBf16);
  const Tile sum = kb.sbuf_tile("sum", 128, 1000, DType::kFp32);
  const Tensor scratch = kb.scratch("scratch", DType::kFp32, {128, 1008});
  kb.dma_scale_and_add(sum, {a, b, a}, {1.0f, -2.0f, 0.5f});
  kb.dma_compute(scratch.view(0, 128, 0, 1000), Alu::kMax, {sum.view()}, true);
  kb.dma_cast(a, sum);
  kb.dma_accumulate(b.view(0, 16, 0, 100), a.view(16, 16, 0, 100));
  const Program program = read(kb.finish());
  std::map<unsigned, std::map<std::uint64_t, std::vector<std::uint64_t>>> sources;
  for (const Computed& of : program.computed) {
    const unsigned to = of.dst_dtype == 0 ? 4 : 2, from = of.src_dtype == 0 ? 4 : 2;
    CHECK(of.write_op == (of.op == TERN_DMA_OP_MAX ? 1 : 0));
    if (of.op == TERN_DMA_OP_FMA) {
      CHECK(of.scales == std::vector<std::uint32_t>{0x3F800000, 0xC0000000, 0x3F000000});
    }
    for (std::uint64_t i = 0; i < of.elements; ++i) {
      auto& list = sources[of.op][of.dst + i * to];
      REQUIRE(list.empty());
      for (const std::uint64_t source : of.sources) list.push_back(source + i * from);
    }
  }
  const auto check = [&](unsigned op, const std::vector<std::uint64_t>& dst,
                         const std::vector<std::vector<std::uint64_t>>& from) {
    REQUIRE(sources[op].size() == dst.size());
    for (std::size_t i = 0; i < dst.size(); ++i) {
      for (std::size_t s = 0; s < from.size(); ++s) {
        if (sources[op].at(dst[i]).at(s) != from[s][i]) FAIL("element " << i << " source " << s);
      }
    }
  };
  const auto of_a = elements(a.view()), of_b = elements(b.view()), of_sum = elements(sum.view());
  check(TERN_DMA_OP_FMA, of_sum, {of_a, of_b, of_a});
  check(TERN_DMA_OP_MAX, elements(scratch.view(0, 128, 0, 1000)), {of_sum});
  check(TERN_DMA_OP_CAST, of_a, {of_sum});
  CHECK((program.moves == expected(b.view(0, 16, 0, 100), a.view(16, 16, 0, 100))));
  CHECK(program.bytes_of_write_op.at(TERN_DMA_WRITE_OP_ADD_BF16) == 16u * 100 * 2);
}

TEST_CASE("transfers: classes of service, lines of transfers, links") {
  BareBuilder kb("classes", test_chip());
  const Tensor in = kb.input("in", DType::kInt32, {512, 64});
  const Tile tile = kb.sbuf_tile("t", 128, 64, DType::kInt32);
  const Tile index = kb.sbuf_tile("i", 128, 1, DType::kInt32);
  kb.dma_load(tile, in.view(0, 128, 0, 64), DmaOptions{0, Descriptors::kHost});
  kb.dma_load(tile, in.view(0, 128, 0, 64));
  kb.dma_copy(tile, in.view(0, 128, 0, 64), DmaOptions{2, Descriptors::kScalar});
  kb.memset(index, 0.0f);
  IndirectOptions skip;
  skip.skip_out_of_bounds = true;
  kb.dma_gather(tile.view(0, 96, 0, 32), in.view(0, 512, 16, 32), index.view(0, 96, 0, 1), skip);
  const std::uint64_t free_after = kb.sbuf_free_bytes();
  const Executable program = kb.finish();
  CHECK(program.ring_classes == std::map<unsigned, unsigned>{{2, 0}, {3, 2}});
  CHECK(program.rings.count(0) == 1);
  CHECK(program.rings.count(2) == 1);
  REQUIRE(program.transfers.at(2).size() == 1);
  CHECK(program.transfers.at(2)[0].text.find("test_transfer.cpp:") != std::string::npos);
  CHECK(program.transfers.at(2)[0].text.find(": dma_load of tensor 'in'") != std::string::npos);
  CHECK(program.generated_rings.at(3).slots == 0);
  CHECK(program.generated_rings.at(4).slots == 512);
  CHECK(program.generated_rings.at(4).sbuf_byte == 240 * 1024);
  CHECK(free_after <= 240 * 1024 - 256 - 64);
  REQUIRE(program.links.size() == 2);
  const auto& gather = program.queues[TERN_QUEUE_GPSIMD][program.links[1].index].dma_indirect;
  CHECK(program.links[1].source.offset == 64);
  CHECK(gather.rows == 512);
  CHECK(gather.pitch == 256);
  CHECK(gather.length == 128);
  CHECK(gather.partitions == 96);
  CHECK(gather.bounds == TERN_BOUNDS_MODE_SKIP);
  CHECK(gather.ring == 4);
}

TEST_CASE("transfers: what is refused") {
  BareBuilder kb("refused", test_chip());
  const Tensor in = kb.input("in", DType::kBf16, {128, 256});
  const Tensor out = kb.output("out", DType::kFp32, {128, 256});
  const Tile tile = kb.sbuf_tile("t", 128, 256, DType::kBf16);
  const Tile index = kb.sbuf_tile("i", 128, 1, DType::kInt32);
  const Tile sum = kb.sbuf_tile("s", 128, 256, DType::kFp32);
  const Tile psum = kb.psum_tile("p", 128, 256);
  const auto view = in.view(0, 128, 0, 256);
  const auto refused = [](const std::string& text, const auto& call) {
    const std::string message = message_of(call);
    INFO(message);
    CHECK(message.find("test_transfer.cpp:") != std::string::npos);
    CHECK(message.find(text) != std::string::npos);
  };
  refused("dma_cast converts", [&] { kb.dma_copy(sum, view); });
  refused("does not fit the destination", [&] { kb.dma_copy(tile.view(0, 64, 0, 256), view); });
  refused("DMA reaches SBUF, not PSUM", [&] { kb.dma_copy(psum, sum); });
  refused("it is an input", [&] { kb.dma_copy(view, tile); });
  refused("expected 0 (most urgent) to 3", [&] {
    kb.dma_copy(tile, view, DmaOptions{4, Descriptors::kSync});
  });
  refused("no pattern fits",
          [&] { kb.dma_copy(tile.view_2d(0, 16, 0, 2, 6, 8), in.slabs(0, 16, 3, 1, 0, 4)); });
  refused("generators transpose elements of 2 bytes", [&] {
    kb.dma_transpose(sum.view(0, 128, 0, 128), sum.view(0, 128, 128, 128),
                     DmaOptions{3, Descriptors::kSync});
  });
  refused("expected multiples of 32",
          [&] { kb.dma_transpose(tile.view(0, 48, 0, 128), in.view(0, 128, 0, 48)); });
  refused("rows of the source do not begin",
          [&] { kb.dma_transpose(tile.view(0, 64, 0, 128), in.view(0, 128, 2, 64)); });
  refused("adds fp32, bf16 or e4m3fn near the memory", [&] { kb.dma_accumulate(index, index); });
  refused("expected add, min or max", [&] { kb.dma_compute(sum, Alu::kMultiply, {sum}); });
  refused("17 sources",
          [&] { kb.dma_compute(sum, Alu::kAdd, std::vector<DmaView>(17, DmaView(sum))); });
  refused("sources in fp32 and bf16", [&] { kb.dma_compute(sum, Alu::kAdd, {sum, tile}); });
  refused("rows do not begin at multiples of 64",
          [&] { kb.dma_cast(sum.view(0, 128, 1, 64), tile.view(0, 128, 0, 64)); });
  refused("1 scales for 2 sources", [&] { kb.dma_scale_and_add(sum, {sum, sum}, {1.0f}); });
  refused("generators only copy", [&] {
    kb.dma_cast(sum, tile, DmaOptions{3, Descriptors::kScalar});
  });
  refused("expected a column [128, 1]",
          [&] { kb.dma_gather(tile, view, index.view(0, 64, 0, 1)); });
  refused("indices: expected uint32 or int32",
          [&] { kb.dma_gather(tile, view, sum.view(0, 128, 0, 1)); });
  refused("do not fit 128 elements per partition",
          [&] { kb.dma_gather(tile.view(0, 128, 0, 128), view, index); });
  refused("not in a loop",
          [&] { kb.loop(2, [&](unsigned) { kb.dma_gather(tile, view, index); }); });
  refused("one priority for all gathers", [&] {
    kb.dma_gather(tile, view, index);
    IndirectOptions urgent;
    urgent.priority = 0;
    kb.dma_gather(tile, view, index, urgent);
  });
  BareBuilder full("full", test_chip());
  const Tile all = full.sbuf_tile("all", 128, 250 * 1024, DType::kUint8);
  const Tile i = full.sbuf_tile("i", 128, 1, DType::kUint32);
  const Tensor bytes = full.input("in", DType::kUint8, {128, 64});
  refused("need the last 16 KiB of every SBUF partition",
          [&] { full.dma_gather(all.view(0, 128, 0, 64), bytes.view(0, 128, 0, 64), i); });
  ChipConfig chip = test_chip();
  chip.dma.near_memory_add = false;
  BareBuilder older("older", chip);
  const Tile t = older.sbuf_tile("t", 128, 64, DType::kFp32);
  refused("does not add near the memory", [&] { older.dma_accumulate(t, t); });
}

}  // namespace tern::tb
