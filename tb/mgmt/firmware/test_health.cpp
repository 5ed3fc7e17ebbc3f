// SPDX-License-Identifier: Apache-2.0
// Heartbeat, power, temperatures, and what the BMC reads.
#include <catch2/catch.hpp>

#include "tb/mgmt/firmware/firmware_bench.h"

using namespace tern;
using namespace tern::tb;

namespace {

double now_us() {
  return sc_core::sc_time_stamp().to_seconds() * 1e6;
}

struct BmcView {
  tern_bmc_header header;
  std::vector<tern_sensor_reading> sensors;
};

BmcView bmc_of(FirmwareBench& bench) {
  const auto& table = bench.domain().bmc().table();
  BmcView view;
  std::memcpy(&view.header, table.data(), sizeof view.header);
  view.sensors.resize(std::min(view.header.sensors, 32u));
  std::memcpy(view.sensors.data(), &table[sizeof view.header / 4],
              view.sensors.size() * sizeof(tern_sensor_reading));
  return view;
}

}  // namespace

TEST_CASE("health: the heartbeat counts milliseconds") {
  FirmwareBench bench;
  bench.boot();
  const double ready = now_us();
  bench.run(1000);
  const std::uint32_t expected = static_cast<std::uint32_t>((now_us() - ready) / 1000);
  CHECK(bench.domain().control().heartbeat() >= expected);
  CHECK(bench.domain().control().heartbeat() <= expected + 1);
  const auto status = bench.request(TERN_COMMAND_GET_STATUS).as<tern_status_reply>();
  CHECK(static_cast<double>(status.uptime_us) <= now_us());
  CHECK(static_cast<double>(status.uptime_us) >= now_us() - 200);
}

TEST_CASE("health: the power level ramps by the steps of the supply, up and down") {
  FirmwareBench bench;
  std::uint32_t last = 0, most = 0;
  bench.boot();
  bench.run(0.1);  // the hart was ahead
  last = bench.domain().power().level(sc_core::sc_time_stamp());
  CHECK(last == 1000);
  for (const std::uint32_t limit : {300u, 1000u, 100u}) {
    CHECK(bench.request(TERN_COMMAND_SET_POWER_LIMIT, {limit}).status == TERN_MAILBOX_STATUS_OK);
    last = bench.domain().power().level(sc_core::sc_time_stamp());
    for (int i = 0; i < 40; ++i) {
      bench.run(0.01);
      const std::uint32_t level = bench.domain().power().level(sc_core::sc_time_stamp());
      most = std::max(most, std::max(level, last) - std::min(level, last));
      last = level;
    }
    CHECK(last == limit);
  }
  CHECK(most <= 50);
  for (const std::uint32_t bad : {0u, 99u, 1001u, 0xFFFFFFFFu}) {
    CHECK(bench.request(TERN_COMMAND_SET_POWER_LIMIT, {bad}).status ==
          TERN_MAILBOX_STATUS_ARGUMENT);
  }
  bench.run(1);
  CHECK(bench.domain().power().level(sc_core::sc_time_stamp()) == 100);
}

TEST_CASE("health: a temperature above its limit throttles until all are well below") {
  FirmwareBench bench;
  bench.boot();
  const auto level = [&] { return bench.domain().power().level(sc_core::sc_time_stamp()); };
  bench.run(20);
  CHECK(level() == 1000);
  bench.domain().sensors().set_offset(3, 60'000);  // above 90 degrees
  bench.run(15);
  CHECK(level() == 500);
  CHECK(bench.printed("power: throttled"));
  // Below the limit, but not by 5 degrees.
  const auto shows = [&](std::int32_t value) {
    bench.domain().sensors().set_offset(3, 0);
    const std::int32_t present = bench.domain().sensors().value(3, sc_core::sc_time_stamp());
    bench.domain().sensors().set_offset(3, value - present);
  };
  shows(87'000);
  bench.run(15);
  CHECK(level() == 500);
  // A host's limit below is respected.
  bench.request(TERN_COMMAND_SET_POWER_LIMIT, {200});
  bench.run(15);
  CHECK(level() == 200);
  bench.request(TERN_COMMAND_SET_POWER_LIMIT, {800});
  bench.run(15);
  CHECK(level() == 500);
  shows(80'000);
  bench.run(15);
  CHECK(level() == 800);
  CHECK(bench.printed("power: no longer throttled"));
}

TEST_CASE("health: sensors by mailbox and by the BMC's table are those of the device") {
  FirmwareBench bench;
  bench.boot();
  bench.run(700);
  const auto reply = bench.request(TERN_COMMAND_GET_SENSORS);
  const auto view = bmc_of(bench);
  REQUIRE(reply.payload.size() == 10 * sizeof(tern_sensor_reading));
  REQUIRE(view.sensors.size() == 10);
  const std::int32_t rates[] = {40, 40, 30, 30, 30, 30, 0, 0, 0, 0};  // per ms
  for (unsigned i = 0; i < 10; ++i) {
    INFO("sensor " << i);
    const auto sensor = reply.as<tern_sensor_reading>(i * sizeof(tern_sensor_reading));
    const mgmt::SensorConfig& expected = bench.config.management->sensors[i];
    CHECK(sensor.id == i);
    CHECK(sensor.kind == expected.kind);
    CHECK(sensor.low == expected.low);
    CHECK(sensor.high == expected.high);
    const std::int32_t value = bench.domain().sensors().value(i, sc_core::sc_time_stamp());
    CHECK(std::abs(sensor.value - value) <= rates[i]);
    CHECK(view.sensors[i].id == i);
    CHECK(view.sensors[i].kind == expected.kind);
    CHECK(view.sensors[i].high == expected.high);
    CHECK(std::abs(view.sensors[i].value - value) <= 11 * rates[i]);
  }
  CHECK(reply.as<tern_sensor_reading>(6 * sizeof(tern_sensor_reading)).value == 450'000);
}

TEST_CASE("health: the BMC's table has the state of the firmware, in whole generations") {
  FirmwareBench bench;
  CHECK(bmc_of(bench).header.magic == 0);
  bench.boot();
  std::uint32_t generation = 0, heartbeat = 0;
  for (int i = 0; i < 50; ++i) {
    bench.run(10);
    const auto view = bmc_of(bench);
    CHECK(view.header.magic == 0x434D4254);
    CHECK(view.header.version == 1);
    CHECK(view.header.phase == TERN_PHASE_READY);
    CHECK(view.header.cores_ready == 0xFF);
    CHECK(view.header.boot_error == 0);
    if (view.header.generation % 2 != 0) continue;  // it is being written
    CHECK(view.header.generation >= generation);
    CHECK(view.header.heartbeat >= heartbeat);
    CHECK(static_cast<double>(view.header.uptime_us) >= now_us() - 11'000);
    generation = view.header.generation;
    heartbeat = view.header.heartbeat;
  }
  CHECK(generation >= 90);
}
