// SPDX-License-Identifier: Apache-2.0
// Kernels that go over a matrix row by row, at the borders of their tiles, against FP64.
#include <catch2/catch.hpp>

#include "tb/common/seed.h"
#include "tb/runtime/case_runner.h"

using namespace tern;  // NOLINT: test file
using tb::check_kernel;

TEST_CASE("reduction: every operation and format around tile borders") {
  tb::Platform platform;
  const std::uint64_t seed = tb::test_seed();
  platform.run([&] {
    for (const char* op : {"sum", "mean", "max", "min"}) {
      for (const char* dtype : {"fp32", "bf16"}) {
        for (const auto& [rows, columns] :
             {std::pair("1", "1"), {"128", "2048"}, {"129", "2049"}, {"3", "6000"}}) {
          check_kernel(platform, "reduction",
                       {{"rows", rows}, {"columns", columns}, {"op", op}, {"dtype", dtype}}, seed);
        }
      }
    }
  });
}

TEST_CASE("rotary: odd numbers of rows and heads, the smallest head") {
  tb::Platform platform;
  const std::uint64_t seed = tb::test_seed() + 1;
  platform.run([&] {
    for (const auto& [seq, heads, d] :
         {std::tuple("1", "1", "2"), {"130", "3", "64"}, {"128", "1", "128"}})
      check_kernel(platform, "rotary", {{"seq", seq}, {"heads", heads}, {"d", d}}, seed);
  });
}

TEST_CASE("embedding: exact rows of tables that end inside a slab") {
  tb::Platform platform;
  const std::uint64_t seed = tb::test_seed() + 2;
  platform.run([&] {
    for (const auto& [vocabulary, count, d] :
         {std::tuple("1", "1", "1"), {"129", "130", "513"}, {"1000", "257", "64"}}) {
      for (const char* by : {"gather", "product"}) {
        check_kernel(platform, "embedding",
                     {{"vocabulary", vocabulary}, {"count", count}, {"d", d}, {"by", by}}, seed);
      }
    }
  });
}

TEST_CASE("cross-entropy: loss and gradient, one class, wide and narrow spreads") {
  tb::Platform platform;
  const std::uint64_t seed = tb::test_seed() + 3;
  platform.run([&] {
    for (const auto& [rows, classes, spread] : {std::tuple("1", "1", "1"),
                                                {"130", "7", "3"},
                                                {"128", "1000", "20"},
                                                {"3", "8192", "0"}}) {
      check_kernel(platform, "cross_entropy",
                   {{"rows", rows}, {"classes", classes}, {"spread", spread}}, seed);
    }
    // Log and maximum far larger than the loss.
    check_kernel(platform, "cross_entropy", {{"rows", "31"}, {"classes", "2"}, {"spread", "100"}},
                 999);
  });
}

TEST_CASE("transformer mlp: functions, gates, features and tokens beyond a tile") {
  tb::Platform platform;
  const std::uint64_t seed = tb::test_seed() + 4;
  platform.run([&] {
    for (const char* function : {"gelu", "silu", "relu"}) {
      for (const char* gated : {"false", "true"}) {
        for (const auto& [model, hidden, tokens] :
             {std::tuple("4", "4", "1"), {"132", "260", "513"}, {"128", "256", "64"}}) {
          check_kernel(platform, "transformer_mlp",
                       {{"model", model},
                        {"hidden", hidden},
                        {"tokens", tokens},
                        {"function", function},
                        {"gated", gated}},
                       seed);
        }
      }
    }
    // Large terms that cancel.
    check_kernel(platform, "transformer_mlp",
                 {{"model", "4"}, {"hidden", "40"}, {"tokens", "1025"}, {"gated", "true"}}, 18348);
  });
}
