// SPDX-License-Identifier: Apache-2.0
// The network between units in time, against what is published and closed forms of networks
// without and with oversubscription.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "systemc/fabric/levels/levels.h"
#include "systemc/fabric/traffic/traffic_run.h"
#include "tb/common/temp_folder.h"

using namespace tern;  // NOLINT: test file
using fabric::Transfer;

namespace {

system::Fabric with(const std::string& preset, const std::string& scale_out) {
  const tb::TempFolder folder;
  return system::Fabric(system::load_system(
      folder.put("my.yaml", "preset: " + preset + "\nscale_out: {" + scale_out + "}\n").string()));
}

Transfer transfer(std::uint32_t source, std::uint32_t target, std::uint64_t bytes) {
  Transfer t;
  t.source = source;
  t.target = target;
  t.bytes = bytes;
  return t;
}

double time_us(const system::Fabric& fabric, const std::string& level,
               const std::vector<Transfer>& transfers) {
  const auto transport = fabric::make_transport(level, fabric);
  const fabric::TrafficResult result = fabric::run_traffic(*transport, transfers);
  CHECK(result.lost == 0);
  return static_cast<double>(result.time) / 1e9;
}

constexpr const char* kLevels[] = {"flow", "ideal"};

}  // namespace

TEST_CASE("scale-out times: a small packet takes what is published") {
  for (const std::string level : kLevels) {
    INFO(level);
    // EFA v3 6.5 us, EFA v2 9 us, and 7 us until a put is on its way.
    CHECK(time_us(with("trn2-nl64", "units: 4"), level, {transfer(5, 200, 64)}) ==
          Approx(13.5).epsilon(1e-3));
    CHECK(time_us(with("trn1-nl16", "units: 2"), level, {transfer(5, 30, 64)}) ==
          Approx(16).epsilon(2e-3));
    // A rail's leaf alone: two switches and two cables less. Three layers: two of each more.
    CHECK(time_us(with("trn3-nl32x2-gen1", "units: 4"), level, {transfer(3, 64 + 3, 64)}) ==
          Approx(12).epsilon(1e-3));
    CHECK(time_us(with("trn2-nl64", "units: 4, layers: 3"), level, {transfer(5, 200, 64)}) ==
          Approx(15).epsilon(1e-3));
  }
}

TEST_CASE("scale-out times: inside of a unit everything is as in one alone") {
  const system::Fabric one(system::load_system("trn2-nl64")), four = with("trn2-nl64", "units: 4");
  for (const std::string level : kLevels) {
    INFO(level);
    CHECK(time_us(four, level, {transfer(64, 64 + 37, 1 << 20)}) ==
          time_us(one, level, {transfer(0, 37, 1 << 20)}));
  }
}

TEST_CASE("scale-out times: a NIC's rate, and no less for all chips of a leaf at once") {
  constexpr std::uint64_t kBytes = 64 << 20;
  const double alone_us = 13.5 + kBytes * (1 + 114.0 / 8192) / 25e3;
  const system::Fabric fabric = with("trn2-nl64", "units: 4");
  std::vector<Transfer> all;
  for (std::uint32_t chip = 0; chip < 16; ++chip) all.push_back(transfer(chip, 240 + chip, kBytes));
  CHECK(time_us(fabric, "flow", {transfer(3, 200, kBytes)}) == Approx(alone_us).epsilon(0.01));
  CHECK(time_us(fabric, "flow", all) == Approx(alone_us).epsilon(0.01));
  // An oversubscribed leaf passes a quarter.
  CHECK(time_us(with("trn2-nl64", "units: 4, oversubscription: 4"), "flow", all) ==
        Approx(4 * alone_us).epsilon(0.01));
  // Two senders to one chip share its NIC.
  CHECK(time_us(fabric, "flow", {transfer(3, 200, kBytes), transfer(70, 200, kBytes)}) ==
        Approx(2 * alone_us).epsilon(0.01));
  CHECK_THROWS_WITH(fabric::make_transport("packet", fabric), Catch::Contains("flow or ideal"));
}

TEST_CASE(
    "scale-out times: where a stream keeps to one way, ports stand idle and others are full") {
  constexpr std::uint64_t kBytes = 16 << 20;
  std::vector<Transfer> all;
  for (std::uint32_t chip = 0; chip < 64; ++chip)
    all.push_back(transfer(chip, 64 + (chip + 16) % 64, kBytes));
  const double spread = time_us(with("trn2-nl64", "units: 2"), "flow", all),
               single = time_us(with("trn2-nl64", "units: 2, multipath: false"), "flow", all);
  // At least one of two ports of each NIC; several streams meet in some port of a leaf.
  CHECK(single > 3 * spread);
  CHECK(single < 10 * spread);
}
