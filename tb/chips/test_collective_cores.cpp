// SPDX-License-Identifier: Apache-2.0
// Collectives on the collective cores of NeuronCores: bits against the host's, overlap.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <string>

#include "sw/base/user_error.h"
#include "sw/collectives/algorithms/algorithms.h"
#include "sw/collectives/evaluate.h"
#include "sw/collectives/verify.h"
#include "sw/kernels/attention.h"
#include "sw/numerics/fp8.h"
#include "tb/chips/chips_bench.h"

using namespace tern;  // NOLINT: test file
using Catch::Contains;
using collectives::Problem;
using collectives::Schedule;
using kernels::CollectiveOperands;
using kernels::DType;
using kernels::KernelBuilder;
using tb::ChipsBench;
using tb::Places;
using tb::random_values;
using tb::Values;

namespace {

constexpr unsigned kPartitions = 128;

Places places_of(unsigned chips, unsigned cores) {
  Places places;
  for (unsigned chip = 0; chip < chips; ++chip) {
    for (unsigned core = 0; core < cores; ++core) places.emplace_back(chip, core);
  }
  return places;
}

Executable collective_part(const ChipConfig& chip, const Schedule& schedule, unsigned part,
                           unsigned parts, unsigned columns, unsigned times = 1) {
  KernelBuilder kb("collective", chip);
  kb.join_parts(part, parts);
  const auto x = kb.input("x", DType::kFp32, {kPartitions, columns});
  const auto y = kb.output("y", DType::kFp32, {kPartitions, columns});
  const kernels::Tile in = kb.sbuf_tile("x", kPartitions, columns, DType::kFp32);
  kb.dma_load(in, x.view(0, kPartitions, 0, columns));
  kernels::Tile out = in;
  CollectiveOperands operands;
  if (schedule.problem.in_place()) {
    operands.data = in;
  } else {
    out = kb.sbuf_tile("y", kPartitions, columns, DType::kFp32);
    kb.already_written(out);  // nobody sends to some ranks of a permutation
    kb.memset(out, 0);
    operands.input = in;
    operands.output = out;
  }
  for (unsigned time = 0; time < times; ++time) kb.collective(schedule, operands);
  kb.dma_store(y.view(0, kPartitions, 0, columns), out);
  return kb.finish();
}

// Chunks are columns of a tile, and follow each other for the host.
collectives::Bytes by_chunks(const Values& tile, unsigned chunks, unsigned first, unsigned count) {
  const std::size_t columns = tile.size() / kPartitions, width = columns / chunks;
  collectives::Bytes bytes;
  for (unsigned c = first; c < first + count; ++c) {
    for (unsigned p = 0; p < kPartitions; ++p) {
      const auto* begin = reinterpret_cast<const std::uint8_t*>(&tile[p * columns + c * width]);
      bytes.insert(bytes.end(), begin, begin + width * sizeof(float));
    }
  }
  return bytes;
}

// In HBM chunks follow each other.
void check_runs(const Schedule& schedule, const std::vector<Values>& x,
                const std::vector<Values>& y) {
  const auto bytes = [](const Values& values) {
    const auto* begin = reinterpret_cast<const std::uint8_t*>(values.data());
    return collectives::Bytes(begin, begin + values.size() * sizeof(float));
  };
  std::vector<collectives::Bytes> operands;
  for (const Values& values : x) operands.push_back(bytes(values));
  const auto want = evaluate(schedule, collectives::Element::kFp32, operands);
  for (unsigned rank = 0; rank < schedule.problem.ranks; ++rank) {
    INFO("rank " << rank);
    CHECK((bytes(y[rank]) == want[rank]));
  }
}

void check_bits(const Schedule& schedule, const std::vector<Values>& x,
                const std::vector<Values>& y) {
  const unsigned ranks = schedule.problem.ranks;
  std::vector<collectives::Bytes> operands;
  for (const Values& values : x)
    operands.push_back(by_chunks(values, schedule.chunks, 0, schedule.chunks));
  const auto want = evaluate(schedule, collectives::Element::kFp32, operands);
  const bool part = schedule.problem.operation == collectives::Operation::kReduceScatter;
  const bool ragged = schedule.problem.operation == collectives::Operation::kAllToAllV;
  for (unsigned rank = 0; rank < ranks; ++rank) {
    if (want[rank].empty()) continue;
    const unsigned count = part     ? schedule.chunks / ranks
                           : ragged ? schedule.problem.got(rank)
                                    : schedule.chunks;
    INFO("rank " << rank);
    CHECK((by_chunks(y[rank], schedule.chunks, part ? rank * count : 0, count) == want[rank]));
  }
}

Problem problem_of(collectives::Operation operation, unsigned ranks) {
  Problem problem;
  problem.operation = operation;
  problem.ranks = ranks;
  if (operation == collectives::Operation::kPermute) problem.to = collectives::next_of_each(ranks);
  if (operation == collectives::Operation::kAllToAllV)  // of four: rank 1 gets the most, 3 chunks
    problem.counts = {{0, 1, 0, 1}, {1, 0, 0, 0}, {0, 1, 1, 0}, {1, 1, 0, 1}};
  return problem;
}

}  // namespace

TEST_CASE("collective cores: every algorithm on four cores has the bits of the host") {
  ChipsBench bench("trn2-nl16", 1);
  bench.simulation.run([&] {
    constexpr unsigned kRanks = 4, kColumns = 192;
    const std::vector<Values> x = random_values(kRanks, kColumns);
    for (const collectives::Operation operation :
         {collectives::Operation::kAllReduce, collectives::Operation::kAllGather,
          collectives::Operation::kReduceScatter, collectives::Operation::kAllToAll,
          collectives::Operation::kAllToAllV, collectives::Operation::kBroadcast,
          collectives::Operation::kPermute}) {
      const Problem problem = problem_of(operation, kRanks);
      for (const collectives::Axes& axes : {collectives::Axes{4}, collectives::Axes{2, 2}}) {
        for (const std::string& name : algorithms_for(problem, axes)) {
          const Schedule schedule = make_schedule(name, problem, axes);
          INFO(name_of(operation) << " " << name << ", " << axes.size() << " axes, chunks "
                                  << schedule.chunks);
          collectives::verify(schedule);
          const auto y = run_parts(bench, places_of(1, kRanks), x, true, [&](unsigned part) {
            return collective_part(bench.config, schedule, part, kRanks, kColumns);
          });
          check_bits(schedule, x, y);
        }
      }
    }
  });
}

TEST_CASE("collective cores: tensors in HBM, over two chips") {
  ChipsBench bench("trn2-nl16", 2);
  bench.simulation.run([&] {
    constexpr unsigned kRanks = 4, kColumns = 96;
    const std::vector<Values> x = random_values(kRanks, kColumns);
    for (const auto operation :
         {collectives::Operation::kAllReduce, collectives::Operation::kAllToAll}) {
      const Problem problem = problem_of(operation, kRanks);
      for (const std::string& name : algorithms_for(problem, {2, 2})) {
        const Schedule schedule = make_schedule(name, problem, {2, 2});
        INFO(name_of(operation) << " " << name);
        const auto y = run_parts(bench, places_of(2, 2), x, true, [&](unsigned part) {
          KernelBuilder kb("collective", bench.config);
          kb.join_parts(part, kRanks);
          const auto in = kb.input("x", DType::kFp32, {kPartitions, kColumns});
          const auto out = kb.output("y", DType::kFp32, {kPartitions, kColumns});
          const auto all = [&](const kernels::Tensor& tensor) {
            return tensor.rows_on_partitions(0, 1, kPartitions);
          };
          CollectiveOperands operands;
          if (problem.in_place()) {
            kb.dma_copy(all(out), all(in));
            operands.data = all(out);
          } else {
            operands.input = all(in);
            operands.output = all(out);
          }
          kb.collective(schedule, operands);
          return kb.finish();
        });
        check_runs(schedule, x, y);
      }
    }
  });
}

TEST_CASE("collective cores: sums in FP8 with a scale, on two chips") {
  ChipsBench bench("trn2-nl16", 2);
  bench.simulation.run([&] {
    constexpr unsigned kRanks = 4, kColumns = 32;
    constexpr float kScale = 1.0f / 4096;  // sums of four stay below 448
    const std::vector<Values> x = random_values(kRanks, kColumns);
    for (const std::string name : {"ring", "mesh"}) {
      INFO(name);
      const Schedule schedule =
          make_schedule(name, problem_of(collectives::Operation::kAllReduce, kRanks), {kRanks});
      const auto y = run_parts(bench, places_of(2, 2), x, true, [&](unsigned part) {
        KernelBuilder kb("fp8", bench.config);
        kb.join_parts(part, kRanks);
        const auto in = kb.input("x", DType::kFp32, {kPartitions, kColumns});
        const auto out = kb.output("y", DType::kFp32, {kPartitions, kColumns});
        const kernels::Tile wide = kb.sbuf_tile("wide", kPartitions, kColumns, DType::kFp32);
        const kernels::Tile narrow = kb.sbuf_tile("narrow", kPartitions, kColumns, DType::kE4m3Fn);
        kb.dma_load(wide, in.view(0, kPartitions, 0, kColumns));
        kb.tensor_scalar(narrow, wide, kernels::Alu::kMultiply, kScale);
        CollectiveOperands operands;
        operands.data = narrow;
        kb.collective(schedule, operands);
        kb.tensor_scalar(wide, narrow, kernels::Alu::kMultiply, 1 / kScale);
        kb.dma_store(out.view(0, kPartitions, 0, kColumns), wide);
        return kb.finish();
      });
      // Chunks are columns of a tile.
      const std::size_t width = kColumns / schedule.chunks;
      const auto place_of = [&](std::size_t i) {
        const std::size_t c = i / (kPartitions * width), p = i / width % kPartitions;
        return p * kColumns + c * width + i % width;
      };
      std::vector<collectives::Bytes> operands(kRanks);
      for (unsigned rank = 0; rank < kRanks; ++rank) {
        for (std::size_t i = 0; i < x[rank].size(); ++i)
          operands[rank].push_back(numerics::e4m3fn_from_float(kScale * x[rank][place_of(i)],
                                                               numerics::Overflow::kSaturate));
      }
      const auto want = evaluate(schedule, collectives::Element::kFp8, operands);
      for (unsigned rank = 0; rank < kRanks; ++rank) {
        unsigned wrong = 0;
        for (std::size_t i = 0; i < want[rank].size(); ++i)
          wrong += y[rank][place_of(i)] != numerics::e4m3fn_to_float(want[rank][i]) / kScale;
        CHECK(wrong == 0);
      }
    }
  });
}

TEST_CASE("collective cores: a ring over two chips, three times, and groups of parts") {
  ChipsBench bench("trn2-nl16", 2);
  bench.simulation.run([&] {
    constexpr unsigned kRanks = 6, kColumns = 48;
    const std::vector<Values> x = random_values(kRanks, kColumns);
    const Schedule ring =
        make_schedule("ring", problem_of(collectives::Operation::kAllReduce, kRanks), {kRanks});
    std::vector<Values> want = x;
    const auto y = run_parts(bench, places_of(2, 3), x, true, [&](unsigned part) {
      return collective_part(bench.config, ring, part, kRanks, kColumns, 3);
    });
    for (unsigned time = 0; time < 2; ++time)
      want = run_parts(bench, places_of(2, 3), want, true, [&](unsigned part) {
        return collective_part(bench.config, ring, part, kRanks, kColumns);
      });
    check_bits(ring, want, y);

    // Neighbours on a chip, then those of equal number on both.
    const auto two_levels = run_parts(bench, places_of(2, 3), x, true, [&](unsigned part) {
      KernelBuilder kb("groups", bench.config);
      kb.join_parts(part, kRanks);
      const auto in = kb.input("x", DType::kFp32, {kPartitions, kColumns});
      const auto out = kb.output("y", DType::kFp32, {kPartitions, kColumns});
      const kernels::Tile tile = kb.sbuf_tile("x", kPartitions, kColumns, DType::kFp32);
      kb.dma_load(tile, in.view(0, kPartitions, 0, kColumns));
      CollectiveOperands operands;
      operands.data = tile;
      kb.collective(make_schedule("ring", problem_of(collectives::Operation::kAllReduce, 3), {3}),
                    operands, {0, {{0, 1, 2}, {3, 4, 5}}});
      kb.collective(make_schedule("mesh", problem_of(collectives::Operation::kAllReduce, 2), {2}),
                    operands, {0, {{0, 3}, {1, 4}, {2, 5}}});
      kb.dma_store(out.view(0, kPartitions, 0, kColumns), tile);
      return kb.finish();
    });
    for (unsigned i = 0; i < x[0].size(); ++i) {
      float sum = 0;
      for (const Values& values : x) sum += values[i];
      for (unsigned part = 0; part < kRanks; ++part) {
        REQUIRE(two_levels[part][i] == Approx(sum).epsilon(1e-4).margin(1));
        REQUIRE(two_levels[part][i] == two_levels[0][i]);
      }
    }
  });
}

TEST_CASE(
    "collective cores: attention and an AllReduce beside it take the time of the longer one") {
  ChipsBench bench("trn2-nl16", 1);
  bench.simulation.run([&] {
    constexpr unsigned kRanks = 4, kColumns = 4096, kLeastUrgent = 3;
    const std::vector<Values> x = random_values(kRanks, kColumns);
    const Schedule ring =
        make_schedule("ring", problem_of(collectives::Operation::kAllReduce, kRanks), {kRanks});
    kernels::AttentionSpec spec;
    spec.queries = 4096;
    spec.keys = 2048;
    spec.d = 128;
    const auto run = [&](bool attention, bool sum, double* us) {
      return run_parts(
          bench, places_of(1, kRanks), x, true,
          [&](unsigned part) {
            kernels::Tensor y;
            kernels::Tile tile;
            const auto before = [&](KernelBuilder& kb) {
              kb.join_parts(part, kRanks);
              const auto in = kb.input("x", DType::kFp32, {kPartitions, kColumns});
              y = kb.output("y", DType::kFp32, {kPartitions, kColumns});
              tile = kb.sbuf_tile("x", kPartitions, kColumns, DType::kFp32);
              kb.dma_load(tile, in.view(0, kPartitions, 0, kColumns));
              CollectiveOperands operands;
              operands.data = tile;
              if (sum) kb.collective(ring, operands, {kLeastUrgent, {}});
            };
            const auto after = [&](KernelBuilder& kb) {
              kb.dma_store(y.view(0, kPartitions, 0, kColumns), tile, kernels::kMadeByHost);
            };
            if (attention) return build_attention(spec, bench.config, {before, after});
            KernelBuilder kb("sum", bench.config);
            before(kb);
            after(kb);
            return kb.finish();
          },
          us);
    };
    double attention = 0, sum = 0, both = 0;
    run(true, false, &attention);
    const auto want = run(false, true, &sum);
    const auto got = run(true, true, &both);
    INFO("attention " << attention << " us, AllReduce " << sum << " us, both " << both << " us");
    CHECK((got == want));
    CHECK(both < 1.05 * std::max(attention, sum));
    CHECK(attention + sum > 1.5 * both);
  });
}

TEST_CASE("collective cores: operands that cannot be are an error with the author's line") {
  const ChipConfig chip = load_chip_config("trn3").chip;
  const Schedule ring =
      make_schedule("ring", problem_of(collectives::Operation::kAllReduce, 4), {4});
  const auto refusal = [&](unsigned columns, DType dtype, const kernels::CollectiveOptions& options,
                           unsigned parts = 4) {
    KernelBuilder kb("collective", chip);
    kb.check_use(false);
    kb.join_parts(0, parts);
    CollectiveOperands operands;
    operands.data = kb.sbuf_tile("x", kPartitions, columns, dtype);
    try {
      kb.collective(ring, operands, options);
    } catch (const UserError& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  CHECK(refusal(64, DType::kFp32, {}) == "none");
  CHECK_THAT(refusal(63, DType::kFp32, {}),
             Contains("test_collective_cores.cpp:") &&
                 Contains(": collective: data: 63 elements do not divide among 4 chunks"));
  CHECK_THAT(refusal(64, DType::kFp16, {}), Contains("adds fp32, bf16 or e4m3fn near the memory"));
  CHECK_THAT(refusal(64, DType::kFp32, {}, 3), Contains("a group of 3 parts, of 4 ranks"));
  CHECK_THAT(refusal(64, DType::kFp32, {0, {{0, 1, 2, 4}}}), Contains("part 4 of 4"));
  CHECK_THAT(refusal(64, DType::kFp32, {0, {{0, 1, 2, 1}}}), Contains("part 1 is in groups twice"));
  // Semaphores: of a mesh one for each rank that puts and each that is put to, and more.
  const Schedule mesh =
      make_schedule("mesh", problem_of(collectives::Operation::kAllReduce, 64), {64});
  KernelBuilder kb("collective", chip);
  kb.check_use(false);
  kb.join_parts(0, 64);
  CollectiveOperands operands;
  operands.data = kb.sbuf_tile("x", kPartitions, 64, DType::kFp32);
  CHECK_THROWS_WITH(kb.collective(mesh, operands),
                    Contains("collective: more than 127 flags in one program"));
}
