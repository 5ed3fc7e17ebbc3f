// SPDX-License-Identifier: Apache-2.0
// Errors of the chip: each class is counted, kept, printed, and reported by mailbox and BMC table.
#include <catch2/catch.hpp>

#include "tb/mgmt/firmware/firmware_bench.h"

using namespace tern;
using namespace tern::tb;

namespace {

tern_status_reply status_of(FirmwareBench& bench) {
  return bench.request(TERN_COMMAND_GET_STATUS).as<tern_status_reply>();
}

std::vector<tern_error_entry> log_of(FirmwareBench& bench, std::uint32_t first = 0) {
  const auto reply = bench.request(TERN_COMMAND_GET_LOG, {first});
  std::vector<tern_error_entry> entries;
  for (std::size_t at = 0; at < reply.payload.size(); at += sizeof(tern_error_entry))
    entries.push_back(reply.as<tern_error_entry>(at));
  return entries;
}

tern_bmc_header bmc_of(FirmwareBench& bench) {
  tern_bmc_header header;
  std::memcpy(&header, bench.domain().bmc().table().data(), sizeof header);
  return header;
}

}  // namespace

TEST_CASE("errors: each class, alone") {
  FirmwareBench bench;
  bench.boot();
  const struct {
    std::uint8_t error;
    std::uint16_t unit;
    std::uint32_t cores_bad, hbm_bad;
    const char* text;
  } cases[] = {
      {TERN_ERROR_CLASS_ECC_CORRECTED, 2, 0, 0, "error: ECC corrected, unit 2,"},
      {TERN_ERROR_CLASS_ECC_UNCORRECTABLE, 1, 0, 0x2, "error: ECC uncorrectable, unit 1,"},
      {TERN_ERROR_CLASS_ECC_REPAIRABLE, 3, 0, 0x80002,
       "error: ECC uncorrectable, repairable, unit 3,"},
      {TERN_ERROR_CLASS_DMA_ABORT, 0, 0x01, 0x80002, "error: DMA abort, unit 0,"},
      {TERN_ERROR_CLASS_SEMAPHORE_OVERFLOW, 4, 0x11, 0x80002, "error: semaphore overflow, unit 4,"},
      {TERN_ERROR_CLASS_SEQUENCER_FATAL, 7, 0x91, 0x80002, "error: sequencer fatal, unit 7,"},
      {TERN_ERROR_CLASS_HANG, 5, 0xB1, 0x80002, "error: hang, unit 5,"},
  };
  std::uint32_t number = 0;
  for (const auto& one : cases) {
    INFO(one.text);
    const std::uint64_t address = 0x1234500000ULL + one.error;
    bench.run(1);
    const double before = sc_core::sc_time_stamp().to_seconds() * 1e6;
    bench.domain().raise({one.error, one.unit, address, one.error + 1u});
    CHECK(bench.domain().bmc().attention() == (number > 1));  // a corrected bit calls nobody
    bench.run(1);
    CHECK(bench.printed(one.text));
    const auto entries = log_of(bench, number);
    REQUIRE(entries.size() == 1);
    CHECK(entries[0].number == number);
    CHECK(entries[0].error == one.error);
    CHECK(entries[0].unit == one.unit);
    CHECK(entries[0].address == address);
    CHECK(entries[0].count == one.error + 1u);
    CHECK(static_cast<double>(entries[0].time_us) >= before - 1);
    CHECK(static_cast<double>(entries[0].time_us) <= before + 30);
    const auto counters = bench.request(TERN_COMMAND_GET_COUNTERS);
    REQUIRE(counters.payload.size() == 7 * 4);
    for (unsigned c = 0; c < 7; ++c) CHECK(counters.word(c) == (c <= one.error ? c + 1 : 0));
    const auto status = status_of(bench);
    CHECK(status.cores_bad == one.cores_bad);
    CHECK(status.hbm_bad == one.hbm_bad);
    bench.run(11);
    const auto bmc = bmc_of(bench);
    CHECK(bmc.counts[one.error] == one.error + 1u);
    CHECK(bmc.cores_bad == one.cores_bad);
    ++number;
  }
  CHECK(bench.domain().bmc().attention());
  // Clearing some counters leaves the others, the log and the health.
  CHECK(bench.request(TERN_COMMAND_CLEAR_ERRORS, {0x5}).status == TERN_MAILBOX_STATUS_OK);
  CHECK_FALSE(bench.domain().bmc().attention());
  const auto counters = bench.request(TERN_COMMAND_GET_COUNTERS);
  CHECK(counters.word(0) == 0);
  CHECK(counters.word(1) == 2);
  CHECK(counters.word(2) == 0);
  CHECK(log_of(bench).size() == 7);
  CHECK(status_of(bench).cores_bad == 0xB1);
  CHECK(bench.request(TERN_COMMAND_CLEAR_ERRORS, {0x80}).status == TERN_MAILBOX_STATUS_ARGUMENT);
}

TEST_CASE("errors: a reset of a core ends its error state") {
  FirmwareBench bench;
  bench.boot();
  bench.domain().raise({TERN_ERROR_CLASS_DMA_ABORT, 2, 0, 1});
  bench.domain().raise({TERN_ERROR_CLASS_SEQUENCER_FATAL, 6, 0, 1});
  bench.run(1);
  CHECK(status_of(bench).cores_bad == 0x44);
  CHECK(bench.request(TERN_COMMAND_RESET_CORES, {0x04}).word(0) == 0xFF);
  CHECK(status_of(bench).cores_bad == 0x40);
  CHECK(bench.request(TERN_COMMAND_RESET_CORES, {0x1FF}).status == TERN_MAILBOX_STATUS_ARGUMENT);
  CHECK(status_of(bench).cores_bad == 0x40);
}

TEST_CASE("errors: units that do not exist are kept, and change no health") {
  FirmwareBench bench;
  bench.boot();
  for (const std::uint16_t unit : {std::uint16_t{8}, std::uint16_t{31}, std::uint16_t{32},
                                   std::uint16_t{0xFFFE}, std::uint16_t{0xFFFF}}) {
    for (std::uint8_t error = 0; error < 7; ++error) {
      bench.domain().raise({error, unit, 0, 1});
      bench.run(0.1);
    }
  }
  const auto status = status_of(bench);
  CHECK(status.cores_bad == 0);
  CHECK(status.hbm_bad == 0);
  CHECK(log_of(bench).size() == 31);  // as many as a reply holds
  CHECK(log_of(bench, 31).size() == 4);
  CHECK(log_of(bench, 35).empty());
}

TEST_CASE("errors: during the bring-up, too") {
  FirmwareBench bench([](mgmt::BoardConfig& c) {
    c.management->events = {{3000, {TERN_ERROR_CLASS_ECC_CORRECTED, 1, 0x40, 7}}};
  });
  bench.run(3.5);
  REQUIRE(bench.last_phase() == TERN_PHASE_HBM);
  bench.boot();
  CHECK(bench.last_phase() == TERN_PHASE_READY);
  const auto entries = log_of(bench);
  REQUIRE(entries.size() == 1);
  CHECK(entries[0].count == 7);
  CHECK(entries[0].time_us >= 3000);
  CHECK(entries[0].time_us <= 3020);
}

TEST_CASE("errors: a storm is counted to the last one, and the log keeps the newest 64") {
  FirmwareBench bench;
  bench.boot();
  constexpr std::uint32_t kStorm = 5000;
  for (std::uint32_t i = 0; i < kStorm; ++i) {
    bench.domain().raise({TERN_ERROR_CLASS_ECC_CORRECTED, 0, i, 1});
    bench.run(0.003);
  }
  bench.run(1);
  CHECK(bench.request(TERN_COMMAND_GET_COUNTERS).word(0) == kStorm);
  const auto first = log_of(bench);
  REQUIRE(first.size() == 31);
  const std::uint32_t next = first.back().number + 1;
  const auto second = log_of(bench, next), third = log_of(bench, next + 31);
  CHECK(first.size() + second.size() + third.size() == 64);
  CHECK(third.back().address == kStorm - 1);
  CHECK(bench.board.resets() == 0);
}

TEST_CASE("errors: counters stay at their end") {
  FirmwareBench bench;
  bench.boot();
  for (int i = 0; i < 3; ++i) {
    bench.domain().raise({TERN_ERROR_CLASS_DMA_ABORT, 0, 0, 0x7FFFFFFF});
    bench.run(1);
  }
  CHECK(bench.request(TERN_COMMAND_GET_COUNTERS).word(3) == 0xFFFFFFFF);
}
