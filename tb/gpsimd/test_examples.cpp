// SPDX-License-Identifier: Apache-2.0
// The worked examples on the simulated processors, against native builds of the same sources, byte
// by byte over all of SBUF, and against independent references.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "row_topk_blob.h"
#include "sw/gpsimd/tern_gpsimd.h"
#include "systemc/gpsimd/custom_operator.h"
#include "tb/common/seed.h"
#include "tb/gpsimd/sbuf_memory.h"
#include "triangular_mask_blob.h"

using NativeMain = int(uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t,
                       uint32_t);
extern "C" NativeMain triangular_mask_main, row_topk_main;

namespace tern::tb {

namespace {

using Arguments = gpsimd::Processor::Arguments;

// The program on both: the simulated processors work on `simulated`, the native build on `native`.
struct Twin {
  SbufMemory simulated, native;

  void fill(unsigned partition, std::uint32_t byte, const std::vector<float>& values) {
    for (SbufMemory* memory : {&simulated, &native}) {
      std::memcpy(memory->partition(partition) + byte, values.data(), 4 * values.size());
    }
  }

  // Gives the cycles.
  std::uint64_t run(const std::vector<std::uint8_t>& file, NativeMain* native_main,
                    unsigned processors, const Arguments& arguments) {
    GpsimdProgramConfig config{150, 3, 8, 100'000'000};
    gpsimd::CustomOperator custom(simulated.window(), config, {});
    tern_instr_custom_op_t in{};
    in.cores = static_cast<std::uint8_t>(processors);
    std::copy(arguments.begin(), arguments.end(), in.args);
    const gpsimd::CustomResult result = custom.run(in, file);
    REQUIRE(result.fault.reason == TERN_PROGRAM_FAULT_NONE);
    for (unsigned p = 0; p < gpsimd::Processor::kCount; ++p) {
      if ((processors >> p & 1) == 0) continue;
      tern_gpsimd::native_core() = {p, native.bytes().data(), SbufMemory::kPitch,
                                    SbufMemory::kPartitionBytes, nullptr};
      const auto& a = arguments;
      REQUIRE(native_main(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]) == 0);
    }
    REQUIRE(simulated.bytes() == native.bytes());
    return result.cycles;
  }

  float value(unsigned partition, std::uint32_t byte) {
    float result = 0;
    std::memcpy(&result, simulated.partition(partition) + byte, 4);
    return result;
  }
};

std::uint32_t bits(float value) {
  std::uint32_t result = 0;
  std::memcpy(&result, &value, 4);
  return result;
}

}  // namespace

TEST_CASE("gpsimd examples: triangular mask") {
  const float masked = -30000.0f;
  struct Case {
    unsigned columns, row, column;
  };
  for (const Case& c : {Case{128, 0, 0}, Case{512, 256, 128}, Case{1, 0, 0}, Case{300, 0, 500},
                        Case{77, 1000, 0}}) {
    Twin twin;
    twin.run(gpsimd_blob::triangular_mask(), triangular_mask_main, 0xff,
             {64, c.columns, c.row, c.column, bits(masked)});
    for (unsigned p = 0; p < 128; ++p) {
      CHECK(twin.value(p, 60) == 0);  // nothing next to it
      CHECK(twin.value(p, 64 + 4 * c.columns) == 0);
      for (unsigned i = 0; i < c.columns; ++i) {
        const bool seen = c.column + i <= c.row + p;
        REQUIRE(twin.value(p, 64 + 4 * i) == (seen ? 0.0f : masked));
      }
    }
  }
}

TEST_CASE("gpsimd examples: row top-k") {
  std::mt19937 random(test_seed());
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  for (unsigned round = 0; round < 12; ++round) {
    const unsigned n = round == 0 ? 1 : 1 + below(400);
    const unsigned k = round == 1 ? std::min(n, 64u) : 1 + below(std::min(n, 64u));
    const unsigned processors = round == 2 ? 0xff : 1 + below(255);
    const std::uint32_t values = 4096, columns = 4096 + 256;
    Twin twin;
    std::vector<std::vector<float>> rows(128, std::vector<float>(n));
    for (unsigned p = 0; p < 128; ++p) {
      for (float& x : rows[p]) {
        // Few different values, so that many are equal; infinities and NaN among them.
        const unsigned kind = below(40);
        x = kind == 0   ? std::numeric_limits<float>::quiet_NaN()
            : kind == 1 ? std::numeric_limits<float>::infinity()
            : kind == 2 ? -std::numeric_limits<float>::infinity()
                        : static_cast<float>(below(50)) - 20.5f;
      }
      twin.fill(p, 0, rows[p]);
    }
    twin.run(gpsimd_blob::row_topk(), row_topk_main, processors, {0, n, k, values, columns});
    for (unsigned p = 0; p < 128; ++p) {
      if ((processors >> (p / 16) & 1) == 0) continue;
      // Reference: a stable sort of all columns.
      std::vector<std::uint32_t> order(n);
      for (unsigned i = 0; i < n; ++i) order[i] = i;
      const auto key = [&](std::uint32_t i) {
        const double x = rows[p][i];
        return std::isnan(x) ? std::make_pair(0, 0.0) : std::make_pair(1, x);
      };
      std::stable_sort(order.begin(), order.end(),
                       [&](std::uint32_t a, std::uint32_t b) { return key(a) > key(b); });
      INFO("seed " << test_seed() << " round " << round << " n " << n << " k " << k << " row "
                   << p);
      const auto found = twin.simulated.words(p, columns, k);
      REQUIRE(found == std::vector<std::uint32_t>(order.begin(), order.begin() + k));
      for (unsigned i = 0; i < k; ++i) {
        REQUIRE(twin.simulated.words(p, values + 4 * i, 1)[0] == bits(rows[p][order[i]]));
      }
    }
  }
}

}  // namespace tern::tb
