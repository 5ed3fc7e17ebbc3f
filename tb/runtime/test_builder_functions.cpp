// SPDX-License-Identifier: Apache-2.0
// The documented effect of the builder's functions on a chip: operands reach the fields that mean
// them. Whole numbers, so that every result is exact; the arithmetic itself is tested with the
// engines.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tb/runtime/chip_program.h"

namespace tern::tb {

namespace {

using kernels::Activation;
using kernels::Alu;
using kernels::Engine;
using kernels::Reduce;
using kernels::ReduceCommand;
using kernels::Tile;
using kernels::TileView;
using numerics::DType;
using Rows = ChipProgram::Rows;

constexpr unsigned kP = 32, kN = 24;

double x(unsigned p, unsigned i) {
  return static_cast<double>((p * 7 + i * 5) % 23) - 11;
}
double y(unsigned p, unsigned i) {
  return static_cast<double>((p * 3 + i * 11) % 19) - 6;
}

struct Bench {
  explicit Bench(Platform& platform) : program(platform) {}
  ChipProgram program;
  kernels::KernelBuilder& kb = program.kb;
  Tile a = program.tile(rows(kP, kN, x));
  Tile b = program.tile(rows(kP, kN, y));
  Tile column0 = program.tile(rows(kP, 1, [](unsigned p, unsigned) { return p + 1; }));
  Tile column1 = program.tile(rows(kP, 1, [](unsigned p, unsigned) { return 5 - int(p); }));
  unsigned count = 0;

  Tile fresh(unsigned elements = kN, DType dtype = DType::kFp32, unsigned partitions = kP) {
    return kb.sbuf_tile("t" + std::to_string(count++), partitions, elements, dtype);
  }
};

double c0(unsigned p) {
  return p + 1;
}
double c1(unsigned p) {
  return 5 - static_cast<double>(p);
}

}  // namespace

TEST_CASE("builder functions on the chip: arithmetic with columns, order and reductions") {
  Platform platform;
  platform.run([&] {
    Bench s(platform);
    auto& kb = s.kb;
    const auto keep = [&](const std::string& name, const TileView& view) {
      s.program.store(name, view);
    };
    const Tile activation = s.fresh(), sum = s.fresh(1);
    kb.activation_reduce(activation, Activation::kRelu, s.a, Alu::kMax, sum,
                         {s.column0, s.column1});
    const Tile prelu = s.fresh();
    kb.activation(prelu, Activation::kPrelu, s.a, {1.0f, 0.0f, {}, 3.0f});
    const Tile activate2 = s.fresh();
    kb.activate2(activate2, s.a, Alu::kMultiply, 2.0f, Alu::kSubtract, s.column1,
                 {Engine::kScalar, false, true});
    const Tile scalar = s.fresh();
    kernels::ScalarOptions reverse;
    reverse.reverse0 = true;
    kb.tensor_scalar(scalar, s.a, Alu::kSubtract, s.column0, Alu::kMultiply, s.column1, reverse);
    const Tile power = s.fresh();
    kb.tensor_tensor(power, s.a, Alu::kMultiply, s.b, Engine::kGpsimd);
    const Tile fused = s.fresh();
    kb.scalar_tensor_tensor(fused, s.a, Alu::kMultiply, s.column0, Alu::kSubtract, s.b, false,
                            true);
    // Two sums over halves of the row, the second one going on from the first.
    const Tile total = s.fresh(1), squares = s.fresh();
    kernels::ScalarOptions first, second;
    first.reduce = Reduce{};
    second.reduce = Reduce{Alu::kAdd, total, ReduceCommand::kReduce};
    kb.tensor_scalar(squares.view(0, kP, 0, 12), s.a.view(0, kP, 0, 12), Alu::kSquare, 0.0f,
                     Alu::kBypass, 0.0f, first);
    kb.tensor_scalar(squares.view(0, kP, 12, 12), s.a.view(0, kP, 12, 12), Alu::kSquare, 0.0f,
                     Alu::kBypass, 0.0f, second);
    // [P, 2, 3, 4] viewed as [P, 4, 2, 3]: the two inner dimensions are added up.
    const Tile reduced = s.fresh(4);
    kb.tensor_reduce(reduced, Alu::kAdd, s.a.view().split(12).split(4).permuted({0, 2, 1}), true,
                     2);
    const Tile scan = s.fresh();
    kb.tensor_tensor_scan(scan, s.b, Alu::kMax, s.a, Alu::kAdd, s.column0);
    const Tile running = s.fresh();
    kb.tensor_scalar_cumulative(running, s.a, Alu::kMultiply, 2.0f, Alu::kMax, s.column1);
    const Tile exponential = s.fresh(), exp_sum = s.fresh(1);
    kb.exponential(exponential, s.a, s.column0, Reduce{Alu::kAdd, exp_sum});
    const Tile turned = s.fresh(kP, DType::kFp32, kN);
    kb.nc_transpose(turned, s.a, Engine::kVector);
    for (const auto& [name, tile] : std::map<std::string, Tile>{{"activation", activation},
                                                                {"sum", sum},
                                                                {"prelu", prelu},
                                                                {"activate2", activate2},
                                                                {"scalar", scalar},
                                                                {"product", power},
                                                                {"fused", fused},
                                                                {"total", total},
                                                                {"reduced", reduced},
                                                                {"scan", scan},
                                                                {"running", running},
                                                                {"exponential", exponential},
                                                                {"exp_sum", exp_sum},
                                                                {"turned", turned}}) {
      keep(name, tile);
    }
    auto result = s.program.run();
    const auto relu = [](unsigned p, unsigned i) { return std::max(0.0, x(p, i) * c0(p) + c1(p)); };
    CHECK(result["activation"] == rows(kP, kN, relu));
    CHECK(result["prelu"] ==
          rows(kP, kN, [](unsigned p, unsigned i) { return x(p, i) > 0 ? x(p, i) : 3 * x(p, i); }));
    CHECK(result["activate2"] ==
          rows(kP, kN, [](unsigned p, unsigned i) { return c1(p) - 2 * x(p, i); }));
    CHECK(result["scalar"] ==
          rows(kP, kN, [](unsigned p, unsigned i) { return (c0(p) - x(p, i)) * c1(p); }));
    CHECK(result["product"] ==
          rows(kP, kN, [](unsigned p, unsigned i) { return x(p, i) * y(p, i); }));
    CHECK(result["fused"] ==
          rows(kP, kN, [](unsigned p, unsigned i) { return y(p, i) - x(p, i) * c0(p); }));
    for (unsigned p = 0; p < kP; ++p) {
      double most = 0, squared = 0, before = c0(p), largest = c1(p), sum_of_exp = 0;
      for (unsigned i = 0; i < kN; ++i) {
        most = std::max(most, relu(p, i));
        squared += x(p, i) * x(p, i);
        before = std::max(y(p, i), before) + x(p, i);
        largest = std::max(largest, 2 * x(p, i));
        const double e = std::exp(x(p, i) - c0(p));
        sum_of_exp += e;
        CHECK(result["scan"][p][i] == before);
        CHECK(result["running"][p][i] == largest);
        CHECK(result["exponential"][p][i] == Approx(e).epsilon(1e-6));
        CHECK(result["turned"][i][p] == x(p, i));
      }
      CHECK(result["sum"][p][0] == most);
      CHECK(result["total"][p][0] == squared);
      CHECK(result["exp_sum"][p][0] == Approx(sum_of_exp).epsilon(1e-5));
      for (unsigned i2 = 0; i2 < 4; ++i2) {
        double group = 0;
        for (unsigned i = i2; i < kN; i += 4) group -= x(p, i);
        CHECK(result["reduced"][p][i2] == group);
      }
    }
  });
}

TEST_CASE("builder functions on the chip: selections, positions and movement") {
  Platform platform;
  platform.run([&] {
    Bench s(platform);
    auto& kb = s.kb;
    const Tile flags = s.program.tile(
        rows(kP, kN, [](unsigned p, unsigned i) { return (p + i) % 3 == 0 ? 1 : 0; }));
    const Tile merged = s.fresh(), selected = s.fresh(), most = s.fresh(1), ranged = s.fresh();
    kb.tensor_copy(merged, s.b);
    kb.tensor_copy_predicated(merged, s.a, flags, true);
    kb.select_reduce(selected, s.a, flags, s.column0, most);
    kb.range_select(ranged, s.a, Alu::kIsGe, 12.0f, Alu::kIsLt, s.column0, 10.0f);
    const Tile index = s.fresh(kN, DType::kInt32), masked = s.fresh();
    kb.iota(index.view().split(6), {100, 1000, {-7, 2}});
    kb.affine_select(masked, s.a, {0, 1, {-1}}, Alu::kIsGe, -99.0f);
    const Tile statistics = s.fresh(6), moments = s.fresh(2);
    kb.bn_stats(statistics, s.a);
    kb.bn_aggr(moments, statistics);
    const Tile best = s.fresh(8), place = s.fresh(8, DType::kUint32), replaced = s.fresh();
    kb.max8(best, s.a);
    kb.nc_find_index8(place, s.a, best);
    kb.nc_match_replace8(replaced, s.a, best, -50.0f);
    std::array<std::uint8_t, 32> mask{};
    for (unsigned i = 0; i < 32; ++i) mask[i] = static_cast<std::uint8_t>(31 - i);
    mask[4] = 255;
    const Tile shuffled = s.fresh();
    kb.tensor_copy(shuffled, s.b);
    kb.nc_stream_shuffle(shuffled, s.a, mask);
    const Tile columns = s.program.tile(
        rows(kP, 5, [](unsigned p, unsigned i) { return (p + 3 * i) % kN; }), DType::kUint32);
    const Tile gathered = s.fresh(5);
    kb.nc_n_gather(gathered, s.a, columns);
    // Core c: list item i in partition i % 16, column i / 16.
    const Tile list = s.program.tile(
        rows(kP, 1, [](unsigned p, unsigned) { return (p % 16) + (p / 16); }), DType::kUint16);
    const Tile local = s.fresh(10);
    kb.local_gather(local, s.a, list);
    const Tile positions = s.fresh(kN + 1, DType::kInt32);
    kb.memset(positions, 0.0f);
    kb.nonzero_with_count(positions, flags, -1, 1000);
    const Tile reduced = s.fresh(kN, DType::kFp32, 1);
    kb.tensor_partition_reduce(reduced, Alu::kAdd, s.a);
    for (const auto& [name, tile] : std::map<std::string, Tile>{{"merged", merged},
                                                                {"selected", selected},
                                                                {"most", most},
                                                                {"ranged", ranged},
                                                                {"index", index},
                                                                {"masked", masked},
                                                                {"moments", moments},
                                                                {"best", best},
                                                                {"place", place},
                                                                {"replaced", replaced},
                                                                {"shuffled", shuffled},
                                                                {"gathered", gathered},
                                                                {"local", local},
                                                                {"positions", positions},
                                                                {"reduced", reduced}}) {
      s.program.store(name, tile);
    }
    auto result = s.program.run();
    const auto flag = [](unsigned p, unsigned i) { return (p + i) % 3 == 0; };
    CHECK(result["merged"] ==
          rows(kP, kN, [&](unsigned p, unsigned i) { return flag(p, i) ? y(p, i) : x(p, i); }));
    CHECK(result["selected"] ==
          rows(kP, kN, [&](unsigned p, unsigned i) { return flag(p, i) ? x(p, i) : c0(p); }));
    const double lowest = -static_cast<double>(std::numeric_limits<float>::max());
    CHECK(result["ranged"] == rows(kP, kN, [&](unsigned p, unsigned i) {
            return 10 + i >= 12 && 10 + i < c0(p) ? x(p, i) : lowest;
          }));
    CHECK(result["index"] ==
          rows(kP, kN, [](int p, int i) { return 100 + 1000 * p - 7 * (i / 6) + 2 * (i % 6); }));
    CHECK(result["masked"] ==
          rows(kP, kN, [](unsigned p, unsigned i) { return p >= i ? x(p, i) : -99; }));
    CHECK(result["shuffled"] ==
          rows(kP, kN, [](unsigned p, unsigned i) { return p == 4 ? y(p, i) : x(31 - p, i); }));
    CHECK(result["gathered"] ==
          rows(kP, 5, [](unsigned p, unsigned i) { return x(p, (p + 3 * i) % kN); }));
    CHECK(result["local"] == rows(kP, 10, [](unsigned p, unsigned i) { return x(p, i + p / 16); }));
    for (unsigned p = 0; p < kP; ++p) {
      std::vector<double> row(kN);
      double mean = 0, variance = 0, largest = lowest;
      for (unsigned i = 0; i < kN; ++i) row[i] = x(p, i), mean += x(p, i) / kN;
      for (unsigned i = 0; i < kN; ++i) {
        variance += (x(p, i) - mean) * (x(p, i) - mean) / kN;
        largest = std::max(largest, flag(p, i) ? x(p, i) : c0(p));
      }
      CHECK(result["most"][p][0] == largest);
      CHECK(result["moments"][p][0] == Approx(mean).margin(1e-5));
      CHECK(result["moments"][p][1] == Approx(variance).epsilon(1e-5));
      std::vector<double> sorted = row;
      std::sort(sorted.rbegin(), sorted.rend());
      sorted.resize(8);
      CHECK(result["best"][p] == sorted);
      std::vector<double> left = row;
      for (unsigned k = 0; k < 8; ++k) {
        const auto at = static_cast<std::size_t>(result["place"][p][k]);
        CHECK(row.at(at) == sorted[k]);
        left[at] = -50;
      }
      CHECK(result["replaced"][p] == left);
      std::vector<double> expected;
      for (unsigned i = 0; i < kN; ++i) {
        if (flag(p, i)) expected.push_back(1000 + i);
      }
      const auto found = static_cast<double>(expected.size());
      expected.resize(kN, -1);
      expected.push_back(found);
      CHECK(result["positions"][p] == (p % 16 == 0 ? expected : std::vector<double>(kN + 1, 0)));
    }
    for (unsigned i = 0; i < kN; ++i) {
      double total = 0;
      for (unsigned p = 0; p < kP; ++p) total += x(p, i);
      CHECK(result["reduced"][0][i] == total);
    }
  });
}

TEST_CASE("builder functions on the chip: a stationary of any pattern gives what its copy gives") {
  Platform platform;
  platform.run([&] {
    struct Pattern {
      unsigned first, outer;
      int outer_step;
      unsigned inner;
      int inner_step;
    };
    const Pattern patterns[] = {{1, 1, 0, 21, 1},   {23, 1, 0, 24, -1}, {0, 3, 8, 5, 1},
                                {2, 4, 0, 6, 3},    {20, 5, -4, 4, 1},  {9, 1, 0, 16, 0},
                                {22, 3, -10, 2, 1}, {0, 4, 6, 6, 1}};
    Bench s(platform);
    auto& kb = s.kb;
    auto psum = kb.psum_pool("psum", 4);
    std::vector<std::string> names;
    for (const DType dtype : {DType::kFp32, DType::kBf16, DType::kFp16}) {
      const Tile a = s.program.tile(rows(kP, kN, x), dtype);
      const Tile b = s.program.tile(rows(kP, kN, y), dtype);
      for (const Pattern& p : patterns) {
        const TileView view =
            a.pattern(0, kP, p.first, {{p.outer, p.outer_step}, {p.inner, p.inner_step}});
        const unsigned m = p.outer * p.inner;
        const Tile copy = s.fresh(m, dtype);
        kb.tensor_copy(copy, view);
        names.push_back(std::to_string(names.size()));
        for (const bool in_place : {true, false}) {
          const TileView stationary = in_place ? view : copy.view();
          const std::string name = names.back() + (in_place ? " in place" : " copied");
          const Tile sum = psum.tile("sum", m, kN, DType::kFp32);
          const Tile product = s.fresh(kN, DType::kFp32, m), turned = s.fresh(kP, dtype, m);
          kb.nc_matmul(sum, stationary, b);
          kb.tensor_copy(product, sum);
          const Tile columns = psum.tile("columns", m, kP, dtype);
          kb.nc_transpose(columns, stationary);
          kb.tensor_copy(turned, columns);
          s.program.store(name + ", product", product);
          s.program.store(name + ", transpose", turned);
        }
      }
    }
    auto result = s.program.run();
    for (std::size_t i = 0; i < names.size(); ++i) {
      const Pattern& p = patterns[i % std::size(patterns)];
      INFO("operand " << i);
      const auto element = [&](unsigned m) {
        return p.first + static_cast<unsigned>(static_cast<int>(m / p.inner) * p.outer_step +
                                               static_cast<int>(m % p.inner) * p.inner_step);
      };
      const unsigned m = p.outer * p.inner;
      const Rows product = rows(m, kN, [&](unsigned lane, unsigned n) {
        double sum = 0;
        for (unsigned k = 0; k < kP; ++k) sum += x(k, element(lane)) * y(k, n);
        return sum;
      });
      const Rows turned =
          rows(m, kP, [&](unsigned lane, unsigned k) { return x(k, element(lane)); });
      for (const char* kind : {" in place", " copied"}) {
        CHECK(result[names[i] + kind + ", product"] == product);
        CHECK(result[names[i] + kind + ", transpose"] == turned);
      }
    }
  });
}

TEST_CASE("builder functions on the chip: a hardware loop gives what its iterations give") {
  Platform platform;
  platform.run([&] {
    constexpr unsigned kTurns = 24, kRows = 64, kColumns = 40;
    const Rows values = rows(kRows, kTurns * kColumns, x);
    const Rows factors = rows(kRows, kRows, y);
    std::vector<Rows> results;
    std::vector<std::size_t> lengths;
    for (const bool looped : {true, false}) {
      ChipProgram program(platform);
      auto& kb = program.kb;
      const Tile a = program.tile(values, DType::kBf16);
      const Tile w = program.tile(factors, DType::kBf16);
      const Tile scale = program.tile(rows(kRows, kTurns, [](unsigned p, unsigned) { return p; }));
      const Tile out = kb.sbuf_tile("out", kRows, kTurns * kColumns, DType::kFp32);
      const auto scratch = kb.scratch("scratch", DType::kFp32, {kTurns * kRows, kColumns});
      program.scratch("scratch", 4ull * kTurns * kRows * kColumns);
      auto psum = kb.psum_pool("psum", 2);
      auto stage = kb.sbuf_pool("stage", 4, 4 * kColumns);
      const auto turn = [&](unsigned t) {
        const Tile sum = psum.tile("sum", kRows, kColumns, DType::kFp32);
        kb.nc_matmul(sum, w, a.view(0, kRows, t * kColumns, kColumns));
        const Tile part = stage.tile("part", kRows, kColumns, DType::kFp32);
        kb.activation(part, Activation::kRelu, sum, 1.0f, scale.column(t));
        kb.dma_store(scratch.view(t * kRows, kRows, 0, kColumns), part);
        const Tile back = stage.tile("back", kRows, kColumns, DType::kFp32);
        kb.dma_load(back, scratch.view(t * kRows, kRows, 0, kColumns));
        kb.tensor_tensor(out.view(0, kRows, (kTurns - 1 - t) * kColumns, kColumns), back, Alu::kAdd,
                         part);
      };
      if (looped) {
        kb.loop(kTurns, turn);
      } else {
        for (unsigned t = 0; t < kTurns; ++t) turn(t);
      }
      program.store("out", out);
      results.push_back(program.run()["out"]);
      lengths.push_back(program.instructions());
    }
    CHECK(results[0] == results[1]);
    CHECK(lengths[0] * 2 < lengths[1]);
    // Turn 5, partition 3, column 7: twice the sum of products, at least 0, with its bias.
    double sum = 0;
    for (unsigned k = 0; k < kRows; ++k) sum += y(k, 3) * x(k, 5 * kColumns + 7);
    CHECK(results[0][3][(kTurns - 6) * kColumns + 7] == 2 * std::max(0.0, sum + 3));
  });
}

}  // namespace tern::tb
