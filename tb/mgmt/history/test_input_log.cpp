// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "systemc/mgmt/board/input_log.h"
#include "tb/common/seed.h"

using namespace tern;
using Mode = mgmt::InputLog::Mode;

namespace {

// Answers at random.
struct Person : mgmt::UartBackend {
  void transmit(std::uint8_t byte) override { output += static_cast<char>(byte); }
  std::optional<std::uint8_t> receive() override {
    if (random() % 3 != 0) return std::nullopt;
    return static_cast<std::uint8_t>(random());
  }
  bool may_receive() override { return random() % 4 != 0; }
  std::string output;
  std::mt19937_64 random{tb::test_seed()};
};

// Odd questions are for a byte.
int ask(mgmt::InputLog& log, unsigned i) {
  if (i % 2 == 0) return log.may_receive() ? 1 : 0;
  const auto byte = log.receive();
  return byte ? *byte : -1;
}

}  // namespace

TEST_CASE("input log: answers are repeated from any position") {
  Person person;
  mgmt::InputLog log(person);
  log.set_mode(Mode::kRecord);
  std::vector<int> answers;
  std::vector<mgmt::InputLog::Position> positions;
  for (unsigned i = 0; i < 1000; ++i) {
    positions.push_back(log.position());
    answers.push_back(ask(log, i));
  }
  log.transmit('a');
  log.set_mode(Mode::kReplay);
  log.transmit('b');
  CHECK(person.output == "a");
  for (const unsigned from : {0u, 17u, 500u, 999u}) {
    if (from == 500) log.cut_past(positions[300]);
    log.set_position(positions[from]);
    for (unsigned i = from; i < 1000; ++i) CHECK(ask(log, i) == answers[i]);
  }
  CHECK(log.bytes() > 0);
}

TEST_CASE("input log: what was typed after a cut is forgotten") {
  Person person;
  mgmt::InputLog log(person);
  log.set_mode(Mode::kRecord);
  for (unsigned i = 0; i < 100; ++i) ask(log, i);
  const auto middle = log.position();
  std::vector<int> answers;
  for (unsigned i = 0; i < 100; ++i) ask(log, i);
  log.set_position(middle);
  log.cut_future();
  for (unsigned i = 0; i < 100; ++i) answers.push_back(ask(log, i));
  log.set_mode(Mode::kReplay);
  log.set_position(middle);
  for (unsigned i = 0; i < 100; ++i) CHECK(ask(log, i) == answers[i]);
}

TEST_CASE("input log: while it is held nothing comes and nothing counts") {
  Person person;
  mgmt::InputLog log(person);
  log.set_mode(Mode::kHold);
  for (unsigned i = 0; i < 50; ++i) CHECK(ask(log, i) <= 0);
  CHECK(log.position().asked == 0);
  CHECK(log.position().received == 0);
}
