// SPDX-License-Identifier: Apache-2.0
// Softmax and normalisations at the borders of their tiles, on both chips, against FP64.
#include <catch2/catch.hpp>

#include "sw/base/user_error.h"
#include "tb/common/seed.h"
#include "tb/runtime/case_runner.h"

using namespace tern;  // NOLINT: test file
using tb::check_kernel;

namespace {

void check_softmax(const char* preset) {
  tb::Platform platform(preset);
  const std::uint64_t seed = tb::test_seed();
  platform.run([&] {
    for (const char* dtype : {"bf16", "fp32"}) {
      for (const auto& [rows, columns] : {std::pair("1", "1"),
                                          {"3", "2"},
                                          {"129", "2048"},
                                          {"128", "2049"},
                                          {"257", "100"},
                                          {"5", "16384"},
                                          {"2", "16385"},
                                          {"130", "20001"}}) {
        check_kernel(platform, "softmax", {{"rows", rows}, {"columns", columns}, {"dtype", dtype}},
                     seed);
      }
    }
  });
}

void check_norms(const char* preset) {
  tb::Platform platform(preset);
  const std::uint64_t seed = tb::test_seed() + 1;
  platform.run([&] {
    for (const char* kernel : {"rms_norm", "layer_norm"}) {
      for (const char* dtype : {"bf16", "fp32"}) {
        for (const auto& [rows, columns] : {std::pair("1", "1"),
                                            {"3", "2"},
                                            {"257", "511"},
                                            {"129", "1025"},
                                            {"130", "2049"},
                                            {"2", "6144"},
                                            {"1", "6145"},
                                            {"300", "12289"},
                                            {"1", "16384"}}) {
          check_kernel(platform, kernel, {{"rows", rows}, {"columns", columns}, {"dtype", dtype}},
                       seed);
        }
      }
    }
  });
}

void check_batch_norm(const char* preset) {
  tb::Platform platform(preset);
  const std::uint64_t seed = tb::test_seed() + 2;
  platform.run([&] {
    const auto run = [&](const char* images, const char* channels, const char* pixels) {
      for (const char* dtype : {"bf16", "fp32"}) {
        check_kernel(
            platform, "batch_norm",
            {{"images", images}, {"channels", channels}, {"pixels", pixels}, {"dtype", dtype}},
            seed);
      }
    };
    run("1", "1", "1");
    run("50", "129", "49");  // 41 images of BF16 side by side
    run("3", "5", "513");
    run("2", "130", "2049");  // pieces of an image
    run("13", "3", "2500");   // channels that are loaded twice
  });
}

void check_residual(const char* preset) {
  tb::Platform platform(preset);
  const std::uint64_t seed = tb::test_seed() + 3;
  platform.run([&] {
    for (const char* norm : {"none", "rms", "layer"}) {
      for (const char* dtype : {"bf16", "fp32"}) {
        for (const auto& [rows, columns] :
             {std::pair("1", "1"), {"129", "1025"}, {"300", "513"}, {"2", "6144"}}) {
          check_kernel(platform, "residual",
                       {{"rows", rows}, {"columns", columns}, {"dtype", dtype}, {"norm", norm}},
                       seed);
        }
      }
    }
  });
}

}  // namespace

TEST_CASE("softmax: one element, chunks, rows that stay and rows that are loaded twice") {
  check_softmax("trn3");
}

TEST_CASE("softmax: the same on trn2, whose Scalar engine does the exponentials") {
  check_softmax("trn2");
}

TEST_CASE("softmax: more than the bounds is refused") {
  tb::Platform platform;
  CHECK_THROWS_WITH(check_kernel(platform, "softmax", {{"columns", "131073"}}),
                    Catch::Contains("parameter 'columns': expected a whole number 1 .. 131072"));
  CHECK_THROWS_WITH(check_kernel(platform, "softmax", {{"dtype", "fp8"}}),
                    Catch::Contains("parameter 'dtype'"));
}

TEST_CASE("norms of rows: chunks, odd rows, rows loaded twice") {
  check_norms("trn3");
}

TEST_CASE("norms of rows: the same on trn2") {
  check_norms("trn2");
}

TEST_CASE("norms of rows: more than the bounds is refused") {
  tb::Platform platform;
  for (const char* kernel : {"rms_norm", "layer_norm"}) {
    CHECK_THROWS_WITH(check_kernel(platform, kernel, {{"columns", "16385"}}),
                      Catch::Contains("parameter 'columns': expected a whole number 1 .. 16384"));
    CHECK_THROWS_WITH(check_kernel(platform, kernel, {{"epsilon", "0"}}),
                      Catch::Contains("parameter 'epsilon'"));
  }
}

TEST_CASE("batch_norm: groups and pieces of images, channels loaded twice") {
  check_batch_norm("trn3");
}

TEST_CASE("batch_norm: the same on trn2") {
  check_batch_norm("trn2");
}

TEST_CASE("batch_norm: more elements than statistics fit is refused") {
  tb::Platform platform;
  CHECK_THROWS_WITH(check_kernel(platform, "batch_norm", {{"images", "9"}, {"pixels", "32768"}}),
                    Catch::Contains("parameter 'pixels': expected at most 2^18 elements"));
}

TEST_CASE("residual: sum alone, with either norm") {
  check_residual("trn3");
}

TEST_CASE("residual: the same on trn2") {
  check_residual("trn2");
}

TEST_CASE("residual: rows that do not stay in SBUF are refused") {
  tb::Platform platform;
  CHECK_THROWS_WITH(check_kernel(platform, "residual", {{"columns", "6145"}, {"dtype", "fp32"}}),
                    Catch::Contains("parameter 'columns': expected rows of at most 24576 bytes"));
}

// Short rows and single elements: the results hang on roundings and differences of large terms.
TEST_CASE("norms: rows whose deviation is as small as their rounding") {
  tb::Platform platform;
  platform.run([&] {
    tb::check_kernel(platform, "residual", {{"columns", "2"}, {"norm", "layer"}}, 3);
    tb::check_kernel(platform, "batch_norm",
                     {{"images", "1"},
                      {"channels", "257"},
                      {"pixels", "1"},
                      {"dtype", "fp32"},
                      {"epsilon", "1e-12"}},
                     972);
    tb::check_kernel(platform, "layer_norm",
                     {{"rows", "1024"}, {"columns", "3"}, {"dtype", "fp32"}}, 2);
  });
}
