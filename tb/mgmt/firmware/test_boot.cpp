// SPDX-License-Identifier: Apache-2.0
// The boot of a good image, and its times against the formulas of systemc/mgmt/domain/README.md.
#include <catch2/catch.hpp>
#include <random>

#include "sw/base/user_error.h"
#include "sw/image/firmware_image.h"
#include "systemc/mgmt/board/board_state.h"
#include "systemc/mgmt/board/domain_archive.h"
#include "tb/common/seed.h"
#include "tb/mgmt/firmware/firmware_bench.h"

using namespace tern;
using namespace tern::tb;

namespace {

// SHA-256: 80 cycles of 2 ns for a block of 64 bytes.
double hash_us(std::size_t bytes) {
  const std::size_t blocks = (bytes + 8) / 64 + 1;
  return 0.160 * static_cast<double>(blocks);
}

}  // namespace

TEST_CASE("firmware: from reset to ready, in order") {
  FirmwareBench bench;
  const mgmt::BoardStop stop = bench.boot();
  INFO(bench.terminal.output());
  CHECK(stop.kind == mgmt::BoardStop::Kind::kRequest);
  const std::vector<std::uint32_t> expected = {
      TERN_PHASE_ROM, TERN_PHASE_VERIFY, TERN_PHASE_RUNTIME, TERN_PHASE_HBM,
      TERN_PHASE_DIE, TERN_PHASE_CORES,  TERN_PHASE_POWER,   TERN_PHASE_READY};
  std::vector<std::uint32_t> seen;
  for (const auto& moment : bench.phases) seen.push_back(moment.phase);
  CHECK(seen == expected);
  CHECK(bench.domain().control().boot_error() == 0);
  for (const char* line :
       {"rom: reset cause 0, 0 resets", "rom: slot A verified, ",
        "tern firmware 1.0.0, security version 1, slot A",
        "hbm 0: trained, attempt 1, margin 320 permille",
        "hbm 3: trained, attempt 1, margin 320 permille",
        "die link 0: trained, attempt 1, margin 280 permille", "cores: ff ready of ff",
        "power: 1000 permille, in steps of 50 per 10 us", "] ready\r\n"}) {
    INFO(line);
    CHECK(bench.printed(line));
  }
}

TEST_CASE("firmware: times of the phases follow from the devices") {
  FirmwareBench bench;
  bench.boot();
  REQUIRE(bench.last_phase() == TERN_PHASE_READY);
  const auto took = [&](std::uint32_t phase, std::uint32_t next) {
    return bench.begin_of(next) - bench.begin_of(phase);
  };
  // Besides what is known: instructions (1 ns each), a poll of 50 us in each loop that waits, and
  // up to a quantum of 10 us until an interrupt is seen.
  constexpr double kPoll = 50 + 10;
  const std::size_t payload = firmware::image().size() - 256;
  const double verify = hash_us(64) + hash_us(192) + 800 + hash_us(payload);
  const double verified = took(TERN_PHASE_VERIFY, TERN_PHASE_RUNTIME);
  CHECK(verified >= verify);
  // The copy: up to six instructions for a byte; the log.
  CHECK(verified <= verify + 0.006 * static_cast<double>(payload) + 30);
  const auto check = [&](std::uint32_t phase, std::uint32_t next, double us) {
    INFO("phase " << phase);
    CHECK(took(phase, next) >= us);
    CHECK(took(phase, next) <= us + kPoll + 30);
  };
  check(TERN_PHASE_HBM, TERN_PHASE_DIE, 4000);
  check(TERN_PHASE_DIE, TERN_PHASE_CORES, 800);
  check(TERN_PHASE_CORES, TERN_PHASE_POWER, 50);
  check(TERN_PHASE_POWER, TERN_PHASE_READY, 20 * 10);  // steps of 50 to 1000, 10 us each
}

TEST_CASE("firmware: a run repeats to the instruction, and from a snapshot in the middle") {
  FirmwareBench bench;
  bench.run(2.5);  // in the HBM training
  REQUIRE(bench.last_phase() == TERN_PHASE_HBM);
  const mgmt::BoardState middle = bench.board.save();
  const auto rest = [&] {
    const std::size_t from = bench.terminal.output().size();
    const double begin = sc_core::sc_time_stamp().to_seconds() * 1e6;
    const std::uint64_t before = bench.board.instructions();
    bench.boot();
    // The same number each time: the CRC's branches depend on it.
    const auto status = bench.send(FirmwareBench::message(9, TERN_COMMAND_GET_STATUS, ""));
    return std::make_tuple(bench.terminal.output().substr(from), bench.phases.back().us - begin,
                           bench.board.instructions() - before, status.payload);
  };
  const auto first = rest();
  bench.run(7);
  bench.board.restore(middle);
  const auto second = rest();
  CHECK(std::get<0>(first) == std::get<0>(second));
  CHECK(std::get<1>(first) == Approx(std::get<1>(second)).epsilon(1e-12));
  CHECK(std::get<2>(first) == std::get<2>(second));
  CHECK(std::get<3>(first) == std::get<3>(second));
}

TEST_CASE("firmware: a reset by software boots again, with its cause") {
  FirmwareBench bench;
  bench.boot();
  const auto status = bench.request(TERN_COMMAND_GET_STATUS).as<tern_status_reply>();
  CHECK(status.reset_cause == TERN_RESET_CAUSE_POWER_ON);
  CHECK(status.phase == TERN_PHASE_READY);
  CHECK(status.cores_ready == 0xFF);
  bench.restart();
  bench.boot();
  CHECK(bench.last_phase() == TERN_PHASE_READY);
  CHECK(bench.domain().control().heartbeat() == 0);
  bench.run(20);
  CHECK(bench.domain().control().heartbeat() >= 19);
  CHECK(bench.domain().control().heartbeat() <= 21);
}

// As from the file of somebody: what passes the checks must do no harm.
TEST_CASE("firmware: damaged states of the devices are refused, or restored without harm") {
  FirmwareBench bench;
  bench.run(2.5);
  const mgmt::BoardState good = bench.board.save();
  mgmt::ArchiveWriter writer;
  mgmt::Domain::State state = *good.domain;
  visit(writer, state);
  const std::uint64_t seed = test_seed();
  INFO("TERN_SEED=" << seed);
  std::mt19937_64 random(seed);
  const std::size_t before = 400, flash = TERN_MGMT_FLASH_BYTES;  // most of it: any bytes are good
  unsigned refused = 0, restored = 0;
  for (int i = 0; i < 400; ++i) {
    std::string bytes = writer.bytes;
    for (unsigned n = 1 + random() % 4; n != 0; --n) {
      const std::size_t others = before + (bytes.size() - flash - before);
      std::size_t at = random() % others;
      if (at >= before) at += flash;
      bytes[at] = static_cast<char>(random() % 2 == 0 ? random() : 0xFF);
    }
    mgmt::BoardState damaged = good;
    try {
      mgmt::ArchiveReader reader(bytes);
      mgmt::Domain::State read;
      visit(reader, read);
      if (!is_sane(read, *bench.config.management) || !times_are_sane(read))
        throw UserError("damaged");
      damaged.domain = read;
    } catch (const UserError&) {
      ++refused;
      continue;
    }
    ++restored;
    bench.board.restore(damaged);
    bench.run(0.2);
  }
  CHECK(refused > 20);
  CHECK(restored > 20);
  bench.board.restore(good);
  bench.boot();
  CHECK(bench.last_phase() == TERN_PHASE_READY);
}
