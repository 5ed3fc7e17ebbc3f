// SPDX-License-Identifier: Apache-2.0
// The format of live states: what is written is read, and nothing else is accepted.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <string>

#include "sw/base/user_error.h"
#include "sw/live/live_state.h"
#include "tb/common/seed.h"
#include "tb/live/live_sample.h"

using namespace tern;  // NOLINT: test file
using Json = nlohmann::ordered_json;

namespace {

std::string refusal(const std::string& text) {
  try {
    live::from_json(text);
  } catch (const UserError& error) {
    return error.what();
  }
  return "accepted";
}

// The sample with the value at /KEY/NUMBER/.. replaced.
std::string refusal_of(const std::string& path, const Json& value) {
  Json json = live::to_json(tb::live_sample(42, 7));
  Json* place = &json;
  std::istringstream parts(path.substr(1));
  for (std::string part; std::getline(parts, part, '/');) {
    place = place->is_array() ? &place->at(std::stoul(part)) : &(*place)[part];
  }
  *place = value;
  return refusal(json.dump());
}

}  // namespace

TEST_CASE("live state: what is written is read") {
  const live::State state = tb::live_sample(42, 7);
  const Json json = live::to_json(state);
  CHECK(live::to_json(live::from_json(json.dump())) == json);
  live::State plain = state;
  plain.management.reset();
  plain.devices.clear();
  const live::State read = live::from_json(live::to_json(plain).dump());
  CHECK(!read.management);
  CHECK(read.devices.empty());
  // Keys of a newer version.
  Json more = json;
  more["later"] = {1, 2};
  more["devices"][0]["later"] = "x";
  CHECK(live::to_json(live::from_json(more.dump())) == json);
}

TEST_CASE("live state: whatever a process calls itself, its state is read") {
  const std::string bad(3000, '\xFF');  // each is replaced by three bytes
  const std::string cut = std::string(live::kMaxText - 1, 'x') + "\u00e4";
  for (const std::string& text : {bad, cut, cut + bad, std::string("\0a", 2)}) {
    live::State state = tb::live_sample(42, 7);
    state.command = state.kind = state.version = text;
    state.devices[0].name = state.devices[0].chip = text;
    state.management->board = state.management->phase = text;
    state.management->sensors[0].name = state.management->sensors[0].unit = text;
    CHECK(refusal(live::to_json(state).dump()) == "accepted");
  }
  live::State state = tb::live_sample(42, 7);
  state.command = cut;
  CHECK(live::from_json(live::to_json(state).dump()).command ==
        std::string(live::kMaxText - 1, 'x'));
  state.command = "a\xFF z\u00e4";
  CHECK(live::from_json(live::to_json(state).dump()).command == "a\uFFFD z\u00e4");
}

TEST_CASE("live state: what is no state is refused by its key") {
  CHECK(refusal("") == "expected JSON");
  CHECK(refusal("{\"pid\": 1") == "expected JSON");
  CHECK(refusal("[]") == "key '.': expected an object");
  CHECK(refusal("{}") == "key 'format': expected a value, it is missing");
  CHECK(refusal(std::string(500'000, '[')) == "expected JSON");
  CHECK(refusal(std::string(500'000, '[') + std::string(500'000, ']')) ==
        "key '.': expected an object");
  CHECK(refusal_of("/format", "other") == "key 'format': expected 'tern-live'");
  CHECK(refusal_of("/format_version", 2) ==
        "key 'format_version': expected 1, of another version of tern");
  CHECK(refusal_of("/pid", -1) == "key 'pid': expected a whole number up to 2147483647");
  CHECK(refusal_of("/pid", 4294967296) == "key 'pid': expected a whole number up to 2147483647");
  CHECK(refusal_of("/wall_s", nullptr) == "key 'wall_s': expected a number from 0 to 1e+18");
  CHECK(refusal_of("/wall_s", 1e300) == "key 'wall_s': expected a number from 0 to 1e+18");
  CHECK(refusal_of("/speed", -1) == "key 'speed': expected a number from 0 to 1e+18");
  CHECK(refusal_of("/command", std::string(5000, 'x')) ==
        "key 'command': expected a text of at most 4096 bytes");
  CHECK(refusal_of("/devices", 3) == "key 'devices': expected a list of at most 16 elements");
  CHECK(refusal_of("/devices/0/cores", Json::array_t(65, Json::object())) ==
        "key 'devices[0].cores': expected a list of at most 64 elements");
  CHECK(refusal_of("/devices/0/cores/1", 3) == "key 'devices[0].cores[1]': expected an object");
  CHECK(refusal_of("/devices/0/cores/1/state", "dancing") ==
        "key 'state': expected one of idle, running, stalled, error, held, resetting");
  CHECK(refusal_of("/devices/0/cores/0/engines/vector/utilization", 1.5) ==
        "key 'devices[0].cores[0].engines.vector.utilization': expected a number from 0 to 1");
  CHECK(refusal_of("/devices/0/cores/0/program_us/3", "x") ==
        "key 'devices[0].cores[0].program_us[3]': expected a number from 0 to 1e+18");
  CHECK(refusal_of("/devices/0/stacks/0/bytes", 1.5) ==
        "key 'devices[0].stacks[0].bytes': expected a whole number up to 1000000000000000000");
  CHECK(refusal_of("/management/errors", Json::array()) ==
        "key 'management.errors': expected an object");
  CHECK(refusal_of("/management/harts", 1000) ==
        "key 'management.harts': expected a whole number up to 64");
}

TEST_CASE("live state: damaged files are read as they are or refused, nothing else") {
  const std::string good = live::to_json(tb::live_sample(42, 7)).dump();
  std::mt19937_64 random(tb::test_seed());
  unsigned refused = 0;
  for (unsigned i = 0; i < 3000; ++i) {
    std::string text = good;
    for (unsigned changes = 1 + random() % 4; changes > 0; --changes) {
      const std::size_t at = random() % text.size();
      switch (random() % 4) {
        case 0:
          text[at] = static_cast<char>(random());
          break;
        case 1:
          text.erase(at, 1 + random() % 20);
          break;
        case 2:
          text.insert(at, text.substr(random() % text.size(), random() % 30));
          break;
        default:
          text.insert(at, std::to_string(random()));
      }
      if (text.empty()) text = "{";
    }
    const std::string answer = refusal(text);
    refused += answer != "accepted" ? 1 : 0;
    CHECK(answer.find('\n') == std::string::npos);
  }
  CHECK(refused > 1000);
}
