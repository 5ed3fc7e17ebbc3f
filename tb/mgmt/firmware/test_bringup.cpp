// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "tb/mgmt/firmware/firmware_bench.h"

using namespace tern;
using namespace tern::tb;

namespace {

tern_status_reply status_of(FirmwareBench& bench) {
  return bench.request(TERN_COMMAND_GET_STATUS).as<tern_status_reply>();
}

// A chip that is more than a configuration.
class OtherChip final : public mgmt::ChipControl {
 public:
  unsigned hbm_stacks() const override { return 2; }
  unsigned cores() const override { return 3; }
  unsigned dies() const override { return 1; }
  unsigned links() const override { return 0; }
  bool has_unit(unsigned unit) const override { return unit < 2; }
  Attempt train(unsigned unit, std::uint32_t attempt) override {
    return {sc_core::sc_time(100 * attempt, sc_core::SC_US), attempt == unit + 1, 7 * attempt};
  }
  sc_core::sc_time start_core(unsigned core) override {
    running |= 1u << core;
    return sc_core::sc_time(core, sc_core::SC_US);
  }
  void forget_training() override {}
  void hold_core(unsigned core) override { running &= ~(1u << core); }
  using ChipControl::report;

  unsigned running = 0;
};

}  // namespace

TEST_CASE("bring-up: training that fails is tried again, and takes the time of each attempt") {
  FirmwareBench bench([](mgmt::BoardConfig& c) {
    c.management->training[1].fail_attempts = 1;
    c.management->training[2].fail_attempts = 2;
    c.management->training[TERN_MGMT_UNIT_DIE].fail_attempts = 2;
  });
  bench.boot();
  INFO(bench.terminal.output());
  CHECK(bench.last_phase() == TERN_PHASE_READY);
  CHECK(bench.printed("hbm 0: trained, attempt 1,"));
  CHECK(bench.printed("hbm 1: trained, attempt 2,"));
  CHECK(bench.printed("hbm 2: trained, attempt 3,"));
  CHECK(bench.printed("die link 0: trained, attempt 3,"));
  const double hbm = bench.begin_of(TERN_PHASE_DIE) - bench.begin_of(TERN_PHASE_HBM);
  CHECK(hbm >= 3 * 4000);
  CHECK(hbm <= 3 * (4000 + 60) + 60);
  const auto reply = bench.request(TERN_COMMAND_GET_TRAINING);
  REQUIRE(reply.payload.size() == (4 + 1 + 4) * sizeof(tern_training_reply));
  const auto unit = [&](unsigned i) {
    return reply.as<tern_training_reply>(i * sizeof(tern_training_reply));
  };
  CHECK(unit(2).unit == 2);
  CHECK(unit(2).status == TERN_TRAINING_PASSED);
  CHECK(unit(2).attempts == 3);
  CHECK(unit(2).margin == 320);
  CHECK(unit(4).unit == TERN_MGMT_UNIT_DIE);
  CHECK(unit(5).unit == TERN_MGMT_UNIT_LINK);
  CHECK(unit(5).status == TERN_TRAINING_IDLE);
}

TEST_CASE("bring-up: a stack that never trains leaves a degraded chip") {
  FirmwareBench bench([](mgmt::BoardConfig& c) { c.management->training[3].dead = true; });
  bench.boot();
  INFO(bench.terminal.output());
  CHECK(bench.last_phase() == TERN_PHASE_DEGRADED);
  CHECK(bench.printed("hbm 3: training failed, 3 attempts"));
  CHECK(bench.printed("ready, degraded: hbm 8, links 0, cores 0"));
  const auto status = status_of(bench);
  CHECK(status.phase == TERN_PHASE_DEGRADED);
  CHECK(status.hbm_bad == 8);
  CHECK(status.cores_ready == 0xFF);
}

TEST_CASE("bring-up: without memory no core leaves reset") {
  FirmwareBench bench([](mgmt::BoardConfig& c) {
    for (unsigned s = 0; s < 4; ++s) c.management->training[s].dead = true;
  });
  bench.boot();
  const auto status = status_of(bench);
  CHECK(status.phase == TERN_PHASE_DEGRADED);
  CHECK(status.hbm_bad == 0xF);
  CHECK(status.cores_ready == 0);
  CHECK(status.cores_bad == 0xFF);
  CHECK(bench.request(TERN_COMMAND_RESET_CORES, {0xFF}).word(0) == 0);
}

TEST_CASE("bring-up: without the link between the dies the first one works alone") {
  FirmwareBench bench(
      [](mgmt::BoardConfig& c) { c.management->training[TERN_MGMT_UNIT_DIE].dead = true; });
  bench.boot();
  const auto status = status_of(bench);
  CHECK(status.phase == TERN_PHASE_DEGRADED);
  CHECK(status.link_bad == 1);
  CHECK(status.cores_ready == 0x0F);
  CHECK(status.cores_bad == 0xF0);
}

TEST_CASE("bring-up: a chip of one die and 32 cores") {
  FirmwareBench bench([](mgmt::BoardConfig& c) {
    c.management->dies = 1;
    c.management->cores = 32;
    c.management->hbm_stacks = 8;
    c.management->links = 0;
  });
  bench.boot();
  CHECK(bench.last_phase() == TERN_PHASE_READY);
  CHECK(status_of(bench).cores_ready == 0xFFFFFFFF);
  CHECK(bench.printed("hbm 7: trained"));
  CHECK_FALSE(bench.printed("die link"));
}

TEST_CASE("bring-up: hardware that never answers is given up after its time") {
  FirmwareBench bench([](mgmt::BoardConfig& c) {
    c.management->training[0].us = 1e9;
    c.management->core_ready_us = 1e9;
  });
  bench.boot(5000);
  INFO(bench.terminal.output());
  CHECK(bench.last_phase() == TERN_PHASE_DEGRADED);
  CHECK(bench.board.resets() == 0);  // the watchdog was content
  const auto status = status_of(bench);
  CHECK(status.hbm_bad == 1);
  CHECK(status.cores_bad == 0xFF);
}

TEST_CASE("bring-up: NeuronLink ports train on request") {
  FirmwareBench bench([](mgmt::BoardConfig& c) {
    c.management->training[TERN_MGMT_UNIT_LINK + 1].fail_attempts = 1;
    c.management->training[TERN_MGMT_UNIT_LINK + 2].dead = true;
  });
  bench.boot();
  CHECK(bench.request(TERN_COMMAND_TRAIN_LINKS, {0x7}).word(0) == 0x3);
  CHECK(bench.request(TERN_COMMAND_TRAIN_LINKS, {0x8}).word(0) == 0x8);
  CHECK(bench.request(TERN_COMMAND_TRAIN_LINKS, {0}).word(0) == 0);
  CHECK(bench.request(TERN_COMMAND_TRAIN_LINKS, {0x10}).status == TERN_MAILBOX_STATUS_ARGUMENT);
}

TEST_CASE("bring-up: a chip model takes the place of the configured one") {
  OtherChip chip;
  FirmwareBench bench(firmware::image(), {}, &chip);
  chip.running = 7;
  bench.restart();  // a reset holds the cores of the chip
  CHECK(chip.running == 0);
  bench.boot();
  INFO(bench.terminal.output());
  CHECK(bench.last_phase() == TERN_PHASE_READY);
  CHECK(chip.running == 7);
  CHECK(bench.printed("hbm 0: trained, attempt 1, margin 7 permille"));
  CHECK(bench.printed("hbm 1: trained, attempt 2, margin 14 permille"));
  chip.report({TERN_ERROR_CLASS_SEQUENCER_FATAL, 2, 0x99, 1});
  bench.run(1);
  CHECK(status_of(bench).cores_bad == 4);
  CHECK(bench.request(TERN_COMMAND_RESET_CORES, {0x4}).word(0) == 7);
  CHECK(status_of(bench).cores_bad == 0);
}
