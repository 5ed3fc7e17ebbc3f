// SPDX-License-Identifier: Apache-2.0
// The builder's transfers on the chip, against loops over rows. Whole numbers, so that every sum is
// exact; the arithmetic itself is tested with the engines.
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "sw/base/user_error.h"
#include "tb/common/seed.h"
#include "tb/runtime/chip_program.h"

namespace tern::tb {

namespace {

using kernels::Alu;
using kernels::Descriptors;
using kernels::DmaOptions;
using kernels::IndirectOptions;
using kernels::Tile;
using kernels::TileView;
using numerics::DType;
using Rows = ChipProgram::Rows;

constexpr DmaOptions kHost{3, Descriptors::kHost}, kSync{3, Descriptors::kSync},
    kScalar{0, Descriptors::kScalar};

constexpr std::uint64_t kHbmStack = 0x1000000000;  // address space of one

double x(unsigned p, unsigned i) {
  return static_cast<double>((p * 7 + i * 5) % 101) - 50;
}
double y(unsigned p, unsigned i) {
  return static_cast<double>((p * 3 + i * 11) % 59) - 20;
}

Rows column(const std::vector<std::uint32_t>& values) {
  return rows(static_cast<unsigned>(values.size()), 1,
              [&](unsigned p, unsigned) { return values[p]; });
}

Rows part(const Rows& from, unsigned row, unsigned count, unsigned first, unsigned size) {
  return rows(count, size, [&](unsigned p, unsigned i) { return from[row + p][first + i]; });
}

// A table in HBM that a program writes: filled from a tile, read back at the end.
struct Table {
  Table(ChipProgram& program, const Rows& values, DType dtype)
      : program_(program),
        count_(static_cast<unsigned>(values.size())),
        size_(static_cast<unsigned>(values.front().size())),
        tensor(program.kb.scratch("table", dtype, {count_, size_})) {
    program.scratch("table", count_ * size_ * numerics::dtype_size(dtype));
    for (unsigned row = 0; row < count_; row += 128) {
      const unsigned count = std::min(128u, count_ - row);
      program.kb.dma_store(tensor.view(row, count, 0, size_),
                           program.tile(part(values, row, count, 0, size_), dtype));
    }
  }
  kernels::TensorView view() const { return tensor.view(0, count_, 0, size_); }
  void keep(const std::string& name) {  // at most 128 rows
    const Tile tile = program_.kb.sbuf_tile(name + ".rows", count_, size_, tensor.dtype);
    program_.kb.dma_load(tile, view());
    program_.store(name, tile);
  }

 private:
  ChipProgram& program_;
  unsigned count_, size_;

 public:
  kernels::Tensor tensor;
};

// Simulated nanoseconds of a program.
double nanoseconds(Platform& platform, Executable executable,
                   const runtime::Runtime::Bindings& bindings) {
  auto program = platform.runtime.load(std::move(executable), bindings);
  return platform.runtime.run(program).seconds() * 1e9;
}

std::string failure(const std::function<void()>& body) {
  try {
    body();
  } catch (const RunError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("transfers on the chip: copies by the host and by generators, transposes") {
  Platform platform;
  platform.run([&] {
    ChipProgram program(platform);
    auto& kb = program.kb;
    const Rows values = rows(128, 96, x);
    const Tile a = program.tile(values, DType::kBf16), wide = program.tile(values);
    unsigned number = 0;
    for (const DmaOptions& options : {kHost, kSync, kScalar}) {
      const std::string by = std::to_string(number++);
      const Tile b = kb.sbuf_tile("b" + by, 128, 96, DType::kBf16);
      kb.dma_copy(b, a, options);
      program.store("copy" + by, b);
      // Two dimensions around runs of eight elements.
      const Tile c = kb.sbuf_tile("c" + by, 32, 48, DType::kBf16);
      kb.dma_copy(c.view_2d(0, 32, 0, 3, 8, 16), a.view_2d(64, 32, 4, 3, 8, 32), options);
      program.store("blocks" + by, c.view_2d(0, 32, 0, 3, 8, 16));
      const Tile t = kb.sbuf_tile("t" + by, 96, 128, DType::kBf16);
      kb.dma_transpose(t, a, options);
      program.store("transpose" + by, t);
    }
    const Tile t = kb.sbuf_tile("t4", 96, 128, DType::kFp32);
    kb.dma_transpose(t, wide);
    program.store("transpose4", t);
    auto results = program.run();
    const Rows turned = rows(96, 128, [&](unsigned p, unsigned i) { return values[i][p]; });
    for (const char* by : {"0", "1", "2"}) {
      INFO("descriptors " << by);
      CHECK((results[std::string("copy") + by] == values));
      CHECK((results[std::string("blocks") + by] == rows(32, 24, [&](unsigned p, unsigned i) {
               return values[64 + p][4 + i / 8 * 32 + i % 8];
             })));
      CHECK((results[std::string("transpose") + by] == turned));
    }
    CHECK((results["transpose4"] == turned));
  });
}

TEST_CASE("transfers on the chip: operations in transit, addition near the memory") {
  Platform platform;
  platform.run([&] {
    ChipProgram program(platform);
    auto& kb = program.kb;
    const unsigned p = 64, n = 320;
    const Tile a = program.tile(rows(p, n, x), DType::kBf16);
    const Tile b = program.tile(rows(p, n, y), DType::kBf16);
    const auto fresh = [&](const std::string& name, DType dtype) {
      return kb.sbuf_tile(name, p, n, dtype);
    };
    const Tile sum = fresh("sum", DType::kBf16), least = fresh("least", DType::kFp32);
    kb.dma_compute(sum, Alu::kAdd, {a, b, a});
    kb.dma_compute(least, Alu::kMin, {a, b});
    const Tile scaled = fresh("scaled", DType::kFp32), cast = fresh("cast", DType::kFp16);
    kb.dma_scale_and_add(scaled, std::vector<kernels::DmaView>(16, kernels::DmaView(a)),
                         std::vector<float>(16, 0.25f));
    kb.dma_cast(cast, b);
    const Tile added = program.tile(rows(p, n, y));
    kb.dma_accumulate(added, least);
    kb.dma_compute(added, Alu::kMax, {a, b}, true);
    const Tile bf16 = program.tile(rows(p, n, x), DType::kBf16);
    kb.dma_accumulate(bf16.view(0, p, 0, n), b);
    for (const auto& [name, tile] : std::vector<std::pair<std::string, Tile>>{{"sum", sum},
                                                                              {"least", least},
                                                                              {"scaled", scaled},
                                                                              {"cast", cast},
                                                                              {"added", added},
                                                                              {"bf16", bf16}}) {
      program.store(name + ".out", tile);
    }
    Table table(program, rows(p, n, x), DType::kFp32);
    kb.dma_accumulate(table.view(), scaled);
    kb.dma_accumulate(table.view(), scaled);
    table.keep("table.out");
    auto results = program.run();
    const auto check = [&](const std::string& name, double (*f)(double, double)) {
      INFO(name);
      CHECK((results[name + ".out"] ==
             rows(p, n, [&](unsigned q, unsigned i) { return f(x(q, i), y(q, i)); })));
    };
    check("sum", [](double u, double v) { return 2 * u + v; });
    check("least", [](double u, double v) { return std::min(u, v); });
    check("scaled", [](double u, double) { return 4 * u; });
    check("cast", [](double, double v) { return v; });
    check("added", [](double u, double v) { return v + std::min(u, v) + std::max(u, v); });
    check("bf16", [](double u, double v) { return u + v; });
    check("table", [](double u, double) { return 9 * u; });
  });
}

TEST_CASE("transfers on the chip: random gathers and scatters against a loop over rows") {
  const std::uint64_t seed = test_seed();
  INFO("seed " << seed);
  Platform platform;
  std::mt19937_64 random(seed);
  platform.run([&] {
    for (unsigned round = 0; round < 4; ++round) {
      ChipProgram program(platform);
      auto& kb = program.kb;
      const unsigned count = 1 + static_cast<unsigned>(random() % 128);
      const unsigned size = 1 + static_cast<unsigned>(random() % 200);
      const Rows values = rows(128, size, x);
      Table table(program, values, DType::kFp32);
      std::vector<std::uint32_t> indices(count);
      for (auto& index : indices) index = static_cast<std::uint32_t>(random() % 140);
      const Tile index = program.tile(column(indices), DType::kUint32);
      IndirectOptions skip;
      skip.skip_out_of_bounds = true;

      Tile gathered = program.tile(rows(count, size, y));
      kb.dma_gather(gathered, table.view(), index, skip);
      program.store("gathered", gathered);
      Tile added = program.tile(rows(count, size, y));
      IndirectOptions add = skip;
      add.accumulate = true;
      kb.dma_gather(added, table.view(), index, add);
      program.store("added", added);
      // The same row many times: every addition counts.
      kb.dma_scatter(table.view(), program.tile(rows(count, size, y)), index, add);
      table.keep("scattered");
      auto results = program.run();

      const auto outside = [&](unsigned p) { return indices[p] >= 128; };
      CHECK((results["gathered"] == rows(count, size, [&](unsigned p, unsigned i) {
               return outside(p) ? y(p, i) : values[indices[p]][i];
             })));
      CHECK((results["added"] == rows(count, size, [&](unsigned p, unsigned i) {
               return y(p, i) + (outside(p) ? 0 : values[indices[p]][i]);
             })));
      Rows expected = values;
      for (unsigned p = 0; p < count; ++p) {
        for (unsigned i = 0; i < size && !outside(p); ++i) expected[indices[p]][i] += y(p, i);
      }
      CHECK((results["scattered"] == expected));
    }
  });
}

TEST_CASE("transfers on the chip: addresses from words of SBUF, both sides") {
  Platform platform;
  platform.run([&] {
    ChipProgram program(platform);
    auto& kb = program.kb;
    const unsigned p = 32, n = 24;
    const Tile table = program.tile(rows(128, n, x));
    const kernels::Tensor memory = kb.scratch("memory", DType::kFp32, {300, n});
    program.scratch("memory", std::size_t{300} * n * sizeof(float));
    kb.dma_store(memory.view(100, 128, 0, n), table);
    // The word is computed on the chip, on a partition of its own.
    const Tile words = kb.sbuf_tile("words", 128, 2, DType::kInt32);
    kb.iota(words, {0, 1, {1}});                    // partition + column
    const TileView word = words.view(96, 1, 1, 1);  // 97
    const auto everywhere = [&](kernels::TensorView view) {
      view.row0 = 0;
      view.row1 = 300;
      return view;
    };
    const Tile loaded = kb.sbuf_tile("loaded", p, n, DType::kFp32);
    const std::int32_t row = n * sizeof(float);
    kb.dma_copy_at(loaded, {}, everywhere(memory.view(10, p, 0, n)),
                   kernels::DynamicOffset{word, row});
    program.store("loaded", loaded);
    kb.dma_copy_at(everywhere(memory.view(3, p, 0, n)), kernels::DynamicOffset{word, row},
                   table.view(64, p, 0, n), {});
    const Tile back = kb.sbuf_tile("back", 128, n, DType::kFp32);
    kb.dma_load(back, memory.view(100, 128, 0, n));
    program.store("back", back);
    auto results = program.run();
    CHECK((results["loaded"] == rows(p, n, [&](unsigned q, unsigned i) { return x(q + 7, i); })));
    CHECK((results["back"] ==
           rows(128, n, [&](unsigned q, unsigned i) { return q < p ? x(q + 64, i) : x(q, i); })));
  });
}

TEST_CASE("transfers on the chip: many gathers in sequence, scatter to distinct rows") {
  Platform platform;
  platform.run([&] {
    ChipProgram program(platform);
    auto& kb = program.kb;
    const Rows values = rows(128, 64, x);
    Table table(program, values, DType::kBf16);
    std::vector<std::uint32_t> reversed(128);
    for (unsigned p = 0; p < 128; ++p) reversed[p] = 127 - p;
    const Tile index = program.tile(column(reversed), DType::kUint32);
    // Rings in SBUF of 512 slots wrap: each takes nine.
    const Tile tile = kb.sbuf_tile("tile", 128, 64, DType::kBf16);
    for (unsigned i = 0; i < 31; ++i) {
      kb.dma_gather(tile, table.view(), index);
      kb.dma_scatter(table.view(), tile, index);
    }
    kb.dma_gather(tile, table.view(), index);
    program.store("last", tile);
    auto results = program.run();
    CHECK((results["last"] ==
           rows(128, 64, [&](unsigned p, unsigned i) { return values[127 - p][i]; })));
  });
}

TEST_CASE("transfers on the chip: scatters to distinct rows do not wait for one another") {
  Platform platform;
  platform.run([&] {
    const auto scatters = [&](bool distinct) {
      ChipProgram program(platform);
      auto& kb = program.kb;
      Table table(program, rows(128, 16, x), DType::kFp32);
      // Cleared first, by another ring: that is waited for in any case.
      const Tile zeros = kb.sbuf_tile("zeros", 128, 16, DType::kFp32);
      kb.memset(zeros, 0.0f);
      kb.dma_store(table.view(), zeros);
      for (unsigned quarter = 0; quarter < 4; ++quarter) {
        std::vector<std::uint32_t> indices(32);
        for (unsigned p = 0; p < 32; ++p) indices[p] = 4 * p + quarter;
        IndirectOptions options;
        options.accumulate = true;
        options.distinct = distinct && quarter > 0;
        kb.dma_scatter(table.view(),
                       program.tile(rows(
                           32, 16, [&](unsigned p, unsigned i) { return y(4 * p + quarter, i); })),
                       program.tile(column(indices), DType::kUint32), options);
      }
      // All of them are complete before the table is read.
      table.keep("kept");
      const sc_core::sc_time begin = sc_core::sc_time_stamp();
      auto results = program.run();
      CHECK((results["kept"] == rows(128, 16, y)));
      return (sc_core::sc_time_stamp() - begin).to_seconds() * 1e6;
    };
    const double waiting = scatters(false), together = scatters(true);
    CHECK(waiting - together > 3);  // us: three doorbell latencies and more
  });
  kernels::KernelBuilder kb("distinct", platform.config);
  const auto table = kb.input("t", DType::kFp32, {4, 16});
  const Tile tile = kb.sbuf_tile("tile", 4, 16, DType::kFp32);
  const Tile index = kb.sbuf_tile("index", 4, 1, DType::kUint32);
  IndirectOptions options;
  options.distinct = true;
  CHECK_THROWS_WITH(kb.dma_gather(tile, table.view(0, 4, 0, 16), index, options),
                    Catch::Contains("dma_gather: distinct rows: of a scatter"));
}

TEST_CASE("transfers on the chip: another runtime finds the classes of the one before") {
  Platform platform;
  platform.run([&] {
    const auto class_of_load_ring = [&](unsigned priority) {
      kernels::KernelBuilder kb("load", platform.config);
      const auto tensor = kb.input("t", DType::kFp32, {1, 16});
      const Tile tile = kb.sbuf_tile("tile", 1, 16, DType::kFp32);
      kb.dma_copy(tile, tensor.view(0, 1, 0, 16), DmaOptions{priority, Descriptors::kSync});
      runtime::Runtime other(platform.port);
      const runtime::Buffer buffer = other.allocate("t", 64);
      runtime::Program program = other.load(kb.finish(), {{"t", &buffer}});
      other.run(program);
      constexpr unsigned kRing = 2;  // after those of loads and stores
      return platform.port.read32(TERN_CORE_BASE + TERN_CORE_DMA_BASE +
                                  kRing * TERN_REG_DMA_RING_SIZE_STRIDE + TERN_REG_DMA_RING_CLASS);
    };
    CHECK(class_of_load_ring(0) == 0);
    CHECK(class_of_load_ring(3) == 3);
    CHECK(class_of_load_ring(1) == 1);
  });
}

TEST_CASE("transfers on the chip: an index out of bounds stops the program and names it") {
  Platform platform;
  platform.run([&] {
    ChipProgram program(platform);
    std::vector<std::uint32_t> indices(128, 3);
    indices[41] = 200;
    const Tile index = program.tile(column(indices), DType::kUint32);
    const auto table = program.kb.input("t", DType::kFp32, {200, 16});
    const Tile tile = program.kb.sbuf_tile("tile", 128, 16, DType::kFp32);
    const int line = __LINE__ + 1;
    program.kb.dma_gather(tile, table.view(0, 200, 0, 16), index);
    program.scratch("t", 200 * 16 * 4);
    const std::string text = failure([&] { program.run(); });
    INFO(text);
    CHECK(text.find("gpsimd queue, instruction ") != std::string::npos);
    CHECK(text.find("tb/runtime/test_transfers.cpp:" + std::to_string(line) + ": dma_gather") !=
          std::string::npos);
    CHECK(text.find("the index of partition 41 is 200, outside the table; status 1006") !=
          std::string::npos);
  });
}

TEST_CASE("transfers on the chip: a stopped ring names engine, line, descriptor and address") {
  Platform platform;
  platform.run([&] {
    runtime::Runtime& runtime = platform.runtime;
    const auto build = [&](const DmaOptions& options, int* line) {
      kernels::KernelBuilder kb("strays", platform.config);
      const auto in = kb.input("in", DType::kFp32, {128, 512});
      const Tile tile = kb.sbuf_tile("tile", 128, 512, DType::kFp32);
      *line = __LINE__ + 1;
      kb.dma_copy(tile, in.view(0, 128, 0, 512), options);
      return kb.finish();
    };
    const runtime::Buffer buffer = runtime.allocate("in", 128 * 512 * 4);
    const runtime::Buffer out = runtime.allocate("out", 128 * 512 * 4, 1);
    unsigned core = 0;  // its queue keeps waiting
    for (const DmaOptions& options : {kHost, kSync}) {
      core += 2;
      int line = 0;
      Executable stray = build(options, &line);
      constexpr std::uint64_t kFar = std::uint64_t{1} << 41;  // beyond the last core
      if (options.descriptors == Descriptors::kHost) {
        stray.rings.at(0)[3].change([](std::size_t i, DescriptorPair& pair) {
          if (i == 4) pair.source = {DmaAddress::Space::kChip, 0, kFar + 0x100000000000};
        });
      } else {
        stray.links.at(0).source = {DmaAddress::Space::kChip, 0, 0x3F000000000};
      }
      // A program on another core, at the same time.
      kernels::KernelBuilder kb("other", platform.config);
      const auto result = kb.output("out", DType::kFp32, {128, 512});
      const Tile tile = kb.sbuf_tile("tile", 128, 512, DType::kFp32);
      kb.memset(tile, 7.0f);
      for (unsigned i = 0; i < 8; ++i) kb.dma_store(result.view(0, 128, 0, 512), tile);
      auto other = runtime.load(kb.finish(), {{"out", &out}}, 1);
      auto program = runtime.load(std::move(stray), {{"in", &buffer}}, core);
      runtime.execute(other);
      const std::string text = failure([&] { runtime.run(program); });
      INFO(text);
      CHECK(text.find("program 'strays' on core " + std::to_string(core) + ": DMA engine ") !=
            std::string::npos);
      CHECK(text.find("test_transfers.cpp:" + std::to_string(line) + ": dma_copy") !=
            std::string::npos);
      CHECK(text.find("a source address outside every unit, 0x") != std::string::npos);
      CHECK(text.find("status 1006 (out of bound)") != std::string::npos);
      if (options.descriptors == Descriptors::kHost) {
        CHECK(text.find("DMA engine 3, ring 0: stopped at descriptor 4,") != std::string::npos);
      }
      runtime.wait(other);
      std::vector<float> values(128 * 512);
      runtime.copy_from_device(out, values.data(), values.size() * 4);
      CHECK(std::all_of(values.begin(), values.end(), [](float v) { return v == 7.0f; }));
    }
  });
}

TEST_CASE(
    "transfers on the chip: uncorrectable bits in HBM stop a ring with the documented status") {
  Platform platform;
  platform.run([&] {
    const runtime::Buffer buffer = platform.runtime.allocate("in", 128 * 2048);
    constexpr std::uint64_t kWrong = 70 * 2048 + 512;  // row 70: engine 8, its seventh descriptor
    const std::uint64_t address = buffer.address() + kWrong, stack_bytes = kHbmStack;
    hbm::Stack& stack = platform.chip.hbm().stack(static_cast<unsigned>(address / stack_bytes));
    for (const unsigned bit : {0u, 1u}) stack.flip_bit(address % stack_bytes, bit);
    kernels::KernelBuilder kb("wrong", platform.config);
    const auto in = kb.input("in", DType::kFp32, {128, 512});
    const Tile tile = kb.sbuf_tile("tile", 128, 512, DType::kFp32);
    kb.dma_load(tile, in.view(0, 128, 0, 512));
    auto program = platform.runtime.load(kb.finish(), {{"in", &buffer}});
    const std::string text = failure([&] { platform.runtime.run(program); });
    INFO(text);
    CHECK(text.find("DMA engine 8, ring 2: stopped at descriptor 6, of ") != std::string::npos);
    CHECK(text.find(": dma_load of tensor 'in': uncorrectable bits in memory, 0x") !=
          std::string::npos);
    CHECK(text.find("status 1201 (HBM uncorrectable error)") != std::string::npos);
  });
}

TEST_CASE("an instruction whose bits are lost stops its queue with the documented status") {
  Platform platform;
  platform.run([&] {
    kernels::KernelBuilder kb("lost", platform.config);
    const Tile tile = kb.sbuf_tile("tile", 128, 8, DType::kFp32);
    kb.memset(tile, 0);
    auto program = platform.runtime.load(kb.finish(), {});
    // The host's writes are in memory before a bit of every instruction's first words flips.
    hbm::Stack& stack = platform.chip.hbm().stack(0);
    for (std::uint64_t at = 0; at < 65536; at += 32) {
      for (const unsigned bit : {0u, 1u}) stack.flip_bit(at, bit);
    }
    const std::string text = failure([&] { platform.runtime.run(program); });
    INFO(text);
    CHECK(text.find("instruction 0") != std::string::npos);
    CHECK(text.find("uncorrectable bits in memory") != std::string::npos);
    CHECK(text.find("status 1201 (HBM uncorrectable error)") != std::string::npos);
  });
}

TEST_CASE("transfers on the chip: the hardware generator takes 600 ns an instruction") {
  Platform platform;
  platform.run([&] {
    const runtime::Buffer buffer = platform.runtime.allocate("in", 128 * 1024);
    const auto time = [&](unsigned copies, const DmaOptions& options) {
      kernels::KernelBuilder kb("copies", platform.config);
      const auto in = kb.input("in", DType::kUint8, {128, 1024});
      for (unsigned i = 0; i < copies; ++i) {
        const Tile tile = kb.sbuf_tile("t" + std::to_string(i), 128, 64, DType::kUint8);
        kb.dma_copy(tile, in.view(0, 128, 0, 64), options);
      }
      return nanoseconds(platform, kb.finish(), {{"in", &buffer}});
    };
    // 128 rows and 16 ones to the semaphore: 144 pairs, one a cycle at 0.55 GHz. The last data of
    // one and of five transfers find the memory in other states: a few ns.
    const double one = time(1, kSync), five = time(5, kSync);
    CHECK((five - one) / 4 == Approx(600 + 144 / 0.55).margin(3));
    // Two generators work at the same time.
    kernels::KernelBuilder kb("both", platform.config);
    const auto in = kb.input("in", DType::kUint8, {128, 1024});
    for (unsigned i = 0; i < 2; ++i) {
      const Tile tile = kb.sbuf_tile("t" + std::to_string(i), 128, 64, DType::kUint8);
      kb.dma_copy(tile, in.view(0, 128, 0, 64), i == 0 ? kSync : kScalar);
    }
    CHECK(nanoseconds(platform, kb.finish(), {{"in", &buffer}}) < one + 400);
  });
}

}  // namespace tern::tb
