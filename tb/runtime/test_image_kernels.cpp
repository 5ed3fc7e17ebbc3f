// SPDX-License-Identifier: Apache-2.0
// Convolution and pooling at the borders of their tiles, against FP64.
#include <catch2/catch.hpp>

#include "sw/base/user_error.h"
#include "tb/common/seed.h"
#include "tb/runtime/case_runner.h"

using namespace tern;  // NOLINT: test file
using tb::check_kernel;

TEST_CASE("convolution: channels and filters beyond a tile, strides, padding, single pixels") {
  tb::Platform platform;
  const std::uint64_t seed = tb::test_seed();
  platform.run([&] {
    const auto run = [&](const char* channels, const char* filters, const char* height,
                         const char* width, const char* window, const char* stride,
                         const char* padding) {
      check_kernel(platform, "convolution",
                   {{"channels", channels},
                    {"filters", filters},
                    {"height", height},
                    {"width", width},
                    {"window", window},
                    {"stride", stride},
                    {"padding", padding}},
                   seed);
    };
    run("1", "1", "1", "1", "1", "1", "0");
    run("3", "5", "9", "7", "3", "1", "1");
    run("3", "13", "17", "19", "5", "2", "2");
    run("130", "131", "6", "6", "3", "1", "0");
    run("20", "30", "4", "224", "3", "1", "1");  // two output rows fill a bank
    run("8", "8", "30", "30", "7", "3", "3");
  });
}

TEST_CASE("convolution: a window larger than the image is refused") {
  tb::Platform platform;
  CHECK_THROWS_WITH(
      check_kernel(platform, "convolution", {{"height", "2"}, {"width", "2"}, {"window", "5"}}),
      Catch::Contains("parameter 'window': expected at most the padded image"));
}

TEST_CASE("pooling: maximum exact, mean within FP32, overlapping and spaced windows") {
  tb::Platform platform;
  const std::uint64_t seed = tb::test_seed() + 1;
  platform.run([&] {
    for (const char* op : {"max", "mean"}) {
      const auto run = [&](const char* channels, const char* height, const char* width,
                           const char* window, const char* stride) {
        check_kernel(platform, "pooling",
                     {{"channels", channels},
                      {"height", height},
                      {"width", width},
                      {"window", window},
                      {"stride", stride},
                      {"op", op}},
                     seed);
      };
      run("1", "1", "1", "1", "1");
      run("129", "8", "8", "3", "1");
      run("7", "13", "10", "3", "2");
      run("5", "12", "12", "2", "5");
    }
  });
}

TEST_CASE("depthwise: strides, padding, bands, one tap to many") {
  tb::Platform platform;
  const std::uint64_t seed = tb::test_seed() + 2;
  platform.run([&] {
    const auto run = [&](const char* channels, const char* height, const char* width,
                         const char* window, const char* stride, const char* padding) {
      check_kernel(platform, "depthwise",
                   {{"channels", channels},
                    {"height", height},
                    {"width", width},
                    {"window", window},
                    {"stride", stride},
                    {"padding", padding}},
                   seed);
    };
    run("1", "1", "1", "1", "1", "0");
    run("3", "1", "1", "3", "1", "2");
    run("129", "9", "7", "3", "1", "1");
    run("5", "10", "13", "2", "3", "1");
    run("4", "200", "100", "5", "1", "2");  // bands of some fifty rows
    run("2", "50", "512", "11", "1", "10");
    run("7", "65", "300", "4", "8", "0");
    run("1", "512", "64", "11", "8", "10");
  });
}

TEST_CASE("depthwise: the widest image and window fit on trn2") {
  tb::Platform platform("trn2");
  platform.run([&] {
    check_kernel(platform, "depthwise",
                 {{"channels", "1"},
                  {"height", "14"},
                  {"width", "512"},
                  {"window", "11"},
                  {"padding", "10"}});
  });
}

TEST_CASE("depthwise: frames of whole windows are refused") {
  tb::Platform platform;
  CHECK_THROWS_WITH(check_kernel(platform, "depthwise", {{"window", "3"}, {"padding", "3"}}),
                    Catch::Contains("parameter 'padding': expected less than the window"));
  CHECK_THROWS_WITH(
      check_kernel(platform, "depthwise", {{"height", "2"}, {"window", "5"}, {"padding", "1"}}),
      Catch::Contains("parameter 'window': expected at most the padded image"));
}
