// SPDX-License-Identifier: Apache-2.0
// The row of fused multiply-adds of operation fma against MPFR.
#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

#include "VDmaFma.h"
#include "systemc/cosim/rtl_block.h"
#include "tb/common/bench_wave.h"
#include "tb/common/check_mismatch.h"
#include "tb/common/seed.h"
#include "tb/numerics/mpfr_oracle.h"

using namespace tern;  // NOLINT: a test uses the names of what it tests

namespace {

constexpr unsigned kLanes = TERN_FMA_LANES;

// Lanes of scale * x[i] + c[i].
class Row {
 public:
  tb::MismatchLog differences(std::uint32_t scale, const std::vector<std::uint32_t>& x,
                              const std::vector<std::uint32_t>& c) {
    rtl_.en_i = 1;
    rtl_.scale_i = scale;
    for (unsigned i = 0; i < kLanes; ++i) {
      rtl_.x_i.m_storage[i] = x[i];
      rtl_.c_i.m_storage[i] = c[i];
    }
    rtl_.eval();
    if (wave_) wave_->dump(step_, 0);
    tb::MismatchLog log;
    for (unsigned i = 0; i < kLanes; ++i) {
      log.compare(oracle_.fma(numerics::float_of(scale), numerics::float_of(x[i]),
                              numerics::float_of(c[i])),
                  rtl_.y_o.m_storage[i], 32, [&] {
                    return tb::Where{
                        "port y_o, lane " + std::to_string(i),
                        "scale " + tb::hex(scale) + ", x " + tb::hex(x[i]) + ", c " + tb::hex(c[i]),
                        step_};
                  });
    }
    ++step_;
    return log;
  }

 private:
  cosim::StartContext context_;
  VDmaFma rtl_{&context_, "rtl"};
  std::unique_ptr<cosim::WaveFile> wave_ = cosim::open_wave(&rtl_, tb::bench_wave(), "dma_fma_row");
  std::uint64_t step_ = 0;
  tb::MpfrOracle oracle_;
};

}  // namespace

TEST_CASE("DMA fused multiply-add: all triples of corner values") {
  Row row;
  const std::vector<std::uint32_t> corners(tb::fp32_corners());
  std::vector<std::uint32_t> x, c;
  tb::MismatchLog log;
  for (std::uint32_t scale : corners) {
    for (std::uint32_t a : corners) {
      for (std::size_t i = 0; i < corners.size(); i += kLanes) {
        x.assign(kLanes, a);
        c.clear();
        for (unsigned k = 0; k < kLanes; ++k) c.push_back(corners[(i + k) % corners.size()]);
        log.add(row.differences(scale, x, c));
      }
    }
  }
  CHECK_NO_MISMATCH(log);
}

TEST_CASE("DMA fused multiply-add: random operands, sums that cancel, results below the normals") {
  Row row;
  std::mt19937_64 random(tb::test_seed());
  tb::MpfrOracle oracle;
  std::vector<std::uint32_t> x(kLanes), c(kLanes);
  tb::MismatchLog log;
  for (int run = 0; run < 6000; ++run) {
    const auto any = static_cast<std::uint32_t>(random());
    const unsigned kind = run % 4;
    // Kinds: anything; near each other; the addend close to minus the product; tiny products.
    const std::uint32_t scale = kind == 0 ? any : (any & 0x80FFFFFF) | 0x3F000000;
    for (unsigned i = 0; i < kLanes; ++i) {
      const auto a = static_cast<std::uint32_t>(random());
      const auto b = static_cast<std::uint32_t>(random());
      x[i] = kind == 0 ? a : (a & 0x80FFFFFF) | 0x3F000000;
      c[i] = kind == 0 ? b : (b & 0x83FFFFFF) | 0x3C000000;
      if (kind == 2) {
        const std::uint32_t product =
            oracle.multiply(numerics::float_of(scale), numerics::float_of(x[i]));
        c[i] = (product ^ 0x80000000) + static_cast<std::uint32_t>(random() % 5) - 2;
      }
      if (kind == 3) {
        x[i] = a & 0x81FFFFFF;
        c[i] = random() % 2 == 0 ? b & 0x81FFFFFF : b & 0x80000003;
      }
    }
    log.add(row.differences(scale, x, c));
  }
  CHECK_NO_MISMATCH(log);
}

// Not a test: tb/common/check_failing_text.sh runs it.
TEST_CASE("a mismatch on purpose: DMA fused multiply-add", "[.]") {
  Row row;
  std::vector<std::uint32_t> x(kLanes, 0x3F800000), c(kLanes, 0);
  tb::MismatchLog log = row.differences(0x40000000, x, c);
  log.compare(0x40000000, 0x40000001, 32, [] {
    return tb::Where{"port y_o, lane 17", "scale 0x40000000, x 0x3F800000, c 0x00000000", 0};
  });
  CHECK_NO_MISMATCH(log);
}
