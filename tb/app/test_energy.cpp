// SPDX-License-Identifier: Apache-2.0
// Energy and power from hand-written activity, and against published powers.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <numeric>
#include <sstream>
#include <string>

#include "sw/app/report/energy_section.h"
#include "sw/base/user_error.h"
#include "sw/config/load_chip_config.h"
#include "systemc/trace/activity.h"

using namespace tern;  // NOLINT: test file
using app::EnergyBlock;
using app::EnergyLog;
using app::EnergyUse;
using trace::Activity;

namespace {

constexpr std::uint64_t kUs = 1'000'000'000;  // fs

enum Track : trace::TrackId { kTensor, kOtherVector, kDma, kHbm, kPort, kTracks };

ChipConfig simple_chip() {
  ChipConfig chip = load_chip_config("trn3").chip;
  chip.energy = {};
  chip.energy.array_a_pj = 2;
  chip.energy.array_x_pj = 3;
  chip.energy.weight_pj = 5;
  chip.energy.element_pj = 7;
  chip.energy.exponential_pj = 11;
  chip.energy.sbuf_byte_pj = 13;
  chip.energy.psum_byte_pj = 17;
  chip.energy.dma_byte_pj = 19;
  chip.energy.hbm_byte_pj = 23;
  chip.energy.links_w = 10;
  chip.energy.idle_w = 30;
  return chip;
}

struct Written {
  Written() : log(simple_chip()) {
    const char* names[kTracks][2] = {{"core0", "tensor"},
                                     {"core5", "vector"},
                                     {"core0", "dma3"},
                                     {"noc", "hbm1 write"},
                                     {"noc", "core0"}};
    for (unsigned t = 0; t < kTracks; ++t) log.track(t, names[t][0], names[t][1]);
  }
  void span(Track track, double from_us, double to_us, const Activity& activity) {
    log.span({track, "x", static_cast<std::uint64_t>(from_us * kUs),
              static_cast<std::uint64_t>(to_us * kUs), "", &activity});
  }
  EnergyLog log;
};

double of(const EnergyUse& use, EnergyBlock block) {
  return use.uj[static_cast<unsigned>(block)];
}

double curve_uj(const EnergyUse& use) {
  double uj = 0;
  for (std::size_t i = 0; i < use.curve_w.size(); ++i) {
    const double from = use.step_us * static_cast<double>(i);
    uj += use.curve_w[i] * std::min(use.step_us, use.curve_us - from);
  }
  return uj;
}

double power_of(const std::string& chip) {
  const auto watts = app::full_power(load_chip_config(chip).chip);
  return std::accumulate(watts.begin(), watts.end(), 0.0);
}

}  // namespace

TEST_CASE("energy: events times energies, by block, of all cores") {
  Written w;
  Activity product, elements, packet;
  product.array_a = 1'000'000;
  product.array_x = 2'000'000;
  product.weights = 1000;
  product.sbuf_bytes = 5000;
  product.psum_bytes = 7000;
  elements.elements = 30'000;
  elements.exponentials = 40'000;
  packet.dma_bytes = 100'000;
  w.span(kTensor, 1, 3, product);
  w.span(kOtherVector, 2, 4, elements);
  w.span(kDma, 0, 1, packet);
  w.log.span({kTensor, "nop", 0, kUs, ""});  // nothing that counts
  const EnergyUse use = w.log.use(0, 10 * kUs, 1'000'000);
  CHECK(of(use, EnergyBlock::kTensor) == Approx(2 + 6 + 0.005));
  CHECK(of(use, EnergyBlock::kEngines) == Approx(0.21 + 0.44));
  CHECK(of(use, EnergyBlock::kSbuf) == Approx(0.065));
  CHECK(of(use, EnergyBlock::kPsum) == Approx(0.119));
  CHECK(of(use, EnergyBlock::kDma) == Approx(1.9));
  CHECK(of(use, EnergyBlock::kHbm) == Approx(23));
  CHECK(of(use, EnergyBlock::kLinks) == Approx(100));
  CHECK(of(use, EnergyBlock::kIdle) == Approx(300));
  CHECK(use.mean_w() == Approx(use.all_uj() / 10));
}

TEST_CASE("energy: the curve has all of the energy, where it was used") {
  Written w;
  Activity product;
  product.array_a = 1'000'000;  // 2 uJ in 2 us
  w.span(kTensor, 1, 3, product);
  w.log.counter(kHbm, "busy", 2 * kUs, 0.5);
  w.log.counter(kHbm, "busy", 3 * kUs, 0.25);
  w.log.counter(kHbm, "waiting", 3 * kUs, 7);
  w.log.counter(kPort, "busy", 1 * kUs, 1);
  const EnergyUse use = w.log.use(0, 5 * kUs, 3'000'000);  // 69 uJ: two thirds, one third
  REQUIRE(!use.curve_w.empty());
  const auto at = [&](double us) {
    return use.curve_w.at(static_cast<std::size_t>(us / use.step_us));
  };
  CHECK(at(0.5) == Approx(40));
  CHECK(at(1.5) == Approx(40 + 1));
  CHECK(at(2.5) == Approx(40 + 1 + 46));
  CHECK(at(3.5) == Approx(40 + 23));
  CHECK(at(4.5) == Approx(40));
  CHECK(curve_uj(use) == Approx(use.all_uj()));
  CHECK(use.most_w == Approx(87));
  CHECK(use.work_uj() == Approx(2 + 69));
}

TEST_CASE("energy: what lies outside the program does not count, nor half of what reaches out") {
  Written w;
  Activity copy, product;
  copy.dma_bytes = 1'000'000;
  product.array_a = 1'000'000;
  w.span(kDma, 0, 10, copy);         // the host's inputs
  w.span(kTensor, 19, 21, product);  // half inside
  w.span(kTensor, 22, 22, product);  // no time, inside
  w.span(kDma, 30, 40, copy);        // the host's outputs
  const EnergyUse use = w.log.use(20 * kUs, 30 * kUs, 0);
  CHECK(of(use, EnergyBlock::kDma) == 0);
  CHECK(of(use, EnergyBlock::kTensor) == Approx(1 + 2));
  CHECK(curve_uj(use) == Approx(use.all_uj()));
}

TEST_CASE("energy: a long run has longer steps, programs add up, the curve is of the longest one") {
  Written w;
  Activity product;
  product.array_a = 1000;
  for (unsigned i = 0; i < 5000; ++i) w.span(kTensor, i, i + 0.5, product);
  const EnergyUse all = w.log.use(0, 5000 * kUs, 0);
  CHECK(of(all, EnergyBlock::kTensor) == Approx(5000 * 2e-3));
  CHECK(all.curve_w.size() <= 512);
  CHECK(all.curve_w.size() > 400);
  CHECK(curve_uj(all) == Approx(all.all_uj()));
  w.log.begin();
  w.span(kTensor, 6000, 6001, product);
  const EnergyUse next = w.log.use(6000 * kUs, 6002 * kUs, 0);
  CHECK(of(next, EnergyBlock::kTensor) == Approx(2e-3));
  EnergyUse sum = next;
  sum += all;
  sum += next;
  CHECK(sum.us == Approx(5004));
  CHECK(sum.all_uj() == Approx(all.all_uj() + 2 * next.all_uj()));
  CHECK(sum.curve_w == all.curve_w);
  CHECK(sum.most_w == std::max(all.most_w, next.most_w));
}

TEST_CASE("energy: a program that does nothing idles") {
  Written w;
  const EnergyUse use = w.log.use(kUs, 3 * kUs, 0);
  CHECK(use.all_uj() == Approx(80));
  CHECK(use.mean_w() == Approx(40));
  CHECK(app::energy_text(use) ==
        "estimate: 0.00 uJ of work, 80.00 uJ idle; 40.0 W on average, at most 40.0 W for 0.01 us");
}

// docs/energy.md says how far the sums may be from the published powers.
TEST_CASE("energy: the sum of all full rates is near the published power") {
  CHECK(power_of("trn2") == Approx(500).epsilon(0.2));
  CHECK(power_of("trn3") == Approx(690).epsilon(0.2));
}

TEST_CASE("energy: the page has the full rates of the presets") {
  std::ifstream file(TERN_SOURCE_DIR "/docs/energy.md");
  std::stringstream text;
  text << file.rdbuf();
  const std::string page = text.str();
  for (unsigned b = 0; b <= app::kEnergyBlocks; ++b) {
    std::string row =
        b < app::kEnergyBlocks
            ? "| " + std::string(app::energy_block_name(static_cast<EnergyBlock>(b))) + " |"
            : "| sum |";
    for (const char* chip : {"trn1", "trn2", "trn3"}) {
      const double watts =
          b < app::kEnergyBlocks ? app::full_power(load_chip_config(chip).chip)[b] : power_of(chip);
      row += " " + std::to_string(static_cast<int>(std::lround(watts))) + " |";
    }
    INFO(row);
    CHECK(page.find(row) != std::string::npos);
  }
}

TEST_CASE("energy: keys are checked") {
  try {
    load_chip_config("trn3", {{"energy.array_a_pj", "-1", "--set"}});
    FAIL("taken");
  } catch (const UserError& error) {
    CHECK(std::string(error.what()).find("energy.array_a_pj") != std::string::npos);
  }
}
